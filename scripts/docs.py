#!/usr/bin/env python3
"""docs.py [--write] TALE: what the documents show is what holdfast-tale does.

A picture in docs/ stands beside the command that draws it:

    ![what is seen](pictures/NAME.svg)
    `holdfast-tale run SPECIMEN`

or, of figures that the page itself shows, `scripts/plot_NAME.py docs/PAGE`.
Each is drawn again, the former by the program TALE, and must be the same, byte
for byte; with --write it is put in its place.  In a block that begins "$ holdfast-tale", every
line below must be printed by that command, in this order; "..." stands for any
number of lines, and at the end of one for the rest of it.  Of a command that
"finds nothing" the page says so behind it.  The blocks of C between "code:
FILE" and "code: end" are, one after the other, that file.  The numbered list
below "lines: FILE" is the text of the draft in that file.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"

PICTURE = re.compile(r"^!\[[^]]+\]\(pictures/([a-z0-9-]+\.svg)\)\n+(.*)$", re.M)
COMMAND = re.compile(r"^`holdfast-tale ([^`]+)`")
PLOT = re.compile(r"^`scripts/(plot_[a-z]+\.py) (docs/[a-z-]+\.md)`")
CONSOLE = re.compile(r"^```\n\$ holdfast-tale ([^\n]+)\n(.*?)^```$", re.M | re.S)
NOTHING = re.compile(r"`holdfast-tale ([^`]+)`\s+finds\s+nothing")
CODE = re.compile(r"^<!-- code: (tale/\S+) -->$(.*?)^<!-- code: end -->$",
                  re.M | re.S)
LINES = re.compile(r"^<!-- lines: (tale/\S+) -->\n\n(.*?)\n\n", re.M | re.S)
SAYS = re.compile(r'\.says =((?:\s*"(?:[^"\\]|\\.)*")+)')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
BLOCK = re.compile(r"^```c\n(.*?)^```$", re.M | re.S)


def run(tale, words):
    """What the program prints; it may find what it did not expect."""
    done = subprocess.run([tale, *words], stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"docs.py: {shlex.join(words)}: exit code "
                         f"{done.returncode}")
    return done.stdout


def draw_tale(tale, words):
    """The picture that the program draws, or None."""
    with tempfile.TemporaryDirectory() as folder:
        drawn = pathlib.Path(folder) / "drawn.svg"
        run(tale, [*words, "--svg", str(drawn)])
        return drawn.read_bytes() if drawn.exists() else None


def draw_plot(script, page):
    done = subprocess.run([ROOT / "scripts" / script, ROOT / page],
                          stdout=subprocess.PIPE, check=False)
    return done.stdout if done.returncode == 0 else None


def check_picture(name, now, write):
    """Why the picture is not what is drawn now, or None."""
    if now is None:
        return "the command finds nothing to draw"
    if write:
        PICTURES.mkdir(exist_ok=True)
        (PICTURES / name).write_bytes(now)
    elif not (PICTURES / name).exists():
        return "it is missing; scripts/docs.py --write draws it"
    elif (PICTURES / name).read_bytes() != now:
        return "it is drawn otherwise now; scripts/docs.py --write"
    return None


def check_pictures(tale, page, text, write, shown):
    for name, below in PICTURE.findall(text):
        command, plot = COMMAND.match(below), PLOT.match(below)
        shown.add(name)
        why = "no command stands beside it"
        if command:
            now = draw_tale(tale, shlex.split(command[1]))
            why = check_picture(name, now, write)
        elif plot:
            why = check_picture(name, draw_plot(plot[1], plot[2]), write)
        if why:
            yield f"{page}: {name}: {why}"


def is_line(line, printed):
    if line.endswith(" ..."):
        return printed.startswith(line[:-3])
    return line == printed


def check_nothing(tale, page, text):
    for command in NOTHING.findall(text):
        if not re.search(": proved[,:] ", run(tale, shlex.split(command))):
            yield f"{page}: holdfast-tale {command} finds something"


def check_console(tale, page, text):
    for command, block in CONSOLE.findall(text):
        printed = iter(run(tale, shlex.split(command)).splitlines())
        for line in block.splitlines():
            if line != "..." and not any(is_line(line, so) for so in printed):
                yield f"{page}: holdfast-tale {command} does not print: {line}"
                break


def check_code(page, text):
    for path, between in CODE.findall(text):
        if "".join(BLOCK.findall(between)) != (ROOT / path).read_text():
            yield f"{page}: its code is not that of {path}"


def check_lines(page, text):
    """A draft on the page is that which is searched."""
    for path, shown in LINES.findall(text):
        source = (ROOT / path).read_text(encoding="utf-8")
        says = ["".join(STRING.findall(line)) for line in SAYS.findall(source)]
        listed = [f"{number}. {line}" for number, line in enumerate(says, 1)]
        if not says or " ".join(shown.split()) != " ".join(listed):
            yield f"{page}: its draft is not that of {path}"


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    write = "--write" in sys.argv[1:]
    shown = set()
    bad = []

    if len(words) != 1 or words[0].startswith("-"):
        sys.exit(__doc__)
    for path in sorted(DOCS.rglob("*.md")):
        page = path.relative_to(ROOT)
        text = path.read_text(encoding="utf-8")
        bad += check_pictures(words[0], page, text, write, shown)
        bad += check_console(words[0], page, text)
        bad += check_nothing(words[0], page, text)
        bad += check_code(page, text)
        bad += check_lines(page, text)
    bad += [f"docs/pictures/{file.name}: no document shows it"
            for file in sorted(PICTURES.glob("*")) if file.name not in shown]
    if len(shown) < 5:
        bad.append(f"docs: only {len(shown)} pictures found")
    for line in bad:
        print(line, file=sys.stderr)
    return 1 if bad else 0


sys.exit(main())
