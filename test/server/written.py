#!/usr/bin/env python3
"""written.py HOLDFASTD: what is told is in the store, and all of it is there
after a kill.

While another process has the file's write lock nothing can be written.  What
was decided meanwhile shows to whoever only looks, and is told to nobody.
"""

import sqlite3
import sys
import time

from support import Checks, Client, Server, await_that, folder

ACQUIRES = 40
SESSIONS = 300  # more than a page of the store has (src/server/page.h)


def metric(looker, name):
    _, text = looker.ask("GET", "/metrics")
    return next(int(line.split()[1]) for line in text.splitlines()
                if line.startswith(name + " "))


def is_held(looker, name):
    return looker.ask("GET", f"/v1/locks/{name}")[0] == 200


def as_session(server, of):
    """Another connection of the same session."""
    client = Client(server)
    client.session, client.secret = of.session, of.secret
    return client


def check_told(checks, server, path):
    looker = Client(server)
    one = Client(server).open(ttl="60s")
    one.acquire({"name": "before"})
    grant, release, opened = (as_session(server, one) for _ in range(3))
    other = sqlite3.connect(f"{path}/served.db", isolation_level=None,
                            timeout=5)
    other.execute("BEGIN IMMEDIATE")
    opened.send("POST", "/v1/sessions", {"ttl": "60s"})
    grant.send("POST", "/v1/acquire", {
        "session": one.session, "lane": 2, "n": 1, "locks": [{"name": "new"}]})
    release.send("POST", "/v1/release", {"session": one.session, "n": one.n})
    await_that(lambda: is_held(looker, "new")
               and not is_held(looker, "before")
               and metric(looker, "holdfast_sessions") == 2)
    asked = {"a grant": (grant, 200), "a release": (release, 200),
             "a session": (opened, 201)}
    early = {what: client.is_told() for what, (client, _) in asked.items()}
    other.execute("ROLLBACK")
    other.close()
    for what, (client, status) in asked.items():
        checks.check(f"{what} is not told before it is written",
                     not early[what])
        told = client.receive()
        checks.check("and then it is", told[0] == status, told)


def check_batches(checks, server):
    """One commit each, for the session that it opens and the grant; and those of
    the leader's beats."""
    looker = Client(server)
    before, begun = metric(looker, "holdfast_batches_total"), time.monotonic()
    for number in range(ACQUIRES):
        Client(server).ask("POST", f"/v1/locks/one-{number}/acquire", {})
    batches = metric(looker, "holdfast_batches_total") - before
    beats = 2 * (time.monotonic() - begun) + 2
    checks.check(f"{ACQUIRES} acquires are {ACQUIRES} batches",
                 ACQUIRES <= batches < ACQUIRES + beats, batches)


def check_many(checks, server):
    fences = {}
    for number in range(SESSIONS):
        one = Client(server).open(ttl="60s")
        fences[f"of-{number}"] = one.acquire({"name": f"of-{number}"})["fence"]
        one.connection.close()
    server.kill()
    server.start()
    server.await_leading()
    looker = Client(server)
    gone = []
    for name, fence in fences.items():
        status, shown = looker.ask("GET", f"/v1/locks/{name}")
        if status != 200 or shown["holders"][0]["fence"] != fence:
            gone.append(name)
    checks.check(f"of {SESSIONS} sessions each has its lock after a kill",
                 not gone, f"not so: {gone}")


def main():
    checks = Checks()
    with folder() as path, Server(sys.argv[1], path) as server:
        server.await_leading()
        check_told(checks, server, path)
        check_batches(checks, server)
        check_many(checks, server)
    sys.exit(checks.end())


main()
