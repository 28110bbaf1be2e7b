#!/usr/bin/env python3
"""Run a program beside a PostgreSQL of its own, which ends with it.

usage: run.py [--pooler | --kills] PROGRAM ARGUMENT...

The program finds in its environment: HF_POSTGRESQL, the URL of an empty
database, with --pooler through pgbouncer in transaction mode; and
HF_POSTGRESQL_ADMIN, the same as the superuser and always direct.  With --kills
the server is killed with -9, and started again, every two to six seconds.  The
exit code is the program's; 77, where there is no PostgreSQL.
"""

import contextlib
import os
import random
import subprocess
import sys

from cluster import Pooler, Postgres, janitor, need_servers


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
    option, command = None, sys.argv[1:]
    if command[:1] in (["--pooler"], ["--kills"]):
        option, *command = command
    if not command:
        sys.exit(__doc__)
    need_servers()
    with contextlib.ExitStack() as stack:
        server = front = stack.enter_context(Postgres())
        if option == "--pooler":
            front = stack.enter_context(Pooler(server))
        process = subprocess.Popen(command, env={
            **os.environ, "HF_POSTGRESQL": front.url(),
            "HF_POSTGRESQL_ADMIN": server.url(user="postgres")})
        janitor().process(process.pid)
        code = wait_for(process, server, option == "--kills")
        if code != 0:
            sys.stderr.write(server.log_text()[-8000:])
    sys.exit(code if code >= 0 else 128 - code)


main()
