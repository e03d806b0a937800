"""Programs to begin with."""
