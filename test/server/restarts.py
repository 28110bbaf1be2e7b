#!/usr/bin/env python3
"""restarts.py HOLDFASTD: a server that is restarted more often than a ttl.

The lock of a holder that fell silent is free at last, and the lock of a client
that lives stays its own, with its fence [S10].  So do those of ten thousand.
"""

import contextlib
import http.client
import json
import sqlite3
import sys
import time

from support import Checks, Client, Server, await_that, folder

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


# ---- Ten thousand --------------------------------------------------------------

SESSIONS = 10000
LINES = 900  # of a stream at a time


def ask_all(server, lines):
    """The answers to so many requests, in their order."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    answers = {}
    for first in range(0, len(lines), LINES):
        body = "".join(json.dumps({"id": first + i, **line}) + "\n"
                       for i, line in enumerate(lines[first:first + LINES]))
        connection.request("POST", "/v1/stream", body)
        for line in connection.getresponse().read().split(b"\n"):
            if line != b"":
                answer = json.loads(line)
                answers[answer["id"]] = answer
    return [answers[i] for i in range(len(lines))]


def silent(path):
    """How many records say since when their sessions are silent."""
    with contextlib.closing(sqlite3.connect(f"{path}/served.db")) as file:
        return file.execute("SELECT count(*) FROM holdfast_sessions"
                            " WHERE silent_from_ms > 0").fetchone()[0]


def fail_over(checks, path, server, sessions, dead):
    """Everybody is found silent; then all but the dead speak."""
    server.kill()
    server.start()
    server.await_leading()
    await_that(lambda: silent(path) == len(sessions))
    told = ask_all(server, [{"do": "keep-alive", **session}
                            for session in sessions[dead:]])
    checks.check(f"{dead} dead: no living session of {len(told)} ends",
                 all(answer["status"] == 200 for answer in told),
                 next((x for x in told if x["status"] != 200), ""))
    checks.check(f"{dead} dead: who was answered is silent no more",
                 silent(path) == dead, silent(path))
    return told


def many(checks):
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        opened = ask_all(server, [{"do": "open", "ttl": "60s"}] * SESSIONS)
        sessions = [{"session": one["session"], "secret": one["secret"]}
                    for one in opened]
        granted = ask_all(server, [{"do": "acquire", "name": f"of-{i}",
                                    "wait": "try", **session}
                                   for i, session in enumerate(sessions)])
        for dead in (0, 1000):
            told = fail_over(checks, path, server, sessions, dead)
            checks.check(f"{dead} dead: and each has its lock, with its fence",
                         [answer["fences"] for answer in told] ==
                         [[answer["fence"]] for answer in granted[dead:]])


def main():
    checks = Checks()
    many(checks)
    for how in ("TERM", "kill -9"):
        with folder() as path, Server(DAEMON, path) as server:
            server.await_leading()
            end = server.stop if how == "TERM" else server.kill
            restart_often(checks, how, server, end)
    return checks.end()


sys.exit(main())
