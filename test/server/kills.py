"""kills.py HOLDFASTD HISTORY_CHECK KILLS [forget]: a lock server that dies.

64 clients acquire and release, alone and shared, one name and two; the server
is killed (SIGKILL) in the middle of it, so many times, and started again on the
same file.  What the clients saw is checked by test/history: no grant that one
was told of is lost or given twice before its right ends, and fences grow.
However slow the machine is, each kill and the end wait until something was
granted since the last start.

With `forget` the file is removed at each kill, and the check must find that: a
test of this test.  There who holds a lock keeps it until the next server has
granted something.
"""

import os
import random
import sys
import time

from support import Server, folder
from witness import Witness, at_work, await_grants, granted, judge, now_ns

DAEMON, CHECK, KILLS = sys.argv[1], sys.argv[2], int(sys.argv[3])
FORGET = sys.argv[4:] == ["forget"]
CLIENTS = 64
TTL_MS = 30000 if FORGET else 4000


class Load:
    """Of clients at one server, which dies now and then."""

    def __init__(self, server, path):
        self.server = server
        self.path = path
        self.over = False
        self.grants_again = 0 # kills after which something was granted
        self.clients = [Witness(i, [server], path, TTL_MS, self.keep)
                        for i in range(CLIENTS)]

    def keep(self, client):
        """Its right, for a moment or, with `forget`, beyond the next kill."""
        if not FORGET:
            time.sleep(client.random.uniform(0, 0.1))
            return
        before = self.grants_again
        while self.grants_again == before and not self.over and \
                now_ns() < client.right_end():
            time.sleep(0.01)

    def kill_and_start(self):
        """And wait for a grant after it."""
        time.sleep(random.uniform(0.2, 1.2))
        self.server.kill()
        count = granted(self.clients)
        if FORGET:
            forget(self.path)
        self.server.start()
        await_grants(self.clients, count)
        self.grants_again += 1

    def run(self):
        with at_work(self.clients):
            try:
                for _ in range(KILLS):
                    self.kill_and_start()
            finally:
                self.over = True


def forget(path):
    for name in os.listdir(path):
        if "served.db" in name:  # and the mark that it was served
            os.remove(f"{path}/{name}")


def main():
    with folder() as path:
        with Server(DAEMON, path) as server:
            load = Load(server, path)
            load.run()
        good, said = judge(CHECK, load.clients)
    troubles = [client for client in load.clients if client.trouble]
    print(f"{KILLS} kills, {CLIENTS} clients, {granted(load.clients)} grants")
    print(said, end="")
    return bool(troubles) or good == FORGET


sys.exit(main())
