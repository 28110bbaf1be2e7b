#!/usr/bin/env python3
"""room.py HOLDFASTD HOLDFAST: whose connection goes, when there are as many as may be.

Newcomers get in, and who holds keeps its connection: it would not get in again
before its ttl is over, if others take each place that is free.
"""

import http.client
import json
import subprocess
import sys
import time

from http2 import (CANCEL, DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE,
                   RST_STREAM, frame, literal, named)
from support import Checks, Client, Server, await_that, folder

DAEMON, HOLDFAST = sys.argv[1:]
CONNECTIONS = 200
WAITERS = 120
# Of 32 connections two are left, and a third is for who comes back.
ANEW, IN_ALL = 29, 30
SLOW = b"GET /healthz HTTP/1.1\r\nHost: localh"


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
    peer = server.connect()
    try:
        peer.sendall(b"POST /v1/locks/%s/acquire HTTP/1.1\r\nHost: localhost"
                     b"\r\nContent-Length: 14\r\n\r\n{\"wait\":\"25s\"}"
                     % name.encode())
    except OSError:
        pass
    return peer


def check_waiters(checks, daemon, path):
    """They are older than all that are idle, and more than are looked at."""
    with Server(daemon, path, "--connections", str(CONNECTIONS),
                at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        name = f"of-{one.session}"
        waiters = [wait_for(server, name) for _ in range(WAITERS)]
        await_that(lambda: Client(server).waiters(name) == WAITERS)
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
            slow.append(server.connect())
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


def is_limited(peer):
    """It is told so, or is sent away for those that came behind it; who waits
    hears nothing."""
    try:
        told = peer.recv(4096)
    except OSError:
        return True
    return told == b"" or b"urn:holdfast:limit" in told


def check_full(checks, daemon, path):
    """As many wait as may: some connections are left for who does not."""
    with Server(daemon, path, "--connections", "32", at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        name = f"of-{one.session}"
        waiters = []
        for count in range(1, ANEW + 1):
            waiters.append(ask_raw(server, name))
            await_that(lambda: Client(server).waiters(name) == count)
        many = [ask_raw(server, name) for _ in range(50)]
        checks.check("who would wait, too, is sent away",
                     all(is_limited(peer) for peer in many))
        served = sum(is_served(server) for _ in range(10))
        checks.check("where all that may do wait, newcomers are let in",
                     served == 10, served)
        checks.check("and can look", f"holdfast_waiters {ANEW}\n" in
                     Client(server).ask("GET", "/metrics")[1])
        checks.check("who holds is not lost for who waits",
                     beats(one) or is_alive_anew(server, one))
        checks.check("nor who waits for who comes later",
                     all(is_open(waiter) for waiter in waiters))
        checks.check("who would wait is told of the limit",
                     Client(server).ask("POST", f"/v1/locks/{name}/acquire",
                               {"wait": "10s"})[0] == 429)
        run = subprocess.run(
            [HOLDFAST, "run", "--at", f"http://127.0.0.1:{server.port}",
             "-w", "1s", name, "--", "true"], capture_output=True, text=True)
        checks.check("so is who waits by the command",
                     run.returncode == 75 and "--connections" in run.stderr,
                     run)
        checks.check("the log names it once in a while, and metrics count it",
                     0 < told(path) < refused(server),
                     (told(path), refused(server)))
        run = subprocess.run(
            [HOLDFAST, "doctor", "--at", f"http://127.0.0.1:{server.port}"],
            capture_output=True, text=True)
        checks.check("the doctor, too, and what to do", run.returncode == 1 and
                     "too many connections wait" in run.stdout and
                     "larger --connections" in run.stdout, run)
        free = subprocess.Popen(
            [HOLDFAST, "run", "--at", f"http://127.0.0.1:{server.port}",
             "-w", "60s", "free", "--", "true"], stderr=subprocess.PIPE,
            text=True)
        line = free.stderr.readline()
        checks.check("who waits for what is free is told at once what keeps it",
                     "waiting for free" in line and
                     "no room for one more who waits" in line and
                     "larger --connections" in line, line)
        waiters.pop().close()
        waiters.pop().close()
        checks.check("and has it when there is room", free.wait() == 0 and
                     free.stderr.read() == "")
        checks.check("who only tries is told what is so",
                     Client(server).ask("POST", f"/v1/locks/{name}/acquire",
                               {})[1]["type"] == "urn:holdfast:held")
        checks.check("and a lock is given back", give_back(server, one))
        for peer in many:
            peer.close()


def told(path):
    """How often the log has said it."""
    with open(f"{path}/errors") as log:
        return log.read().count('event="too many connections wait"')


def refused(server):
    return server.metric("holdfast_waits_refused_total")


def give_back(server, one):
    client = Client(server)
    client.session, client.secret = one.session, one.secret
    return client.ask("POST", f"/v1/locks/of-{one.session}/release",
                      {"session": one.session})[0] == 200


def poll(server, name):
    """With a key, and so of one request, however often."""
    client = Client(server)
    status, answer = client.ask(
        "POST", f"/v1/locks/{name}/acquire",
        {"wait": "100ms", "park": "20s", "ttl": "60s"},
        Idempotency_Key="a-key-that-nobody-guesses")
    return status, answer["type"], client.connection.close()


def check_place(checks, daemon, path):
    """Who has a place in line comes back to it, however many would wait."""
    with Server(daemon, path, "--connections", "8", at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        name = f"of-{one.session}"
        one.connection.close()
        kept = (503, "urn:holdfast:blocking-timeout", None)
        answer = poll(server, name)
        checks.check("the place of one who polls is kept", answer == kept,
                     answer)
        waiters = [wait_for(server, name) for _ in range(6)]
        await_that(lambda: Client(server).waiters(name) == 7)
        answer = poll(server, name)
        checks.check("and had again where all that may do wait",
                     answer == kept, answer)
        for waiter in waiters:
            waiter.connection.close()


def read_all(client):
    """What was sent before is read before this is answered; who was sent away
    is to be seen later."""
    try:
        client.ask("GET", "/healthz")
    except (OSError, http.client.HTTPException):
        pass


def check_places(checks, daemon, path):
    """Who comes back is counted, too."""
    keys = [f"a-key-that-nobody-guesses-{i}" for i in range(36)]
    asked = {"wait": "10ms", "park": "20s", "ttl": "60s"}
    with Server(daemon, path, "--connections", "32", at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        path = f"/v1/locks/of-{one.session}/acquire"
        for key in keys:
            client = Client(server)
            client.ask("POST", path, asked, Idempotency_Key=key)
            client.connection.close()
        waiters = []
        for key in keys:
            waiters.append(Client(server))
            waiters[-1].send("POST", path, {**asked, "wait": None},
                             Idempotency_Key=key)
            read_all(one)
        served = sum(is_served(server) for _ in range(10))
        checks.check("where all that may have come back, newcomers are let in",
                     served == 10, served)
        count = sum(not client.is_told() for client in waiters)
        checks.check("and as many as may have", count == IN_ALL, count)
        checks.check("and a lock is given back then", give_back(server, one))


def post(stream, path, body, secret):
    """A request of HTTP/2."""
    text = json.dumps(body).encode()
    head = (b"\x83\x86" + literal(4, path.encode()) +
            literal(1, b"localhost") +
            named(b"holdfast-secret", secret.encode()) +
            named(b"content-length", str(len(text)).encode()))
    return (frame(HEADERS, END_HEADERS, stream, head) +
            frame(DATA, END_STREAM, stream, text))


def wait_h2(stream, name, opened):
    return post(stream, f"/v1/locks/{name}/acquire",
                {"session": opened["session"], "wait": None}, opened["secret"])


def sessions(server, count):
    client = Client(server)
    opened = [client.ask("POST", "/v1/sessions", {"ttl": "60s"})[1]
              for _ in range(count)]
    client.connection.close()
    return opened


def wait_beside(server, name, opened):
    """Beside a keep-alive that is under way."""
    peer = server.connect()
    try:
        peer.sendall(PREFACE + post(
            1, f"/v1/sessions/{opened['session']}/keep-alive", {},
            opened["secret"]))
        peer.recv(9)  # what the server says first: it has read it
        peer.sendall(wait_h2(3, name, opened))
    except OSError:
        pass
    return peer


def check_beside(checks, daemon, path):
    """Who has asked for something else may not wait for that."""
    with Server(daemon, path, "--connections", "32", at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        name = f"of-{one.session}"
        peers = []
        for opened in sessions(server, 36):
            peers.append(wait_beside(server, name, opened))
            read_all(one)
        served = sum(is_served(server) for _ in range(10))
        checks.check("newcomers are let in where many wait beside a keep-alive",
                     served == 10, served)
        count = served and Client(server).waiters(name)
        checks.check("for as many do as may", count == ANEW, count)
        checks.check("and the lock is given back", give_back(server, one))
        for peer in peers:
            peer.close()


def check_deaf_waiters(checks, daemon, path):
    """Who takes no answer is one of those who wait."""
    with Server(daemon, path, "--connections", "32", at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        name = f"of-{one.session}"
        opened = sessions(server, ANEW)
        peers = [ask_deaf(server) for _ in opened]
        for peer, each in zip(peers, opened):
            peer.sendall(wait_h2(3, name, each))
        await_that(lambda: Client(server).waiters(name) == ANEW)
        status, answer = Client(server).ask(
            "POST", f"/v1/locks/{name}/acquire", {"wait": "10ms"})
        checks.check("who waits and takes no answer is counted", status == 429,
                     (status, answer))
        for peer in peers:
            peer.close()


def third_in_grace(server, name):
    """Of three who have no time, while places are taken again."""
    server.kill()
    server.start()
    server.await_leading()
    looker = Client(server)
    waiters = [Client(server) for _ in range(3)]
    for waiter in waiters:
        waiter.send("POST", f"/v1/locks/{name}/acquire", {"wait": 0})
        read_all(looker)
    return waiters[2].receive()[0]


def check_grace(checks, daemon, path):
    """Then who has no time waits, too; the grace may be over before they ask."""
    with Server(daemon, path, "--connections", "4") as server:
        server.await_leading()
        one = holder(server)
        one.connection.close()
        checks.check("in a grace who has no time is one of those who wait",
                     any(third_in_grace(server, f"of-{one.session}") == 429
                         for _ in range(5)))


def end_in_time(_looker, server, one):
    peers = [Client(server) for _ in range(15)]
    for peer in peers:
        peer.send("POST", f"/v1/locks/of-{one.session}/acquire",
                  {"wait": "10ms"})
    return peers, all(peer.receive()[0] == 409 for peer in peers)


def end_by_grant(looker, server, one):
    name = f"next-of-{one.session}"
    one.acquire({"name": name})
    peers = [Client(server) for _ in range(15)]
    for peer in peers:
        peer.send("POST", f"/v1/locks/{name}/acquire",
                  {"wait": "60s", "mode": "shared"})
    await_that(lambda: look(looker, name) == 15)
    one.release()
    return peers, all(peer.receive()[0] == 200 for peer in peers)


def end_by_reset(looker, server, one):
    name = f"of-{one.session}"
    opened = sessions(server, 15)
    peers = [server.connect() for _ in opened]
    for peer, each in zip(peers, opened):
        peer.sendall(PREFACE + wait_h2(1, name, each))
    await_that(lambda: look(looker, name) == 15)
    for peer in peers:
        peer.sendall(frame(RST_STREAM, 0, 1, CANCEL))
    await_that(lambda: look(looker, name) == 0)
    return peers, True


def end_by_another(looker, server, one):
    """Another attempt of the same request takes the place of each."""
    path = f"/v1/locks/of-{one.session}/acquire"
    peers = [Client(server).open(ttl="60s") for _ in range(15)]
    for peer in peers:
        peer.send("POST", path, {"session": peer.session, "wait": "60s"})
    await_that(lambda: look(looker, f"of-{one.session}") == 15)
    for peer in peers:
        looker.ask("POST", path, {"session": peer.session},
                   Holdfast_Secret=peer.secret)
    return peers, all(peer.receive()[1]["type"] == "urn:holdfast:superseded"
                      for peer in peers)


def look(looker, name):
    return looker.ask("GET", f"/v1/locks/{name}")[1]["waiters"]


def check_ended(checks, daemon, path):
    """Whose wait has ended is none of those who wait, whatever ended it."""
    for end in (end_in_time, end_by_grant, end_by_reset, end_by_another):
        with Server(daemon, path, "--connections", "32",
                    at="memory:x") as server:
            server.await_leading()
            one, looker = holder(server), Client(server)
            name = f"of-{one.session}"
            ended, is_so = end(looker, server, one)
            waiters = [wait_for(server, name) for _ in range(15)]
            await_that(lambda: look(looker, name) == 15
                       or any(waiter.is_told() for waiter in waiters))
            checks.check(f"who waited may, and others ({end.__name__})",
                         is_so and len(ended) == 15
                         and look(looker, name) == 15)


def ask_deaf(server):
    """Who opens no window for the answer that it asks for."""
    def frame(kind, flags, stream, payload):
        return (len(payload).to_bytes(3, "big") + bytes([kind, flags]) +
                stream.to_bytes(4, "big") + payload)

    no_window = b"\x00\x04" + bytes(4)
    head = b"\x82\x86\x04\x08/v1/info\x01\x09localhost"
    peer = server.connect()
    peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
                 frame(4, 0, 0, no_window) + frame(1, 5, 1, head))
    file, kind = peer.makefile("rb"), None
    while kind != 1:  # the answer's head: its body comes no more
        start = file.read(9)
        kind = start[3]
        file.read(int.from_bytes(start[:3], "big"))
    return peer


def check_deaf(checks, daemon, path):
    """All connections are of those who ask, and take no answer."""
    with Server(daemon, path, "--connections", "32", at="memory:x") as server:
        server.await_leading()
        one = holder(server)
        began = time.monotonic()
        deaf = [ask_deaf(server) for _ in range(31)]
        await_that(lambda: is_served(server))
        took = time.monotonic() - began
        checks.check("who takes no answer makes room within seconds",
                     took < 20, took)
        checks.check("and not who holds", beats(one))
        for peer in deaf:
            peer.close()


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
    daemon = DAEMON
    with folder() as path:
        check_waiters(checks, daemon, path)
        check_slow(checks, daemon, path)
        check_second(checks, daemon, path)
        check_full(checks, daemon, path)
        check_place(checks, daemon, path)
        check_places(checks, daemon, path)
        check_beside(checks, daemon, path)
        check_deaf_waiters(checks, daemon, path)
        check_grace(checks, daemon, path)
        check_ended(checks, daemon, path)
        check_deaf(checks, daemon, path)
        check_holders(checks, daemon, path)
    sys.exit(checks.end())


main()
