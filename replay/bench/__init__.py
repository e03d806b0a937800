"""What `tabletape bench` measures. `docs/scale.md` and `docs/store.md` say what came out."""
