"""hyper_h2.py PORT: a lock taken and given back by Python's h2."""

import json
import socket
import sys

import h2.config
import h2.connection
import h2.events


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.flush()

    def flush(self):
        self.socket.sendall(self.h2.data_to_send())

    def begin(self, path, body, secret=None):
        stream = self.h2.get_next_available_stream_id()
        self.h2.send_headers(stream, [
            (":method", "POST"), (":path", path), (":scheme", "http"),
            (":authority", "localhost"), ("content-type", "application/json"),
            *([("holdfast-secret", secret)] if secret else [])])
        self.h2.send_data(stream, json.dumps(body).encode(), end_stream=True)
        self.flush()
        return stream

    def end(self, wanted):
        status, text = 0, b""
        while True:
            for event in self.h2.receive_data(self.socket.recv(65536)):
                if getattr(event, "stream_id", 0) != wanted:
                    continue
                if isinstance(event, h2.events.ResponseReceived):
                    status = int(dict(event.headers)[":status"])
                if isinstance(event, h2.events.DataReceived):
                    text += event.data
                    self.h2.acknowledge_received_data(
                        event.flow_controlled_length, wanted)
                if isinstance(event, h2.events.StreamEnded):
                    self.flush()
                    return status, json.loads(text)
            self.flush()

    def ask(self, *request):
        return self.end(self.begin(*request))


client = Client(int(sys.argv[1]))
status, first = client.ask("/v1/locks/h2/acquire", {"wait": "10s"})
assert status == 200 and first["granted"], first
waiting = client.begin("/v1/locks/h2/acquire", {"wait": "20s"})
other = Client(int(sys.argv[1]))
status, tried = other.ask("/v1/locks/h2/acquire", {"wait": "try"})
assert status == 409 and tried["type"] == "urn:holdfast:held", tried
status, released = other.ask("/v1/locks/h2/release",
                             {"session": first["session"]}, first["secret"])
assert status == 200, released
status, second = client.end(waiting)
assert status == 200 and second["fence"] > first["fence"], second
