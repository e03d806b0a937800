"""A process that has imported the sandbox of SQL and forks one off for each query, so that none takes long to start.

Started with the number of a socket, over which it is given the standard input, output and error of each, and tells the
exit code. `sandboxes` starts it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.sql import sandbox

if TYPE_CHECKING:  # the process that forks need not import it
    from replay.storage.store import Store

ROOT: Final = Path(__file__).parents[2]


@contextmanager
def sandboxes() -> Iterator[Callable[[Store, bytes], tuple[int, bytes, bytes]]]:
    """Give what may stand for `replay.sql.query._run`: the sandbox as it is, except that its process is forked off."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-W", "ignore", "-m", "tests.fuzz.forking", str(theirs.fileno())]

    def sandboxed(store: Store, request: bytes) -> tuple[int, bytes, bytes]:
        pipes = [os.pipe() for _ in range(3)]
        (takes, asks), (out, gives), (err, says) = pipes
        socket.send_fds(ours, [b"-"], [takes, gives, says])
        for end in (takes, gives, says):
            os.close(end)
        with store.lent(), open(asks, "wb") as file, open(out, "rb") as found, open(err, "rb") as said:
            file.write(request)
            file.close()
            rows, reason = found.read().removeprefix(sandbox.READY), said.read()
            return int(ours.recv(20)), rows, reason

    with theirs, ours, subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=ROOT) as server:
        yield sandboxed
        ours.close()
        theirs.close()
        server.wait()


def main(control: socket.socket) -> None:
    """Serve until the other end is closed."""
    while ends := socket.recv_fds(control, 1, 3)[1]:
        child = os.fork()
        if child == 0:
            for number, end in enumerate(ends):
                os.dup2(end, number)
            os.closerange(3, 64)
            code = sandbox.main()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        for end in ends:
            os.close(end)
        control.send(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
