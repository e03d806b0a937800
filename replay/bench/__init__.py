"""What `tabletape bench` measures. `docs/bench.md` says what came out."""
