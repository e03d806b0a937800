"""Figures about many games: measured, counted, told apart from chance. `docs/statistics.md` describes them."""
