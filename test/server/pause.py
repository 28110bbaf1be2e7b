#!/usr/bin/env python3
"""pause.py HOLDFASTD: the server stands still for longer than a ttl, and
meanwhile keep-alives arrive in time [S2].

They wait in the kernel, on connections that the server has and on new ones,
which it has yet to accept.  Whoever sent one goes on holding, and who did not
ends; and a flood neither ends the one nor keeps the other.  So it is with all
else that is ended for its silence, as a request whose head is slow.
"""

import fcntl
import os
import selectors
import signal
import socket
import struct
import sys
import termios
import time

from support import Checks, Client, Server, folder

COUNT = 20
TTL_S = 2
WAITS_S = TTL_S / 20  # no keep-alive needs to wait for so long [J2]
LEADS_S = 3.5  # for so long the server leads, whatever happens
HEAD_S = 10  # for the head of a request
PATIENCE_S = 60
FLOODS = 64


def stop(server):
    """And wait until each of its threads stands."""
    tasks = f"/proc/{server.process.pid}/task"
    server.process.send_signal(signal.SIGSTOP)
    for task in os.listdir(tasks):
        state = ""
        while state != "T":
            with open(f"{tasks}/{task}/stat") as file:
                state = file.read().rpartition(")")[2].split()[0]


def send_alive(client):
    client.connection.request(
        "POST", f"/v1/sessions/{client.session}/keep-alive", "{}",
        {"Holdfast-Secret": client.secret})


def hear_alive(client):
    """What is said to its keep-alive."""
    answer = client.connection.getresponse()
    answer.read()
    return answer.status


def await_arrived(connection):
    """The peer's kernel has acknowledged all of it."""
    left = 1
    while left > 0:
        left = struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ,
                                              b"\0" * 4))[0]


def stand_until(server, instant):
    """And go on."""
    while time.monotonic() < instant:
        time.sleep(0.05)
    server.process.send_signal(signal.SIGCONT)


def open_all(server, count):
    """Sessions, each with a lock of its own."""
    clients = [Client(server).open(ttl=f"{TTL_S}s") for _ in range(count)]
    for client in clients:
        client.begin()
        client.try_once("0s", {"name": f"of {client.session}"})
    return clients


def speak_all(clients):
    """All at once: they are answered by one batch.  True: all live."""
    for client in clients:
        send_alive(client)
    return all([hear_alive(client) == 200 for client in clients])


def pause(server, speaking, silent, anew):
    """Those that will be silent have spoken last, so that the others would end
    first.  False: this machine was too slow for it, and it shows nothing."""
    begun = time.monotonic()
    if not speak_all(speaking) or not speak_all(silent):
        return False
    stop(server)
    for client in speaking:
        if anew:
            client.connection.close()  # and request opens another
        send_alive(client)
        await_arrived(client.connection.sock)
    arrived = time.monotonic()
    stand_until(server, arrived + TTL_S)  # by then its ttl is over
    return (arrived < begun + TTL_S and
            time.monotonic() < begun + LEADS_S)


def await_gone(server, clients):
    """Until nothing is heard of their locks; False: one stays."""
    asks = Client(server)
    deadline = time.monotonic() + PATIENCE_S
    names = {f"of {client.session}" for client in clients}
    while time.monotonic() < deadline:
        _, listed = asks.ask("GET", "/v1/locks?limit=1000")
        if not names & {lock["name"] for lock in listed["locks"]}:
            return True
        time.sleep(0.05)
    return False


def check_pause(checks, server, anew):
    where = "a new connection" if anew else "its connection"
    shown = False
    while not shown:
        speaking = open_all(server, COUNT)
        silent = open_all(server, 2)
        shown = pause(server, speaking, silent, anew)
    heard = [hear_alive(client) for client in speaking]
    checks.check(f"who spoke on {where} during a pause lives",
                 heard == [200] * COUNT, heard)
    checks.check("and who did not has ended", await_gone(server, silent))
    for client in speaking:
        client.connection.close()


def check_kept(checks, server):
    check_pause(checks, server, anew=False)


def check_new(checks, server):
    check_pause(checks, server, anew=True)


class Flood:
    """Connections that send all the time, and read what comes.  Each request
    has a body, so that much is to be read for each answer."""

    REQUEST = (b"POST /v1/flood HTTP/1.1\r\nHost: localhost\r\n"
               b"Content-Length: 100000\r\n\r\n" + b"x" * 100000)

    def __init__(self, server):
        self.port = server.port
        self.ready = selectors.DefaultSelector()
        self.sent = 0
        for _ in range(FLOODS):
            self.begin()

    def begin(self):
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.setblocking(False)
        self.ready.register(connection, selectors.EVENT_READ
                            | selectors.EVENT_WRITE)

    def go_on(self):
        """Each that can sends; one that was ended begins anew."""
        for key, events in self.ready.select(0):
            try:
                if events & selectors.EVENT_READ:
                    if not key.fileobj.recv(65536):
                        raise ConnectionResetError
                if events & selectors.EVENT_WRITE:
                    self.sent += key.fileobj.send(self.REQUEST)
            except BlockingIOError:
                pass
            except OSError:
                self.ready.unregister(key.fileobj)
                key.fileobj.close()
                self.begin()

    def end(self):
        for key in list(self.ready.get_map().values()):
            key.fileobj.close()
        self.ready.close()


def check_flood(checks, server):
    speaking, silent = open_all(server, 1)[0], open_all(server, 1)[0]
    name = f"of {silent.session}".encode()
    flood = Flood(server)
    deadline = time.monotonic() + PATIENCE_S
    asks = Client(server)
    gone = False
    lives = True
    while not gone and lives and time.monotonic() < deadline:
        lives = speak_all([speaking])
        flood.go_on()
        _, listed = asks.ask("GET", "/v1/locks?limit=1000")
        gone = name.decode() not in {lock["name"] for lock in listed["locks"]}
    checks.check("a flood keeps nobody alive who is silent", gone)
    checks.check("and ends nobody who speaks", lives)
    checks.check("and there was one", flood.sent > 10 * 1000 * 1000,
                 f"{flood.sent} bytes")
    flood.end()


def check_wait(checks, server):
    """Keep-alives wait to be one batch; of those that come one after the other
    each waits for all of it.  The quicker are that, whatever else runs here;
    the quickest may share a batch of the server's own."""
    clients = open_all(server, COUNT)
    took = []
    for client in clients:
        begun = time.monotonic()
        lives = speak_all([client])
        took.append(time.monotonic() - begun)
    quick = sorted(took)[COUNT // 4]
    checks.check("who keeps twenty alive one after the other has time for it",
                 lives and quick < WAITS_S, f"{quick:.3f} s each")


def check_head(checks, server):
    """Its second half arrives in time, and is read when that is over."""
    arrived = HEAD_S
    while arrived >= HEAD_S:
        connection = socket.create_connection(("127.0.0.1", server.port))
        begun = time.monotonic()
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: loc")
        Client(server).ask("GET", "/healthz")  # after that it has been read
        read = time.monotonic()
        stop(server)
        connection.sendall(b"alhost\r\nConnection: close\r\n\r\n")
        await_arrived(connection)
        arrived = time.monotonic() - begun
        stand_until(server, read + HEAD_S)
    with connection, connection.makefile("rb") as answer:
        line = answer.readline()
    checks.check("a request that was whole in time is answered after a pause",
                 line.startswith(b"HTTP/1.1 200 "), line)


def main():
    checks = Checks()
    for check in (check_kept, check_new, check_flood, check_wait,
                  check_head):
        with folder() as path, Server(sys.argv[1], path) as server:
            server.await_leading()
            check(checks, server)
    sys.exit(checks.end())


main()
