"""Games at play: hosted, dealt in secret, recorded at a real table. `docs/service.md` describes them."""
