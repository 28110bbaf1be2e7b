#!/usr/bin/env python3
"""Print what of a build some tests need: the targets that their commands and
their environments name, one a line, for ninja; "all" where one is told the
folder of the build.

usage: scripts/programs.py BUILD CTEST-ARGUMENT...

The tests are those that ctest would run; BUILD is configured, and need not be
built.
"""

import pathlib
import re
import subprocess
import sys

LISTED = re.compile(r"^ +Test +#\d+: (\S+)", re.M)
# Two lines a test of CTestTestfile.cmake.
TOLD = re.compile(r"^(?:add_test|set_tests_properties)\((.*)\)$", re.M)
NAME = re.compile(r"^\[=\[(.*?)\]=\]|^\"(.*?)\"|^(\S+)")
# They are started, or loaded, by their own names.
ALWAYS = ("bin/holdfast", "bin/holdfastd", "lib/holdfast/holdfast-http.so",
          "lib/holdfast/place-postgresql.so")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = set(LISTED.findall(subprocess.run(
        ["ctest", "--test-dir", build, "--show-only", *sys.argv[2:]],
        check=True, capture_output=True, text=True).stdout))
    whole = f'"{build}"'  # it is told where all of it is
    file_in_build = re.compile(re.escape(f"{build}/") + r"([^\"\\;: ]+)")
    files = set(ALWAYS)
    for told in build.rglob("CTestTestfile.cmake"):
        for line in TOLD.findall(told.read_text()):
            if next(filter(None, NAME.match(line).groups())) in wanted:
                files.update(file_in_build.findall(line))
                files.update(["all"] if whole in line else [])
    made = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"],
                          check=True, capture_output=True, text=True).stdout
    made = {line.rpartition(": ")[0] for line in made.splitlines()}
    print("\n".join(sorted(files & made)))


main()
