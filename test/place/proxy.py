"""A TCP proxy that loses things on purpose: it stands before a server, and does
one thing wrong at the n-th message of one direction.

It knows where messages begin and end by a framing, which the kind of server
brings: one object a connection, whose split(direction, data) tells the kind and
the length of the first message of `data`, or None where it is not whole.  A kind
of "" is passed on, and is not counted.
"""

import contextlib
import dataclasses
import queue
import socket
import threading
import time

from fixture import PATIENCE_S, own_address

TO_SERVER, TO_CLIENT = "to the server", "to the client"

# What can happen to a message.
CUT = "cut"                # it is lost, and both sides see the end
CUT_INSIDE = "cut inside"  # half of it arrives before that
CUT_BEHIND = "cut behind"  # it arrives before that
HOLE = "hole"        # it is lost, and so is all else, both ways, without a word
SWALLOW = "swallow"  # it arrives, and nothing comes back any more
DELAY = "delay"      # it arrives late, and all behind it
FAULTS = (CUT, CUT_INSIDE, CUT_BEHIND, HOLE, SWALLOW, DELAY)


@dataclasses.dataclass
class Fault:
    kind: str
    direction: str = TO_SERVER
    n: int = 1 # counted from arm(), over the connections that it is for
    connection: int = None # the only one it is for, by Proxy.connections
    seconds: float = 0.5   # of a delay

    def __str__(self):
        return f"{self.kind} of message {self.n} {self.direction}"


class Line:
    """To a socket, on which all takes so long."""

    def __init__(self, end, latency):
        self._end = end
        self._latency = latency
        self._messages = queue.SimpleQueue()
        if latency:
            threading.Thread(target=self._deliver, daemon=True).start()

    def send(self, message):
        if self._latency:
            self._messages.put((time.monotonic() + self._latency, message))
        else:
            self._end.sendall(message)

    def close(self):
        self._messages.put((0, None))

    def _deliver(self):
        when, message = self._messages.get()
        while message is not None:
            time.sleep(max(0, when - time.monotonic()))
            try:
                self._end.sendall(message)
            except OSError:
                return
            when, message = self._messages.get()


class Connection:
    def __init__(self, index, client, server, framing, latency):
        self.index = index
        self.ends = {TO_SERVER: server, TO_CLIENT: client}
        self.lines = {direction: Line(end, latency)
                      for direction, end in self.ends.items()}
        self.framing = framing
        self.lost = set()   # directions in which nothing passes any more
        self.silent = False # nobody hears of an end, either
        self.open = 2     # threads that pump

    def silence(self):
        """From now on it is a hole."""
        self.silent = True
        self.lost |= {TO_SERVER, TO_CLIENT}

    def close(self):
        """Both sides see it; a thread that receives is woken."""
        for end in self.ends.values():
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Proxy:
    """Before (address, port).  Threads: arm() and the rest from any."""

    def __init__(self, address, port, framing, latency=0, address_here=None,
                 slow_dial=0):
        """`latency` in seconds is that of each way, without any limit to how
        much is on the way.  Clients find it at `address_here`.  The server is
        reached after `slow_dial` seconds."""
        self.address = address_here or own_address()
        self._target = (address, port)
        self._latency = latency
        self._slow_dial = slow_dial
        self._framing = framing
        self._lock = threading.Condition()
        self._fault = None
        self._count = {TO_SERVER: 0, TO_CLIENT: 0}
        self._frozen = False
        self._refuses = False
        self._closed = False
        self.fired = False   # has the fault happened?
        self.seen = []       # (connection, direction, kind) since arm()
        self.connections = []

    def __enter__(self):
        self._listener = socket.create_server((self.address, 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error):
        with self._lock:
            self._closed = True
            self._frozen = False
            self._lock.notify_all()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.close_all()

    # ---- What it is told ------------------------------------------------

    @property
    def at(self):
        """Where it is, for the URL of a place."""
        return self.address, self.port

    def arm(self, fault=None):
        """Count from 1, and do that once."""
        with self._lock:
            self._fault = fault
            self._count = {TO_SERVER: 0, TO_CLIENT: 0}
            self.fired = False
            self.seen = []

    def counted(self, direction):
        """How many messages have passed, or been lost, since arm()."""
        with self._lock:
            return self._count[direction]

    def await_fired(self):
        with self._lock:
            if not self._lock.wait_for(lambda: self.fired, PATIENCE_S):
                raise TimeoutError(f"{self._fault}: it never came to that")

    def freeze(self):
        """Nothing passes, of those that come, too, until thaw()."""
        with self._lock:
            self._frozen = True

    def thaw(self):
        with self._lock:
            self._frozen = False
            self._lock.notify_all()

    def refuse(self, refuses):
        """Are connections closed as soon as they come?"""
        self._refuses = refuses

    def close_all(self):
        with self._lock:
            connections = list(self.connections)
        for connection in connections:
            connection.close()

    def close_silent(self):
        """As when both kernels give up at last: keepalives."""
        with self._lock:
            connections = [each for each in self.connections if each.silent]
        for connection in connections:
            connection.close()

    # ---- What it does ---------------------------------------------------

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._refuses:
                client.close()
                continue
            threading.Thread(target=self._connect, args=(client,),
                             daemon=True).start()

    def _connect(self, client):
        time.sleep(self._slow_dial)
        try:
            server = socket.create_connection(self._target)
        except OSError:
            client.close()
            return
        for end in client, server:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            connection = Connection(len(self.connections), client, server,
                                    self._framing(), self._latency)
            self.connections.append(connection)
            if self._closed:
                connection.close()
        threading.Thread(target=self._pump, args=(connection, TO_CLIENT),
                         daemon=True).start()
        self._pump(connection, TO_SERVER)

    def _pump(self, connection, direction):
        source = connection.ends[
            TO_CLIENT if direction == TO_SERVER else TO_SERVER]
        data = b""
        try:
            while True:
                more = source.recv(1 << 16)
                if not more:
                    break
                data += more
                while data and (first := self._split(connection, direction,
                                                     data)):
                    kind, length = first
                    self._pass(connection, direction, kind, data[:length])
                    data = data[length:]
        except OSError:
            pass
        connection.lines[direction].close()
        if not connection.silent:
            connection.close()
        with self._lock:
            connection.open -= 1
            last = connection.open == 0
        if last:
            for end in connection.ends.values():
                end.close()

    def _split(self, connection, direction, data):
        with self._lock:
            return connection.framing.split(direction, data)

    def _pass(self, connection, direction, kind, message):
        fault = self._note(connection, direction, kind)
        if fault == DELAY:
            time.sleep(self._fault.seconds)
        if fault == CUT:
            connection.close()
            return
        connection.silent |= fault in (HOLE, SWALLOW)
        if fault == HOLE:
            connection.lost.add(direction)
        if fault in (HOLE, SWALLOW, CUT_BEHIND): # no answer comes through
            connection.lost.add(TO_CLIENT if direction == TO_SERVER
                                else TO_SERVER)
        if direction in connection.lost:
            return
        if fault == CUT_INSIDE:
            message = message[:len(message) // 2]
        connection.lines[direction].send(message)
        if fault in (CUT_INSIDE, CUT_BEHIND):
            connection.close()

    def _note(self, connection, direction, kind):
        """Count a message: what is to happen to it."""
        with self._lock:
            self._lock.wait_for(lambda: not self._frozen)
            if not kind:
                return None
            fault = self._fault
            if fault and fault.connection not in (None, connection.index):
                return None
            self._count[direction] += 1
            self.seen.append((connection.index, direction, kind))
            if (not fault or self.fired or fault.direction != direction
                    or fault.n != self._count[direction]):
                return None
            self.fired = True
            self._lock.notify_all()
            return fault.kind
