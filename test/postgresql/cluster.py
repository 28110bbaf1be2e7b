"""PostgreSQL servers of a test's own: in a folder that goes away, at an address
and a port that nobody else uses, run by an unprivileged user, ended also where
the test is killed.  scripts/servers.sh fetches the programs.

A server has the superuser postgres, and the role holdfast with a database of
its own, UTF8, and trusts everybody on the loopback.
"""

import contextlib
import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/place"))

import fixture
from fixture import (PATIENCE_S, SKIPPED, Server, as_nobody, await_that,
                     free_port, janitor, make_folder, own_address)

from framing import PostgresFraming
from proxy import Proxy

SERVERS = fixture.programs("postgresql")
BIN = SERVERS / "root/usr/lib/postgresql/15/bin"
PGBOUNCER = SERVERS / "root/usr/sbin/pgbouncer"


def need_servers():
    """End the test as skipped where there are none."""
    fixture.need_programs("postgresql")


def clean_environment():
    """Nothing that libpq would take from ours."""
    return fixture.clean_environment("postgresql", "PG")


def _run(command, **more):
    return fixture.run(command, clean_environment(), **more)


class Endpoint:
    """Where clients connect: a server, or a pooler before one."""

    address = port = None

    def url(self, user="holdfast", database="holdfast", at=None, **parameters):
        """`at` is another (address, port) to be named: a proxy's."""
        address, port = at or (self.address, self.port)
        query = urllib.parse.urlencode(parameters)
        return (f"postgresql://{user}@{address}:{port}/{database}"
                + (f"?{query}" if query else ""))

    def proxy(self, **more):
        return Proxy(self.address, self.port, PostgresFraming, **more)

    def psql(self, user, database):
        return [BIN / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d",
                self.url(user, database)]

    def sql(self, text, user="postgres", database="holdfast"):
        """What statements show, columns parted by '|'; they must succeed."""
        return _run(self.psql(user, database), input=text).rstrip("\n")

    def dump(self, schema, user="postgres", database="holdfast"):
        """What `sql` restores."""
        return _run([BIN / "pg_dump", "-n", schema, "-d",
                     self.url(user, database)])

    def session(self, user="postgres", database="holdfast"):
        return Session(self.psql(user, database))


class Session:
    """A psql that stays connected: a second client, that holds what it holds
    until it is told to go on."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            [*command, "-v", "ON_ERROR_STOP=0"], env=clean_environment(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def send(self, sql):
        """Ask, and do not wait."""
        self.count += 1
        self.process.stdin.write(f"{sql}\n;\n\\echo END {self.count}\n")
        self.process.stdin.flush()

    def wait(self):
        """The lines that the last one asked for shows, errors among them."""
        lines = []
        for line in self.process.stdout:
            if line == f"END {self.count}\n":
                return "\n".join(lines)
            if not line.startswith("END "):
                lines.append(line.rstrip("\n"))
        raise RuntimeError("the session has ended: " + "\n".join(lines))

    def do(self, sql):
        self.send(sql)
        return self.wait()

    def pid(self):
        """Of the server's process for it."""
        return int(self.do("SELECT pg_backend_pid()"))

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Postgres(Server, Endpoint):
    """One server, with a cluster of its own."""

    title = "PostgreSQL"

    def __init__(self, primary=None, name="standby", environment=None,
                 under=None, **settings):
        """`settings` are those of postgresql.conf, `environment` is added to
        its; `under` is a folder on a disk, to measure.  A standby of `primary`
        streams from it, as the application `name`."""
        super().__init__(under)
        self.environment = {**clean_environment(), **(environment or {})}
        self.settings = {"fsync": "on", "shared_buffers": "16MB",
                         "max_connections": 200, "jit": "off",
                         "timezone": "GMT", "unix_socket_directories": "",
                         "hot_standby_feedback": "on", "wal_keep_size": "64MB",
                         # In its folder, and not left behind by a kill.
                         "dynamic_shared_memory_type": "mmap",
                         **settings}
        self.primary = primary
        self.name = name

    def prepare(self):
        self.data = f"{self.path}/data"
        if self.primary is None:
            shutil.copytree(SERVERS / "template", self.data)
        else:
            self._copy_primary()
        self._own()

    def _copy_primary(self):
        target = (f"host={self.primary.address} port={self.primary.port} "
                  f"user=postgres application_name={self.name}")
        _run([*as_nobody(), BIN / "pg_basebackup", "-d", target, "-D",
              self.data, "-R", "-X", "stream", "--checkpoint=fast",
              "--no-sync"])

    def _own(self):
        pathlib.Path(self.data, "pg_hba.conf").write_text(
            "host all all 127.0.0.0/8 trust\n"
            "host replication all 127.0.0.0/8 trust\n")
        if os.geteuid() != 0:
            return
        for folder, folders, files in os.walk(self.data):
            for entry in [folder, *(f"{folder}/{name}" for name in files)]:
                shutil.chown(entry, "nobody", "nogroup")

    def command(self):
        options = {**self.settings, "listen_addresses": self.address,
                   "port": self.port}
        return [*as_nobody(), BIN / "postgres", "-D", self.data,
                *(word for name, value in options.items()
                  for word in ("-c", f"{name}={value}"))]

    def answers(self):
        words = b"user\0postgres\0database\0postgres\0\0"
        hello = struct.pack(">II", 8 + len(words), 3 << 16) + words
        try:
            with socket.create_connection((self.address, self.port),
                                          timeout=5) as client:
                client.sendall(hello)
                return client.recv(1) == b"R"
        except OSError:
            return False

    def processes(self):
        """The server's, its first process last."""
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [*map(int, children.split()), pid]

    def kill(self):
        """As when the machine loses its power, but for what is in the memory
        of its kernel."""
        self.process.send_signal(signal.SIGSTOP) # it starts no other
        ends = []
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                ends.append(os.pidfd_open(pid))
        for end in ends:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(end, signal.SIGKILL)
        for end in ends: # or the next one finds the memory that they share
            select.select([end], [], [])
            os.close(end)
        self._end()
        self._free_memory()

    def segment(self):
        """Of System V: the number of the one that says that it runs."""
        with open(f"{self.data}/postmaster.pid") as lines:
            return lines.read().split("\n")[6].split()[1]

    def _free_memory(self):
        """It would outlive the machine's tests: there is room for 4,096."""
        with contextlib.suppress(OSError, IndexError):
            subprocess.run(["ipcrm", "-m", self.segment()],
                           capture_output=True)

    # ---- Of files, while it is stopped ----------------------------------

    def copy_files(self):
        shutil.copytree(self.data, f"{self.path}/copy")

    def put_files_back(self):
        """As they were copied; what came after is gone."""
        shutil.rmtree(self.data)
        shutil.move(f"{self.path}/copy", self.data)
        self._own()

    # ---- Of a primary and its standbys ----------------------------------

    def standby(self, name="standby", **settings):
        return Postgres(primary=self, name=name, **settings)

    def position(self):
        return self.sql("SELECT pg_current_wal_lsn()")

    def await_replayed(self, position):
        """Until this standby shows what its primary had written by then."""
        await_that(lambda: self.sql(
            f"SELECT pg_last_wal_replay_lsn() >= '{position}'") == "t",
            "the standby")

    def senders(self):
        """The processes that send to standbys; to be stopped and continued."""
        return [int(pid) for pid in self.sql(
            "SELECT pid FROM pg_stat_replication").split()]

    def promote(self):
        if self.sql("SELECT pg_promote()") != "t":
            raise RuntimeError("it was not promoted")


class Pooler(Server, Endpoint):
    """pgbouncer before a server."""

    title = "pgbouncer"

    def __init__(self, server, mode="transaction", **settings):
        super().__init__()
        self.environment = clean_environment()
        self.server = server
        self.settings = {"pool_mode": mode, "auth_type": "trust",
                         "max_client_conn": 200, "unix_socket_dir": "",
                         "default_pool_size": 20, **settings}

    def prepare(self):
        users = f"{self.path}/users"
        with open(users, "w") as file:
            file.write('"postgres" ""\n"holdfast" ""\n')
        options = {**self.settings, "auth_file": users,
                   "listen_addr": self.address, "listen_port": self.port}
        with open(f"{self.path}/ini", "w") as file:
            file.write(f"[databases]\n* = host={self.server.address} "
                       f"port={self.server.port}\n[pgbouncer]\n")
            file.writelines(f"{name} = {value}\n"
                            for name, value in options.items())

    def command(self):
        return [*as_nobody(), PGBOUNCER, f"{self.path}/ini"]

    def answers(self):
        try:
            socket.create_connection((self.address, self.port)).close()
            return True
        except ConnectionRefusedError:
            return False
