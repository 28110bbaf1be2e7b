"""Where PostgreSQL's messages begin and end, for proxy.py."""

import struct

from proxy import TO_CLIENT


class PostgresFraming:
    """Messages of one connection, both ways."""

    SSL, GSS = 80877103, 80877104

    def __init__(self):
        self.began = False    # the first message of a client has no type
        self.one_byte = False # the answer to whether it may be encrypted
        self.opaque = False   # it is

    def split(self, direction, data):
        """(kind of the first message, its length), or None: it is not whole."""
        if self.opaque:
            return "?", len(data)
        if direction == TO_CLIENT and self.one_byte:
            self.one_byte = False
            self.opaque = data[:1] == b"S"
            return data[:1].decode(), 1
        typed = direction == TO_CLIENT or self.began
        if len(data) < 4 + typed:
            return None
        length = typed + struct.unpack_from(">I", data, typed)[0]
        if len(data) < length:
            return None
        if typed:
            return chr(data[0]), length
        code = struct.unpack_from(">I", data, 4)[0]
        self.one_byte = code in (self.SSL, self.GSS)
        self.began = not self.one_byte
        return "startup", length
