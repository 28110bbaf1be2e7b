#!/usr/bin/env python3
"""The proxy that loses things: each fault happens to the message that was named,
and to nothing before it."""

import time
import unittest

from cluster import Postgres, Session, await_that, need_servers
from proxy import (CUT, CUT_BEHIND, CUT_INSIDE, DELAY, FAULTS, HOLE, SWALLOW,
                   TO_CLIENT, TO_SERVER, Fault)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Postgres())
        cls.server.sql("CREATE TABLE t (a text)")

    def setUp(self):
        self.proxy = self.enterContext(
            self.server.proxy())
        command = self.server.psql("postgres", "holdfast")
        command[-1] = self.server.url("postgres", at=self.proxy.at)
        self.psql = Session(command)
        self.psql.do("SELECT 1")

    def tearDown(self):
        self.proxy.close_all()
        self.psql.process.communicate()
        await_that(lambda: self.server.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type ="
            " 'client backend'") == "1")

    def rows(self):
        return int(self.server.sql(
            f"SELECT count(*) FROM t WHERE a = '{self.id()}'"))

    def insert(self, fault):
        """One message there, and two back."""
        self.proxy.arm(fault)
        self.psql.send(f"INSERT INTO t VALUES ('{self.id()}')")

    def test_messages_are_counted(self):
        self.insert(None)
        self.psql.wait()
        self.assertEqual(
            self.proxy.seen,
            [(0, TO_SERVER, "Q"), (0, TO_CLIENT, "C"), (0, TO_CLIENT, "Z")])
        self.assertEqual(self.rows(), 1)

    def test_a_message_that_is_cut_does_not_arrive(self):
        for kind in CUT, CUT_INSIDE:
            with self.subTest(kind):
                self.insert(Fault(kind))
                self.proxy.await_fired()
                with self.assertRaisesRegex(RuntimeError, "connection"):
                    self.psql.wait()
                self.assertEqual(self.rows(), 0)
                self.tearDown()
                self.setUp()

    def test_a_cut_behind_a_message_loses_only_its_answer(self):
        for fault in Fault(CUT_BEHIND), Fault(CUT, TO_CLIENT, 2):
            with self.subTest(str(fault)):
                before = self.rows()
                self.insert(fault)
                with self.assertRaisesRegex(RuntimeError, "connection"):
                    self.psql.wait()
                await_that(lambda: self.rows() == before + 1)
                self.tearDown()
                self.setUp()

    def test_in_a_hole_nobody_hears_anything(self):
        self.insert(Fault(HOLE))
        self.proxy.await_fired()
        self.assertEqual(self.rows(), 0)
        self.psql.process.kill()
        self.psql.process.wait()
        # The server still believes in its client.
        self.assertEqual(self.server.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type ="
            " 'client backend' AND pid <> pg_backend_pid()"), "1")

    def test_an_answer_that_is_swallowed_was_given(self):
        self.insert(Fault(SWALLOW))
        await_that(lambda: self.rows() == 1)
        self.assertIsNone(self.psql.process.poll())

    def test_a_delay_holds_up_what_is_behind_it(self):
        begun = time.monotonic()
        self.insert(Fault(DELAY, TO_CLIENT, 1, seconds=0.3))
        self.psql.wait()
        self.assertGreaterEqual(time.monotonic() - begun, 0.3)
        self.assertEqual(self.rows(), 1)

    def test_another_connection_is_left_alone(self):
        self.insert(Fault(HOLE, connection=1))
        self.psql.wait()
        self.assertEqual(self.rows(), 1)
        self.assertFalse(self.proxy.fired)

    def test_what_is_frozen_goes_on(self):
        self.proxy.freeze()
        self.insert(None)
        self.assertEqual(self.rows(), 0)
        self.proxy.thaw()
        self.psql.wait()
        self.assertEqual(self.rows(), 1)


need_servers()
assert len(FAULTS) == 6
unittest.main()
