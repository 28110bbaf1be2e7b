#!/usr/bin/env python3
"""hostile.py HOLDFASTD [sanitized]: peers, readers and stores that mean no good.

Each costs what it is allowed to, and nobody else anything: whoever asks for the
server's health has it.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import time

from http2 import (DATA, END_HEADERS, END_STREAM, HEADERS, PADDED, PREFACE,
                   RST_STREAM, WINDOW_UPDATE, frame, literal)
from support import Checks, Client, Server, folder

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def health_s(server):
    begun = time.monotonic()
    status, _ = Client(server).ask("GET", "/healthz")
    return time.monotonic() - begun if status == 200 else float("inf")


# ---- Requests -------------------------------------------------------------------

def check_pipelines(checks, server):
    many = 1300
    with server.connect() as peer:
        peer.sendall(GET * many)
        answers = b""
        while answers.count(b"HTTP/1.1 200") < many:
            more = peer.recv(65536)
            if not more:
                break
            answers += more
    checks.check("requests in a row are answered, be they many",
                 answers.count(b"HTTP/1.1 200") == many)


def check_long_rows(checks, server):
    """Quotes have two bytes in JSON, and rows of them fill any answer."""
    client = Client(server)
    said = {"note": '"' * 2048, "who": '"' * 1024, "mode": "shared"}
    for number in range(60):
        for name in (f"long-{number}", "long"):
            client.ask("POST", f"/v1/locks/{name}/acquire", said)
    names, after, whole = set(), "", True
    while after is not None:
        _, page = client.ask("GET", f"/v1/locks?prefix=long&after={after}")
        names |= {row["name"] for row in page["locks"]}
        whole &= all(row["holders"] for row in page["locks"])
        after = page.get("after")
    checks.check("long rows are listed, all of them", whole and names == {
        "long", *(f"long-{number}" for number in range(60))}, names)
    for path in ("/v1/locks/long", "/v1/locks/long/why"):
        _, page = client.ask("GET", path)
        page = page.get("lock", page)
        checks.check(f"and {path} is JSON with whole rows",
                     page["holders"][-1]["note"] == said["note"])


def check_names(checks, server):
    client = Client(server)
    status, _ = client.ask("POST", "/v1/locks/safe/acquire?name=other", {})
    checks.check("a query does not name another lock", status == 400)
    status, _ = client.ask("GET", "/v1/locks?space=a&space=b")
    checks.check("nothing is given twice", status == 400)
    before = server.metric("holdfast_sessions")
    status, _ = client.ask("POST", "/v1/locks/%0a/acquire", {"ttl": "10m"})
    checks.check("what is refused opens no session", status == 400
                 and server.metric("holdfast_sessions") == before)
    _, granted = client.ask("POST", "/v1/locks/mine/acquire", {})
    client.secret = granted["secret"]
    body = {"session": granted["session"]}
    status, _ = client.ask("POST", "/v1/locks/yours/release", body)
    checks.check("a release of another name gives nothing back",
                 status == 400)
    status, _ = client.ask("POST", "/v1/locks/mine/release", body)
    checks.check("and one of its own does", status == 200)


def check_scans(checks, server):
    """Nine hundred lists that find nothing among many names, in one packet."""
    client = Client(server).open(ttl="60s")
    for lane in range(1, 400):
        status, said = client.ask("POST", "/v1/acquire", {
            "session": client.session, "lane": lane,
            "locks": [f"name-{lane}-{i}" for i in range(60)]})
        if status != 200:
            raise RuntimeError(said)
    head = (b"\x82\x86" + literal(4, b"/v1/locks?prefix=none")
            + literal(1, b"localhost"))
    lists = b"".join(frame(HEADERS, END_STREAM | END_HEADERS, 2 * i + 1, head)
                     for i in range(900))
    peers = [server.connect() for _ in range(5)]
    for peer in peers:
        peer.sendall(PREFACE + lists)
    took = max(health_s(server) for _ in range(3))
    checks.check("lists that find nothing do not stop the others", took < 0.5,
                 f"{took:.2f} s")
    for peer in peers:
        peer.close()


def check_heads(checks, server):
    """A header of 3.9 KB, and a thousand requests that name it by a byte and do
    not end."""
    before = server.status("VmRSS")
    head = b"\x83\x86" + literal(4, b"/v1/acquire") + literal(1, b"localhost")
    # 62: what was put into the dynamic table last
    rest = frame(HEADERS, END_HEADERS, 1,
                 head + literal(23, b"x" * 3900, indexed=True))
    rest += b"".join(frame(HEADERS, END_HEADERS, 2 * i + 1, head + b"\xbe")
                     for i in range(1, 999))
    peers = [server.connect() for _ in range(40)]
    for peer in peers:
        peer.sendall(PREFACE + rest)
    took = health_s(server)
    grown = (server.status("VmRSS") - before) // 1024
    if "sanitized" not in sys.argv:  # whose memory is another
        checks.check("requests that do not end have a bound in all",
                     grown < 110, f"{grown} MiB")
    checks.check("and do not stop the others", took < 1, f"{took:.2f} s")
    for peer in peers:
        peer.close()


def answers_of(peer, most):
    """How many of its streams are answered, until one is reset."""
    answers = 0
    stream = peer.makefile("rb")
    while answers < most:
        head = stream.read(9)
        if len(head) < 9 or head[3] == RST_STREAM:
            break
        stream.read(int.from_bytes(head[:3], "big"))
        answers += head[3] == HEADERS
    return answers


def check_bursts(checks, server):
    """The heads of all requests, then their bodies: so nghttp2's clients send
    what they begin at once."""
    head = b"\x83\x86" + literal(4, b"/v1/acquire") + literal(1, b"localhost")
    streams = range(1, 2000, 2)
    heads = b"".join(frame(HEADERS, END_HEADERS, i, head) for i in streams)
    bodies = b"".join(frame(DATA, END_STREAM, i, b"{}") for i in streams)
    peers = [server.connect() for _ in range(100)]
    for peer in peers:
        peer.sendall(PREFACE + heads)
    health_s(server)
    for peer in peers:
        peer.sendall(bodies)
    answers = sum(answers_of(peer, len(streams)) for peer in peers)
    checks.check("100,000 requests are answered whose bodies come after all "
                 "heads", answers == 100 * len(streams), answers)
    for peer in peers:
        peer.close()


def is_ended_by(server, first, piece):
    """Some thousand pieces, of which each costs the server something."""
    with server.connect() as peer:
        peer.settimeout(5)
        peer.sendall(PREFACE + first)
        try:
            for number in range(5000):
                peer.sendall(piece(2 * number + 1))
            while peer.recv(65536):
                pass
        except TimeoutError:
            return False
        except OSError:
            pass
    return True


def check_floods(checks, server):
    """Of what brings no request, and of what makes the server reset."""
    head = b"\x83\x86" + literal(4, b"/v1/acquire") + literal(1, b"localhost")
    get = b"\x82\x86" + literal(4, b"/v1/info") + literal(1, b"localhost")
    begun = frame(HEADERS, END_HEADERS, 1, head)
    long = frame(HEADERS, END_HEADERS, 1, head + b"\x0f\x0d\x0899999999")
    for what, first, piece in (
            ("padding", begun, lambda _: frame(
                DATA, PADDED, 1, b"\xff " + b"\0" * 255)),
            ("a body that was refused", long, lambda _: frame(
                DATA, 0, 1, b" ")),
            ("windows that are opened too far", b"", lambda stream: frame(
                HEADERS, END_HEADERS | END_STREAM, stream, get) + frame(
                    WINDOW_UPDATE, 0, stream, b"\x7f\xff\xff\xff"))):
        checks.check(f"who sends nothing but {what} is ended",
                     is_ended_by(server, first, piece))
    checks.check("and nobody else", health_s(server) < 1)


def check_unread(checks, server):
    """Long lists for many, none of whom opens a window for them."""
    client = Client(server)
    for number in range(600):
        client.ask("POST", f"/v1/locks/{'n' * 480}{number}/acquire",
                   {"ttl": "60s", "note": "y" * 400})
    preface = PREFACE[:-9] + frame(4, 0, 0, b"\0\4\0\0\0\0")
    head = (b"\x82\x86" + literal(4, b"/v1/locks?limit=1000")
            + literal(1, b"localhost"))
    lists = b"".join(frame(HEADERS, END_STREAM | END_HEADERS, stream, head)
                     for stream in (1, 3))
    reader = server.connect()
    reader.sendall(preface + frame(HEADERS, END_STREAM | END_HEADERS, 1, (
        b"\x82\x86" + literal(4, b"/v1/info") + literal(1, b"localhost"))))
    answers_of(reader, 1)  # its body is kept for it, and no other's
    before = server.status("VmRSS")
    peers = []
    for _ in range(300):
        peers.append(server.connect())
        peers[-1].sendall(preface + lists)
        answers_of(peers[-1], 1)
    took = health_s(server)
    grown = (server.status("VmRSS") - before) // 1024
    if "sanitized" not in sys.argv:
        checks.check("answers that nobody reads have a bound in all",
                     grown < 64, f"{grown} MiB")
    reader.sendall(frame(WINDOW_UPDATE, 0, 1, b"\0\0\x7f\xff"))
    checks.check("who has little of it is not ended for it",
                 reader.recv(9)[3:4] == b"\0")
    last = peers[-1]
    last.sendall(frame(WINDOW_UPDATE, 0, 0, b"\0\x7f\0\0")
                 + frame(WINDOW_UPDATE, 0, 1, b"\0\x7f\0\0"))
    heard = last.recv(9)
    checks.check("and who reads at last has its own", len(heard) == 9
                 and took < 1, (heard, took))
    for peer in (*peers, reader):
        peer.close()


def check_bodies(checks, server):
    """Who sends on after a refusal would be told of a reset in its place."""
    with server.connect() as peer:
        peer.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: 8000000\r\n\r\n")
        heard = b""
        try:
            peer.sendall(b"x" * 8000000)
            heard = peer.makefile("rb").read()
        except OSError as error:
            heard = str(error).encode()
    checks.check("who sends too much hears so, though it sends all of it",
                 heard.startswith(b"HTTP/1.1 413 "), heard[:40])


# ---- Connections, readers and stores --------------------------------------------

def check_idle(checks, daemon, path):
    with Server(daemon, path, "--connections", "5", at="memory:x") as server:
        server.await_leading()
        peers = [server.connect() for _ in range(20)]
        checks.check("who says nothing keeps nobody out",
                     health_s(server) < 10)
        for peer in peers:
            peer.close()


def start_with_log(daemon, path):
    """(server, where its log can be read)"""
    read_end, write_end = os.pipe()
    server = Server(daemon, path, at="memory:x")
    server.errors.close()
    server.errors = open(write_end, "w")
    server.start()
    server.await_leading()
    server.errors.close()
    return server, read_end


def clear(client, name):
    _, granted = client.ask("POST", f"/v1/locks/{name}/acquire", {})
    client.ask("POST", f"/v1/locks/{name}/clear",
               {"fence": granted["fence"], "force": True,
                "reason": "x" * 400})


def check_logs(checks, daemon, path):
    server, log = start_with_log(daemon, path)
    client = Client(server, timeout=10)
    for number in range(200):  # more than a pipe holds
        clear(client, f"cleared-{number}")
    checks.check("a log that nobody reads stops nothing",
                 health_s(server) < 10)
    os.read(log, 1 << 20)
    clear(client, "one-more")
    checks.check("and tells what it has lost", b" lost=" in os.read(
        log, 1 << 20))
    os.close(log)
    clear(client, "last")
    checks.check("a log whose reader is dead kills nobody",
                 health_s(server) < 10)
    server.kill()


def children_s():
    """Processor time of those that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def check_stuck_store(checks, daemon, path):
    """Somebody else writes, and does not end."""
    spent = children_s()
    with Server(daemon, path) as server:
        server.await_leading()
        other = sqlite3.connect(f"{path}/served.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        server.process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        try:
            code = server.process.wait(60)
        except subprocess.TimeoutExpired:
            code = None
        took = time.monotonic() - begun
        checks.check("SIGTERM does not wait for a store for ever",
                     code == 69 and took < 30, f"{code} after {took:.1f} s")
        other.execute("ROLLBACK")
        other.close()
        spent = children_s() - spent
        checks.check("nor does it spin", spent < 2, spent)


def main():
    checks = Checks()
    daemon = sys.argv[1]
    with folder() as path:
        check_stuck_store(checks, daemon, path)
        check_idle(checks, daemon, path)
        check_logs(checks, daemon, path)
        with Server(daemon, path, at="memory:x") as server:
            server.await_leading()
            check_pipelines(checks, server)
            check_long_rows(checks, server)
            check_names(checks, server)
            check_bodies(checks, server)
            check_scans(checks, server)
            check_heads(checks, server)
            check_bursts(checks, server)
            check_floods(checks, server)
            check_unread(checks, server)
    sys.exit(checks.end())


main()
