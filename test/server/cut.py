#!/usr/bin/env python3
"""cut.py HOLDFASTD: connections that break while somebody waits.

Who was told of its session, or has a key, has its place kept for a moment, and
a grant that it was not told of as well; all others leave at once.  One holds a
lock, a second waits for it and is cut off, and a third stands behind it.
"""

import json
import socket
import sqlite3
import struct
import sys
import time

from http2 import (CANCEL, DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE,
                   RST_STREAM, frame, literal, named)
from support import Checks, Client, Server, await_that, folder

GRACE_S = 2  # for which a place is kept


def shown(server, name):
    return Client(server).ask("GET", f"/v1/locks/{name}")[1]


def await_waiters(server, name, count):
    await_that(lambda: shown(server, name)["waiters"] == count)


def begin(server, name):
    """The one that holds it."""
    holder = Client(server).open(ttl="60s")
    holder.acquire({"name": name})
    return holder


def request(client, name):
    """That waits for ever, and is asked anew with the same number."""
    return {"session": client.session, "n": client.n, "wait": None,
            "locks": [{"name": name}]}


def wait_behind(server, name, waiters):
    """The third, which is granted the lock when it is its turn."""
    third = Client(server).open(ttl="60s")
    third.begin()
    third.send("POST", "/v1/acquire", request(third, name))
    await_waiters(server, name, waiters + 1)
    return third


def three(server, name):
    """One holds it, and two wait."""
    holder = begin(server, name)
    second = Client(server).open(ttl="60s")
    second.begin()
    second.send("POST", "/v1/acquire", request(second, name))
    await_waiters(server, name, 1)
    return holder, second, wait_behind(server, name, 1)


def reset(connection):
    """Cut, so that the other end hears of it at once."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                          struct.pack("ii", 1, 0))
    connection.close()


def end(connection):
    """As the kernel does for a process that is killed."""
    connection.close()


def check_back(checks, server, how, cut):
    name = f"back-{how.replace(' ', '-')}"
    holder, second, third = three(server, name)
    cut(second.connection.sock)
    second.connection.close()
    holder.release()
    second.send("POST", "/v1/acquire", request(second, name))
    status, answer = second.receive()
    checks.check(f"who is cut off by {how}, and comes back, has its place",
                 status == 200 and not third.is_told(), answer)
    second.release()
    status, answer = third.receive()
    checks.check("and those behind it have theirs", status == 200, answer)


def time_of_next(server, name, leave):
    """How long the third waits, once the second has left and the first too."""
    holder = begin(server, name)
    left = leave(server, name)
    third = wait_behind(server, name, 1)
    begun = time.monotonic()
    left()
    holder.release()
    status, answer = third.receive()
    if status != 200:
        raise RuntimeError(answer)
    return time.monotonic() - begun


def is_grace(took):
    return GRACE_S - 0.5 < took < GRACE_S + 20


def leave_with_key(server, name):
    second = Client(server)
    second.send("POST", f"/v1/locks/{name}/acquire", {"wait": None},
                Idempotency_Key=f"the-key-of-{name}")
    await_waiters(server, name, 1)
    return lambda: reset(second.connection.sock)


def leave_untold(server, name):
    second = Client(server)
    second.send("POST", f"/v1/locks/{name}/acquire", {"wait": None})
    await_waiters(server, name, 1)
    return lambda: reset(second.connection.sock)


def leave_with_more(server, name):
    """More than is read at once stands behind its request, and then its end."""
    second = Client(server)
    second.send("POST", f"/v1/locks/{name}/acquire", {"wait": None})
    await_waiters(server, name, 1)
    second.connection.sock.sendall(
        1000 * b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return lambda: end(second.connection.sock)


def leave_with_session(server, name):
    second = Client(server).open(ttl="60s")
    second.begin()
    second.send("POST", "/v1/acquire", request(second, name))
    await_waiters(server, name, 1)
    return lambda: reset(second.connection.sock)


def leave_by_reset_of_stream(server, name):
    """A client of HTTP/2 that wants no answer any more."""
    second = Client(server).open(ttl="60s")
    second.begin()
    body = json.dumps(request(second, name)).encode()
    head = (b"\x83\x86" + literal(4, b"/v1/acquire")
            + literal(1, b"localhost")
            + named(b"holdfast-secret", second.secret.encode()))
    peer = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    peer.sendall(PREFACE + frame(HEADERS, END_HEADERS, 1, head)
                 + frame(DATA, END_STREAM, 1, body))
    await_waiters(server, name, 1)
    return lambda: peer.sendall(frame(RST_STREAM, 0, 1, CANCEL))


def check_leaving(checks, server):
    for what, leave in (("a session that it was told of", leave_with_session),
                        ("a key", leave_with_key)):
        took = time_of_next(server, what.replace(" ", "-"), leave)
        checks.check(f"who is cut off with {what} is waited for, for a moment",
                     is_grace(took), took)
    for what, leave in (("was told nothing", leave_untold),
                        ("asked for more behind it", leave_with_more),
                        ("resets its stream", leave_by_reset_of_stream)):
        took = time_of_next(server, what.replace(" ", "-"), leave)
        checks.check(f"who {what} is not waited for", took < GRACE_S / 2, took)


def check_granted(checks, server, path):
    """Granted, but no batch has let that out yet."""
    name = "granted"
    holder, second, third = three(server, name)
    other = sqlite3.connect(f"{path}/served.db", isolation_level=None,
                            timeout=5)
    other.execute("BEGIN IMMEDIATE")
    holder.send("POST", "/v1/release",
                {"session": holder.session, "n": holder.n})
    await_that(lambda: shown(server, name)["holders"][0]["session"]
               == second.session)
    reset(second.connection.sock)
    second.connection.close()
    other.execute("ROLLBACK")
    other.close()
    second.send("POST", "/v1/acquire", request(second, name))
    status, answer = second.receive()
    checks.check("a grant that was not told is there for who comes back",
                 status == 200 and not third.is_told(), answer)
    second.release()
    status, answer = third.receive()
    checks.check("and then for those behind", status == 200, answer)


def main():
    checks = Checks()
    with folder() as path, Server(sys.argv[1], path) as server:
        server.await_leading()
        check_back(checks, server, "a reset", reset)
        check_back(checks, server, "the end of a process", end)
        check_leaving(checks, server)
        check_granted(checks, server, path)
    sys.exit(checks.end())


main()
