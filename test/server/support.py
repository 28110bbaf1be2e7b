"""A holdfastd of a test's own, and a client that asks for one thing at a time."""

import http.client
import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import time


def folder():
    """One for a server's file, on no disk if that can be: a process that is
    killed loses nothing of either, and a disk that is busy for seconds costs
    the leadership."""
    shared = "/dev/shm"
    return tempfile.TemporaryDirectory(
        dir=shared if os.access(shared, os.W_OK) else None)


class Server:
    """At a port of the kernel's choice, which it keeps when it starts again."""

    def __init__(self, daemon, path, *options, at=None, graceful=False):
        # In memory nobody holds anything of a server before it.
        if at is not None and at.startswith("memory:") and not graceful:
            options = ("--no-grace", *options)
        self.command = [daemon, "--at", at or f"sqlite:{path}/served.db",
                        *options]
        self.errors = open(f"{path}/errors", "a")
        self.port = 0
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.kill()
        self.errors.close()

    def start(self):
        read_end, write_end = os.pipe()
        self.process = subprocess.Popen(
            self.command + ["--listen", f"127.0.0.1:{self.port}",
                            "--ready-fd", str(write_end)],
            pass_fds=[write_end], stderr=self.errors)
        os.close(write_end)
        with os.fdopen(read_end) as port:
            self.port = int(port.readline())

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def await_leading(self):
        client = Client(self)
        await_that(lambda: client.ask("GET", "/v1/locks")[0] != 503)

    def await_ready(self):
        client = Client(self)
        await_that(lambda: client.ask("GET", "/readyz")[0] != 503)

    def connect(self):
        """A socket, for bytes that are no client's."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def metric(self, name):
        _, text = Client(self).ask("GET", "/metrics")
        return next(int(line.split()[1]) for line in text.splitlines()
                    if line.startswith(name + " "))

    def status(self, name):
        """A line of /proc/PID/status, as a number."""
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return int(line.split()[1])
        raise KeyError(name)


class Client:
    """One connection, and one session with one lane once it is open."""

    def __init__(self, server, timeout=60):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port,
                                                     timeout=timeout)
        self.kind = None  # of the last answer
        self.session = self.secret = None
        self.n = 0

    def send(self, method, path, body=None, **headers):
        """Names of headers have _ for -."""
        names = {name.replace("_", "-"): value
                 for name, value in headers.items()}
        if self.secret is not None:
            names["Holdfast-Secret"] = self.secret
        self.connection.request(
            method, path, None if body is None else json.dumps(body), names)

    def is_told(self):
        """Is there anything to be received?  Does not wait."""
        return bool(select.select([self.connection.sock], [], [], 0)[0])

    def receive(self):
        """(status, answer)"""
        answer = self.connection.getresponse()
        text = answer.read()
        self.kind = answer.getheader("Content-Type").split(";")[0]
        return answer.status, (json.loads(text) if self.kind.endswith("json")
                               else text.decode())

    def ask(self, method, path, body=None, **headers):
        self.send(method, path, body, **headers)
        return self.receive()

    def open(self, **options):
        _, opened = self.ask("POST", "/v1/sessions", options)
        self.session, self.secret = opened["session"], opened["secret"]
        return self

    def waiters(self, name):
        """How many wait for the lock; 0, if there is no such lock."""
        status, answer = self.ask("GET", f"/v1/locks/{name}")
        return answer["waiters"] if status == 200 else 0

    def begin(self):
        """The next request: its number."""
        self.n += 1
        return self.n

    def try_once(self, wait, *locks):
        """Ask for what was begun: (status, answer)."""
        return self.ask("POST", "/v1/acquire", {
            "session": self.session, "n": self.n, "wait": wait,
            "locks": locks})

    def acquire(self, *locks):
        """Wait for ever, asking again as often as it is told to."""
        self.begin()
        status, answer = self.try_once(None, *locks)
        while answer.get("type") == "urn:holdfast:blocking-timeout":
            status, answer = self.try_once(None, *locks)
        if status != 200:
            raise RuntimeError(answer)
        return answer

    def release(self):
        status, answer = self.ask("POST", "/v1/release",
                                  {"session": self.session, "n": self.n})
        if status != 200:
            raise RuntimeError(answer)


def await_that(true):
    """Until it is so; an error, if it is not for a minute."""
    until = time.monotonic() + 60
    while not true():
        if time.monotonic() > until:
            raise TimeoutError("waited in vain")
        time.sleep(0.005)


class Checks:
    """Lines of TAP."""

    def __init__(self):
        self.count = self.failed = 0

    def check(self, what, good, why=""):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}",
              flush=True)
        for line in str(why).splitlines() if not good else []:
            print(f"# {line}")

    def end(self):
        print(f"1..{self.count}")
        return self.failed > 0
