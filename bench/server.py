#!/usr/bin/env python3
"""server.py BIN [ROUNDS [stream]]: a lock server beside its floors, in turns;
or only requests as lines of a stream.

A volatile server beside an echo (libuv, nghttp2, a hash table), a durable one
beside bare commits of SQLite with as many rows, hand-overs, locks kept alive,
and the memory of those who wait; medians, and ratios within a round.  Redis
stands beside them where it is installed.
"""

import json
import math
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import urllib.request

BIN = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
POINTS = [(1, 1), (16, 1), (64, 1), (256, 1), (16, 16)]
SECONDS = 2


class Server:
    """A process that tells its port, killed at the end."""

    def __init__(self, *command, ready=False):
        self.errors = tempfile.TemporaryFile()
        if ready:
            read_end, write_end = os.pipe()
            self.process = subprocess.Popen(
                [*command, "--ready-fd", str(write_end)],
                pass_fds=[write_end], stderr=self.errors)
            os.close(write_end)
            port = os.fdopen(read_end)
        else:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                            text=True)
            port = self.process.stdout
        self.port = int(port.readline())
        if ready:
            while not self.metric("holdfast_leading"):
                pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.errors.close()

    def metric(self, name):
        url = f"http://127.0.0.1:{self.port}/metrics"
        with urllib.request.urlopen(url) as answer:
            found = re.search(rf"^{name} (\S+)$", answer.read().decode(), re.M)
        return float(found[1]) if found else 0.0


def holdfastd(place, *options):
    return Server(f"{BIN}/holdfastd", "--listen", "127.0.0.1:0", "--at", place,
                  *options, ready=True)


def load(server, *options):
    out = subprocess.run(
        [f"{BIN}/holdfast-bench", "--json", "--pid", str(server.process.pid),
         *map(str, options), f"127.0.0.1:{server.port}"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out)


def pairs(server, connections, lanes, mode="pairs", *options):
    return load(server, "--mode", mode, "--connections", connections,
                "--lanes", lanes, "--seconds", SECONDS, *options)


# ---- Measured ------------------------------------------------------------------

def volatile(connections, lanes):
    with holdfastd("memory:x", "--no-grace") as server:
        return pairs(server, connections, lanes)["per_s"]


def echo(connections, lanes):
    with Server(f"{BIN}/bench_echo") as server:
        return pairs(server, connections, lanes)["per_s"]


def durable(folder, connections, lanes):
    """(pairs a second, rows a batch)"""
    with holdfastd(f"sqlite:{folder}/served.db") as server:
        before = server.metric("holdfast_batches_total")
        rate = pairs(server, connections, lanes)["per_s"]
        batches = server.metric("holdfast_batches_total") - before
    return rate, max(1, round(2 * rate * SECONDS * 1.1 / max(1, batches)))


def commits(folder, rows):
    out = subprocess.run([f"{BIN}/bench_commits", f"{folder}/bare.db",
                          str(rows), str(SECONDS)],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(out)


def redis(connections, lanes, *options):
    """A lock as people keep it in Redis, by its own load generator: SET NX of
    a name of a million, and DEL; pairs a second, from both.  NaN where there
    is no Redis."""
    if not shutil.which("redis-benchmark"):
        return math.nan
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        port = free_port()
        server = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1",
             "--save", "", "--dir", folder, *options],
            stdout=subprocess.PIPE, text=True)
        try:
            while "Ready to accept connections" not in server.stdout.readline():
                pass
            both = [ask_redis(port, connections, lanes, *command)
                    for command in (("SET", "lock:__rand_int__", "token", "NX",
                                     "PX", "30000"),
                                    ("DEL", "lock:__rand_int__"))]
        finally:
            server.kill()
            server.wait()
    return 1 / sum(1 / rate for rate in both)


def free_port():
    """Redis does not tell which one the kernel would give it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask_redis(port, connections, lanes, *command):
    requests = 10000 if connections == 1 else 100000
    out = subprocess.run(
        ["redis-benchmark", "-p", str(port), "-c", str(connections), "-P",
         str(lanes), "-n", str(requests), "-r", "1000000", "--csv", *command],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(out.splitlines()[-1].split(",")[1].strip('"'))


# ---- In turns ------------------------------------------------------------------

def rounds(measure):
    return [measure() for _ in range(ROUNDS)]


def median(values):
    return statistics.median(values)


def compare_once(point):
    """All that is compared at a point, once, in turns."""
    found = {"volatile": volatile(*point), "echo": echo(*point),
             "redis": redis(*point)}
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        found["durable"], found["rows"] = durable(folder, *point)
        found["bare"] = commits(folder, found["rows"]) * found["rows"] / 2
    found["redis_durable"] = redis(*point, "--appendonly", "yes",
                                   "--appendfsync", "always")
    found["of_echo"] = found["volatile"] / found["echo"]
    found["of_bare"] = found["durable"] / found["bare"]
    return found


def compare():
    print("pairs a second: volatile, of an echo, and in Redis; durable, of bare "
          "commits with as many\nrows, and in Redis with appendfsync always\n"
          "  point  volatile    echo   of it   Redis |"
          "  durable   rows    bare   of it   Redis")
    for point in POINTS:
        all_of_them = rounds(lambda: compare_once(point))
        m = {key: median([one[key] for one in all_of_them])
             for key in all_of_them[0]}
        print(f"{point[0]:4}x{point[1]:<2} {m['volatile']:9.0f} "
              f"{m['echo']:7.0f} {m['of_echo']:7.2f} {m['redis']:7.0f} | "
              f"{m['durable']:8.0f} {m['rows']:6.0f} {m['bare']:7.0f} "
              f"{m['of_bare']:7.2f} {m['redis_durable']:7.0f}", flush=True)


def show_stream():
    """Requests as lines, beside single ones and Redis."""
    def once(point):
        with holdfastd("memory:x", "--no-grace") as server:
            single = pairs(server, *point)["per_s"]
        with holdfastd("memory:x", "--no-grace") as server:
            lines = pairs(server, *point, "pairs", "--stream")["per_s"]
        return {"single": single, "lines": lines, "redis": redis(*point),
                "of_single": lines / single}

    print("pairs a second, volatile: by single requests, as lines of a "
          "stream, in Redis\n"
          "  point  single   lines  of single   Redis  of Redis")
    if not shutil.which("redis-benchmark"):
        print("(redis-benchmark is not installed: Redis is skipped)")
    for point in POINTS:
        found = rounds(lambda: once(point))
        m = {key: median([one[key] for one in found]) for key in found[0]}
        of_redis = median([one["lines"] / one["redis"] for one in found])
        print(f"{point[0]:4}x{point[1]:<2} {m['single']:7.0f} "
              f"{m['lines']:7.0f} {m['of_single']:10.2f} {m['redis']:7.0f} "
              f"{of_redis:9.2f}", flush=True)


def show_handover():
    """Beside what one request of an echo takes, of as many that ask."""
    def once():
        with holdfastd("memory:x", "--no-grace") as server:
            ours = pairs(server, 16, 1, "handover")
        with Server(f"{BIN}/bench_echo") as server:
            return ours, pairs(server, 1, 1)["p50_us"]

    found = rounds(once)
    print(f"hand-over, volatile, 16 in line: "
          f"p50 {median([ours['p50_us'] for ours, _ in found]):.0f} us, "
          f"p99 {median([ours['p99_us'] for ours, _ in found]):.0f} us; "
          f"a request of an echo takes "
          f"{median([floor for _, floor in found]):.0f} us", flush=True)


def show_durable_handover():
    def once():
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
            with holdfastd(f"sqlite:{folder}/served.db") as server:
                ours = pairs(server, 16, 1, "handover")["p50_us"]
            return ours * commits(folder, 2) / 1e6

    print(f"hand-over, durable, 16 in line: p50 is "
          f"{median(rounds(once)):.2f} bare commits", flush=True)


def show_kept():
    def once():
        with holdfastd("memory:x", "--no-grace", "--locks", "1200000") as server:
            return load(server, "--mode", "keep", "--connections", 1000,
                        "--locks", 1000, "--seconds", 10)["busy"]

    found = [once()]  # it takes a minute to begin
    print(f"a million locks of 1,000 sessions kept alive: "
          f"{100 * median(found):.1f} % of a core", flush=True)


def show_waiters():
    for connections, lanes, limits in (
            (1000, 100, ()),
            (100, 10000, ("--locks", "1200000", "--streams", "20000"))):
        with holdfastd("memory:x", "--no-grace", *limits) as server:
            found = load(server, "--mode", "waiters", "--connections",
                         connections, "--lanes", lanes)
        each = (found["after_kib"] - found["before_kib"]) / connections / lanes
        print(f"{connections * lanes} who wait on {connections} connections: "
              f"{each:.2f} KiB each, {found['after_kib'] / 1024:.0f} MiB in "
              f"all; each release wakes one, p50 {found['p50_us']} us",
              flush=True)


def main():
    if sys.argv[3:] == ["stream"]:
        show_stream()
        return
    compare()
    show_stream()
    show_handover()
    show_durable_handover()
    show_kept()
    show_waiters()


if __name__ == "__main__":
    main()
