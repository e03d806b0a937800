"""The HTTP interface: what is recorded and what is played, for other programs. `docs/service.md` describes it."""
