#!/usr/bin/env python3
"""Put the table that `holdfast-lab prove` printed between the marks of
docs/lab.md.

usage: holdfast-lab prove --all | scripts/proofs.py docs/lab.md
"""

import pathlib
import re
import sys

BEGIN, END = "<!-- proofs: begin -->", "<!-- proofs: end -->"
ROW = re.compile(r"(\S+) +(\d+) +(\d+) +(\S+) +(proved|vacuous|violated|bounded) +"
                 r"(\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)(?: +(.*))?$")


def table(lines):
    yield ("| world | workers | faults | make | verdict | states | "
           "transitions | depth | seconds | M states/s | B/state |")
    yield "|---|--:|--:|---|---|--:|--:|--:|--:|--:|--:|"
    for line in lines:
        row = ROW.match(line)
        if row:
            cells = list(row.groups(""))
            how = cells.pop()
            if how:
                cells[4] += ": " + how
            cells[5], cells[6] = f"{int(cells[5]):,}", f"{int(cells[6]):,}"
            yield "| " + " | ".join(cells) + " |"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    page = pathlib.Path(sys.argv[1])
    rows = list(table(sys.stdin))
    if len(rows) == 2:
        sys.exit("proofs.py: there is no proof on stdin")
    text = page.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    page.write_text(head + BEGIN + "\n" + "\n".join(rows) + "\n" + END + tail)


main()
