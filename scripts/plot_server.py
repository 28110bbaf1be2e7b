#!/usr/bin/env python3
"""plot_server.py PAGE [SVG]: draw what bench/server.py printed.

PAGE is the output of bench/server.py, or a page of docs/ that shows it; only
the lines of its table are read.  Without SVG the picture goes to stdout.  The
same lines make the same picture, byte for byte.
"""

import re

import plots

# point; volatile, echo, of it, Redis; durable, rows, bare, of it, Redis
ROW = re.compile(r"^ *(\d+)x(\d+) " + r" *([\d.]+)" * 4 + r" \|"
                 + r" *([\d.]+)" * 5 + r"$", re.M)
KINDS = (("ours", "holdfastd", "inside"),
         ("redis", "Redis, and appendfsync always", "alarm"),
         ("floor", "an echo, and bare commits", "quiet"))


def read_rows(text):
    """For each kind its (number of the point, thousands of volatile pairs a
    second, of durable ones)."""
    rows = {kind: [] for kind, _, _ in KINDS}
    for number, found in enumerate(ROW.findall(text)):
        volatile, echo, _, redis, durable, _, bare, _, kept = map(
            float, found[2:])
        rows["ours"].append((number, volatile / 1e3, durable / 1e3))
        rows["floor"].append((number, echo / 1e3, bare / 1e3))
        rows["redis"].append((number, redis / 1e3, kept / 1e3))
    return rows


def point(number):
    return ("1x1", "16x1", "64x1", "256x1", "16x16")[number]


def draw(rows):
    return plots.picture(
        "A lock server beside its floors, and Redis", plots.STYLE, KINDS, 235,
        (plots.panel(0, "volatile, 1,000 pairs/s", KINDS, rows, 1, None, point),
         plots.panel(1, "durable, 1,000 pairs/s", KINDS, rows, 2, None, point)),
        "connections x requests in flight, server and load on two processors")


plots.main(__doc__, read_rows, draw)
