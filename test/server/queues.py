"""queues.py HOLDFASTD [ghosts]: who waits, for how long, and in which order.

The trace of 2017 (two clients, an idle timeout that cuts), deadlines beyond the
blocking timeout, those who poll, order of arrival, readers and writers, and two
locks in two orders, with real clients.  Who waits is told to ask again after a second, and
not thirty; and half of the idle timeout is its margin, so that a machine that is
busy does not look like a server that is late.

With `ghosts`, HOLDFASTD is the one in which a request whose stream was cut stays
in line (cmake/ghosts.cmake), and what is shown is that the same clients see it.
"""

import socket
import sys
import threading
import time

from support import Checks, Client, Server, await_that, folder

LIMIT_S = 1.5
IDLE_S = 3  # twice as long
SOON_S = 0.4  # before anybody could have asked again
EXCLUSIVE, SHARED = "exclusive", "shared"


def lock(name, mode=EXCLUSIVE):
    return {"name": name, "mode": mode}


class Waiter(threading.Thread):
    """Acquires, and says when it was granted; releases when it is told to."""

    def __init__(self, server, granted, *locks):
        super().__init__()
        self.client = Client(server).open()
        self.locks = locks
        self.granted = granted
        self.leave = threading.Event()

    def run(self):
        self.client.acquire(*self.locks)
        self.at = time.monotonic()
        self.granted.append(self)
        self.leave.wait(60)
        self.client.release()


def queue_up(server, looker, name, granted, locks):
    """Waiters that came one after the other."""
    line = []
    for wanted in locks:
        line.append(Waiter(server, granted, wanted))
        line[-1].start()
        await_that(lambda: looker.waiters(name) == len(line))
    return line


# ---- The trace of 2017 -------------------------------------------------------


def is_just_before(took):
    """Less a random tenth, so that not all are told at once [W2]."""
    return 0.9 * LIMIT_S - 0.02 < took < IDLE_S


def same_thread_count_and_memory(server, before):
    threads, memory = before
    return (server.status("Threads") == threads
            and server.status("VmRSS") < memory + 4096)


def trace(server, checks):
    a = Client(server).open(ttl="60s")
    b = Client(server).open(ttl="60s")
    looker = Client(server)
    a.acquire(lock("trace"))
    b.begin()
    before = server.status("Threads"), server.status("VmRSS")
    most = 0
    for _ in range(5):
        begun = time.monotonic()
        status, answer = b.try_once(None, lock("trace"))
        took = time.monotonic() - begun
        most = max(most, looker.waiters("trace"))
        if status != 503 or not is_just_before(took):
            break
    checks.check("B1 to B5 are told to ask again before the idle timeout cuts",
                 status == 503 and answer["exceptionClass"] ==
                 "com.palantir.lock.remoting.BlockingTimeoutException"
                 and is_just_before(took), (status, answer, took))
    result = {}

    def sixth():
        result["answer"] = b.try_once(None, lock("trace"))
        result["at"] = time.monotonic()

    thread = threading.Thread(target=sixth)
    thread.start()
    time.sleep(LIMIT_S / 3)  # somewhere within B6
    most = max(most, looker.waiters("trace"))
    released = time.monotonic()
    a.release()
    thread.join()
    took = result["at"] - released
    checks.check(f"B6 is granted when A releases ({took * 1000:.1f} ms)",
                 result["answer"][0] == 200 and took < SOON_S, result)
    checks.check("there was never more than one entry for B", most == 1, most)
    checks.check("threads and memory are as before",
                 same_thread_count_and_memory(server, before))
    b.release()


def cut(server, checks):
    """The same, but what stands between cuts before the server speaks."""
    a = Client(server).open(ttl="60s")
    b = Client(server).open(ttl="60s")
    looker = Client(server)
    a.acquire(lock("cut"))
    b.begin()
    most = 0
    for _ in range(5):
        b.connection.timeout = LIMIT_S / 3
        try:
            b.try_once(None, lock("cut"))
        except socket.timeout:
            pass
        b.connection.close()
        most = max(most, looker.waiters("cut"))
    b.connection.timeout = 60
    a.release()
    status, answer = b.try_once(None, lock("cut"))
    checks.check("who is cut off five times has one entry, and then the lock",
                 status == 200 and most == 1, (status, answer, most))
    b.release()
    checks.check("and nothing is left of it", looker.waiters("cut") == 0)


def comes(true):
    try:
        await_that(true)
    except TimeoutError:
        return False
    return True


def no_session_again(server, checks, ghosts):
    """The same, as the clients of 2017 did it: each try is a new request of
    nobody's, and nothing but the end of its stream says that it is over."""
    a = Client(server).open(ttl="60s")
    looker = Client(server)
    a.acquire(lock("new"))
    for number in range(1, 6):
        b = Client(server, timeout=LIMIT_S / 3).open(ttl="60s")
        b.begin()
        try:
            b.try_once(None, lock("new"))
        except socket.timeout:
            pass
        b.connection.close()
        left = number if ghosts else 0
        if not comes(lambda: looker.waiters("new") == left):
            break
    checks.check(f"of {number} requests that were cut there are {left} in line",
                 number == 5 and looker.waiters("new") == left,
                 looker.waiters("new"))
    b = Client(server, timeout=3).open(ttl="60s")
    b.begin()
    timer = threading.Timer(LIMIT_S / 3, a.release)
    timer.start()
    try:
        status, answer = b.try_once(None, lock("new"))
    except socket.timeout:
        status, answer = None, None
    timer.join()
    _, shown = looker.ask("GET", "/v1/locks/new")
    holder = shown["holders"][0]["session"]
    if ghosts:
        checks.check("when A releases, one is granted that nobody listens for, "
                     "and not B6", status is None and holder != b.session,
                     (status, answer, shown))
    else:
        checks.check("when A releases, B6 is granted, which listens",
                     status == 200 and holder == b.session,
                     (status, answer, shown))


# ---- Deadlines ---------------------------------------------------------------


def block_for(client, seconds, name):
    """As BLOCK_FOR_AT_MOST: (status, how long it took); 409: it is over."""
    begun = time.monotonic()
    client.begin()
    while True:
        left = seconds - (time.monotonic() - begun)
        status, answer = client.try_once(max(0, round(left * 1000)),
                                         lock(name))
        took = time.monotonic() - begun
        if status != 503 or took >= seconds:
            return status, took


def deadlines(server, checks):
    a = Client(server).open(ttl="60s")
    b = Client(server).open(ttl="60s")
    a.acquire(lock("deadline"))
    status, took = block_for(b, 1.5 * LIMIT_S, "deadline")
    checks.check("at most 45 s, of a limit of 30, end after 45 (scaled: "
                 f"{took / LIMIT_S:.3f} for 1.5)",
                 status == 409 and
                 0 <= took - 1.5 * LIMIT_S < SOON_S, (status, took))
    b.release()
    timer = threading.Timer(1.33 * LIMIT_S, a.release)
    timer.start()
    status, took = block_for(b, 1.5 * LIMIT_S, "deadline")
    timer.join()
    checks.check("and what is released after 40 is granted then (scaled: "
                 f"{took / LIMIT_S:.3f} for 1.333)",
                 status == 200 and
                 -0.03 < took - 1.33 * LIMIT_S < SOON_S, (status, took))
    b.release()


def many_timeouts(server, checks):
    a = Client(server).open(ttl="60s")
    b = Client(server).open(ttl="60s")
    a.acquire(lock("often"))
    b.begin()
    times = []
    for _ in range(1000):
        begun = time.monotonic()
        status, answer = b.try_once(1, lock("often"))
        times.append(time.monotonic() - begun)
        if answer.get("type") != "urn:holdfast:timed-out":
            break
    first, last = sorted(times[:100])[50], sorted(times[-100:])[50]
    checks.check("after 1,000 timeouts in a row the next is as quick "
                 f"({first * 1000:.1f} ms, {last * 1000:.1f} ms)",
                 len(times) == 1000 and last < 3 * first + 0.05,
                 (status, answer))
    b.release()
    a.release()


def polls(server, checks):
    """Of those who ask for a little while, again and again, none is in the way
    when it has gone."""
    a = Client(server).open(ttl="60s")
    a.acquire(lock("polled"))
    for _ in range(3):
        status, answer = Client(server).ask(
            "POST", "/v1/locks/polled/acquire", {"wait": "1ms"})
        if status != 409:
            break
    checks.check("who has waited as long as it was to is told so, and that is "
                 "not over", answer["type"] == "urn:holdfast:timed-out" and
                 "over" not in answer, (status, answer))
    a.release()
    status, answer = Client(server).ask("POST", "/v1/locks/polled/acquire", {})
    checks.check("and the next who asks is granted it", status == 200, answer)


# ---- Who polls ---------------------------------------------------------------


def poll(client, name, park, **more):
    """Ask for a moment, with the place kept: (status, answer)."""
    return client.ask("POST", f"/v1/locks/{name}/acquire",
                      {"wait": "20ms", "park": park, **more})


def poll_in_turn(server, checks):
    holder = Client(server).open(ttl="60s")
    poller = Client(server).open(ttl="60s")
    looker = Client(server)
    holder.acquire(lock("turn"))
    granted = []
    own = {"session": poller.session}
    status, answer = poll(poller, "turn", "30s", **own)
    checks.check("a poll is told that its place is kept, and for how long",
                 status == 503 and answer["type"] ==
                 "urn:holdfast:blocking-timeout" and answer["position"] == 0
                 and answer["park_ms"] == 30000
                 and "remaining_ms" not in answer, (status, answer))
    line = queue_line(server, looker, "turn", granted)
    holder.release()
    _, shown = looker.ask("GET", "/v1/locks/turn")
    checks.check("who looks is told that the place is kept",
                 shown["holders"] == [] and
                 [row.get("parked_ms") for row in shown["queue"]] ==
                 [30000, None] and shown["queue"][0]["why"] == "parked", shown)
    status, answer = poll(poller, "turn", "30s", **own)
    checks.check("its next is granted, before who came later",
                 status == 200 and granted == [], (status, answer))
    poller.ask("POST", "/v1/locks/turn/release", own)
    line.leave.set()
    line.join()
    checks.check("who has it when that is released", granted == [line])


def queue_line(server, looker, name, granted):
    """One waiter, behind one that polls."""
    waiter = Waiter(server, granted, lock(name))
    waiter.start()
    await_that(lambda: looker.waiters(name) == 2)
    return waiter


def poller_dies(server, checks):
    holder = Client(server).open(ttl="60s")
    looker = Client(server)
    poller = Client(server)
    holder.acquire(lock("dies"))
    granted = []
    key = {"Idempotency_Key": "the key of one that dies"}
    for _ in range(2):
        status, answer = poller.ask(
            "POST", "/v1/locks/dies/acquire",
            {"ttl": "60s", "wait": "20ms", "park": "3s"}, **key)
    died = time.monotonic()
    poller.connection.close()
    line = queue_line(server, looker, "dies", granted)
    holder.release()
    line.leave.set()
    line.join()
    took = line.at - died
    checks.check("of a poller that dies the place ends, and who came behind it "
                 f"goes on (3 s: {took:.1f} s)",
                 status == 503 and 2.9 < took < 20, (status, answer, took))


def refused_polls(server, checks):
    def ask(body, **headers):
        status, answer = Client(server).ask(
            "POST", "/v1/locks/refused/acquire", body, **headers)
        return status, answer["message"]

    key = {"Idempotency_Key": "the key of one that polls"}
    status, message = ask({"wait": 1, "park": "40s", "ttl": "60s"}, **key)
    checks.check("no place is kept for more than half of a ttl",
                 status == 400 and "40000" in message and "60000" in message,
                 (status, message))
    status, message = ask({"wait": 1, "park": "10s"})
    checks.check("nor for who cannot ask again as the same",
                 status == 400 and "session" in message, (status, message))
    status, message = ask({"wait": "try", "park": "10s"}, **key)
    checks.check("nor of a try", status == 400 and "try" in message,
                 (status, message))
    status, _ = Client(server).ask("GET", "/v1/locks/refused")
    checks.check("and nobody waits by that", status == 404, status)
    status, answer = Client(server).ask(
        "POST", "/v1/locks/refused/acquire", {"park": "25s"}, **key)
    checks.check("a session that a poll opens lives for twice as long",
                 status == 200 and answer["ttl_ms"] == 50000, (status, answer))


def who_polls(server, checks):
    poll_in_turn(server, checks)
    poller_dies(server, checks)
    refused_polls(server, checks)


# ---- Order -------------------------------------------------------------------


def arrival(server, checks):
    """200 waiters, each of which is told ten times to ask again."""
    holder = Client(server).open(ttl="60s")
    looker = Client(server)
    holder.acquire(lock("order"))
    granted = []
    line = queue_up(server, looker, "order", granted, [lock("order")] * 200)
    time.sleep(10 * LIMIT_S)
    for waiter in line:
        waiter.leave.set()
    holder.release()
    for waiter in line:
        waiter.join()
    checks.check("200 waiters over ten limits each have it in the order in "
                 "which they came", granted == line,
                 [line.index(waiter) for waiter in granted])


def readers_and_writers(server, checks):
    holder = Client(server).open(ttl="60s")
    looker = Client(server)
    holder.acquire(lock("rw", SHARED))
    granted = []
    line = queue_up(server, looker, "rw", granted,
                    [lock("rw", mode) for mode in
                     (EXCLUSIVE, SHARED, SHARED, EXCLUSIVE, SHARED)])
    seen = []

    def let_go(*holders):
        count = len(granted)
        for one in holders:
            one.leave.set() if one is not holder else one.release()
        for one in holders:
            if one is not holder:
                one.join()
        await_that(lambda: len(granted) > count)
        await_that(lambda: sum(w in granted for w in line)
                   + looker.waiters("rw") == len(line))
        seen.append(sorted(line.index(w) for w in granted[count:]))
        return granted[count:]

    group = let_go(holder)
    while len(granted) < len(line):
        group = let_go(*group)
    for waiter in group:
        waiter.leave.set()
        waiter.join()
    checks.check("held shared, with W R R W R in line: W, R and R, W, R",
                 seen == [[0], [1, 2], [3], [4]], seen)


class Onlooker(threading.Thread):
    """Waits until its locks are free, and says what it was told."""

    def __init__(self, server, *names):
        super().__init__()
        self.client = Client(server)
        self.locks = [lock(name) for name in names]

    def run(self):
        self.status, self.answer = self.client.ask(
            "POST", "/v1/acquire",
            {"locks": self.locks, "free": True, "wait": "60s"})


def look_on(server, looker, *names):
    onlooker = Onlooker(server, *names)
    onlooker.start()
    for name in names:  # in the grace after a start there is no queue yet
        path = f"/v1/locks/{name}"
        await_that(lambda: looker.ask("GET", path)[1].get("queue"))
    return onlooker


def who_only_looks(server, checks):
    a, b, c = (Client(server).open(ttl="60s") for _ in range(3))
    looker = Client(server)
    b.acquire(lock("looked-b"))
    onlooker = look_on(server, looker, "looked-a", "looked-b")
    _, shown = looker.ask("GET", "/v1/locks/looked-a")
    checks.check("who waits until two are free is shown beside the free one",
                 [row["why"] for row in shown["queue"]] == ["elsewhere"]
                 and shown["holders"] == [], shown)
    a.begin()
    status, answer = a.try_once(5000, lock("looked-a"))
    checks.check("and keeps nobody out of it", status == 200,
                 (status, answer))
    b.release()
    a.release()
    onlooker.join()
    checks.check("it is told when both are free", onlooker.status == 200
                 and onlooker.answer.get("free"), onlooker.answer)
    a.acquire(lock("looked-c", SHARED))
    onlooker = look_on(server, looker, "looked-c")
    c.begin()
    status, answer = c.try_once(0, lock("looked-c", SHARED))
    checks.check("nor anybody who shares", status == 200, (status, answer))
    a.release()
    c.release()
    onlooker.join()
    checks.check("and is told when nobody has it any more",
                 onlooker.status == 200, onlooker.answer)


def two_orders(server, checks):
    """{a, b} against {b, a}, as one request each: always progress."""
    rounds = [0] * 8

    def work(number):
        client = Client(server).open(ttl="60s")
        names = ["a", "b"] if number % 2 == 0 else ["b", "a"]
        for _ in range(1250):
            client.acquire(*names)
            client.release()
            rounds[number] += 1

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    took = time.monotonic() - begun
    checks.check("{a, b} against {b, a}, 8 threads, 10,000 rounds "
                 f"({took:.1f} s)", sum(rounds) == 10000, rounds)


def main():
    checks = Checks()
    ghosts = sys.argv[2:] == ["ghosts"]
    with folder() as path, \
            Server(sys.argv[1], path, "--idle-timeout", "1h",
                   "--max-ttl", "2h") as server:
        server.await_leading()
        no_session_again(server, checks, ghosts)
    if ghosts:
        return checks.end()
    with folder() as path, \
            Server(sys.argv[1], path, "--idle-timeout", f"{IDLE_S}s",
                   "--idle-margin", "0.5") as server:
        server.await_leading()
        for show in (trace, cut, deadlines, many_timeouts, polls, who_polls,
                     readers_and_writers, arrival):
            show(server, checks)
    with folder() as path, \
            Server(sys.argv[1], path, at="memory:queues") as server:
        server.await_leading()
        who_only_looks(server, checks)
        two_orders(server, checks)
    return checks.end()


sys.exit(main())
