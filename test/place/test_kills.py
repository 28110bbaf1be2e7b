#!/usr/bin/env python3
"""Lock servers on a place behind a server: the one that leads is killed, and that
server, in turn, under load.

usage: test_kills.py KIND HOLDFASTD HISTORY_CHECK FAILOVERS [bound]

Clients acquire and release, alone and shared, one name and two, and half of them
keep what they have beyond the next kill.  What they saw is checked by
test/history, and no grant ends before its right.  With `bound` half of the
failovers, from the kill to the first grant of what was asked for after it, take
at most the leader's ttl and a second.
"""

import contextlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from fixture import ROOT, SKIPPED, await_that
from kinds import subject_of
from node import Node

sys.path.append(str(ROOT / "test/server"))
from witness import Witness, at_work, granted, judge, now_ns

NODES = 3
CLIENTS = 32
TTL_MS = 30000
LEADER_TTL_S = 5 # the default
# What looks like a machine of its own: nobody there sees who is dead here.
APART = ("unshare", "--pid", "--mount", "--uts", "--mount-proc", "--fork",
         "--kill-child")


class Load:
    def __init__(self, server, nodes, path):
        self.server = server
        self.nodes = nodes
        self.kills = 0 # after which something was granted
        self.over = False
        self.clients = [Witness(i, nodes, path, TTL_MS, self.keep)
                        for i in range(CLIENTS)]

    def keep(self, client):
        """What is granted, for a moment, or beyond the next kill."""
        if client.number % 2:
            time.sleep(client.random.uniform(0, 0.1))
            return
        before = self.kills
        while self.kills == before and not self.over and \
                now_ns() < client.right_end():
            time.sleep(0.01)

    def leader(self):
        """Who leads since the latest time."""
        return max(self.nodes, key=lambda node: max(
            (line["time"] for line in node.said("leads")), default=""))

    def await_grant(self, since):
        """Of what was asked for after that: when it is there, in seconds after
        it."""
        def is_there():
            return any(client.granted_at > since for client in self.clients)
        await_that(is_there, "a grant")
        return (now_ns() - since) / 1e9

    def kill_leader(self):
        leader = self.leader()
        leader.kill()
        since = now_ns()
        took = self.await_grant(since)
        leader.start()
        return took

    def kill_server(self):
        self.server.kill()
        since = now_ns()
        self.server.start()
        return self.await_grant(since)

    def run(self, failovers):
        """The seconds that the kills of either took."""
        took = {self.kill_leader: [], self.kill_server: []}
        with at_work(self.clients):
            try:
                for _ in range(failovers):
                    for kill, all_of_it in took.items():
                        time.sleep(random.uniform(0.2, 1.2))
                        all_of_it.append(kill())
                        self.kills += 1
            finally:
                self.over = True
        return took[self.kill_leader], took[self.kill_server]


def show(what, took):
    print(f"{what}: {statistics.median(took):.2f} s in the middle,"
          f" {min(took):.2f} to {max(took):.2f} s, of {len(took)}")


def main():
    kind, holdfastd, check = sys.argv[1:4]
    failovers, more = int(sys.argv[4]), sys.argv[5:]
    subject = subject_of(kind)
    if subprocess.run([*APART, "true"], capture_output=True).returncode != 0:
        print("1..0 # SKIP this user may make no namespaces")
        sys.exit(SKIPPED)
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(tempfile.TemporaryDirectory())
        server = stack.enter_context(subject())
        nodes = [stack.enter_context(Node(holdfastd, server.place(), before=APART))
                 for _ in range(NODES)]
        load = Load(server, nodes, path)
        failed_over, restarted = load.run(failovers)
        good, said = judge(check, load.clients)
    lost = sum(client.lost for client in load.clients)
    show("the leading server was killed, another granted", failed_over)
    show(f"{server.title} was killed and started, one granted", restarted)
    print(f"{granted(load.clients)} grants, {lost} lost\n{said}", end="")
    slow = statistics.median(failed_over) > LEADER_TTL_S + 1
    sys.exit(not good or lost > 0 or (slow and more == ["bound"]))


main()
