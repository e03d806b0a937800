"""The games we ship, one small package each: `state`, `reducer`, `rules`, `scoring`, and a bot that knows the game."""
