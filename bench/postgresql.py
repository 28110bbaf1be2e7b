#!/usr/bin/env python3
"""postgresql.py BIN [ROUNDS [PART...]]: table locks and a lock server on a
PostgreSQL, beside what pgbench makes of locks by hand, in turns; medians, and
ratios within a round.

The server is the benchmark's own (scripts/servers.sh), on a disk ($TMPDIR, or
/var/tmp), with fsync on, on the same machine.  Parts: pairs, server, beats,
handover, takeover, statements; all, if none is named.
"""

import collections
import contextlib
import faulthandler
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "test/postgresql"))

import cluster
import server as served
from cluster import Pooler, Postgres

BIN = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
SECONDS = 2
DISK = os.environ.get("TMPDIR", "/var/tmp")
SETTINGS = {"shared_buffers": "128MB", "wal_buffers": "4MB",
            "max_wal_size": "1GB"}

# A lock as people keep it in a table: a row with a time, taken if nobody has
# it or his time is over, and deleted by its owner.  Each client has its own.
TABLE = """
CREATE SCHEMA by_hand;
CREATE TABLE by_hand.locks(name text PRIMARY KEY, owner text NOT NULL,
                           until timestamptz NOT NULL);
"""
BY_HAND = """
INSERT INTO by_hand.locks
 VALUES ('pair-' || :client_id, 'owner-' || :client_id, now() + '30 s')
 ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
 WHERE locks.until < now();
DELETE FROM by_hand.locks
 WHERE name = 'pair-' || :client_id AND owner = 'owner-' || :client_id;
"""
ADVISORY = """
SELECT pg_advisory_lock(:client_id);
SELECT pg_advisory_unlock(:client_id);
"""


def median(values):
    return statistics.median(values)


def place(url, *order):
    """What bench_place prints, as rows of numbers."""
    done = subprocess.run([f"{BIN}/bench_place", url, *map(str, order)],
                          check=True, stdout=subprocess.PIPE, text=True)
    return [[float(word) for word in line.split()]
            for line in done.stdout.splitlines()]


def pgbench(server, script, clients, mode="simple"):
    """Pairs a second, of as many connections."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(script)
        file.flush()
        out = subprocess.run(
            [cluster.BIN / "pgbench", "-n", "-M", mode, "-c", str(clients),
             "-j", str(min(clients, 2)), "-T", str(SECONDS), "-f", file.name,
             server.url()],
            env=cluster.clean_environment(), check=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True).stdout
    return float(re.search(r"^tps = ([0-9.]+)", out, re.M)[1])


PEERS = {"by hand": (BY_HAND, "simple"), "prepared": (BY_HAND, "prepared"),
         "advisory": (ADVISORY, "simple")}


def say_goal(what, found, goal, at_least=False):
    met = found >= goal if at_least else found <= goal
    print(f"goal: {what}, {'at least' if at_least else 'at most'} {goal:g}: "
          f"{found:.2f}, {'met' if met else 'missed'}", flush=True)


@contextlib.contextmanager
def fresh():
    with Postgres(under=DISK, **SETTINGS) as server:
        server.sql(TABLE, user="holdfast")
        yield server


def medians(rounds):
    return {key: median([one[key] for one in rounds]) for key in rounds[0]}


def ratio(rounds, above, below):
    return median([one[above] / one[below] for one in rounds])


# ---- Pairs -----------------------------------------------------------------

def say_pairs(name, rounds):
    m = medians(rounds)
    print(f"{name:>10} {m['ours']:7.0f}" + "".join(
        f" {m[peer]:9.0f} {ratio(rounds, 'ours', peer):5.2f}"
        for peer in PEERS if peer in m), flush=True)


def say_head(what, peers=tuple(PEERS)):
    print(f"{what}: pairs a second, and of pgbench's by as many connections\n"
          f"{'':>10} {'ours':>7}"
          + "".join(f" {peer:>9} {'of it':>5}" for peer in peers), flush=True)


def show_pairs():
    say_head("table locks, threads of one process")
    goals = {1: 0.8, 16: 1.0, 64: 1.0}
    found = {}
    with fresh() as server:
        for threads in goals:
            found[threads] = [
                {"ours": place(server.url(), "pairs", threads,
                               SECONDS * 1000)[0][0], **{peer: pgbench(server, script, threads, mode)
                   for peer, (script, mode) in PEERS.items()}}
                for _ in range(ROUNDS)]
            say_pairs(threads, found[threads])
    for threads, goal in goals.items():
        say_goal(f"{threads} threads, of pairs by hand",
                 ratio(found[threads], "ours", "by hand"), goal, True)


def processor_us(server):
    """Of all processes of the server, from their beginning."""
    total = 0
    for pid in server.processes():
        with contextlib.suppress(FileNotFoundError):
            total += int(pathlib.Path(f"/proc/{pid}/schedstat").read_text()
                         .split()[0]) / 1000
    return total


def served_once(server, connections):
    with served.holdfastd(server.url()) as daemon:
        batches = daemon.metric("holdfast_batches_total")
        processor = processor_us(server)
        began = time.monotonic()
        rate = served.pairs(daemon, connections, 1)["per_s"]
        took = time.monotonic() - began
        batches = daemon.metric("holdfast_batches_total") - batches
        processor = processor_us(server) - processor
    # it was loaded a little longer than it was measured
    return {"ours": rate, "rows": 2 * rate * took / batches,
            "processor_us": processor / batches}


def show_server():
    say_head("holdfastd, connections with one request on the way each",
             ("by hand",))
    found = {}
    with fresh() as server:
        for connections in (1, 16, 64, 128):
            found[connections] = [
                {**served_once(server, connections),
                 "by hand": pgbench(server, BY_HAND, connections)}
                for _ in range(ROUNDS)]
            say_pairs(f"{connections}x1", found[connections])
    for connections, rounds in found.items():
        m = medians(rounds)
        print(f"the database's processor time of a batch at {connections}x1: "
              f"{m['processor_us']:.0f} us, of about {m['rows']:.0f} changes")
    say_goal("64x1, of pairs by hand", ratio(found[64], "ours", "by hand"), 5,
             True)


# ---- Beats -----------------------------------------------------------------

def show_beats():
    def once():
        with fresh() as server:
            turns = place(server.url(), "beats", 1000, 20)
        return [median(column) for column in zip(*turns)]

    rounds = [once() for _ in range(ROUNDS)]
    print(f"a commit of one beat {median([one for one, _ in rounds]) / 1e3:.2f}"
          f" ms, of 1,000 {median([all_ for _, all_ in rounds]) / 1e3:.2f} ms")
    say_goal("1,000 beats in one commit, of the time of one",
             median([all_ / one for one, all_ in rounds]), 40)


# ---- Hand-over and takeover ------------------------------------------------

def show_handover():
    """A hand-over has a commit of the release and one of the claim."""
    def once():
        with fresh() as server, Pooler(server) as pooler:
            commit_ms = 500 / place(server.url(), "pairs", 1, 1000)[0][0]
            found = [[row[0] / 1000 for row in
                      place(front.url(), "handover", count, 300)]
                     for front, count in ((server, 50), (pooler, 25))]
        return commit_ms, *found

    rounds = [once() for _ in range(ROUNDS)]
    commit = median([one[0] for one in rounds])
    woken = median([median(one[1]) for one in rounds])
    looks = median([median(one[2]) for one in rounds])
    late = [sorted(sum((one[i] for one in rounds), []))[-1] for i in (1, 2)]
    print(f"a hand-over to another process: p50 {woken:.2f} ms, the last "
          f"{late[0]:.0f} ms; where nobody is\nwoken (pgbouncer, no ?listen=): "
          f"p50 {looks:.0f} ms, the last {late[1]:.0f} ms; a commit takes "
          f"{commit:.2f} ms")
    say_goal("hand-over, woken: p50 over a commit, ms", woken - commit, 5)
    say_goal("hand-over, not woken: p50, ms", looks, 300)


def elsewhere():
    """What begins a command as on another host: with another boot id, in a
    mount namespace of its own.  None, where that is not allowed."""
    told = "33333333-3333-4333-8333-333333333333"
    file = tempfile.NamedTemporaryFile("w", prefix="boot")
    file.write(told + "\n")
    file.flush()
    boot_id = "/proc/sys/kernel/random/boot_id"
    command = ["unshare", "-m", "sh", "-c",
               f"mount --bind {file.name} {boot_id} && exec \"$@\"", "sh"]
    seen = subprocess.run([*command, "cat", boot_id], text=True,
                          capture_output=True).stdout.strip()
    return (command, file) if seen == told else (None, file)


class Actor:
    """A bench_place that says when it is ready."""

    def __init__(self, *command, ready):
        self.process = subprocess.Popen(
            list(map(str, command)), text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        cluster.janitor().process(self.process.pid)
        said = self.process.stdout.readline()
        if said != ready + "\n":
            raise RuntimeError(f"{command[0]} ended")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.communicate()


def show_takeover():
    """The holder is killed, and then its waiter on another host begins: the
    beat that it sees first is the last."""
    command, file = elsewhere()
    if command is None:
        print("takeover on another host: skipped, for no mount namespace may "
              "be made here")
        return
    ttl, count = 2000, 20
    rows = []
    with fresh() as server, file:
        for _ in range(ROUNDS):
            with Actor(f"{BIN}/bench_place", server.url(), "hold", count,
                       f"{ttl}ms", ready="held"):
                pass
            done = subprocess.run(
                [*command, f"{BIN}/bench_place", server.url(), "take",
                 str(count), "10s"], check=True, stdout=subprocess.PIPE,
                text=True).stdout
            rows += [[float(word) / 1000 - ttl for word in line.split()]
                     for line in done.splitlines()[1:]]
    asked, seen = zip(*rows)
    print(f"takeover on another host, {len(rows)} with a ttl of {ttl} ms: the "
          f"ttl and {min(asked):.1f} ms and more after it\nwas asked for; after "
          f"the beat was seen, p50 the ttl and {median(seen):.1f} ms, the last "
          f"{max(seen):.1f} ms")
    say_goal("takeover: least ms over the ttl", min(asked), 0, True)
    say_goal("takeover: p50 in ms over the ttl", median(seen), 100)


# ---- Statements ------------------------------------------------------------

def show_statements():
    """By the server's log, for a minute: whom each database has as the role
    holdfast."""
    minute = 60
    who = {"held": "a held lock", "waiter": "a waiter",
           "waiters": "500 waiters of one process on 500 locks"}
    with Postgres(under=DISK, log_statement="all", log_line_prefix="%u@%d ",
                  **SETTINGS) as server, contextlib.ExitStack() as stack:
        def start(what, database, count, user):
            ready = {"hold": "held", "take": "waits"}[what]
            stack.enter_context(Actor(
                f"{BIN}/bench_place",
                server.url(user=user, database=database), what, count, "30s",
                ready=ready))

        for name in who:
            server.sql(f"CREATE DATABASE {name} OWNER holdfast",
                       database="postgres")
        start("hold", "held", 1, "holdfast")
        for name, count in (("waiter", 1), ("waiters", 500)):
            start("hold", name, count, "postgres")
            server.sql("GRANT USAGE ON SCHEMA holdfast TO holdfast; "
                       "GRANT ALL ON ALL TABLES IN SCHEMA holdfast TO holdfast",
                       database=name)
            start("take", name, count, "holdfast")
        time.sleep(3)
        before = len(server.log_text())
        time.sleep(minute)
        lines = server.log_text()[before:].splitlines()
    found = collections.Counter()
    kinds = collections.defaultdict(collections.Counter)
    for line in lines:
        match = re.match(r"holdfast@(\w+) LOG:  (?:statement|execute [^:]*): "
                         r"(.{0,60})", line)
        if match:
            found[match[1]] += 1
            kinds[match[1]][" ".join(match[2].split()[:6])] += 1
    for name, told in who.items():
        print(f"statements a minute of {told}: {found[name]}")
        for text, count in kinds[name].most_common(6):
            print(f"    {count:5}  {text}")


PARTS = {"pairs": show_pairs, "server": show_server, "beats": show_beats,
         "handover": show_handover, "takeover": show_takeover,
         "statements": show_statements}


def main():
    cluster.need_servers()
    faulthandler.cancel_dump_traceback_later() # it may take as long as it does
    for part in sys.argv[3:] or PARTS:
        PARTS[part]()


main()
