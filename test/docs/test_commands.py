#!/usr/bin/env python3
"""Every block of commands in the README, the documents and the man pages, and
every example of --help, is run as it is printed.

usage: test_commands.py BUILD SOURCE

A block is typed into a shell that ends at the first command that fails, in an
empty home, beside stand-ins for ./migrate and its like; what stands under /srv
is in a folder of the test.  Where a block begins with show, why or clear, there
is a lock of that name, whose holder was killed.

A block that cannot be run has a comment before it that says why, as
<!-- not run: WHY -->, on a man page .\\" not run: WHY.  What is no command is
```text.  SQL, blocks that begin with "$ ", and C between "code:" comments are
the business of other tests; any other C is the file that the next block
compiles.  Python is a program, run by python3 with the module that was
installed.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

DOCUMENTS = ["*.md", "*/README.md", "bindings/*/README.md", "docs/**/*.md"]
PAGES = ["man/holdfast.1", "man/holdfast-lab.1", "man/holdfast-tale.1"]
NOT_EMPTY = {"README.md", "CONTRIBUTING.md", "docs/lab.md",
             "docs/specimens.md", *PAGES}
ELSEWHERE = {"sql", "text"}
STAND_INS = {
    "make-report": "echo a report",
    "backup.sh": "echo a copy",
    "migrated": "test -e finished",
    "migrate": "touch finished",
    "migrate.sh": "touch finished",
    "start": "echo started",
}
TAKES_WORD = {"--at", "--space", "--reason", "--watch"}
LIMIT_S = 240

FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.M | re.S)
CODE = re.compile(r"^<!-- code: tale/.*?^<!-- code: end -->$", re.M | re.S)
MARK = re.compile(r"<!-- not run: (.+) -->\s*\Z")
EXAMPLE = re.compile(r"^\.nf\n(.*?)^\.fi$", re.M | re.S)
PAGE_MARK = re.compile(r"^\.\\\" not run: (.+)\n(?:\.PP\n)?\Z", re.M)
HELP = re.compile(r"^  (holdfast(?:-lab|-tale)? (?:.*\\\n)*.*)$", re.M)


class Block:
    def __init__(self, where, text, why=None, source=None):
        self.where, self.text = where, text
        self.why = why  # it is not run, or None
        self.source = source  # C that it compiles, or None


# ---- What is printed ---------------------------------------------------------

def blocks_of_document(name, text):
    """The blocks of a document in Markdown."""
    shown = [match.span() for match in CODE.finditer(text)]
    source = None
    for match in FENCE.finditer(text):
        kind, body = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        if kind == "c":
            if not any(a < match.start() < b for a, b in shown):
                source = body
            continue
        if kind in ELSEWHERE or body.startswith("$ "):
            continue
        if kind == "python":
            body = f"python3 - <<'END'\n{body}END\n"
        elif kind not in ("", "sh"):
            raise SystemExit(f"{name}:{line}: what is a block of {kind}?")
        mark = MARK.search(text, 0, match.start())
        yield Block(f"{name}:{line}", body, mark and mark[1], source)
        source = None
    if source:
        raise SystemExit(f"{name}: no block compiles its C")


def blocks_of_page(name, text):
    """The examples of a man page."""
    for match in EXAMPLE.finditer(text):
        body = re.sub(r"\\([-e])", lambda m: {"-": "-", "e": "\\"}[m[1]],
                      match[1])
        line = text.count("\n", 0, match.start()) + 1
        mark = PAGE_MARK.search(text, 0, match.start())
        yield Block(f"{name}:{line}", body, mark and mark[1])


def blocks_of_help(program, words):
    """The examples of a text of --help."""
    text = subprocess.run([program, *words, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    name = " ".join([program, *words, "--help"])
    for example in HELP.findall(text):
        example = re.split(r"(?<=\S)  +(?=\S)", example)[0]
        word = re.search(r"\b[A-Z]{3,}\b", example)
        yield Block(f"{name}: {example.split(chr(10))[0]}", example + "\n",
                    word and f"{word[0]} stands for a word of the reader's")


def blocks_of_program(program):
    yield from blocks_of_help(program, [])
    text = subprocess.run([program, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    for verb in re.findall(r"^  ([a-z]+)  ", text, re.M):
        yield from blocks_of_help(program, [verb])


def all_blocks(source):
    """Every block, as (where it is found, the blocks)."""
    for pattern in DOCUMENTS:
        for path in sorted(source.glob(pattern)):
            name = str(path.relative_to(source))
            yield name, list(blocks_of_document(name, path.read_text()))
    for name in PAGES:
        yield name, list(blocks_of_page(name, (source / name).read_text()))
    yield "holdfast --help", list(blocks_of_program("holdfast"))
    for program in "holdfast-lab", "holdfast-tale": # one text for all verbs
        yield f"{program} --help", list(blocks_of_help(program, []))


# ---- What is run -------------------------------------------------------------

def await_true(what, condition):
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"Bail out! waited in vain: {what}")
        time.sleep(0.02)


def run(folder, text, **how):
    """Type it into a shell; its exit code, and what it said.  Nothing of it
    is left running."""
    shell = subprocess.Popen(
        ["bash", "-e", "-o", "pipefail", "-c", text], cwd=folder / "work",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True, text=True, **how)
    try:
        said = shell.communicate(timeout=LIMIT_S)[0]
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        said = shell.communicate()[0] + f"\nnot done in {LIMIT_S} s\n"
    return shell.returncode, said


def prepare(folder, block):
    """A home, and a folder to work in."""
    work = folder / "work"
    work.mkdir(parents=True)
    (folder / "home").mkdir()
    os.environ.update(HOME=str(folder / "home"),
                      XDG_STATE_HOME=str(folder / "home/state"),
                      HOLDFAST_AT=f"sqlite:{folder}/home/locks.db")
    for name, does in STAND_INS.items():
        (work / name).write_text(f"#!/bin/sh\n{does}\n")
        (work / name).chmod(0o755)
    (work / "Makefile").write_text("nightly:\n\t@echo tidy\n")
    text = block.text.replace("/srv/", f"{folder}/srv/")
    for below in re.findall(r"/srv/([a-z]+)/", block.text):
        (folder / "srv" / below).mkdir(parents=True, exist_ok=True)
    if block.source:
        (work / re.search(r"\S+\.c\b", text)[0]).write_text(block.source)
    return text


def lock_of(text):
    """The options and the name of the lock that the first line looks at."""
    words = shlex.split(text.replace("\\\n", " ").split("\n")[0], comments=True)
    if len(words) < 2 or words[1] not in ("show", "why", "clear"):
        return [], None
    place, name, rest = [], None, iter(words[2:])
    for word in rest:
        if word == "|":
            break
        value = next(rest) if word in TAKES_WORD else None
        if word in ("--at", "--space"):
            place += [word, value]
        elif not word.startswith("-"):
            name = word
    return place, name


def leave_a_dead_holder(folder, place, name):
    command = ["holdfast", "run", *place, "--if-dead", "refuse", name, "--",
               "sh", "-c", "touch begun; exec sleep 600"]
    look = ["holdfast", "why", *place, "--json", name]
    with open(folder / "holder", "w") as said, \
            subprocess.Popen(command, cwd=folder, stdout=said,
                             stderr=said) as holder:
        await_true("the lock is held", (folder / "begun").exists)
        holder.kill()

    def is_gone():
        done = subprocess.run(look, check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)["seen"]["life"] == "gone"

    await_true("its holder is gone", is_gone)


def shown(block, here):
    """Why it is not as it is printed, or None."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=here))
    text = prepare(folder, block)
    place, name = lock_of(text)
    if name:
        leave_a_dead_holder(folder, place, name)
    code, said = run(folder, text)
    if code == 0 and block.source:
        code, said = run(folder, "./" + re.search(r"-o (\S+)", text)[1])
    return None if code == 0 else f"exit code {code}\n{said}"


def install(build, here):
    """Put what was built where it is found, as `make install` does."""
    root = here / "root"
    subprocess.run(["cmake", "--install", build], check=True,
                   stdout=subprocess.DEVNULL,
                   env=dict(os.environ, DESTDIR=str(root)))
    program = next(root.rglob("bin/holdfast"))
    config = next(root.rglob("holdfast.pc"))
    module = next(root.rglob("share/holdfast/python"))
    for name in [name for name in os.environ if name.startswith("HOLDFAST_")]:
        del os.environ[name]
    os.environ.update(
        PATH=f"{program.parent}:{os.environ['PATH']}",
        PKG_CONFIG_PATH=str(config.parent), PKG_CONFIG_SYSROOT_DIR=str(root),
        LD_LIBRARY_PATH=str(config.parent.parent), MAKEFLAGS="",
        PYTHONPATH=str(module), LC_ALL="C.UTF-8")


def hide_default_place():
    """Root's is the machine's: what an earlier run or anybody else left there
    is hidden behind an empty folder, where that can be."""
    apart = ["unshare", "--mount", "--propagation", "private", "sh", "-c",
             'mount -t tmpfs none /var/lib && exec "$0" "$@"']
    if os.geteuid() != 0 or "HOLDFAST_TEST_APART" in os.environ or \
            subprocess.run(apart + ["true"], capture_output=True).returncode:
        return
    os.environ["HOLDFAST_TEST_APART"] = "yes"
    os.execvp(apart[0], apart + [sys.executable, *sys.argv])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    hide_default_place()
    build, source = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    here = pathlib.Path(tempfile.mkdtemp())
    number = failed = done = skipped = 0

    def tell(good, what):
        nonlocal number, failed
        number += 1
        failed += not good
        print("ok" if good else "not ok", number, "-", what, flush=True)

    try:
        install(build, here)
        for name, blocks in all_blocks(source):
            if name in NOT_EMPTY or name.endswith("--help"):
                tell(blocks, f"{name} has blocks of commands")
            for block in blocks:
                if block.why:
                    skipped += 1
                    tell(True, f"{block.where} # SKIP {block.why}")
                    continue
                done += 1
                why = shown(block, here)
                tell(why is None, block.where)
                for line in (why or "").splitlines():
                    print(f"#   {line}")
    finally:
        shutil.rmtree(here)
    print(f"1..{number}\n# {done} run, {skipped} not run")
    sys.exit(1 if failed else 0)


main()
