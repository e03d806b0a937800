"""Who was winning, and what each decision cost. `docs/evaluation.md` describes it."""
