#!/usr/bin/env python3
"""between.py HOLDFASTD HOLDFAST: a proxy that lets no request take as long as
the server may keep one waiting."""

import os
import socket
import subprocess
import sys
import threading
import time

import support
from http2 import (CANCEL, DATA, END_HEADERS, END_STREAM, HEADERS, RST_STREAM,
                   frame)

LIMIT = 1.0  # of the proxy, in seconds


class Way:
    """One connection through it: frames are passed on as they are, but of what
    takes too long, which is answered in the server's place."""

    # ":status: 504", which no table remembers.
    GATEWAY_TIMEOUT = b"\x08\x03504"
    VIA = b"\x00\x03via\x071.1 cut"

    def __init__(self, client, port, is_named):
        self.client = client
        self.via = self.VIA if is_named else b""
        self.server = socket.create_connection(("127.0.0.1", port))
        self.lock = threading.Lock()
        self.since = {}  # streams that are not answered
        self.is_over = False
        self.cuts = 0

    def start(self):
        for run in (self.pass_up, self.pass_down, self.cut):
            threading.Thread(target=self.until_over, args=(run,),
                             daemon=True).start()

    def until_over(self, run):
        try:
            run()
        except OSError:
            pass
        self.is_over = True
        for end in (self.client, self.server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    @staticmethod
    def read_frame(file):
        head = file.read(9)
        if len(head) < 9:
            raise OSError("its end")
        payload = file.read(int.from_bytes(head[:3], "big"))
        return (head[3], head[4],
                int.from_bytes(head[5:], "big") & 0x7fffffff, payload)

    def pass_up(self):
        file = self.client.makefile("rb")
        self.server.sendall(file.read(24))
        while True:
            kind, flags, stream, payload = self.read_frame(file)
            with self.lock:
                if kind == HEADERS:
                    self.since[stream] = time.monotonic()
                elif kind == RST_STREAM:
                    self.since.pop(stream, None)
                self.server.sendall(frame(kind, flags, stream, payload))

    def pass_down(self):
        file = self.server.makefile("rb")
        while True:
            kind, flags, stream, payload = self.read_frame(file)
            with self.lock:
                if kind in (HEADERS, DATA, RST_STREAM):
                    if stream not in self.since:
                        continue  # it was answered
                    if flags & END_STREAM or kind == RST_STREAM:
                        del self.since[stream]
                if kind == HEADERS and flags & END_HEADERS:
                    payload += self.via
                self.client.sendall(frame(kind, flags, stream, payload))

    def cut(self):
        while not self.is_over:
            time.sleep(0.01)
            with self.lock:
                for stream, since in list(self.since.items()):
                    if time.monotonic() - since < LIMIT:
                        continue
                    del self.since[stream]
                    self.cuts += 1
                    self.client.sendall(frame(
                        HEADERS, END_HEADERS | END_STREAM, stream,
                        self.GATEWAY_TIMEOUT))
                    self.server.sendall(frame(RST_STREAM, 0, stream,
                                              CANCEL))


class Proxy:
    def __init__(self, port, is_named=True):
        self.port = port
        self.is_named = is_named
        self.ways = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            way = Way(client, self.port, self.is_named)
            self.ways.append(way)
            way.start()

    def cuts(self):
        return sum(way.cuts for way in self.ways)


class Run:
    """A holdfast run."""

    def __init__(self, holdfast, path, name, url, *options):
        self.errors = f"{path}/{name}.errors"
        with open(self.errors, "wb") as errors, \
                open(f"{path}/order", "ab") as order:
            self.process = subprocess.Popen(
                [holdfast, "run", "--at", url, *options], stderr=errors,
                stdout=order, env={**os.environ, "HOLDFAST_HELD": ""})

    def said(self):
        with open(self.errors) as file:
            return file.read()

    def await_said(self, words):
        support.await_that(lambda: words in self.said())


def examine(holdfast, url):
    return subprocess.run([holdfast, "doctor", "--at", url],
                          capture_output=True, text=True, timeout=60)


def check_doctors(checks, holdfast, server, proxy):
    doctor = examine(holdfast, proxy.url)
    checks.check("a doctor names what cuts, and after how long",
                 "1.1 cut stands before" in doctor.stdout and
                 "cuts a request that waits after 1." in doctor.stdout and
                 "--idle-timeout" in doctor.stdout, doctor)
    nameless = Proxy(server.port, is_named=False)
    doctor = examine(holdfast, nameless.url)
    checks.check("and what does not name itself",
                 "something stands before" in doctor.stdout and
                 "cuts a request that waits after 1." in doctor.stdout and
                 "--idle-timeout" in doctor.stdout, doctor)
    for host in "127.0.0.1", "localhost":
        began = time.monotonic()
        doctor = examine(holdfast, f"http://{host}:{server.port}")
        checks.check(f"with nothing before {host} it waits for nothing",
                     "between" not in doctor.stdout and
                     time.monotonic() - began < 10, doctor)


def main(daemon, holdfast):
    checks = support.Checks()
    with support.folder() as path, support.Server(
            daemon, path, at="memory:between") as server:
        server.await_ready()
        direct = f"http://127.0.0.1:{server.port}"
        proxy = Proxy(server.port)
        own = support.Client(server)
        holder = own.ask("POST", "/v1/locks/job/acquire", {"ttl": "60s"})[1]

        first = Run(holdfast, path, "first", proxy.url, "-w", "2m", "job",
                    "--", "echo", "first")
        first.await_said("we are number 1 of 1")
        second = Run(holdfast, path, "second", direct, "-w", "2m", "job",
                     "--", "echo", "second")
        second.await_said("we are number 2 of 2")
        support.await_that(lambda: proxy.cuts() >= 2)
        first.await_said("cut a request after 1.")
        checks.check("who is cut says so", "--idle-timeout" in first.said(),
                     first.said())

        check_doctors(checks, holdfast, server, proxy)
        locks = own.ask("GET", "/v1/locks?prefix=holdfast-doctor")[1]["locks"]
        checks.check("and leaves nothing held",
                     not any(lock["holders"] for lock in locks), locks)

        # What is shorter than the limit, and what is longer than one cut.
        for wait in ("1200ms", "5s"):
            brief = Run(holdfast, path, wait, proxy.url, "-w", wait, "job",
                        "--", "echo", "brief")
            code = brief.process.wait(60)
            checks.check(f"a wait of {wait} behind it ends as any: 75",
                         code == 75, f"{code}: {brief.said()}")
        cuts = proxy.cuts()
        place = None
        for _ in range(20):
            time.sleep(0.2)
            lock = own.ask("GET", "/v1/locks/job")[1]
            place = [row["note"].count("echo first") for row in lock["queue"]]
            if place != [1, 0]:
                break
        checks.check("it waits in pieces, and keeps its place",
                     place == [1, 0], place)
        checks.check("which nothing cuts", proxy.cuts() == cuts,
                     f"{proxy.cuts() - cuts} cuts")

        own.ask("POST", "/v1/locks/job/release",
                {"session": holder["session"]},
                Holdfast_Secret=holder["secret"])
        for waiter in (first, second):
            checks.check("who waited has it",
                         waiter.process.wait(60) == 0, waiter.said())
        with open(f"{path}/order") as order:
            lines = order.read().split()
        checks.check("in order", lines == ["first", "second"], lines)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
