"""Clients of lock servers that write down what they see, for test/history."""

import contextlib
import http.client
import json
import random
import subprocess
import threading
import time

MARGIN_MS = 400
NAMES = [f"lock{i}" for i in range(40)]
PATIENCE_S = 120  # a failure, if nothing comes of it for so long


def now_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Witness:
    """One session with one lane, and a file of what it saw."""

    def __init__(self, number, nodes, path, ttl_ms, keep):
        """`nodes` are servers; to be asked in turn, if one does not answer or
        does not lead.  `keep(witness)` lasts as long as what is granted is to
        be held."""
        self.number = number
        self.nodes = nodes
        self.turn = number
        self.ttl_ms = ttl_ms
        self.keep = keep
        self.random = random.Random(number)
        self.log = open(f"{path}/{number}.history", "w", buffering=1)
        self.connection = None
        self.granted = 0
        self.granted_at = 0 # when the last one was asked for, in ns
        self.lost = 0 # grants that had ended before their right had
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
                        "127.0.0.1", self.next_node().port, timeout=20)
                self.connection.request(method, path, json.dumps(body),
                                        self.headers())
                answer = self.connection.getresponse()
                value = json.loads(answer.read())
                if not self.is_for_later(answer.status, value):
                    return answer.status, value
                if len(self.nodes) > 1:
                    self.connection.close()
                    self.connection = None
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

    def next_node(self):
        self.turn += 1
        return self.nodes[self.turn % len(self.nodes)]

    def headers(self):
        return {"Holdfast-Secret": self.secret} if self.session else {}

    # A session.

    def open(self):
        self.session = self.secret = None
        sent = now_ns()
        _, opened = self.ask("POST", "/v1/sessions", {"ttl": self.ttl_ms})
        self.session, self.secret = opened["session"], opened["secret"]
        self.alive_at = sent
        self.n = 0

    def right_end(self):
        return self.alive_at + (self.ttl_ms - MARGIN_MS) * 1000000

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

    def hold(self, request):
        self.keep(self)
        if self.random.random() < 0.5:
            if not self.keep_alive():
                self.lost += now_ns() < self.right_end()
                return False
            self.write("extended", request, self.right_end())
        if self.give_back(request):
            return True
        self.lost += now_ns() < self.right_end()
        return False

    def acquire(self):
        """False: the session is gone."""
        self.n += 1
        request = f"{self.session}/1/{self.n}"
        wants = self.choose()
        is_try = self.random.random() < 0.5
        self.write("ask", request, "takeover",
                   *(f"{mode} {name}" for name, mode in wants))
        asked_at = now_ns()
        status, value = self.ask("POST", "/v1/acquire", {
            "session": self.session, "lane": 1, "n": self.n,
            "wait": "try" if is_try else 300,
            "locks": [{"name": name, "mode": mode} for name, mode in wants]})
        if status == 200:
            self.granted += 1
            self.granted_at = asked_at
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

    def run(self, stopping):
        """Until that event."""
        try:
            self.open()
            while not stopping.is_set():
                if now_ns() - self.alive_at > self.ttl_ms * 1000000 / 4 and \
                        not self.keep_alive() or not self.acquire():
                    self.write("gone", self.session)
                    self.open()
        except Exception as error:  # told to whoever waits for this thread
            self.trouble = error
        self.log.close()




def granted(clients):
    return sum(client.granted for client in clients)


def await_grants(clients, before):
    """Wait for one more than there were; nothing can be said of a server that
    grants nothing."""
    until = time.monotonic() + PATIENCE_S
    while granted(clients) <= before:
        if time.monotonic() > until:
            raise TimeoutError(f"no grant within {PATIENCE_S} s")
        time.sleep(0.01)


@contextlib.contextmanager
def at_work(clients):
    """They are while this lasts, and have been granted something before."""
    stopping = threading.Event()
    threads = [threading.Thread(target=client.run, args=(stopping,))
               for client in clients]
    try:
        for thread in threads:
            thread.start()
        await_grants(clients, 0)
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join()


def judge(check, clients):
    """Can that be, what they saw?  (yes, the check's words)."""
    checked = subprocess.run([check, *(client.log.name for client in clients)],
                             capture_output=True, text=True)
    said = [checked.stdout + checked.stderr]
    said += [f"{client.trouble}\n" for client in clients if client.trouble]
    return len(said) == 1 and checked.returncode == 0, "".join(said)
