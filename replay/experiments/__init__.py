"""Experiments: what a changed card, option, seat count or bot does to a game.

    found = run(Store("games.duckdb"), Path("nine-nanners.toml").read_bytes())
    print(found.said)

Each variant plays the same numbered games, dealt from the same randomness (common random numbers) with players that
rotate through the seats. The games stay in the store, tagged `<experiment>/<variant>`; what is there is not played
again. So an experiment goes on where it was stopped, and the same file gives the same games and the same result.
"""

from replay.experiments.differences import Difference
from replay.experiments.plan import Experiment, Variant, batches, name_of, parse
from replay.experiments.running import KIND, Kept, Result, kept, result, run

__all__ = [
    "KIND",
    "Difference",
    "Experiment",
    "Kept",
    "Result",
    "Variant",
    "batches",
    "kept",
    "name_of",
    "parse",
    "result",
    "run",
]
