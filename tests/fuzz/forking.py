"""A process that has imported the sandbox of SQL and forks one off for each query, so that none takes long to start.

Started with the number of a socket, over which it is given the standard input, output and error of each, and tells the
exit code.
"""

from __future__ import annotations

import os
import socket
import sys

from replay.sql import sandbox


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
