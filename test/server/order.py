#!/usr/bin/env python3
"""order.py HOLDFASTD HOLDFAST: who waits at a leader that is killed keeps the
order in line under the next one [L5].

The holder lives through the change, and gives the lock back when all who wait
are in line again.
"""

import pathlib
import subprocess
import sys

from support import Checks, Client, Server, await_that, folder

COUNT = 7
DAEMON, HOLDFAST = sys.argv[1:]


def waiters(server):
    _, shown = Client(server).ask("GET", "/v1/locks/line")
    return shown.get("waiters", 0)


def follows(server):
    _, told = Client(server).ask("GET", "/v1/info")
    return told["state"] == "following" and told["leader"]


def run(place, *command):
    return subprocess.Popen([HOLDFAST, "run", "-q", "-w", "2m", "--at", place,
                             "line", "--", *command])


def change(checks, path):
    end, order = pathlib.Path(path, "end"), pathlib.Path(path, "order")
    with Server(DAEMON, path) as first:
        first.await_leading()
        with Server(DAEMON, path) as second:
            kill_first(checks, first, second, end, order)


def kill_first(checks, first, second, end, order):
    await_that(lambda: follows(second))
    place = f"http://127.0.0.1:{first.port},127.0.0.1:{second.port}"
    holder = run(place, "sh", "-c", 'until [ -e "$0" ]; do sleep 0.05; done',
                 end)
    await_that(lambda: Client(first).ask("GET", "/v1/locks/line")[0] == 200)
    line = []
    for i in range(COUNT):
        line.append(run(place, "sh", "-c", f'echo {i} >>"$0"', order))
        await_that(lambda: waiters(first) == i + 1)
    first.kill()
    second.await_leading()
    await_that(lambda: waiters(second) == COUNT)
    end.touch()
    ended = [client.wait() for client in (holder, *line)]
    had = [int(each) for each in order.read_text().split()]
    checks.check("all end well", ended == [0] * (COUNT + 1), ended)
    checks.check(f"the {COUNT} who waited keep their order",
                 had == list(range(COUNT)), had)


def main():
    checks = Checks()
    with folder() as path:
        change(checks, path)
    return checks.end()


sys.exit(main())
