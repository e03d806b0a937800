"""The vocabulary of Tabletape: what can have happened in a game, and how it is written down.

Nothing here knows a rule, and nothing here imports another package of ours. Start with `base` (the events every game
shares), then `marks` (who may see what), `codec` (bytes and events), `tape` (a recorded game) and one module a game.
"""
