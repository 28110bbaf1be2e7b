#!/usr/bin/env python3
"""fences.py HOLDFASTD: a server that has forgotten, and whose clock was set
back, grants a client of ours no fence that is lower than one it had [L6].  TAP.
"""

import glob
import os
import sys

import holdfast
from support import Checks, Client, Server, folder

DAEMON = sys.argv[1]

# As short as can be: its grace is that and its leader-ttl, 5 s.
SHORT = ("--max-ttl", "4s")
A_DAY_AGO = {
    "LD_PRELOAD": "/$LIB/faketime/libfaketime.so.1",
    "FAKETIME": "-1d",
    "FAKETIME_DONT_FAKE_MONOTONIC": "1",
}


def begins_anew_a_day_ago(server, path):
    server.kill()
    for file in glob.glob(f"{path}/served.db*"):
        os.unlink(file)
    os.environ.update(A_DAY_AGO)
    server.start()
    for name in A_DAY_AGO:
        del os.environ[name]


def fence_of_a_stranger(server):
    stranger = Client(server).open(ttl="2s")
    return stranger.acquire("x")["fence"]


def main():
    checks = Checks()
    with folder() as here, folder() as there, \
            Server(DAEMON, here, *SHORT) as server, \
            Server(DAEMON, there, *SHORT) as other:
        server.await_leading()
        other.await_leading()
        with holdfast.Client(f"http://127.0.0.1:{server.port}") as client:
            with client.lock("x", ttl="2s") as held:
                before = held.fence
            begins_anew_a_day_ago(server, here)
            begins_anew_a_day_ago(other, there)
            with client.lock("x", ttl="2s", wait="40s") as held:
                after = held.fence
        checks.check("who has seen a fence is granted a higher one",
                     after > before, (before, after))
        checks.check("and so is everybody else there",
                     fence_of_a_stranger(server) > after)
        checks.check("where nobody has seen one it is of that clock",
                     fence_of_a_stranger(other) < before - 3600 * 10**6)
    checks.end()
    return checks.failed > 0


sys.exit(main())
