#!/usr/bin/env python3
"""stream.py HOLDFASTD: requests as lines, POST /v1/stream.

By HTTP/1.1 and by HTTP/2 alike, from sockets and from curl: what is asked, in
which order it is answered, what is refused and goes on, and how it ends.
"""

import json
import select
import shutil
import socket
import struct
import subprocess
import sys
import time

from http2 import (ACK, CANCEL, DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE,
                   RST_STREAM, SETTINGS, WINDOW_UPDATE, frame, literal, named,
                   status)
from support import Checks, Client, Server, await_that, folder

DAEMON = sys.argv[1]
STREAMS = 1000  # requests of one connection that may wait
BODY_MAX = 128 * 1024
INITIAL_WINDOW_SIZE = b"\0\4"


class Ended(Exception):
    """The stream has ended: is it whole?"""


class Stream:
    """One carrier on a connection of its own; the ids of its lines count."""

    def __init__(self, server, **headers):
        self.socket = server.connect()
        self.raw = self.text = b""
        self.id = 0
        self.empty = 0  # lines
        self.status = None
        self.whole = False
        self.begin({name.replace("_", "-"): value
                    for name, value in headers.items()})

    def receive(self, timeout=30):
        """More bytes; False: none in time."""
        if not select.select([self.socket], [], [], timeout)[0]:
            return False
        more = self.socket.recv(256 * 1024)
        if more == b"":
            raise Ended
        self.raw += more
        self.unpack()
        return True

    def line(self, timeout=30):
        """The next answer; None: none in time, and it is waited no longer."""
        until = time.monotonic() + timeout
        while True:
            while b"\n" in self.text:
                line, self.text = self.text.split(b"\n", 1)
                if line != b"":
                    return json.loads(line)
                self.empty += 1
            if self.whole:
                raise Ended
            left = until - time.monotonic()
            if left <= 0 or not self.receive(left):
                return None

    def lines(self, count, timeout=30):
        """So many answers, by their ids."""
        return {line["id"]: line
                for line in (self.line(timeout) for _ in range(count))}

    def tell(self, do, **members):
        """Its id."""
        self.id += 1
        self.send(json.dumps({"id": self.id, "do": do, **members}) + "\n")
        return self.id

    def ask(self, do, **members):
        """One thing at a time: its answer."""
        number = self.tell(do, **members)
        answer = self.line()
        assert answer["id"] == number, (number, answer)
        return answer

    def open(self, **options):
        """What names a session in each of its lines."""
        answer = self.ask("open", **options)
        return {"session": answer["session"], "secret": answer["secret"]}

    def is_over(self, timeout=30):
        """Does its answer end, and is it whole?"""
        try:
            while self.line(timeout) is not None:
                pass
        except Ended:
            return self.whole
        return False

    def cut(self):
        """As by the kernel of a machine that lost its power supply's cord, and
        has it again."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                               struct.pack("ii", 1, 0))
        self.socket.close()


class Stream1(Stream):
    """By HTTP/1.1, with chunks both ways."""

    name = "HTTP/1.1"
    curl = "--http1.1"

    def begin(self, headers):
        head = "".join(f"{name}: {value}\r\n"
                       for name, value in headers.items())
        self.is_told = False
        self.socket.sendall((f"POST /v1/stream HTTP/1.1\r\n"
                             f"Host: {headers.get('Host', 'localhost')}\r\n"
                             f"Transfer-Encoding: chunked\r\n"
                             + head.replace("Host:", "X:")
                             + "\r\n").encode())

    def send(self, text):
        self.send_bytes(text.encode())

    def send_bytes(self, text):
        self.socket.sendall(b"%x\r\n%s\r\n" % (len(text), text))

    def end(self):
        self.socket.sendall(b"0\r\n\r\n")

    def unpack(self):
        if not self.is_told and b"\r\n\r\n" in self.raw:
            head, self.raw = self.raw.split(b"\r\n\r\n", 1)
            self.status = int(head.split()[1])
            self.is_told = True
            if self.status != 200:
                self.left = int(head.lower().split(b"content-length:")[1]
                                .split()[0])
        if self.status not in (None, 200):
            self.whole = len(self.raw) == self.left
            return
        while self.is_told and b"\r\n" in self.raw:
            size, rest = self.raw.split(b"\r\n", 1)
            size = int(size, 16)
            if len(rest) < size + 2:
                return
            self.text += rest[:size]
            self.raw = rest[size + 2:]
            self.whole |= size == 0


class Stream2(Stream):
    """By HTTP/2, with prior knowledge."""

    name = "HTTP/2"
    curl = "--http2-prior-knowledge"

    def begin(self, headers):
        block = (literal(3, b"POST") + literal(6, b"http")
                 + literal(4, b"/v1/stream")
                 + literal(1, headers.pop("Host", "localhost").encode())
                 + b"".join(named(name.lower().encode(), value.encode())
                            for name, value in headers.items()))
        self.reset = None
        self.windows = [65535, 65535]  # of the connection, and of the stream
        self.socket.sendall(PREFACE + frame(HEADERS, END_HEADERS, 1, block))

    def send(self, text):
        self.send_bytes(text.encode())

    def send_bytes(self, text):
        while text:
            while min(self.windows) <= 0:
                if not self.receive(2):
                    raise TimeoutError
            piece = text[:min(16384, *self.windows)]
            text = text[len(piece):]
            self.windows = [window - len(piece) for window in self.windows]
            self.socket.sendall(frame(DATA, 0, 1, piece))

    def end(self):
        self.socket.sendall(frame(DATA, END_STREAM, 1))

    def unpack(self):
        while len(self.raw) >= 9:
            length = int.from_bytes(self.raw[:3], "big")
            kind, flags = self.raw[3], self.raw[4]
            stream = int.from_bytes(self.raw[5:9], "big")
            if len(self.raw) < 9 + length:
                return
            payload, self.raw = self.raw[9:9 + length], self.raw[9 + length:]
            if kind == HEADERS:
                self.status = status(payload)
                self.whole |= flags & END_STREAM != 0
            elif kind == DATA:
                self.text += payload
                self.whole |= flags & END_STREAM != 0
                if length > 0:
                    self.open_windows(length)
            elif kind == RST_STREAM:
                self.reset = int.from_bytes(payload, "big")
            elif kind == WINDOW_UPDATE:
                self.windows[stream != 0] += int.from_bytes(payload, "big")
            elif kind == SETTINGS and not flags & ACK:
                self.socket.sendall(frame(SETTINGS, ACK, 0))
                for at in range(0, length, 6):
                    if payload[at:at + 2] == INITIAL_WINDOW_SIZE:
                        self.windows[1] += int.from_bytes(
                            payload[at + 2:at + 6], "big") - 65535

    def open_windows(self, length):
        for stream in (0, 1):
            self.socket.sendall(frame(WINDOW_UPDATE, 0, stream,
                                      length.to_bytes(4, "big")))


BOTH = (Stream1, Stream2)


def kind(answer):
    return answer.get("type", "").replace("urn:holdfast:", "")


def waiters(server, name):
    return Client(server).waiters(name)


# ---- What is asked and answered ----------------------------------------------


def lines(checks, server, make):
    stream = make(server)
    stream.receive()
    checks.check(f"{make.name}: headers and an empty line come at once",
                 stream.line(0.1) is None and stream.status == 200
                 and stream.empty == 1, (stream.status, stream.empty))
    ann = stream.open(ttl="20s", who="ann")
    bob = stream.open(ttl="20s", who="bob")
    name = f"lines-{make.curl}"
    first = stream.ask("acquire", name=name, **ann)
    checks.check(f"{make.name}: a line is a request, its answer a line",
                 first["granted"] and first["status"] == 200
                 and first["session"] == ann["session"], first)
    waiting = stream.tell("acquire", name=name, wait="20s", **bob)
    alive = stream.ask("keep-alive", **ann)
    checks.check(f"{make.name}: one that waits holds up no other",
                 alive["alive"] and alive["fences"] == [first["fence"]], alive)
    released = stream.tell("release", name=name, **ann)
    both = stream.lines(2)
    checks.check(f"{make.name}: two are answered by their ids",
                 both[released]["released"]
                 and both[waiting]["fence"] > first["fence"], both)
    again = stream.ask("acquire", name=name, **bob)
    checks.check(f"{make.name}: what was granted is the same grant",
                 again["fence"] == both[waiting]["fence"], again)
    ended = stream.ask("end", **bob)
    checks.check(f"{make.name}: a session ends",
                 ended["ended"]
                 and kind(stream.ask("keep-alive", **bob)) == "no-such-session",
                 ended)
    keyed = [stream.ask("acquire", name=f"key-{name}", key="k" * 20 + name)
             for _ in range(2)]
    checks.check(f"{make.name}: a line may have an idempotency key",
                 keyed[0]["fence"] == keyed[1]["fence"], keyed)
    stream.end()
    checks.check(f"{make.name}: its answer ends with its body",
                 stream.is_over())


def refusals(checks, server, make):
    stream = make(server)
    ann = stream.open(ttl="20s")
    for what, line, told, why in (
            ("no JSON", "{", None, "bad-request"),
            ("a list", "[]", None, "bad-request"),
            ("no id", '{"do":"open"}', None, "bad-request"),
            ("an id that is none", '{"id":-1,"do":"open"}', None,
             "bad-request"),
            ("an id that is a text", '{"id":"7","do":"open"}', None,
             "bad-request"),
            ("nothing to do", '{"id":71}', 71, "bad-request"),
            ("something else to do", '{"id":72,"do":"steal"}', 72,
             "bad-request"),
            ("a path's method", '{"id":73,"do":"locks"}', 73, "bad-request"),
            ("an unknown member", '{"id":74,"do":"open","tll":"9s"}', 74,
             "bad-request"),
            ("a member twice", '{"id":75,"do":"open","id":75}', 75,
             "bad-request"),
            ("nothing but a NUL", "\0", None, "bad-request"),
            ("a cancel of nothing", '{"do":"cancel"}', None, "bad-request"),
            ("nobody's secret", json.dumps(
                {"id": 76, "do": "keep-alive", "session": ann["session"],
                 "secret": "0" * 32}), 76, "denied"),
    ):
        stream.send(line + "\n")
        answer = stream.line()
        checks.check(f"{make.name}: {what} is refused, and it goes on",
                     answer["id"] == told and kind(answer) == why
                     and "status" in answer, answer)
    stream.send(json.dumps({"id": 80, "do": "open", "who": "x" * BODY_MAX})
                + "\n")
    answer = stream.line()
    checks.check(f"{make.name}: a line that is too long is 413",
                 answer["id"] == 80 and answer["status"] == 413, answer)
    before = '{"do":"open","who":"'
    cut = '","id":80'
    stream.send(before + "x" * (BODY_MAX - len(before) - len(cut)) + cut
                + "81}\n")
    answer = stream.line()
    checks.check(f"{make.name}: and has no id where it is cut within it",
                 answer["id"] is None and answer["status"] == 413, answer)
    checks.check(f"{make.name}: and what follows is read",
                 stream.ask("keep-alive", **ann)["alive"])
    stream.cut()


def opens(checks, server, make):
    """Cancelled where they stand, so that most are not answered."""
    def left():
        _, page = Client(server).ask("GET", "/v1/sessions?limit=1000")
        return sum(one["who"] == make.name for one in page["sessions"])

    stream = make(server)
    stream.send("".join(
        json.dumps({"id": n, "do": "open", "who": make.name}) + "\n"
        + json.dumps({"do": "cancel", "id": n}) + "\n" for n in range(50)))
    told = stream.lines(50)
    opened = sum(one.get("opened", False) for one in told.values())
    checks.check(f"{make.name}: of a session nobody was told of none is left",
                 left() == opened < 50, (left(), opened))
    stream.cut()


def optional(checks, server, make):
    stream = make(server, Holdfast_Optional="colour")
    checks.check(f"{make.name}: what a header names is skipped in each line",
                 stream.ask("open", colour="red")["opened"])
    stream.cut()


def doors(checks, server, make):
    for what, headers, told in (
            ("a page", {"Origin": "http://evil.example"}, 403),
            ("another host", {"Host": "evil.example"}, 421),
            ("who would skip too much", {"Holdfast_Optional": "x," * 600},
             400)):
        stream = make(server, **headers)
        over = stream.is_over(10)
        checks.check(f"{make.name}: {what} is kept out, and that is all",
                     stream.status == told and over, (stream.status, over))
        stream.cut()


def verbs(checks, server, make):
    """What else is asked in lines."""
    stream = make(server)
    ann, bob = stream.open(ttl="20s"), stream.open(ttl="20s")
    name = f"verbs-{make.curl}"
    held = stream.ask("acquire", name=name, **ann)
    changed = stream.ask("change", name=name, **ann)
    checks.check(f"{make.name}: a grant is changed to shared",
                 changed["status"] == 200 and changed.get("changed"), changed)
    page = stream.ask("page", fences=[held["fence"], 7], **ann)
    checks.check(f"{make.name}: a page of fences says which is not there",
                 page["status"] == 200 and page["missing"] == [7], page)
    both = stream.ask("keep-alives", sessions=[ann, {**bob, "secret": "0" * 32}])
    checks.check(f"{make.name}: many are kept alive, each by its right",
                 [one["status"] for one in both["sessions"]] == [200, 403],
                 both)
    waiting = stream.tell("wait", name=name, wait="20s", **bob)
    await_that(lambda: waiters(server, name) == 1)
    released = stream.tell("release", name=name, **ann)
    told = stream.lines(2)
    checks.check(f"{make.name}: who waits until a lock is free is told",
                 told[released].get("released") and told[waiting].get("free"),
                 told)
    held = stream.ask("acquire", name=name, **ann)
    refused = stream.ask("clear", name=name, fence=held["fence"], reason="a test")
    cleared = stream.ask("clear", name=name, fence=held["fence"],
                         reason="a test", force=True)
    checks.check(f"{make.name}: a grant is cleared, by force alone",
                 kind(refused) == "not-suspected" and cleared.get("cleared"),
                 (refused, cleared))
    stream.cut()


def begin_slowly(server, make):
    """Half a line."""
    stream = make(server)
    stream.open()
    stream.send('{"id":70,"do":"op')
    return stream


def end_slowly(checks, stream):
    told = stream.line(45)
    checks.check(f"{stream.name}: half a line is 408, and the last that is read",
                 told is not None and told["id"] == 70
                 and told["status"] == 408 and stream.is_over(), told)
    stream.cut()


def ids(checks, server, make):
    stream = make(server)
    ann, bob = stream.open(ttl="20s"), stream.open(ttl="20s")
    name = f"ids-{make.curl}"
    stream.ask("acquire", name=name, **ann)
    stream.send(json.dumps({"id": 50, "do": "acquire", "name": name,
                            "wait": None, **bob}) + "\n")
    await_that(lambda: waiters(server, name) == 1)
    stream.send('{"id":50,"do":"open"}\n')
    answer = stream.line()
    checks.check(f"{make.name}: an id in use is 400 of that line",
                 (answer["id"], answer["status"], kind(answer))
                 == (50, 400, "id-in-use"), answer)
    stream.send('{"do":"cancel","id":50}\n{"do":"cancel","id":51}\n')
    answer = stream.line()
    checks.check(f"{make.name}: a line that is cancelled is told so, once",
                 (answer["id"], kind(answer)) == (50, "cancelled")
                 and stream.line(0.2) is None, answer)
    checks.check(f"{make.name}: and has left the line at once",
                 waiters(server, name) == 0)
    stream.send(json.dumps({"id": 50, "do": "keep-alive", **ann}) + "\n")
    checks.check(f"{make.name}: an id is free when it was answered",
                 stream.line()["alive"])
    stream.cut()


def full(checks, server, make):
    """So many wait on one stream as may; all else goes through."""
    stream = make(server)
    ann = stream.open(ttl="60s")
    name = f"full-{make.curl}"
    stream.ask("acquire", name=name, **ann)
    bob = stream.open(ttl="60s")
    for lane in range(1, STREAMS + 1):
        stream.tell("acquire", name=name, wait=None, lane=lane, **bob)
    await_that(lambda: waiters(server, name) == STREAMS)
    answer = stream.ask("acquire", name=name, wait=None, lane=STREAMS + 1,
                        **bob)
    checks.check(f"{make.name}: a line over the limit is 429",
                 answer["status"] == 429 and kind(answer) == "limit", answer)
    checks.check(f"{make.name}: a keep-alive still goes through",
                 stream.ask("keep-alive", **bob)["alive"])
    checks.check(f"{make.name}: so does a try",
                 kind(stream.ask("acquire", name=name, lane=STREAMS + 2,
                                 **bob)) == "held")
    checks.check(f"{make.name}: and a release, which lets the first in",
                 len(stream.lines(2)) == 2
                 if stream.tell("release", name=name, **ann) else False)
    stream.cut()
    await_that(lambda: waiters(server, name) == 0)


def burst(checks, server, make):
    """More than may be unanswered: what is no wait is not refused."""
    stream = make(server)
    ann, bob = stream.open(ttl="60s"), stream.open(ttl="60s")
    name = f"burst-{make.curl}"
    stream.ask("acquire", name=name, **ann)
    waiting = stream.tell("acquire", name=name, wait=None, **bob)
    await_that(lambda: waiters(server, name) == 1)
    alive = "".join(json.dumps({"id": number, "do": "keep-alive", **ann})
                    + "\n" for number in range(1000, 5500))
    cancel = json.dumps({"do": "cancel", "id": waiting}) + "\n"
    release = json.dumps({"id": 9000, "do": "release", "name": name,
                          **ann}) + "\n"
    time.sleep(3.3)  # of silence, so that to be alive is a change
    stream.send(alive + cancel + release)
    told = stream.lines(4502)
    checks.check(f"{make.name}: thousands of keep-alives at once are answered",
                 all(told[number].get("alive")
                     for number in range(1000, 5500)),
                 [line for line in told.values() if line["status"] == 429][:3])
    checks.check(f"{make.name}: and so are a cancel and a release behind them",
                 kind(told[waiting]) == "cancelled"
                 and told[9000].get("released"),
                 (told[waiting], told[9000]))
    stream.cut()


# ---- How it ends ---------------------------------------------------------------


def body_ends(checks, server, make):
    stream = make(server)
    ann = stream.open(ttl="20s")
    name = f"ends-{make.curl}"
    held = stream.ask("acquire", name=name, **ann)
    last = json.dumps({"id": 90, "do": "acquire", "name": name,
                       "wait": "20s"})
    stream.send(last)  # no end of a line
    stream.end()
    await_that(lambda: waiters(server, name) == 1)
    quiet = stream.line(0.3)
    Client(server).ask("POST", "/v1/release", {"session": ann["session"]},
                       Holdfast_Secret=ann["secret"])
    granted = stream.line()
    checks.check(f"{make.name}: after the end of its body answers still come",
                 quiet is None and granted["id"] == 90
                 and granted["fence"] > held["fence"], (quiet, granted))
    checks.check(f"{make.name}: and then the end", stream.is_over())


def carrier_is_lost(checks, server, make, how):
    """Who waits has its place kept; who was granted is not told again."""
    what, lose = how
    stream = make(server)
    ann = stream.open(ttl="60s")
    bob = stream.open(ttl="60s")
    name = f"lost-{make.curl}-{what.replace(' ', '-')}"
    stream.ask("acquire", name=name, **ann)
    stream.tell("acquire", name=name, wait=None, n=1, a=1, **bob)
    await_that(lambda: waiters(server, name) == 1)
    third = Client(server).open(ttl="60s")
    third.begin()
    third.send("POST", "/v1/acquire", {
        "session": third.session, "n": 1, "wait": None,
        "locks": [{"name": name}]})
    await_that(lambda: waiters(server, name) == 2)
    lose(stream)
    other = make(server)
    time.sleep(0.1)
    Client(server).ask("POST", "/v1/release", {"session": ann["session"]},
                       Holdfast_Secret=ann["secret"])
    back = other.ask("acquire", name=name, wait="10s", n=1, a=2, **bob)
    checks.check(f"{make.name}: {what}: who comes back has its place",
                 back.get("granted") and not third.is_told(), back)
    other.ask("release", name=name, **bob)
    checks.check(f"{make.name}: {what}: and the next comes after it",
                 third.receive()[1]["fence"] > back["fence"])
    other.cut()


def gone(checks, server, make, whole):
    """A client that is gone waits no longer than its place is kept."""
    stream = make(server)
    ann = Client(server).open(ttl="60s")
    bob = stream.open(ttl="60s")
    name = f"gone-{make.curl}-{whole}"
    ann.acquire({"name": name})
    stream.tell("acquire", name=name, wait=None, **bob)
    if whole:
        stream.end()
    await_that(lambda: waiters(server, name) == 1)
    stream.socket.close()
    began = time.monotonic()
    await_that(lambda: waiters(server, name) == 0)
    passed = time.monotonic() - began
    checks.check(f"{make.name}: who is gone{' after its last line' * whole} "
                 "has its place for two seconds, and no longer",
                 1 < passed < 7, passed)


def drained(checks, make):
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        stream = make(server)
        ann, bob = stream.open(ttl="20s"), stream.open(ttl="20s")
        stream.ask("acquire", name="a", **ann)
        waiting = stream.tell("acquire", name="a", wait=None, **bob)
        await_that(lambda: waiters(server, "a") == 1)
        began = time.monotonic()
        server.process.terminate()
        told = stream.line()
        checks.check(f"{make.name}: who waits is told of a drain",
                     (told["id"], told["status"], kind(told))
                     == (waiting, 503, "not-leading"), told)
        checks.check(f"{make.name}: and then it ends, whole",
                     stream.is_over(10))
        checks.check(f"{make.name}: a drained server ends at once",
                     server.process.wait() == 0
                     and time.monotonic() - began < 4,
                     time.monotonic() - began)


def does_not_read(checks, server, make):
    """Its lines are read no more; the server has what it had, and others are
    answered."""
    stream = make(server)
    stream.open(ttl="20s")
    before = server.status("VmRSS")
    if make is Stream2:  # no window is opened any more
        stream.open_windows = lambda length: None
    stream.socket.settimeout(2)
    line = b'{"id":1,"do":"' + b"x" * 100 + b'"}\n'
    sent = 0
    try:
        for _ in range(4000):
            stream.send_bytes(line * 100)
            sent += 100
    except (TimeoutError, ConnectionError):
        pass
    after = server.status("VmRSS")
    checks.check(f"{make.name}: who does not read is not read",
                 100 < sent < 400_000, sent)
    if "sanitized" not in sys.argv:  # whose memory is another
        checks.check(f"{make.name}: and costs little", after - before < 4096,
                     (before, after))
    checks.check(f"{make.name}: others are answered",
                 Client(server).ask("GET", "/v1/locks")[0] == 200)
    stream.cut()


def silence(checks, server, make):
    """Empty lines are no sign of life."""
    stream = make(server)
    ann = stream.open(ttl="2s")
    stream.ask("acquire", name=f"silent-{make.curl}", **ann)
    for _ in range(30):
        stream.send("\n")
        time.sleep(0.1)
    answer = stream.ask("keep-alive", **ann)
    checks.check(f"{make.name}: empty lines speak for no session",
                 kind(answer) == "no-such-session", answer)
    empty = stream.empty
    began = time.monotonic()
    while stream.empty == empty and time.monotonic() - began < 20:
        stream.line(1)
    checks.check(f"{make.name}: the server sends some, too",
                 stream.empty == empty + 1
                 and time.monotonic() - began < 12, stream.empty)
    stream.cut()


# ---- curl ----------------------------------------------------------------------


def by_curl(checks, server, make):
    """A user's own: all lines at once, and the answers until there are no
    more."""
    name = f"curl-{make.curl}"
    text = "".join(json.dumps(line) + "\n" for line in (
        {"id": 1, "do": "acquire", "name": name, "ttl": "20s"},
        {"id": 2, "do": "acquire", "name": name, "wait": "1s"},
        {"id": 3, "do": "acquire", "name": "other-" + name},
        {"id": 4, "do": "nothing"},
    ))
    for upload in ("-T-", "-T."):
        done = subprocess.run(
            ["curl", "-sN", "-m", "20", make.curl, "-X", "POST", upload,
             f"http://127.0.0.1:{server.port}/v1/stream"],
            input=text, capture_output=True, text=True)
        told = {line["id"]: line
                for line in map(json.loads, filter(str.strip,
                                                   done.stdout.split("\n")))}
        checks.check(
            f"{make.name}: curl {upload} asks, and has all answers",
            done.returncode == 0 and sorted(told) == [1, 2, 3, 4]
            and told[2]["status"] == 409 and told[4]["status"] == 400,
            (done.returncode, done.stdout, done.stderr))
        for line in (1, 3):
            if told.get(line, {}).get("granted"):
                Client(server).ask("DELETE",
                                   f"/v1/sessions/{told[line]['session']}",
                                   Holdfast_Secret=told[line]["secret"])


def main():
    checks = Checks()
    losses = {
        Stream1: (("it is cut", Stream.cut),
                  ("it is closed", lambda stream: stream.socket.close())),
        Stream2: (("it is cut", Stream.cut),
                  ("it is reset", lambda stream: stream.socket.sendall(
                      frame(RST_STREAM, 0, 1, CANCEL)))),
    }
    with folder() as path, Server(DAEMON, path) as server:
        server.await_leading()
        slow = [begin_slowly(server, make) for make in BOTH]
        for make in BOTH:
            for check in (lines, verbs, refusals, opens, optional, doors, ids,
                          full, burst, body_ends, does_not_read):
                check(checks, server, make)
            for whole in (False, True):
                gone(checks, server, make, whole)
            for how in losses[make]:
                carrier_is_lost(checks, server, make, how)
            if shutil.which("curl"):
                by_curl(checks, server, make)
            silence(checks, server, make)
        for one in slow:
            end_slowly(checks, one)
    for make in BOTH:
        drained(checks, make)
    return checks.end()


sys.exit(main())
