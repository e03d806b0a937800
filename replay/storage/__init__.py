"""The store: one DuckDB file that holds the recorded games, shared between processes. `docs/store.md` describes it."""
