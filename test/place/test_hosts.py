#!/usr/bin/env python3
"""`holdfast run` on hosts that are really apart, and the server on another.

usage: test_hosts.py KIND HOLDFAST

The commands of all holders take one file's lock, which all hosts see: so no two
of them ever run at a time.
"""

import os
import subprocess
import sys
import tempfile
import time
import unittest

from fixture import await_that
from hosts import IN, OUT, Host, need_hosts
from kinds import subject_of

DEAD, LOST = 73, 76
TTL = ("--ttl", "10s")


class Hosts(unittest.TestCase):
    def prepare(self, count):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        server = self.enterContext(Subject())
        self.hosts = []
        for number in range(count):
            host = self.enterContext(Host(number))
            door = self.enterContext(server.proxy(address_here=host.gate))
            host.place = server.place(at=door.at)
            self.hosts.append(host)

    def run_on(self, host, *options, command):
        """`sh -c` of a command there, in the lock "job"."""
        process = subprocess.Popen(
            [*host.into, HOLDFAST, "run", "--at", host.place, *TTL, *options,
             "job", "--", "sh", "-c", command], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(host.kill) # and what nsenter does not end
        return process

    def hold(self, host):
        """To be waited for: its first line is "held", or "twice"."""
        return self.run_on(
            host, "-w", "120s",
            command=f"exec flock -n -E 99 {self.folder}/only "
                    "sh -c 'echo held; exec cat'")

    def await_waiting(self, process):
        """It may have said before that the place is slow."""
        said = []
        while not said or "waiting for job" not in said[-1]:
            said.append(process.stderr.readline())
            self.assertTrue(said[-1], said)

    def test_a_holder_that_is_cut_off_has_lost_it_before_another_has_it(self):
        self.prepare(3)
        holder = self.hold(self.hosts[0])
        self.assertEqual(holder.stdout.readline(), "held\n")
        for i, ways in enumerate(((OUT,), (IN,), (OUT, IN))):
            host, other = self.hosts[i], self.hosts[(i + 1) % 3]
            waiter = self.hold(other)
            self.await_waiting(waiter)
            host.cut(*ways)
            cut = time.monotonic()
            if waiter.stdout.readline() != "held\n":
                self.fail((ways, waiter.communicate()[1], waiter.returncode))
            print(f"{' and '.join(ways)}: the next one held it "
                  f"{time.monotonic() - cut:.1f} s later")
            said = holder.communicate()[1]
            self.assertEqual(holder.returncode, LOST, said)
            self.assertIn("lost", said)
            host.mend()
            holder = waiter
        self.assertEqual(holder.communicate("")[0], "")
        self.assertEqual(holder.returncode, 0)

    def test_a_migration_whose_host_dies_half_way_is_begun_by_no_other(self):
        """The README's, on four hosts."""
        self.prepare(4)
        begun, done = f"{self.folder}/begun", f"{self.folder}/migrated"
        work = (f"test -e {done} || {{ echo $(hostname) >>{begun}; %s; }}")
        refuse = ("--if-dead", "refuse", "-w", "30m", "--reason", "release 7")
        first = self.run_on(self.hosts[0], *refuse, command=work % "cat")
        await_that(lambda: os.path.exists(begun), "the migration")
        others = [self.run_on(host, *refuse, command=work % "true")
                  for host in self.hosts[1:]]
        for other in others:
            self.await_waiting(other)
        self.hosts[0].kill()
        for other in others:
            said = other.communicate()[1]
            self.assertEqual(other.returncode, DEAD, said)
            self.assertIn("host0", said)
        cleared = subprocess.run(
            [*self.hosts[1].into, HOLDFAST, "clear", "--at",
             self.hosts[1].place, "--reason", "looked: safe to repeat", "job"],
            text=True, capture_output=True)
        self.assertEqual(cleared.returncode, 0, cleared.stderr)
        again = [self.run_on(host, *refuse, command=work % f"touch {done}")
                 for host in self.hosts[1:]]
        for process in again:
            said = process.communicate()[1]
            self.assertEqual(process.returncode, 0, said)
        with open(begun) as lines:
            self.assertEqual(len(lines.readlines()), 2)


need_hosts()
Subject = subject_of(sys.argv.pop(1))
HOLDFAST = sys.argv.pop(1)
unittest.main()
