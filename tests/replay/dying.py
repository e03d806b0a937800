"""Work that costs a worker its life. It imports little: each process that does it imports it anew."""

import os
import signal
from pathlib import Path


def squared_at_the_second_try(folder: Path, number: int) -> int:
    """Give the square of a number; the first worker that is asked for that of 3 is killed."""
    if number == 3 and not (folder / "asked").exists():
        (folder / "asked").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number**2
