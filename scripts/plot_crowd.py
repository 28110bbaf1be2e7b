#!/usr/bin/env python3
"""plot_crowd.py PAGE [SVG]: draw what bench_crowd printed.

PAGE is the output of bench_crowd, or a page of docs/ that shows it; only the
lines of its table are read.  Without SVG the picture goes to stdout.  The same
lines make the same picture, byte for byte.
"""

import re

import plots

# waiters, on, us/hand-over, reads, commits, waits, bytes/waiter
ROW = re.compile(r"^ *(\d+)  (one lock|as many) +([\d.]+)  +([\d.]+)  +([\d.]+)"
                 r"  +([\d.]+)  +(\d+)  ", re.M)
KINDS = (("one lock", "on one lock", "inside"),
         ("as many", "on as many locks", "alarm"))
GOAL_BYTES = 1536


def read_rows(text):
    rows = {kind: [] for kind, _, _ in KINDS}
    for waiters, kind, took, reads, commits, waits, size in ROW.findall(text):
        calls = float(reads) + float(commits) + float(waits)
        rows[kind].append((int(waiters), float(took), calls, int(size)))
    return rows


def draw(rows):
    def panel(*what):
        number, head, *column = what
        return plots.panel(number, head, KINDS, rows, *column)

    return plots.picture(
        "What a waiter costs, as they get many", plots.STYLE, KINDS, 150,
        (panel(0, "µs a hand-over", 1),
         panel(1, "store calls a hand-over", 2),
         panel(2, "bytes a waiter", 3, GOAL_BYTES)),
        "waiters of one client")


plots.main(__doc__, read_rows, draw)
