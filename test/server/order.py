#!/usr/bin/env python3
"""order.py HOLDFASTD HOLDFAST: who waits at a leader that is killed keeps the
order in line under the next one [L5], and nobody has waited for longer than
there is a service, whatever it says.

The holder lives through the change, and gives the lock back when all who wait
are in line again.
"""

import pathlib
import subprocess
import sys
import time

from support import Checks, Client, Server, await_that, folder

COUNT = 7
DAEMON, HOLDFAST = sys.argv[1:]


def queue(server):
    """Who has a place: nobody in the grace after a change."""
    _, shown = Client(server).ask("GET", "/v1/locks/line")
    return shown.get("queue", [])


def follows(server):
    _, told = Client(server).ask("GET", "/v1/info")
    return told["state"] == "following" and told["leader"]


def claims_a_year(checks, server, begun):
    """It is in line as long as it is here."""
    client = Client(server)
    client.send("POST", "/v1/acquire", {"locks": ["line"], "wait": None,
                                        "waited": "365d"})
    await_that(lambda: len(queue(server)) == COUNT + 1)
    longest = max(row["waited_ms"] for row in queue(server))
    checks.check("nobody has waited for longer than there is a service",
                 longest <= (time.monotonic() - begun) * 1000, longest)
    client.connection.close()


def run(place, *command):
    return subprocess.Popen([HOLDFAST, "run", "-q", "-w", "2m", "--at", place,
                             "line", "--", *command])


def change(checks, path, begun, first, second):
    end, order = pathlib.Path(path, "end"), pathlib.Path(path, "order")
    place = f"http://127.0.0.1:{first.port},127.0.0.1:{second.port}"
    holder = run(place, "sh", "-c", 'until [ -e "$0" ]; do sleep 0.05; done',
                 end)
    await_that(lambda: Client(first).ask("GET", "/v1/locks/line")[0] == 200)
    line = []
    for i in range(COUNT):
        line.append(run(place, "sh", "-c", f'echo {i} >>"$0"', order))
        await_that(lambda: len(queue(first)) == i + 1)
    first.kill()
    second.await_leading()
    claims_a_year(checks, second, begun)
    await_that(lambda: len(queue(second)) == COUNT)
    end.touch()
    ended = [client.wait() for client in (holder, *line)]
    had = [int(each) for each in order.read_text().split()]
    checks.check("all end well", ended == [0] * (COUNT + 1), ended)
    checks.check(f"the {COUNT} who waited keep their order",
                 had == list(range(COUNT)), had)


def main():
    checks = Checks()
    begun = time.monotonic()
    with folder() as path, Server(DAEMON, path) as first:
        first.await_leading()  # before there is another who could
        with Server(DAEMON, path) as second:
            await_that(lambda: follows(second))
            change(checks, path, begun, first, second)
    return checks.end()


sys.exit(main())
