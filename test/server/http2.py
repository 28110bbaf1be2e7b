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
    return first + text(value)


def named(name, value):
    """A header of which HPACK knows nothing."""
    return b"\0" + text(name) + text(value)


def text(value):
    length = bytes([len(value)]) if len(value) < 127 else b"\x7f" + varint(
        len(value) - 127)
    return length + value


DIGITS = {bits: str(digit) for digit, bits in enumerate(
    ("00000", "00001", "00010", "011001", "011010", "011011", "011100",
     "011101", "011110", "011111"))}
STATUSES = {0x88: 200, 0x89: 204, 0x8a: 206, 0x8b: 304, 0x8c: 400, 0x8d: 404,
            0x8e: 500}


def status(block):
    """Of an answer: it stands first, but for a size of HPACK's table."""
    while block[0] & 0xe0 == 0x20:
        block = block[1:]
    if block[0] in STATUSES:
        return STATUSES[block[0]]
    assert block[0] & 0xbf == 0x08, block
    coded = block[2:2 + (block[1] & 0x7f)]
    if not block[1] & 0x80:
        return int(coded)
    bits, digits, word = "".join(f"{byte:08b}" for byte in coded), "", ""
    for bit in bits:
        word += bit
        if word in DIGITS:
            digits, word = digits + DIGITS[word], ""
    return int(digits)


def varint(number):
    out = b""
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])
