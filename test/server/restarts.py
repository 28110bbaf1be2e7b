#!/usr/bin/env python3
"""restarts.py HOLDFASTD: a server that is restarted more often than a ttl.

The lock of a holder that fell silent is free at last, and the lock of a client
that lives stays its own, with its fence [S10].
"""

import sys
import time

from support import Checks, Client, Server, folder

DAEMON, = sys.argv[1:]
TTL = 6       # seconds
SERVES = 1.2  # from one restart to the next: more than a tenth of the ttl
MOST = 10     # restarts; half of them are enough on an idle machine


def keep_alive(server, client):
    there = Client(server)
    there.session, there.secret = client.session, client.secret
    status, _ = there.ask("POST", f"/v1/sessions/{client.session}/keep-alive",
                          {})
    return status == 200


def fences(server, name):
    _, told = Client(server).ask("GET", f"/v1/locks/{name}")
    return [holder["fence"] for holder in told.get("holders", [])]


def is_free(server, name):
    status, _ = Client(server).ask("POST", f"/v1/locks/{name}/acquire",
                                   {"wait": "try", "ttl": "60s"})
    return status == 200


def restart_often(checks, how, server, end):
    silent = Client(server).open(ttl=f"{TTL}s")
    silent.acquire("dead")
    living = Client(server).open(ttl=f"{TTL}s")
    fence = living.acquire("job")["fence"]
    lives, freed = True, None
    for count in range(1, MOST + 1):
        end()
        server.start()
        server.await_leading()
        lives = keep_alive(server, living) and lives
        time.sleep(SERVES)
        lives = keep_alive(server, living) and lives
        if freed is None and is_free(server, "dead"):
            freed = count
    checks.check(f"{how}: a silent holder's lock is free", freed is not None)
    checks.check(f"{how}: not before its ttl was served",
                 freed is None or freed > 1, freed)
    checks.check(f"{how}: a living client's session goes on", lives)
    checks.check(f"{how}: and its lock has its fence",
                 fences(server, "job") == [fence], fences(server, "job"))


def main():
    checks = Checks()
    for how in ("TERM", "kill -9"):
        with folder() as path, Server(DAEMON, path) as server:
            server.await_leading()
            end = server.stop if how == "TERM" else server.kill
            restart_often(checks, how, server, end)
    return checks.end()


sys.exit(main())
