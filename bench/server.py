#!/usr/bin/env python3
"""server.py BIN [ROUNDS]: a lock server beside its floors, in turns.

A volatile server beside an echo (libuv, nghttp2, a hash table), a durable one
beside bare commits of SQLite with as many rows, hand-overs, locks kept alive,
and the memory of those who wait; medians, and ratios within a round.  Redis
stands beside them where it is installed.
"""

import json
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


def pairs(server, connections, lanes, mode="pairs"):
    return load(server, "--mode", mode, "--connections", connections,
                "--lanes", lanes, "--seconds", SECONDS)


# ---- Measured ------------------------------------------------------------------

def volatile(connections, lanes):
    with holdfastd("memory:x") as server:
        return pairs(server, connections, lanes)["per_s"]


def echo(connections, lanes):
    with Server(f"{BIN}/bench_echo") as server:
        return pairs(server, connections, lanes)["per_s"]


def durable(folder, connections, lanes):
    """(pairs, batches a second, rows a batch)"""
    with holdfastd(f"sqlite:{folder}/served.db") as server:
        before = server.metric("holdfast_batches_total")
        rate = pairs(server, connections, lanes)["per_s"]
        batches = server.metric("holdfast_batches_total") - before
    seconds = SECONDS * 1.1
    rows = max(1, round(2 * rate * seconds / max(1, batches)))
    return rate, batches / seconds, rows


def commits(folder, rows):
    out = subprocess.run([f"{BIN}/bench_commits", f"{folder}/bare.db",
                          str(rows), str(SECONDS)],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(out)


def redis(connections, lanes):
    """A lock as people keep it in Redis, by its own load generator: SET NX of
    a name of a million, and DEL; pairs a second, from both."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        server = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1",
             "--save", "", "--dir", folder], stdout=subprocess.DEVNULL)
        try:
            while subprocess.run(["redis-cli", "-p", str(port), "ping"],
                                 stdout=subprocess.DEVNULL).returncode != 0:
                pass
            both = [ask_redis(port, connections, lanes, *command)
                    for command in (("SET", "lock:__rand_int__", "token", "NX",
                                     "PX", "30000"),
                                    ("DEL", "lock:__rand_int__"))]
        finally:
            server.kill()
            server.wait()
    return 1 / sum(1 / rate for rate in both)


def ask_redis(port, connections, lanes, *command):
    out = subprocess.run(
        ["redis-benchmark", "-p", str(port), "-c", str(connections), "-P",
         str(lanes), "-n", "200000", "-r", "1000000", "--csv", *command],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(out.splitlines()[-1].split(",")[1].strip('"'))


# ---- In turns ------------------------------------------------------------------

def rounds(measure):
    return [measure() for _ in range(ROUNDS)]


def median(values):
    return statistics.median(values)


def compare_volatile():
    print("volatile, pairs a second, and of the echo's")
    for point in POINTS:
        both = rounds(lambda: (volatile(*point), echo(*point)))
        ratio = median([ours / floor for ours, floor in both])
        print(f"  {point[0]:4}x{point[1]:<3} "
              f"{median([ours for ours, _ in both]):9.0f} "
              f"{median([floor for _, floor in both]):9.0f}  {ratio:.2f}",
              flush=True)


def compare_durable():
    print("durable, pairs a second, rows a commit, and commits of the bare "
          "ones'")
    for point in POINTS:
        all_of_them = []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory(dir=".") as folder:
                rate, batches, rows = durable(folder, *point)
                all_of_them.append((rate, rows,
                                    batches / commits(folder, rows)))
        print(f"  {point[0]:4}x{point[1]:<3} "
              f"{median([one[0] for one in all_of_them]):9.0f} "
              f"{median([one[1] for one in all_of_them]):6.0f}  "
              f"{median([one[2] for one in all_of_them]):.2f}", flush=True)


def show_handover():
    def once():
        with holdfastd("memory:x") as server:
            return pairs(server, 16, 1, "handover")

    found = rounds(once)
    print(f"hand-over, volatile, 16 in line: "
          f"p50 {median([one['p50_us'] for one in found]):.0f} us, "
          f"p99 {median([one['p99_us'] for one in found]):.0f} us", flush=True)


def show_durable_handover():
    def once():
        with tempfile.TemporaryDirectory(dir=".") as folder:
            with holdfastd(f"sqlite:{folder}/served.db") as server:
                ours = pairs(server, 16, 1, "handover")["p50_us"]
            return ours * commits(folder, 2) / 1e6

    print(f"hand-over, durable, 16 in line: p50 is "
          f"{median(rounds(once)):.2f} bare commits", flush=True)


def show_kept():
    def once():
        with holdfastd("memory:x", "--locks", "1200000") as server:
            return load(server, "--mode", "keep", "--connections", 1000,
                        "--locks", 1000, "--seconds", 10)["busy"]

    found = [once()]  # it takes a minute to begin
    print(f"a million locks of 1,000 sessions kept alive: "
          f"{100 * median(found):.1f} % of a core", flush=True)


def show_waiters():
    for connections, lanes in ((1000, 100), (100, 10000)):
        with holdfastd("memory:x", "--locks", "1200000", "--streams",
                       "20000") as server:
            found = load(server, "--mode", "waiters", "--connections",
                         connections, "--lanes", lanes)
        each = (found["after_kib"] - found["before_kib"]) / connections / lanes
        print(f"{connections * lanes} who wait on {connections} connections: "
              f"{each:.2f} KiB each, {found['after_kib'] / 1024:.0f} MiB in "
              f"all; each release wakes one, p50 {found['p50_us']} us",
              flush=True)


def main():
    compare_volatile()
    compare_durable()
    show_handover()
    show_durable_handover()
    show_kept()
    show_waiters()
    if shutil.which("redis-benchmark"):
        for point in POINTS:
            found = rounds(lambda: redis(*point))
            print(f"Redis, {point[0]:4}x{point[1]:<3}: "
                  f"{median(found):.0f} pairs a second", flush=True)
    else:
        print("Redis is not installed")


main()
