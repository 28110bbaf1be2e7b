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

import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time

from support import Server, folder

DAEMON, CHECK, KILLS = sys.argv[1], sys.argv[2], int(sys.argv[3])
FORGET = sys.argv[4:] == ["forget"]
CLIENTS = 64
NAMES = [f"lock{i}" for i in range(40)]
TTL_MS = 30000 if FORGET else 4000
MARGIN_MS = 400
PATIENCE_S = 120  # a failure, if nothing comes of it for so long


def now_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Witness:
    """One session with one lane, and a file of what it saw."""

    def __init__(self, number, server, path, stopping):
        self.number = number
        self.server = server
        self.stopping = stopping
        self.random = random.Random(number)
        self.log = open(f"{path}/{number}.history", "w", buffering=1)
        self.connection = None
        self.granted = 0
        self.trouble = None

    def write(self, *words):
        self.log.write(" ".join(map(str, (now_ns(),) + words)) + "\n")

    # Asking.

    def ask(self, method, path, body):
        """Until it is answered by a server that leads: (status, answer)."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection(
                        "127.0.0.1", self.server.port, timeout=20)
                self.connection.request(method, path, json.dumps(body),
                                        self.headers())
                answer = self.connection.getresponse()
                value = json.loads(answer.read())
                if not self.is_for_later(answer.status, value):
                    return answer.status, value
            except (OSError, http.client.HTTPException, ValueError):
                self.connection = None
            if time.monotonic() > until:
                raise TimeoutError(f"{method} {path}: no answer")
            time.sleep(0.01)

    @staticmethod
    def is_for_later(status, value):
        return (status == 503 and value["type"] in
                ("urn:holdfast:not-leading", "urn:holdfast:later")
                or value.get("type") == "urn:holdfast:other-term")

    def headers(self):
        return {"Holdfast-Secret": self.secret} if self.session else {}

    # A session.

    def open(self):
        self.session = self.secret = None
        sent = now_ns()
        _, opened = self.ask("POST", "/v1/sessions", {"ttl": TTL_MS})
        self.session, self.secret = opened["session"], opened["secret"]
        self.alive_at = sent
        self.n = 0

    def right_end(self):
        return self.alive_at + (TTL_MS - MARGIN_MS) * 1000000

    def keep_alive(self):
        """False: there is no such session any more."""
        sent = now_ns()
        status, _ = self.ask("POST", f"/v1/sessions/{self.session}/keep-alive",
                             {})
        if status == 200:
            self.alive_at = sent
        return status == 200

    # Locks.

    def choose(self):
        names = self.random.sample(NAMES, self.random.choice((1, 1, 2)))
        return [(name, self.random.choice(("exclusive", "exclusive", "shared")))
                for name in names]

    def give_back(self, request):
        self.write("release", request)
        status, value = self.ask(
            "POST", "/v1/release",
            {"session": self.session, "lane": 1, "n": self.n})
        if status == 410:
            return False
        self.write("over", request)
        return True

    def keep(self):
        """Its right, for a moment or, with `forget`, beyond the next kill."""
        if not FORGET:
            time.sleep(self.random.uniform(0, 0.1))
            return
        before = self.server.grants_again
        while self.server.grants_again == before and \
                not self.stopping.is_set() and now_ns() < self.right_end():
            time.sleep(0.01)

    def hold(self, request):
        self.keep()
        if self.random.random() < 0.5:
            if not self.keep_alive():
                return False
            self.write("extended", request, self.right_end())
        return self.give_back(request)

    def acquire(self):
        """False: the session is gone."""
        self.n += 1
        request = f"{self.session}/1/{self.n}"
        wants = self.choose()
        is_try = self.random.random() < 0.5
        self.write("ask", request, "takeover",
                   *(f"{mode} {name}" for name, mode in wants))
        status, value = self.ask("POST", "/v1/acquire", {
            "session": self.session, "lane": 1, "n": self.n,
            "wait": "try" if is_try else 300,
            "locks": [{"name": name, "mode": mode} for name, mode in wants]})
        if status == 200:
            self.granted += 1
            self.write("granted", request, value["fence"], self.right_end())
            return self.hold(request)
        if status == 410:
            return False
        kind = value["type"].removeprefix("urn:holdfast:")
        if kind in ("blocking-timeout", "timed-out"):
            self.write("timed-out", request)
            return self.give_back(request)
        self.write("held" if kind == "held" and is_try else "over", request)
        return True

    def run(self):
        try:
            self.open()
            while not self.stopping.is_set():
                if now_ns() - self.alive_at > TTL_MS * 1000000 / 4 and \
                        not self.keep_alive() or not self.acquire():
                    self.write("gone", self.session)
                    self.open()
        except Exception as error:  # told to whoever waits for this thread
            self.trouble = error
        self.log.close()


def forget(path):
    for name in os.listdir(path):
        if "served.db" in name:  # and the mark that it was served
            os.remove(f"{path}/{name}")


def await_grants(clients, before):
    """Wait for one more than there were; nothing can be said of a server that grants
    nothing."""
    until = time.monotonic() + PATIENCE_S
    while granted(clients) <= before:
        if time.monotonic() > until:
            raise TimeoutError(f"no grant within {PATIENCE_S} s")
        time.sleep(0.01)


def granted(clients):
    return sum(client.granted for client in clients)


def kill_and_start(server, path, clients):
    """And wait for a grant after it."""
    time.sleep(random.uniform(0.2, 1.2))
    server.kill()
    count = granted(clients)
    if FORGET:
        forget(path)
    server.start()
    await_grants(clients, count)
    server.grants_again += 1


def load(server, path):
    """Its clients, when all is over."""
    server.grants_again = 0  # kills after which something was granted
    stopping = threading.Event()
    clients = [Witness(i, server, path, stopping) for i in range(CLIENTS)]
    threads = [threading.Thread(target=client.run) for client in clients]
    try:
        for thread in threads:
            thread.start()
        await_grants(clients, 0)
        for _ in range(KILLS):
            kill_and_start(server, path, clients)
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
    return clients


def main():
    with folder() as path:
        with Server(DAEMON, path) as server:
            clients = load(server, path)
        troubles = [str(c.trouble) for c in clients if c.trouble is not None]
        files = [f"{path}/{i}.history" for i in range(CLIENTS)]
        checked = subprocess.run([CHECK] + files, capture_output=True,
                                 text=True)
    print(f"{KILLS} kills, {CLIENTS} clients, {granted(clients)} grants")
    print(checked.stdout + checked.stderr, end="")
    if troubles:
        print(*troubles, sep="\n")
    return bool(troubles) or (checked.returncode == 0) == FORGET


sys.exit(main())
