#!/usr/bin/env python3
"""circles.py [BUILD]: no circle of files, and no include against the calls.

Who calls whom is read from the object files of a build (build/dev) by nm, so
a static namesake is no call.  A circle is files that reach each other by
calls.  An include runs against the calls if it names the header of a file
from which calls come back: then a part knows who uses it.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOMS = ("src", "explore", "lab", "tale", "bench", "examples")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def objects(build, root):
    """The object files that the build makes, and the source of each."""
    found = {}
    units = build / "compile_commands.json"
    if not units.exists():
        sys.exit("circles.py: no build in %s: scripts/build.sh dev" % build)
    for unit in json.loads(units.read_text()):
        file = pathlib.Path(unit["file"]).resolve()
        words = shlex.split(unit["command"])
        made = pathlib.Path(unit["directory"], words[words.index("-o") + 1])
        if not file.is_relative_to(root):
            continue
        file = file.relative_to(root)
        if file.parts[0] not in ROOMS:
            continue
        if not made.exists():
            sys.exit("circles.py: %s is not built: scripts/build.sh dev" % file)
        found[str(made)] = str(file.with_suffix(""))
    return found


def calls_of(found):
    """Of each file without its suffix: those it calls, and what of each."""
    defines, uses = {}, {}
    text = subprocess.run(["nm", "-A", *found], check=True, text=True,
                          capture_output=True).stdout
    for line in text.splitlines():
        made, symbol = line.split(":", 1)
        kind, name = symbol.split()[-2:]
        if kind == "U":
            uses.setdefault(name, set()).add(found[made])
        elif kind.isupper():
            defines.setdefault(name, set()).add(found[made])
    calls = {file: {} for file in found.values()}
    for name, users in uses.items():
        owners = sorted(defines.get(name, ()))
        for user in users if owners else ():  # else it is a library's
            # Of two programs each has its own: that of the same room.
            owner = max(owners, key=lambda one: len(
                os.path.commonprefix([one, user])))
            if owner != user:
                calls[user].setdefault(owner, set()).add(name)
    return calls


def reach_of(calls, file):
    seen, todo = set(), [file]
    while todo:
        for owner in calls.get(todo.pop(), ()):
            if owner not in seen:
                seen.add(owner)
                todo.append(owner)
    return seen


def circles_of(reach):
    return {tuple(sorted(b for b in reach[a] if a in reach[b]))
            for a in reach if a in reach[a]}


def includes_of(reach, root):
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.[ch]")):
            file = str(path.relative_to(root).with_suffix(""))
            for name in INCLUDE.findall(path.read_text()):
                owner = next(
                    (str(at.relative_to(root).with_suffix(""))
                     for at in (path.parent / name, root / "src" / name,
                                root / name) if at.exists()), None)
                if owner != file and file in reach.get(owner, ()):
                    yield file, owner


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/dev")
    calls = calls_of(objects(build, root))
    reach = {file: reach_of(calls, file) for file in calls}
    circles, includes = circles_of(reach), set(includes_of(reach, root))

    for circle in sorted(circles):
        print("a circle of files: " + " ".join(circle))
        for a in circle:
            for b in sorted(set(circle) & set(calls[a])):
                print("    %s calls %s: %s" %
                      (a, b, " ".join(sorted(calls[a][b]))))
    for file, owner in sorted(includes):
        print("%s includes %s.h, which calls it" % (file, owner))
    print("circles.py: %d files, %d circles, %d includes against the calls" %
          (len(calls), len(circles), len(includes)))
    return bool(circles or includes)


if __name__ == "__main__":
    sys.exit(main())
