#!/usr/bin/env python3
"""room.py HOLDFASTD: whose connection goes, when there are as many as may be.

Newcomers get in, and who holds keeps its connection: it would not get in again
before its ttl is over, if others take each place that is free.
"""

import http.client
import socket
import sys

from support import Checks, Client, Server, await_that, folder

CONNECTIONS = 200
WAITERS = 120
SLOW = b"GET /healthz HTTP/1.1\r\nHost: localh"


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def is_open(peer):
    """Nothing is to be heard of it, not even its end."""
    peer.setblocking(False)
    try:
        return peer.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def is_served(server):
    try:
        return Client(server, 10).ask("GET", "/healthz")[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def holder(server, ttl="60s"):
    """Whoever holds a lock, on a connection that is kept alive."""
    client = Client(server).open(ttl=ttl)
    client.acquire({"name": f"of-{client.session}"})
    client.connection.auto_open = 0  # it is never opened again
    return client


def beats(client):
    try:
        client.send("POST", f"/v1/sessions/{client.session}/keep-alive", {})
        return client.receive()[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def wait_for(server, name):
    client = Client(server)
    client.send("POST", f"/v1/locks/{name}/acquire",
                {"wait": "25s", "ttl": "60s"})
    return client


def ask_raw(server, name):
    """The same, of one that may be sent away before it has asked."""
    peer = connect(server)
    try:
        peer.sendall(b"POST /v1/locks/%s/acquire HTTP/1.1\r\nHost: localhost"
                     b"\r\nContent-Length: 14\r\n\r\n{\"wait\":\"25s\"}"
                     % name.encode())
    except OSError:
        pass
    return peer


def waiting(server, name):
    row = Client(server).ask("GET", f"/v1/locks/{name}")[1]
    return row["waiters"]


def check_waiters(checks, daemon, path):
    """They are older than all that are idle, and more than are looked at."""
    with Server(daemon, path, "--connections", str(CONNECTIONS),
                at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        name = f"of-{one.session}"
        waiters = [wait_for(server, name) for _ in range(WAITERS)]
        await_that(lambda: waiting(server, name) == WAITERS)
        idle = [Client(server) for _ in range(CONNECTIONS - WAITERS - 1)]
        for client in idle:
            client.ask("GET", "/healthz")
        served = sum(is_served(server) for _ in range(10))
        checks.check("newcomers are let in where many wait and others do not",
                     served == 10, served)
        checks.check("nobody who waits is sent away for them",
                     all(is_open(one.connection.sock) for one in waiters))
        checks.check("nor is who holds", beats(one))


def check_slow(checks, daemon, path):
    """Heads that do not end take each place that is free."""
    with Server(daemon, path, "--connections", str(CONNECTIONS),
                at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        keeps = Client(server)
        keeps.ask("GET", "/healthz")
        slow = []
        for _ in range(3 * CONNECTIONS):
            slow.append(connect(server))
            slow[-1].sendall(SLOW)
        checks.check("slow heads send each other away, and not who holds",
                     beats(one))
        checks.check("nor who has asked for something",
                     is_open(keeps.connection.sock))
        served = sum(is_served(server) for _ in range(10))
        checks.check("and newcomers are served", served == 10, served)
        for peer in slow:
            peer.close()


def check_second(checks, daemon, path):
    """A slow head is one, be it the first of its connection or not."""
    with Server(daemon, path, "--connections", str(CONNECTIONS),
                at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        slow = []
        for _ in range(2 * CONNECTIONS):
            client = Client(server)
            client.ask("GET", "/healthz")
            client.connection.sock.sendall(SLOW)
            slow.append(client)
        checks.check("a slow head behind a request sends away none that holds",
                     beats(one))
        served = sum(is_served(server) for _ in range(10))
        checks.check("and newcomers are served then, too", served == 10,
                     served)


def check_full(checks, daemon, path):
    """All wait but who holds: there is nobody else who could go."""
    with Server(daemon, path, "--connections", "20", at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        waiters = [ask_raw(server, f"of-{one.session}") for _ in range(40)]
        await_that(lambda: not is_open(waiters[-1]))
        checks.check("who holds is not sent away for who waits", beats(one))


def check_holders(checks, daemon, path):
    """They are more than there is room for, and take turns."""
    with Server(daemon, path, "--connections", "8", at="memory:x") as server:
        server.await_leading()
        holders = [holder(server, "20s") for _ in range(12)]
        again = sum(is_alive_anew(server, one) for one in holders)
        checks.check("holders beyond the room get in again by turns",
                     again == 12, again)


def is_alive_anew(server, one):
    client = Client(server)
    client.session, client.secret = one.session, one.secret
    return beats(client)


def main():
    checks = Checks()
    daemon = sys.argv[1]
    with folder() as path:
        check_waiters(checks, daemon, path)
        check_slow(checks, daemon, path)
        check_second(checks, daemon, path)
        check_full(checks, daemon, path)
        check_holders(checks, daemon, path)
    sys.exit(checks.end())


main()
