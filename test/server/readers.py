#!/usr/bin/env python3
"""readers.py HOLDFASTD HOLDFAST: another program reads the server's file in a
transaction that it does not end."""

import http.client
import sqlite3
import subprocess
import sys
import threading

import support

LARGE = 16 * 1024 * 1024


class Pairs:
    """Acquires and releases, on connections of their own, until it is over."""

    def __init__(self, server, count):
        self.is_over = False
        self.threads = [threading.Thread(target=self.run, args=(server, i))
                        for i in range(count)]
        for thread in self.threads:
            thread.start()

    def run(self, server, number):
        client = support.Client(server).open(ttl="60s")
        while not self.is_over:
            for what in "acquire", "release":
                client.ask("POST", f"/v1/locks/pair{number}/{what}",
                           {"session": client.session, "note": "x" * 400})

    def end(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()


def main(daemon, holdfast):
    checks = support.Checks()
    with support.folder() as path, \
            support.Server(daemon, path) as server:
        server.await_leading()
        client = support.Client(server)

        def log_bytes():
            return client.ask("GET", "/v1/info")[1]["log_bytes"]

        def log():
            with open(f"{path}/errors") as file:
                return file.read()

        def doctor(place):
            done = subprocess.run([holdfast, "doctor", "--at", place],
                                  capture_output=True, text=True, timeout=60)
            return done.stdout

        place = f"http://127.0.0.1:{server.port}"
        pairs = Pairs(server, 8)
        support.await_that(lambda: b"holdfast_store_log_bytes" in
                           metrics(server))
        checks.check("a log that is folded is not named",
                     "log grows" not in log() and log_bytes() < LARGE)
        said = doctor(place)
        checks.check("nor by the doctor", "log is of" not in said, said)

        reader = sqlite3.connect(f"{path}/served.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        support.await_that(lambda: log_bytes() >= LARGE)
        support.await_that(lambda: "the store's log grows" in log())
        checks.check("its log names what keeps it", "(-wal)" in log(), log())
        checks.check("so do its metrics", any(
            int(line.split()[1]) >= LARGE
            for line in metrics(server).decode().splitlines()
            if line.startswith("holdfast_store_log_bytes ")))
        said = doctor(place)
        checks.check("and the doctor", "warn" in said and
                     "end the program that reads" in said, said)

        reader.execute("COMMIT")
        reader.close()
        support.await_that(lambda: "the store's log is folded" in log())
        checks.check("when it has gone the log is folded",
                     log_bytes() < LARGE, log_bytes())
        pairs.end()
    with support.folder() as path:
        of_a_table(checks, holdfast, path)
    return checks.end()


def of_a_table(checks, holdfast, path):
    """What others write to the file is in its log, too."""
    place = f"sqlite:{path}/locks.db"

    def doctor():
        return subprocess.run([holdfast, "doctor", "--at", place],
                              capture_output=True, text=True,
                              timeout=60).stdout

    subprocess.run([holdfast, "run", "--at", place, "job", "--", "true"],
                   check=True, timeout=60)
    reader = sqlite3.connect(f"{path}/locks.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    said = doctor()
    checks.check("a reader of a table's file is no harm at once",
                 "-wal) is of" not in said, said)
    writer = sqlite3.connect(f"{path}/locks.db", isolation_level=None)
    writer.execute("CREATE TABLE others(bytes)")
    for _ in range(LARGE // 2 ** 20 + 1):
        writer.execute("INSERT INTO others VALUES (zeroblob(1048576))")
    said = doctor()
    checks.check("until its log has grown, which the doctor names",
                 "-wal) is of" in said and "end the program that reads" in
                 said, said)
    reader.close()
    writer.close()


def metrics(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", "/metrics")
    return connection.getresponse().read()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
