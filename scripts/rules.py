#!/usr/bin/env python3
"""Check the small rules of STYLE.md that neither compiler nor clang-tidy
knows: 80 columns, 70 lines a function, banned calls, one place for the heap
and one for the clock, block comments, no unfinished business, specimens of
less than 100 lines, four words with the mark of a rule, and in src a tag for one
thing only.
"""

import re
import subprocess
import sys

COLUMNS = 80
FUNCTION_LINES = 70
SPECIMEN_LINES = 99

BANNED = ("strcpy strcat sprintf vsprintf strtok atoi atol atof gets alloca "
          "rand srand time localtime gmtime ctime signal system").split()
HEAP = "malloc calloc realloc free strdup strndup asprintf".split()
CLOCK = ("clock_gettime gettimeofday clock timespec_get sleep usleep").split()

# Where the heap and the clock are at home.
HEAP_HOME = {"src/base/alloc.c"}
CLOCK_HOME = {"src/base/clock.c"}


COMMENT = re.compile(r"/\*.*?\*/", re.S)
MARK = re.compile(r"\[[A-Z]\d{0,2}(?:[-, ]+[A-Z]?\d{0,2})*\]")
TAG = re.compile(r"^\s*(?:typedef )?(?:struct|enum|union) (\w+) \{", re.M)


def calls(names):
    return re.compile(r"(?<![\w.>])(" + "|".join(names) + r")\s*\(")


BANNED_CALL, HEAP_CALL, CLOCK_CALL = calls(BANNED), calls(HEAP), calls(CLOCK)


def code_of(text):
    """The text with comments, strings and characters blanked out; lines and
    columns stay where they are.  A // comment stays, to be complained of."""
    token = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                       re.S)
    return token.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def functions(lines):
    """(line number, length) of each function: its braces are in column 1."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            yield start, number - start + 1
            start = None


def bare_marks(text):
    """The line of each comment that names a rule of docs/protocol.md and says
    less than four words of it."""
    for comment in COMMENT.finditer(text):
        said = comment.group()
        if (MARK.search(said) and "----" not in said
                and len(re.findall(r"[A-Za-z]+", MARK.sub("", said))) < 4):
            yield text.count("\n", 0, comment.start()) + 1


def tags_twice(paths):
    """(path, line, tag) of each tag of src that another file has, too."""
    first = {}
    for path in paths:
        if not path.startswith(("src/", "include/")):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in TAG.finditer(text):
            if first.setdefault(match.group(1), path) != path:
                yield (path, text.count("\n", 0, match.start(1)) + 1,
                       match.group(1))


def check(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    code = code_of(text)
    product = path.startswith(("src/", "include/", "explore/", "lab/",
                               "tale/", "examples/"))

    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS:
            yield number, f"{len(line)} columns, more than {COLUMNS}"
        if re.search(r"\b(TODO|FIXME|XXX)\b", line):
            yield number, "unfinished business"
        if line != line.rstrip() or "\t" in line:
            yield number, "a tab, or blanks at the end"
    for number, line in enumerate(code.split("\n"), 1):
        if "//" in line:
            yield number, "comments are /* like this */"
        for match in BANNED_CALL.finditer(line):
            yield number, f"{match.group(1)} is banned"
        if not path.startswith("src/"):
            continue
        for match in HEAP_CALL.finditer(line):
            if path not in HEAP_HOME:
                yield number, f"{match.group(1)}: the heap is in base/alloc.c"
        for match in CLOCK_CALL.finditer(line):
            if path not in CLOCK_HOME:
                yield number, f"{match.group(1)}: the clock is in base/clock.c"
    if (re.search(r"^const struct specimen specimen_", code, re.M)
            and text.count("\n") > SPECIMEN_LINES):
        yield 1, f"a specimen of more than {SPECIMEN_LINES} lines"
    for number in bare_marks(text):
        yield number, "the mark of a rule with less than four words"
    if product:
        for number, length in functions(code.split("\n")):
            if length > FUNCTION_LINES:
                yield number, f"a function of {length} lines"


def main():
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h"], check=True,
                            capture_output=True, text=True).stdout.split()
    bad = 0
    for path in listed:
        for number, why in check(path):
            print(f"{path}:{number}: {why}")
            bad += 1
    for path, number, tag in tags_twice(listed):
        print(f"{path}:{number}: {tag} is the tag of another thing, too")
        bad += 1
    return 1 if bad else 0


sys.exit(main())
