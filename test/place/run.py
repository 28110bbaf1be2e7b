#!/usr/bin/env python3
"""Run a program beside a server of its own, which ends with it.

usage: run.py KIND [--pooler | --kills] PROGRAM ARGUMENT...

The program finds in its environment HF_PLACE, the URL of the server without a
place in it; with --pooler, for PostgreSQL, through pgbouncer in transaction mode.
With --kills the server is killed with -9, and started again, every two to six
seconds.  The exit code is the program's; 77, where there is no such server.
"""

import contextlib
import os
import random
import subprocess
import sys

from fixture import janitor
from kinds import subject_of


def wait_for(process, server, kills):
    count = 0
    while kills:
        try:
            process.wait(timeout=random.uniform(2, 6))
            print(f"the server was killed {count} times")
            break
        except subprocess.TimeoutExpired:
            server.kill()
            server.start()
            count += 1
    return process.wait()


def main():
    kind, *command = sys.argv[1:] or [None]
    option = None
    if command[:1] in (["--pooler"], ["--kills"]):
        option, *command = command
    if not command:
        sys.exit(__doc__)
    with contextlib.ExitStack() as stack:
        server = front = stack.enter_context(subject_of(kind)())
        if option == "--pooler":
            front = server.front("pooler", server, stack)
        process = subprocess.Popen(command,
                                   env={**os.environ, "HF_PLACE": front.url()})
        janitor().process(process.pid)
        code = wait_for(process, server, option == "--kills")
        if code != 0:
            sys.stderr.write(server.log_text()[-8000:])
    sys.exit(code if code >= 0 else 128 - code)


main()
