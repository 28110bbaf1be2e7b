"""unread.py HOLDFASTD: who asked without a session, and was gone before the
answer, keeps no lock; who read it keeps what it was granted, however it left."""

import json
import re
import signal
import socket
import struct
import sys

from support import Checks, Client, Server, await_that, folder

DAEMON = sys.argv[1]
checks = Checks()

LONG = "10m"  # no ttl ends while the test runs
# Of TCP: no end was sent, or the server's; then both, the client's first or the
# server's, which is not acknowledged.
ESTABLISHED, FIN_WAIT1 = 1, 4
LAST_ACK, CLOSING = 9, 11


class Asker:
    """A connection that asks for a lock, and may read nothing."""

    def __init__(self, server, receives=None):
        self.server = server
        self.socket = socket.socket()
        if receives is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                                   receives)
        self.socket.connect(("127.0.0.1", server.port))
        self.port = self.socket.getsockname()[1]

    def send(self, method, path, body="", **headers):
        headers = {"Host": f"127.0.0.1:{self.server.port}",
                   "Content-Type": "application/json",
                   "Content-Length": len(body), **headers}
        lines = [f"{method} {path} HTTP/1.1"] + [
            f"{name.replace('_', '-')}: {value}"
            for name, value in headers.items()]
        self.socket.sendall("\r\n".join(lines + ["", body]).encode())

    def ask(self, name, **headers):
        self.send("POST", f"/v1/locks/{name}/acquire",
                  json.dumps({"ttl": LONG}), **headers)

    def read(self):
        """An answer of ours: it ends with a line."""
        answer = b""
        while not answer.endswith(b"}\n"):
            answer += self.socket.recv(4096)
        return answer

    def reset(self):
        """Close it without an end."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                               struct.pack("ii", 1, 0))
        self.socket.close()

    def state_there(self):
        """That of the server's socket; None: it has none."""
        ends = f":{self.server.port:04X} 0100007F:{self.port:04X} "
        with open("/proc/net/tcp") as file:
            for line in file:
                if ends in line:
                    return int(line.split()[3], 16)
        return None


def is_held(client, name):
    return client.ask("GET", f"/v1/locks/{name}")[0] == 200


def heard(client):
    """How often it was asked for a lock."""
    text = client.ask("GET", "/metrics")[1]
    return int(re.search(r'requests_total\{route="acquire"\} (\d+)', text)[1])


def ask_and_close(server, client, name, **headers):
    """All of it is there before the server looks."""
    before = heard(client)
    server.process.send_signal(signal.SIGSTOP)
    asker = Asker(server)
    asker.ask(name, **headers)
    asker.socket.close()
    server.process.send_signal(signal.SIGCONT)
    await_that(lambda: heard(client) > before)


def closed_before_the_answer(server, client):
    for i in range(8):
        ask_and_close(server, client, f"gone-{i}")
    await_that(lambda: not any(is_held(client, f"gone-{i}")
                               for i in range(8)))
    checks.check("who was gone before the answer holds nothing", True)


def of_a_key(server, client):
    key = "a key of this test: unread"
    ask_and_close(server, client, "keyed", Idempotency_Key=key)
    closed_before_the_answer(server, client)
    told = client.ask("POST", "/v1/locks/keyed/acquire", {"ttl": LONG},
                      Idempotency_Key=key)
    checks.check("but whoever has its key asks again", told[0] == 200, told)


def closed_behind_its_end(server, client, before, after, **headers):
    """Its answer stands behind others that nobody takes, when it closes one
    half, and then the other."""
    asker = Asker(server, receives=2048)
    for _ in range(4):
        asker.send("GET", "/metrics")
    asker.ask("behind", **headers)
    await_that(lambda: is_held(client, "behind") and
               asker.state_there() == before)
    asker.socket.shutdown(socket.SHUT_WR)
    await_that(lambda: asker.state_there() == after)
    checks.check("who has closed one half may still read it",
                 is_held(client, "behind"))
    asker.socket.close()
    await_that(lambda: not is_held(client, "behind"))
    checks.check("and holds nothing once it has closed the other, unread", True)


def who_read_it(server, client):
    ends = Asker(server)
    ends.ask("ends")
    ends.read()
    ends.socket.close()

    half = Asker(server)
    half.ask("half")
    half.socket.shutdown(socket.SHUT_WR)
    half.read()
    half.socket.close()

    # Its kernel has not acknowledged all that it read: a reset tells nothing.
    resets = Asker(server)
    for _ in range(3):
        resets.send("GET", "/v1/info")
        resets.read()
    resets.ask("resets")
    resets.read()
    resets.reset()

    # It is the next answer that it has not read.
    follows = Asker(server)
    follows.ask("follows")
    follows.read()
    server.process.send_signal(signal.SIGSTOP)
    follows.send("GET", "/v1/info")
    follows.socket.close()
    server.process.send_signal(signal.SIGCONT)

    for asker in (ends, half, resets, follows):
        await_that(lambda: asker.state_there() is None)
    closed_before_the_answer(server, client)  # and all that came before it
    for name, how in (("ends", "closed"), ("half", "had closed one half"),
                      ("resets", "reset the connection"),
                      ("follows", "closed before the next answer")):
        checks.check(f"who read it, and {how}, holds it",
                     is_held(client, name))


def main():
    for at in ("memory:unread", None):
        with folder() as path, Server(DAEMON, path, "--max-ttl", LONG,
                                      at=at) as server:
            server.await_leading()
            client = Client(server)
            closed_before_the_answer(server, client)
            of_a_key(server, client)
            closed_behind_its_end(server, client, ESTABLISHED, LAST_ACK)
            closed_behind_its_end(server, client, FIN_WAIT1, CLOSING,
                                  Connection="close")
            who_read_it(server, client)
    return checks.end()


sys.exit(main())
