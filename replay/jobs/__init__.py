"""Work spread over processes of this machine or over a cluster. `docs/scale.md` describes it."""
