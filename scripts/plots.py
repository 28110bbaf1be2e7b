"""What scripts/plot_*.py draw with: panels of lines, as SVG.

Rows are, for each kind of line, tuples of a size and what was measured at it.
A kind is the name that its rows go by, words for people, and a colour below.
"""

import pathlib
import sys

WIDTH, HEIGHT = 760, 260
PANEL, GAP, LEFT, TOP, TALL = 190, 52, 44, 58, 150
STYLE = """\
.plot{max-width:100%;height:auto}
.plot text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,\
'Helvetica Neue',Arial,sans-serif;fill:#1f2328}
.plot .soft{font-size:11px;fill:#59636e}
.plot .head{font-weight:600}
.plot .grid{stroke:#d8dee4;stroke-width:1}
.plot .goal{stroke:#59636e;stroke-width:1;stroke-dasharray:4 3}
.plot .line{fill:none;stroke-width:2}
.plot .inside{stroke:#3b6ea5}.plot .dot-inside{fill:#3b6ea5}
.plot .alarm{stroke:#a8323e;stroke-dasharray:5 3}.plot .dot-alarm{fill:#a8323e}
.plot .quiet{stroke:#59636e;stroke-dasharray:2 2}.plot .dot-quiet{fill:#59636e}
.plot .ended{stroke:#2f7d4f;stroke-dasharray:8 3}.plot .dot-ended{fill:#2f7d4f}
@media (prefers-color-scheme:dark){.plot text{fill:#e6edf3}\
.plot .soft{fill:#9198a1}.plot .grid{stroke:#3d444d}\
.plot .inside{stroke:#7aa7d9}.plot .dot-inside{fill:#7aa7d9}\
.plot .alarm{stroke:#e5737d}.plot .dot-alarm{fill:#e5737d}\
.plot .quiet{stroke:#9198a1}.plot .dot-quiet{fill:#9198a1}\
.plot .ended{stroke:#6cc48f}.plot .dot-ended{fill:#6cc48f}}
"""


def ceiling(value):
    """The least of 1, 2, 4, 5 times a power of ten that is not below it."""
    power = 10.0 ** -3
    while True:
        for step in (1, 2, 4, 5):
            if value <= step * power:
                return step * power
        power *= 10


def thousands(size):
    return f"{size:,}"


def panel(number, head, kinds, rows, column, goal=None, label=thousands):
    sizes = sorted({row[0] for kind in rows.values() for row in kind})
    values = [row[column] for kind in rows.values() for row in kind]
    top = ceiling(max(values + [goal or 0]))
    left = LEFT + number * (PANEL + GAP)
    bottom = TOP + TALL

    def x_of(size):
        return left + PANEL * (sizes.index(size) + 0.5) / len(sizes)

    def y_of(value):
        return bottom - TALL * value / top

    yield f'<text class="head" x="{left}" y="{TOP - 14}">{head}</text>'
    for part in (0, 0.5, 1):
        y = y_of(top * part)
        yield (f'<line class="grid" x1="{left}" y1="{y:.1f}" '
               f'x2="{left + PANEL}" y2="{y:.1f}"/>')
        yield (f'<text class="soft" text-anchor="end" x="{left - 6}" '
               f'y="{y + 4:.1f}">{top * part:g}</text>')
    for size in sizes:
        yield (f'<text class="soft" text-anchor="middle" x="{x_of(size):.1f}" '
               f'y="{bottom + 16}">{label(size)}</text>')
    if goal:
        yield (f'<line class="goal" x1="{left}" y1="{y_of(goal):.1f}" '
               f'x2="{left + PANEL}" y2="{y_of(goal):.1f}"/>')
        yield (f'<text class="soft" x="{left + 2}" y="{y_of(goal) - 4:.1f}">'
               f'goal: {goal:,}</text>')
    for kind, _, colour in kinds:
        points = [(x_of(row[0]), y_of(row[column])) for row in rows[kind]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<polyline class="line {colour}" points="{path}"/>'
        for x, y in points:
            yield f'<circle class="dot-{colour}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'


def picture(title, style, kinds, apart, panels, below):
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" '
           f'aria-labelledby="plot-title" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'width="{WIDTH}" height="{HEIGHT}">')
    yield f'<title id="plot-title">{title}</title>'
    yield f"<style>{style}</style>"
    for number, (_, words, colour) in enumerate(kinds):
        x = LEFT + number * apart
        yield (f'<line class="line {colour}" x1="{x}" y1="16" x2="{x + 24}" '
               f'y2="16"/>')
        yield f'<text x="{x + 30}" y="20">{words}</text>'
    for lines in panels:
        yield from lines
    yield (f'<text class="soft" x="{LEFT}" y="{HEIGHT - 10}">'
           f"{below}</text>")
    yield "</svg>"


def main(doc, read_rows, draw):
    """`draw` what `read_rows` finds in the page named, as `doc` says."""
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(doc)
    rows = read_rows(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    if not all(rows.values()):
        name = pathlib.Path(sys.argv[0]).name
        sys.exit(f"{name}: {sys.argv[1]}: a kind of line is missing")
    drawn = "\n".join(draw(rows)) + "\n"
    if len(sys.argv) == 2:
        sys.stdout.write(drawn)
    else:
        pathlib.Path(sys.argv[2]).write_text(drawn, encoding="utf-8")
