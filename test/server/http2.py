"""The frames of HTTP/2, for clients that do what a library would not."""

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
DATA, HEADERS, RST_STREAM, SETTINGS, WINDOW_UPDATE = 0, 1, 3, 4, 8
END_STREAM, END_HEADERS, PADDED, ACK = 1, 4, 8, 1
CANCEL = (8).to_bytes(4, "big")


def frame(kind, flags, stream, payload=b""):
    return (len(payload).to_bytes(3, "big") + bytes([kind, flags])
            + stream.to_bytes(4, "big") + payload)


def literal(index, value, indexed=False):
    """A header of HPACK's static table with a value of its own."""
    first = bytes([0x40 | index]) if indexed else (
        bytes([index]) if index < 15 else bytes([15, index - 15]))
    length = bytes([len(value)]) if len(value) < 127 else b"\x7f" + varint(
        len(value) - 127)
    return first + length + value


def named(name, value):
    """A header of which HPACK knows nothing; both are short."""
    return bytes([0, len(name)]) + name + bytes([len(value)]) + value


def varint(number):
    out = b""
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])
