#!/usr/bin/env python3
"""plot_lockspace.py PAGE [SVG]: draw what bench_lockspace printed.

PAGE is the output of bench_lockspace, or a page of docs/ that shows it; only
the lines of its table are read.  Without SVG the picture goes to stdout.  The
same lines make the same picture, byte for byte.
"""

import re

import plots

# of, each, us, bare us, x bare, work
ROW = re.compile(r"^ *(\d+)  (pair|hand-over|alive|expiry) +([\d.]+)  +([\d.]+)"
                 r"  +([\d.]+)  +([\d.]+)$", re.M)
KINDS = (("pair", "acquire and release", "inside"),
         ("hand-over", "hand-over", "alarm"),
         ("alive", "keep-alive", "quiet"),
         ("expiry", "expiry of a grant", "ended"))
GOAL_RATIO = 0.4


def read_rows(text):
    """For each kind its (grants, us, times bare, work); the grants are those of
    the pair that stands first in its group."""
    rows = {kind: [] for kind, _, _ in KINDS}
    grants = 0
    for of, kind, took, _, ratio, work in ROW.findall(text):
        if kind == "pair":
            grants = int(of)
        rows[kind].append((grants, float(took), float(ratio), float(work)))
    return rows


def power(size):
    raised = len(str(size)) - 1
    return f'10<tspan dy="-4" font-size="8">{raised}</tspan>'


def draw(rows):
    def panel(number, head, column, goal=None):
        return plots.panel(number, head, KINDS, rows, column, goal, power)

    return plots.picture(
        "What the lock server's machine costs, as grants get many",
        plots.STYLE, KINDS, 175,
        (panel(0, "speed, of a bare table's", 2, GOAL_RATIO),
         panel(1, "µs each", 1),
         panel(2, "links, probes, moves each", 3)),
        "grants, and as many that wait at a hand-over, a million at most")


plots.main(__doc__, read_rows, draw)
