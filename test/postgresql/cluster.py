"""PostgreSQL servers of a test's own: in a folder that goes away, at an address
and a port that nobody else uses, run by an unprivileged user, ended also where
the test is killed.  scripts/servers.sh fetches the programs.

A server has the superuser postgres, and the role holdfast with a database of
its own, UTF8, and trusts everybody on the loopback.
"""

import contextlib
import faulthandler
import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

from janitor import Janitor

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVERS = ROOT / "build/servers/postgresql"
BIN = SERVERS / "root/usr/lib/postgresql/15/bin"
PGBOUNCER = SERVERS / "root/usr/sbin/pgbouncer"
PATIENCE_S = 60
SKIPPED = 77

_janitor = None
_started = 0


def need_servers():
    """End the test as skipped where there are none.  If it hangs it says where,
    before ctest ends it."""
    faulthandler.dump_traceback_later(240)
    if not (SERVERS / "stamp").exists():
        print("no PostgreSQL: scripts/servers.sh postgresql fetches it", file=sys.stderr)
        sys.exit(SKIPPED)


def janitor():
    global _janitor
    if _janitor is None:
        _janitor = Janitor()
    return _janitor


def clean_environment():
    """Nothing that libpq would take from ours."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("PG") and name != "HOME"}
    libraries = (SERVERS / "library-path").read_text().strip()
    if libraries:
        kept["LD_LIBRARY_PATH"] = libraries
    return kept


def _as_nobody():
    """PostgreSQL and pgbouncer refuse to be root's."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


def make_folder(under=None):
    """On no disk if that can be: a process that is killed loses nothing of
    either."""
    shared = "/dev/shm"
    prefix = "holdfast-test-" if under is None else "holdfast-bench-"
    if under is None and os.access(shared, os.W_OK):
        under = shared
    path = tempfile.mkdtemp(prefix=prefix, dir=under)
    janitor().folder(path)
    if os.geteuid() == 0:
        shutil.chown(path, "nobody", "nogroup")
    return path


def own_address():
    """One of the loopback that no other test has: whatever port the kernel
    chooses for others, those that a server starts again on stay free."""
    global _started
    _started += 1
    number = (os.getpid() * 16 + _started % 16) % (254 << 16)
    return (f"127.{1 + (number >> 16)}.{number >> 8 & 255}."
            f"{number & 255}")


def free_port(address):
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


def await_that(true, what="it"):
    """Until it is so; an error, if it is not for a minute."""
    until = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > until:
            raise TimeoutError(f"waited in vain: {what}")
        time.sleep(0.005)


def _run(command, **more):
    done = subprocess.run(command, env=clean_environment(), text=True,
                          capture_output=True, timeout=2 * PATIENCE_S, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout


class Endpoint:
    """Where clients connect: a server, or a pooler before one."""

    address = port = None

    def url(self, user="holdfast", database="holdfast", at=None, **parameters):
        """`at` is another (address, port) to be named: a proxy's."""
        address, port = at or (self.address, self.port)
        query = urllib.parse.urlencode(parameters)
        return (f"postgresql://{user}@{address}:{port}/{database}"
                + (f"?{query}" if query else ""))

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


class Postgres(Endpoint):
    """One server, with a cluster of its own."""

    def __init__(self, primary=None, name="standby", environment=None,
                 under=None, **settings):
        """`settings` are those of postgresql.conf, `environment` is added to
        its; `under` is a folder on a disk, to measure.  A standby of `primary`
        streams from it, as the application `name`."""
        self.under = under
        self.environment = {**clean_environment(), **(environment or {})}
        self.settings = {"fsync": "on", "shared_buffers": "16MB",
                         "max_connections": 200, "jit": "off",
                         "timezone": "GMT", "unix_socket_directories": "",
                         "hot_standby_feedback": "on", "wal_keep_size": "64MB",
                         **settings}
        self.primary = primary
        self.name = name
        self.process = self.path = None

    def __enter__(self):
        self.path = make_folder(self.under)
        self.data = f"{self.path}/data"
        self.log = f"{self.path}/log"
        if self.primary is None:
            shutil.copytree(SERVERS / "template", self.data)
        else:
            self._copy_primary()
        self._own()
        self.address = own_address()
        self.port = free_port(self.address)
        self.start()
        return self

    def __exit__(self, kind, *error):
        if self.process is not None:
            self.kill()
        if kind is not None:
            sys.stderr.write(self.log_text()[-8000:])
        shutil.rmtree(self.path)

    def _copy_primary(self):
        target = (f"host={self.primary.address} port={self.primary.port} "
                  f"user=postgres application_name={self.name}")
        _run([*_as_nobody(), BIN / "pg_basebackup", "-d", target, "-D",
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

    def log_text(self):
        with open(self.log, errors="replace") as file:
            return file.read()

    def start(self, wait=True):
        """At the port that it had."""
        options = {**self.settings, "listen_addresses": self.address,
                   "port": self.port}
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [*_as_nobody(), BIN / "postgres", "-D", self.data,
                 *(word for name, value in options.items()
                   for word in ("-c", f"{name}={value}"))],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True)
        janitor().process(self.process.pid)
        if wait:
            await_that(self._answers, "PostgreSQL to answer")

    def _answers(self):
        if self.process.poll() is not None:
            raise RuntimeError("PostgreSQL ended: " + self.log_text())
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

    def stop(self, how=signal.SIGINT):
        """In order, with its clients cut; SIGTERM waits for them."""
        self.process.send_signal(how)
        self._end()

    def _end(self):
        self.process.wait()
        self.process = None

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


class Pooler(Endpoint):
    """pgbouncer before a server."""

    def __init__(self, server, mode="transaction", **settings):
        self.server = server
        self.settings = {"pool_mode": mode, "auth_type": "trust",
                         "max_client_conn": 200, "unix_socket_dir": "",
                         "default_pool_size": 20, **settings}

    def __enter__(self):
        self.path = make_folder()
        self.address = own_address()
        self.port = free_port(self.address)
        self.start()
        return self

    def __exit__(self, kind, *error):
        self.process.kill()
        self.process.wait()
        if kind is not None:
            with open(f"{self.path}/log") as log:
                sys.stderr.write(log.read()[-4000:])
        shutil.rmtree(self.path)

    def start(self):
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
        with open(f"{self.path}/log", "a") as log:
            self.process = subprocess.Popen(
                [*_as_nobody(), PGBOUNCER, f"{self.path}/ini"],
                env=clean_environment(), stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True)
        janitor().process(self.process.pid)
        await_that(self._answers, "pgbouncer to answer")

    def _answers(self):
        if self.process.poll() is not None:
            raise RuntimeError("pgbouncer ended")
        try:
            socket.create_connection((self.address, self.port)).close()
            return True
        except ConnectionRefusedError:
            return False
