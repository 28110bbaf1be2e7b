#!/usr/bin/env python3
"""Run a program beside a PostgreSQL of its own, which ends with it.

usage: run.py [--pooler] PROGRAM ARGUMENT...

The program finds in its environment: HF_POSTGRESQL, the URL of an empty
database, with --pooler through pgbouncer in transaction mode; and
HF_POSTGRESQL_ADMIN, the same as the superuser and always direct.  The exit code
is the program's; 77, where there is no PostgreSQL.
"""

import contextlib
import os
import subprocess
import sys

from cluster import Pooler, Postgres, janitor, need_servers


def main():
    command = sys.argv[1:]
    pooled = command[:1] == ["--pooler"]
    if pooled:
        command = command[1:]
    if not command:
        sys.exit(__doc__)
    need_servers()
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Postgres())
        front = stack.enter_context(Pooler(server)) if pooled else server
        process = subprocess.Popen(command, env={
            **os.environ, "HF_POSTGRESQL": front.url(),
            "HF_POSTGRESQL_ADMIN": server.url(user="postgres")})
        janitor().process(process.pid)
        code = process.wait()
        if code != 0:
            sys.stderr.write(server.log_text()[-8000:])
    sys.exit(code if code >= 0 else 128 - code)


main()
