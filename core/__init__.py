"""The engine and the rules: pure functions from values to values.

No clock, no file, no generator of its own, nothing to mock. Read `game` (what a game is: four functions), then `engine`
(the dozen lines that run any game), `chance` and `rng` (randomness as values), `redact` (who sees what), and a game of
`core.games`. Imports `events` and nothing else of ours.
"""
