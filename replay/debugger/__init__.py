"""Walking through a replay, watching it, and trying what else could have been. `docs/debugger.md` describes it."""
