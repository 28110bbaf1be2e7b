#!/usr/bin/env python3
"""frozen.py HOLDFASTD: the leader is frozen, and another node leads.

A session keeps its lock and its fence at the new leader.  The frozen node, once
it runs again, names the new leader and grants nothing.
"""

import signal
import sys
import time

from support import Checks, Client, Server, await_that, folder

DAEMON, = sys.argv[1:]


def follows(server):
    _, told = Client(server).ask("GET", "/v1/info")
    return told["state"] == "following" and told["leader"]


def is_held(client, server, fence):
    """The session is alive at that server, and has its grant."""
    there = Client(server)
    there.session, there.secret = client.session, client.secret
    status, told = there.ask("GET", "/v1/locks/job")
    held = [holder["fence"] for holder in told.get("holders", [])]
    return status == 200 and held == [fence]


def freeze(checks, first, second):
    client = Client(first).open(ttl="60s")
    fence = client.acquire("job")["fence"]
    begun = time.monotonic()
    first.process.send_signal(signal.SIGSTOP)
    second.await_leading()
    took = time.monotonic() - begun
    checks.check("another node leads within 10 s", took < 10, took)
    checks.check("the holder keeps its lock, with its fence",
                 is_held(client, second, fence))
    status, _ = Client(second).ask("POST", "/v1/locks/job/acquire",
                                   {"wait": "try"})
    checks.check("nobody else is granted it", status != 200, status)
    first.process.send_signal(signal.SIGCONT)
    await_that(lambda: follows(first))
    status, told = Client(first).ask("POST", "/v1/locks/other/acquire",
                                     {"wait": "try"})
    checks.check("the frozen node grants nothing when it runs again",
                 status == 503 and told["type"] == "urn:holdfast:not-leading",
                 told)


def main():
    checks = Checks()
    with folder() as path, Server(DAEMON, path) as first:
        first.await_leading()
        with Server(DAEMON, path) as second:
            await_that(lambda: follows(second))
            freeze(checks, first, second)
    return checks.end()


sys.exit(main())
