"""TLS before a server: a certificate of a test's own, and a proxy that sends what
it is sent in records as large as may be, as later versions of PostgreSQL do."""

import contextlib
import select
import socket
import ssl
import subprocess
import threading

from fixture import own_address


def make_certificate(folder, name="localhost"):
    """Self-signed: FOLDER/key.pem and FOLDER/cert.pem."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                    "-keyout", f"{folder}/key.pem", "-out",
                    f"{folder}/cert.pem", "-days", "2", "-subj", f"/CN={name}"],
                   check=True, capture_output=True)


class LargeRecords:
    """For one client at a time."""

    def __init__(self, server, folder):
        self._server = (server.address, server.port)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(f"{folder}/cert.pem", f"{folder}/key.pem")

    def __enter__(self):
        self._listener = socket.create_server((own_address(), 0))
        self.at = self._listener.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._serve(client)

    def _serve(self, client):
        client.recv(8) # SSLRequest
        client.sendall(b"S")
        with (self._context.wrap_socket(client, server_side=True) as client,
              socket.create_connection(self._server) as server,
              contextlib.suppress(OSError)):
            up = threading.Thread(target=_pump, args=(client, server),
                                  daemon=True)
            up.start()
            while all := _all_that_comes(server):
                client.sendall(all)


def _pump(client, server):
    with contextlib.suppress(OSError):
        while data := client.recv(1 << 16):
            server.sendall(data)
    with contextlib.suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)


def _all_that_comes(server):
    """Until nothing more comes for a moment."""
    data = server.recv(1 << 20)
    while data and select.select([server], [], [], 0.02)[0]:
        more = server.recv(1 << 20)
        if not more:
            break
        data += more
    return data
