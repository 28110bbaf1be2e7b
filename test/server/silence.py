#!/usr/bin/env python3
"""silence.py HOLDFASTD HOLDFAST: connections that swallow what is said, or what
is answered.

No FIN and no reset tells of it, and the bytes are acknowledged: so it is behind
a relay that hangs, or one that forgot the connection.  Whoever holds or waits
must go on by another one, in the time that its right leaves.
"""

import selectors
import signal
import socket
import subprocess
import sys
import threading
import time

from support import Checks, Server, folder

TTL = "3s"
PATIENCE_S = 60


class Relay:
    """In front of a server.  What comes on connections that were frozen goes
    nowhere."""

    def __init__(self, port):
        self.upstream = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.count = 0  # connections so far
        self.frozen = 0  # those that came first, so many
        self.lost = None  # an answer that has this in it ends its connection
        self.changed = threading.Condition()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(("127.0.0.1", self.upstream))
            with self.changed:
                self.count += 1
                self.changed.notify_all()
            threading.Thread(target=self.carry, args=(near, far, self.count),
                             daemon=True).start()

    def carry(self, near, far, number):
        with near, far, selectors.DefaultSelector() as ready:
            ready.register(near, selectors.EVENT_READ, far)
            ready.register(far, selectors.EVENT_READ, near)
            while True:
                for key, _ in ready.select():
                    said = key.fileobj.recv(65536)
                    if not said:
                        return
                    if self.lost is not None and self.lost in said:
                        self.lost = None
                        return
                    if number > self.frozen:
                        key.data.sendall(said)

    def freeze(self):
        self.frozen = self.count

    def await_another(self):
        """Since it was frozen; False: none came."""
        with self.changed:
            return self.changed.wait_for(lambda: self.count > self.frozen,
                                         PATIENCE_S)


def run(holdfast, url, *words):
    """One whose command says a line when it runs, and ends with its input."""
    return subprocess.Popen(
        [holdfast, "run", "--at", url, "--ttl", TTL, *words, "--", "sh", "-c",
         "echo runs; read line"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process):
    """Its code, and what it said."""
    try:
        _, said = process.communicate("\n", timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
    return process.returncode, said


def check_holder(checks, holdfast, server):
    relay = Relay(server.port)
    holder = run(holdfast, relay.url, "held")
    holder.stdout.readline()
    relay.freeze()
    checks.check("who holds begins another connection", relay.await_another())
    time.sleep(4)  # longer than the right lasts without a beat
    code, said = end(holder)
    checks.check("and goes on holding", code == 0, said)
    checks.check("without a word", said == "", said)


def check_waiter(checks, holdfast, server):
    relay = Relay(server.port)
    holder = run(holdfast, f"http://127.0.0.1:{server.port}", "waited-for")
    holder.stdout.readline()
    waiter = run(holdfast, relay.url, "waited-for")
    line = ""
    while "we are number 1" not in line:  # the place in line
        line = waiter.stderr.readline()
    relay.freeze()
    code, said = end(holder)
    checks.check("who held gives it back", code == 0, said)
    checks.check("who waits begins another connection", relay.await_another())
    checks.check("and is granted", waiter.stdout.readline() == "runs\n")
    code, said = end(waiter)
    checks.check("and ends well", code == 0, said)


def check_unsure(checks, holdfast, server):
    relay = Relay(server.port)
    holder = run(holdfast, f"http://127.0.0.1:{server.port}", "unsure")
    holder.stdout.readline()
    relay.lost = b'"cleared":true'
    asks = subprocess.run(
        [holdfast, "clear", "--force", "--reason", "to see", "--at", relay.url,
         "unsure"], capture_output=True, text=True, timeout=PATIENCE_S)
    end(holder)
    checks.check("a clear whose answer is lost says that it may be done",
                 asks.returncode == 69 and "see the audit" in asks.stderr,
                 asks.stderr)
    checks.check("and the answer was lost", relay.lost is None)


def check_stopped(checks, holdfast, server):
    """The kernel takes connections for it, and what is said on them."""
    server.process.send_signal(signal.SIGSTOP)
    asks = subprocess.run(
        [holdfast, "run", "-w", "1s", "--at", f"http://127.0.0.1:{server.port}",
         "--ttl", TTL, "unheard", "--", "true"], capture_output=True, text=True,
        timeout=PATIENCE_S)
    server.process.send_signal(signal.SIGCONT)
    checks.check("of a server that stands still it is said that it does",
                 asks.returncode == 69 and asks.stderr.rstrip().endswith(
                     f"127.0.0.1:{server.port}: no answer"), asks.stderr)


def check_looks(checks, holdfast, server):
    """Who only looks is not left in silence, either; a program is told once."""
    at = f"http://127.0.0.1:{server.port}"
    server.process.send_signal(signal.SIGSTOP)
    asked = [(words, subprocess.Popen(
        [holdfast, words[0], "--at", at, *words[1:]], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
        for words in (["ls"], ["show", "unheard"], ["audit"], ["ls", "--json"])]
    for words, process in asked:
        _, said = process.communicate(timeout=PATIENCE_S)
        *told, last = said.splitlines()
        checks.check(f"{' '.join(words)} ends, and says why",
                     process.returncode == 69 and last ==
                     f"holdfast: 127.0.0.1:{server.port}: no answer", said)
        checks.check("before that it says once that there is no answer yet"
                     if "--json" not in words else "and nothing else",
                     len(told) == ("--json" not in words) and all(
                         line.startswith("holdfast: no answer yet: ")
                         for line in told), said)
    server.process.send_signal(signal.SIGCONT)


def main():
    checks = Checks()
    with folder() as path, Server(sys.argv[1], path, at="memory:x") as server:
        server.await_leading()
        check_holder(checks, sys.argv[2], server)
        check_waiter(checks, sys.argv[2], server)
        check_unsure(checks, sys.argv[2], server)
        check_looks(checks, sys.argv[2], server)
        check_stopped(checks, sys.argv[2], server)
    sys.exit(checks.end())


main()
