#!/usr/bin/env python3
"""The connections of a place in PostgreSQL: which server is dialled, which of them
are kept, and what is asked of a pooler.

usage: test_connections.py HOLDFAST STORE_DRIVER [test ...]
"""

import socket
import subprocess
import sys
import time
import unittest

from cluster import Pooler, Postgres, await_that, need_servers, own_address
from driver import Driver
from tls import LargeRecords, make_certificate

IDLE_S = 60 # a connection is kept so long


class Dialled(unittest.TestCase):
    """The host of a primary that has lost its power answers nothing at all."""

    def setUp(self):
        self.server = self.enterContext(Postgres())
        hole = self.enterContext(socket.socket())
        hole.bind((own_address(), 0))
        hole.listen()
        self.hole = hole.getsockname()
        self.url = self.server.url(at=(
            "%s:%d,%s" % (*self.hole, self.server.address), self.server.port))

    def holdfast(self, place, *words):
        return subprocess.run([HOLDFAST, words[0], "--at", place, *words[1:]],
                              text=True, capture_output=True)

    def test_a_host_that_is_silent_does_not_keep_the_next_one_from_its_turn(self):
        self.holdfast(self.server.url(), "run", "a", "--", "true")
        done = self.holdfast(self.url, "ls")
        self.assertEqual(done.returncode, 0, done.stderr)


    def test_a_host_that_is_slow_is_not_given_up_each_time(self):
        """It takes longer than a host has while others wait for their turn."""
        proxy = self.enterContext(self.server.proxy(slow_dial=2.3))
        for (first, port), last in ((self.hole, proxy.at), (proxy.at, self.hole)):
            place = self.server.url(at=(f"{first}:{port},{last[0]}", last[1]))
            done = self.holdfast(place, "run", "-w", "40s", "a", "--", "true")
            self.assertEqual(done.returncode, 0, done.stderr)


class Connected(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Postgres())

    def connections(self, statement="%"):
        return int(self.server.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = 'holdfast'"
            f" AND query LIKE '{statement}'"))

    def drive(self):
        return self.enterContext(Driver(DRIVER, self.server.url()))


class Kept(Connected):
    def test_a_connection_of_who_does_nothing_is_closed(self):
        driver = self.drive()
        driver.version("a")
        self.assertEqual(self.connections(), 1)
        began = time.monotonic()
        driver.send("idle", 1000 * 2 * IDLE_S)
        await_that(lambda: time.monotonic() > began + IDLE_S - 5, "its time")
        self.assertEqual(self.connections(), 1)
        await_that(lambda: self.connections() == 0, "its end")


class Listens(Connected):
    def listen(self, driver):
        """Somebody has waited."""
        driver.do("wait", 1500, "a", driver.version("a"))
        self.assertEqual(self.connections("LISTEN%"), 1)

    def test_who_waits_for_nothing_does_not_listen(self):
        driver = self.drive()
        self.listen(driver)
        driver.send("idle", 60000)
        await_that(lambda: self.connections("LISTEN%") == 0, "its end")

    def test_who_goes_on_and_waits_for_nothing_does_not_listen(self):
        driver = self.drive()
        self.listen(driver)
        await_that(lambda: driver.version("a") > 0 and
                   self.connections("LISTEN%") == 0, "its end")

    def test_who_waits_again_is_told_again(self):
        driver = self.drive()
        self.listen(driver)
        driver.send("idle", 12000)
        driver.wait()
        self.assertEqual(self.connections("LISTEN%"), 0)
        self.listen(driver)


class Pooled(unittest.TestCase):
    """It keeps LISTEN on a connection that it then gives to others."""

    def setUp(self):
        self.server = self.enterContext(Postgres())
        self.pooler = self.enterContext(
            Pooler(self.server, "transaction", default_pool_size=1))

    def channels(self):
        return self.pooler.sql("SELECT pg_listening_channels()", "holdfast")

    def test_nobody_listens_through_one(self):
        driver = self.enterContext(Driver(DRIVER, self.pooler.url()))
        version = driver.version("a")
        self.assertEqual(driver.ask("wait", 1500, "a", version)[0], "stood")
        self.assertEqual(driver.ask("woken")[0], "0")
        self.assertEqual(self.channels(), "")
        done = subprocess.run([HOLDFAST, "doctor", "--at", self.pooler.url()],
                              text=True, capture_output=True)
        self.assertIn("name the server itself with ?listen=", done.stdout)

    def test_the_server_behind_it_is_listened_to_where_it_is_named(self):
        listen = f"{self.server.address}:{self.server.port}"
        driver = self.enterContext(
            Driver(DRIVER, self.pooler.url(listen=listen)))
        driver.do("wait", 1500, "a", driver.version("a"))
        self.assertEqual(driver.ask("woken")[0], "1")
        self.assertEqual(self.channels(), "")


class Encrypted(unittest.TestCase):
    def test_what_tls_has_decrypted_is_read_at_once(self):
        """Records of 16 KiB have more than libpq has room for."""
        server = self.enterContext(Postgres())
        folder = server.path
        make_certificate(folder)
        proxy = self.enterContext(LargeRecords(server, folder))
        self.enterContext(Driver(DRIVER, server.url())).version("a")
        driver = self.enterContext(
            Driver(DRIVER, server.url(at=proxy.at, sslmode="require")))
        for size in [6862] * 4 + list(range(1500, 16300, 1977)):
            server.sql(
                "DELETE FROM holdfast.records; INSERT INTO holdfast.records"
                f" SELECT 'default', 'n' || g, g, g, g, repeat('x', {size}),"
                " NULL FROM generate_series(1, 40) g")
            self.assertEqual(len(driver.do("scan", "n")), 40, size)


HOLDFAST, DRIVER = sys.argv[1:3]
del sys.argv[1:3]
need_servers()
unittest.main()
