#!/usr/bin/env python3
"""waiters.py HOLDFASTD HOLDFAST-BENCH: a hundred thousand who wait on one lock.

They cost little memory, each release wakes one of them (the load fails if it
wakes another number), and who asks for the server's health has it at once.
"""

import json
import re
import statistics
import subprocess
import sys
import time
import urllib.request

from support import Checks, Server, folder

CONNECTIONS, LANES = 1000, 100
WAITING = CONNECTIONS * LANES - 1
EACH_MAX_KIB = 0.9  # with a hundredth of a connection
HEALTH_MAX_S = 0.005


def get(server, path):
    url = f"http://127.0.0.1:{server.port}{path}"
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()


def waiters(server):
    found = re.search(r"^holdfast_waiters (\d+)$", get(server, "/metrics"),
                      re.M)
    return int(found[1])


def health_s(server):
    begun = time.monotonic()
    get(server, "/healthz")
    return time.monotonic() - begun


def main():
    checks = Checks()
    with folder() as path, Server(sys.argv[1], path, at="memory:x") as server:
        server.await_leading()
        load = subprocess.Popen(
            [sys.argv[2], "--mode", "waiters", "--json",
             "--connections", str(CONNECTIONS), "--lanes", str(LANES),
             "--pid", str(server.process.pid), f"127.0.0.1:{server.port}"],
            stdout=subprocess.PIPE, text=True)
        while waiters(server) < WAITING and load.poll() is None:
            time.sleep(0.01)
        took = statistics.median(health_s(server) for _ in range(21))
        out, _ = load.communicate()
        checks.check("each release wakes one", load.returncode == 0)
        if load.returncode != 0:
            sys.exit(checks.end())
        told = json.loads(out)
        each = (told["after_kib"] - told["before_kib"]) / (WAITING + 1)
        checks.check(f"one who waits costs at most {EACH_MAX_KIB} KiB",
                     0 < each <= EACH_MAX_KIB, f"{each} KiB")
        print(f"# {each:.2f} KiB each")
        checks.check("and the server's health is told at once",
                     took < HEALTH_MAX_S, f"{took} s")
        print(f"# healthz: {1000 * took:.2f} ms")
    sys.exit(checks.end())


main()
