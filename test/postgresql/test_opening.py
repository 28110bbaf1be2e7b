#!/usr/bin/env python3
"""A place that does not answer when it is opened: what may pass is waited for,
to the limit of who waits and no longer; what will not pass ends it at once.

usage: test_opening.py HOLDFASTD HOLDFAST SHIM_NAMES
"""

import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from cluster import Postgres, await_that, need_servers
from node import Node

PASSES = (
    ("57P03", "the database system is starting up"),
    ("53300", "remaining connection slots are reserved"),
    ("08P01", "no more connections allowed (max_client_conn)"),
    ("57P01", "terminating connection due to administrator command"),
)
LASTS = (
    (69, "3D000", 'database "a" does not exist'),
    (69, "08P01", "unsupported startup parameter: options"),
    (69, "08P01", "no such database: a"),
    (77, "28P01", 'password authentication failed for user "a"'),
)


class Door:
    """A server that says one thing to all, or nothing to anybody."""

    def __init__(self, code=None, text=""):
        self.answer = None
        if code is not None:
            fields = f"SFATAL\0VFATAL\0C{code}\0M{text}\0\0".encode()
            self.answer = b"E" + struct.pack(">I", 4 + len(fields)) + fields
        self.kept = []

    def __enter__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.place = ("postgresql://a@127.0.0.1:%d/a?sslmode=disable"
                      % self.server.getsockname()[1])
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.server.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        for each in (self.server, *self.kept):
            each.close()

    def _serve(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            self.kept.append(client)
            if self.answer is None:
                continue
            try:
                client.recv(1000)
                client.sendall(self.answer)
                client.close()
            except OSError:
                continue


class Opening(unittest.TestCase):
    def run_it(self, place, *words, **environment):
        """Its exit code, what it said, and how long it took."""
        begun = time.monotonic()
        done = subprocess.run(
            [HOLDFAST, *words, "--at", place, "a", *(
                ["--", "echo", "ran"] if words[0] == "run" else [])],
            text=True, capture_output=True,
            env={**os.environ, "PGPASSFILE": "/none", **environment})
        return (done.returncode, done.stdout + done.stderr,
                time.monotonic() - begun)

    def ends_at(self, place, least, most, text, *words, **environment):
        code, said, took = self.run_it(place, "run", *words, **environment)
        self.assertEqual(code, 69, said)
        self.assertIn(text, said)
        self.assertNotIn("ran\n", said)
        self.assertGreaterEqual(took, least, said)
        self.assertLess(took, most, said)

    def waits(self, place):
        """A run that has said that it waits."""
        process = subprocess.Popen(
            [HOLDFAST, "run", "-w", "60s", "--at", place, "a", "--", "echo",
             "ran"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if "nothing is known about a" in line:
                return process, line
        self.fail("it ended before it was said to wait")

    def test_what_may_pass_is_waited_for(self):
        for code, text in PASSES:
            with Door(code, text) as door:
                self.ends_at(door.place, 2.9, 5, text, "-w", "3s")
                self.ends_at(door.place, 1.8, 3, text, "-n")
        self.ends_at("postgresql://a@127.0.0.1:1/a", 1.9, 4,
                     "Connection refused", "-w", "2s")
        self.ends_at("postgresql://a@none.invalid/a", 1.9, 4, "none.invalid",
                     "-w", "2s")

    def test_of_several_hosts_one_may_come_back(self):
        code, text = LASTS[0][1:]
        with Door(code, text) as door:
            address = door.place.split("@")[1].split("/")[0]
            self.ends_at(f"postgresql://a@127.0.0.1:1,{address}/a"
                         "?sslmode=disable", 1.9, 4,
                         text, "-w", "2s")

    def test_what_will_not_pass_is_not(self):
        for status, code, text in LASTS:
            with Door(code, text) as door:
                exit_code, said, took = self.run_it(door.place, "run", "-w",
                                                    "60s")
                self.assertEqual(exit_code, status, said)
                self.assertIn(text, said)
                self.assertLess(took, 10)

    def test_a_silence_ends_no_later_than_the_wait(self):
        with Door() as door:
            self.ends_at(door.place, 1.8, 2.8, "127.0.0.1", "-n")
            self.ends_at(door.place, 2.9, 3.8, "127.0.0.1", "-w", "3s")

    def test_a_name_server_that_never_answers_ends_no_wait_later(self):
        place = "postgresql://a@db.invalid/a"
        stuck = {"LD_PRELOAD": SHIM_NAMES}
        self.ends_at(place, 1.8, 3, "its name was not looked up", "-n", **stuck)
        self.ends_at(place, 2.9, 4, "its name was not looked up", "-w", "3s",
                     **stuck)
        code, said, took = self.run_it(place, "show", **stuck)
        self.assertEqual(code, 69, said)
        self.assertLess(took, 11) # to look has ten seconds

    def test_who_looks_is_told_at_once(self):
        with Door("57P03", "it starts up") as door:
            for code, said, took in (self.run_it(door.place, "show"),
                                     self.doctor(door.place)):
                self.assertEqual(code, 69, said)
                self.assertIn("it starts up", said)
                self.assertLess(took, 5)

    @staticmethod
    def doctor(place):
        begun = time.monotonic()
        done = subprocess.run([HOLDFAST, "doctor", "--at", place], text=True,
                              capture_output=True)
        return (done.returncode, done.stdout + done.stderr,
                time.monotonic() - begun)

    def test_tables_that_others_keep_locked(self):
        with Postgres() as server:
            self.assertEqual(self.run_it(server.url(), "run")[0], 0)
            for table in ("meta", "records"):
                with server.session() as other:
                    other.do(f"BEGIN; LOCK TABLE holdfast.{table}")
                    self.ends_at(server.url(), 1.5, 3, "", "-n")
                    self.ends_at(server.url(), 2.9, 4.2, "", "-w", "3s")
                    process, _ = self.waits(server.url())
                    other.do("ROLLBACK")
                    self.assertIn("ran", process.stdout.read())
                    self.assertEqual(process.wait(), 0)

    def test_what_answers_now_and_then_is_told_of_now_and_then(self):
        with Postgres() as server, server.session() as other:
            holder = subprocess.Popen(
                [HOLDFAST, "run", "--at", server.url(), "a", "--", "sh", "-c",
                 "echo held; exec sleep 60"], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.addCleanup(holder.communicate)
            self.addCleanup(holder.terminate)
            self.assertEqual(holder.stdout.readline(), "held\n")
            waiter = subprocess.Popen(
                [HOLDFAST, "run", "--at", server.url(), "a", "--", "true"],
                text=True, stderr=subprocess.PIPE)
            for _ in range(6):
                other.do("BEGIN; LOCK TABLE holdfast.records;"
                         " SELECT pg_sleep(1.2); COMMIT; SELECT pg_sleep(0.8)")
            waiter.terminate()
            said = waiter.communicate()[1]
            self.assertIn("nothing is known about a", said)
            self.assertEqual(said.count("waiting for a"), 1, said)
            self.assertLessEqual(said.count("nothing is known"), 2, said)

    def test_a_database_that_comes_back(self):
        with Postgres() as server:
            server.stop()
            process, line = self.waits(server.url())
            self.assertIn("Connection refused", line)
            server.start()
            self.assertEqual(process.stdout.read(), "ran\n")
            self.assertEqual(process.wait(), 0)

    def test_a_lock_server_waits_for_its_database(self):
        with Postgres() as server:
            server.stop()
            with Node(HOLDFASTD, server.url()) as node:
                await_that(lambda: node.said("trouble"))
                server.start()
                await_that(node.leads)

    def serve(self, place):
        with tempfile.TemporaryFile("w+") as log:
            done = subprocess.run([HOLDFASTD, "--at", place, "--port", "0"],
                                  stdout=log, stderr=log, timeout=60)
            log.seek(0)
            return done.returncode, log.read()

    def test_rights_that_are_missing_end_it_at_once(self):
        with Postgres() as server:
            server.sql("CREATE ROLE weak LOGIN")
            weak = server.url(user="weak")
            code, said, _ = self.run_it(weak, "run")
            self.assertEqual(code, 77, said)
            self.assertEqual(self.run_it(server.url(user="postgres"),
                                         "run")[0], 0)
            for grant in ("USAGE ON SCHEMA holdfast",
                          "EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast",
                          "SELECT ON ALL TABLES IN SCHEMA holdfast",
                          "INSERT, DELETE ON ALL TABLES IN SCHEMA holdfast"):
                for words in (["-n"], ["-w", "60s"]):
                    code, said, took = self.run_it(weak, "run", *words)
                    self.assertEqual(code, 77, said)
                    self.assertIn("permission denied", said)
                    self.assertIn("42501", said)
                    self.assertIn("GRANT USAGE ON SCHEMA", said)
                    self.assertLess(took, 10)
                code, said = self.serve(weak)
                self.assertEqual(code, 77, said)
                server.sql(f"GRANT {grant} TO weak")
            self.assertEqual(self.run_it(weak, "run")[0], 77)
            server.sql("GRANT UPDATE ON holdfast.records, holdfast.meta TO weak")
            self.assertEqual(self.run_it(weak, "run")[0], 0)
            code, said = self.serve(weak)
            self.assertEqual(code, 77, said)
            self.assertIn("journal_", said)


if __name__ == "__main__":
    need_servers()
    HOLDFASTD, HOLDFAST, SHIM_NAMES = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
