#!/usr/bin/env python3
"""Build the small wrong changes of lab/mutants/shell.txt, one at a time, and
make sure that a test sees each: one that the list names, in this order.

Each is built and tested in an overlay of this tree, in namespaces of its own:
whatever is linked anew stands where the tests look for it, and nothing is
changed or left behind.

usage: scripts/mutants_shell.py [--build DIR] [--jobs N] [--ask REGEX]
                                [--seconds N] [--seed N] [NAME...]

  --build DIR   a build with tests (build/dev)
  --jobs N      so many at a time (2)
  --ask REGEX   ask these tests, and not those of the list
  --seconds N   begin none after so long: a share of them, of the seed's choice
  --seed N      the seed (that of the day)

Exit: 0 when each that was tried was caught; 1 when one was not; 64 usage;
77 when nothing can be mounted here.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

from mutants import ROOT, SHELL, read_list

SKIPPED = 77
SECONDS_MAX = 120
LOOK_S = 0.1
# What tests start by itself, or take in.
PRODUCTS = ("bin/holdfast", "bin/holdfastd", "lib/holdfast/holdfast-http.so",
            "lib/holdfast/place-postgresql.so",
            "lib/libholdfast.so")
# Where tests keep files: of those that are cut short nothing may stay.
KEPT = ("/tmp", "/dev/shm")
FAILED = re.compile(r"\[  FAILED  \] [a-z]|not ok |(FAIL|ERROR): test")


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=ROOT / "build/dev",
                        type=pathlib.Path)
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--ask", default=None)
    parser.add_argument("--seconds", default=None, type=float)
    parser.add_argument("--seed", type=int,
                        default=datetime.date.today().toordinal())
    parser.add_argument("--inside", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    args.build = args.build.resolve()
    return args


# ---- In an overlay ----------------------------------------------------------


def mount(kind, folder, *options_of):
    subprocess.run(["mount", "-t", kind, *options_of, kind, folder], check=True)


def cover_tree(mutant, place):
    """Here, and for nobody else, the tree is one with the change in it."""
    mount("tmpfs", place)
    upper, work = place / "upper", place / "work"
    upper.mkdir()
    work.mkdir()
    if mutant is not None:
        source = upper / mutant.file
        source.parent.mkdir(parents=True)
        source.write_text(mutant.apply())
    mount("overlay", ROOT, "-o", f"lowerdir={ROOT},upperdir={upper},"
          f"workdir={work},userxattr")
    for folder in KEPT:
        if not ROOT.is_relative_to(folder):
            mount("tmpfs", folder)
    os.chdir(ROOT)  # which is another folder now


def read_tests(build):
    listed = subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
        capture_output=True, text=True).stdout
    return {t["name"]: t for t in json.loads(listed)["tests"]}


def property_of(test, name, otherwise):
    found = [p["value"] for p in test["properties"] if p["name"] == name]
    return found[0] if found else otherwise


def link(build, tests):
    """Whatever of the tests, and of the product, is made of the changed file;
    what went wrong, or None."""
    files = {pathlib.Path(word) for test in tests for word in test["command"]
             if word.startswith(f"{build}/")}
    targets = {str(file.relative_to(build)) for file in files if file.is_file()}
    targets |= {name for name in PRODUCTS if (build / name).exists()}
    done = subprocess.run(["ninja", "-C", build, *sorted(targets)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    return None if done.returncode == 0 else done.stdout[-2000:]


def failure_in(file):
    return next((line.strip() for line in file.read_text(errors="replace")
                 .splitlines() if FAILED.match(line)), None)


def run_test(test):
    """What it said when it failed, or None.  Nobody waits for its end then, nor
    for that of what it started: all goes with the namespace."""
    env = dict(os.environ)
    env.update(entry.split("=", 1)
               for entry in property_of(test, "ENVIRONMENT", []))
    until = time.monotonic() + SECONDS_MAX
    with tempfile.NamedTemporaryFile() as out:
        said = pathlib.Path(out.name)
        running = subprocess.Popen(
            test["command"], stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT, env=env,
            cwd=property_of(test, "WORKING_DIRECTORY", ROOT))
        while running.poll() is None:
            if failure_in(said):
                return failure_in(said)
            if time.monotonic() > until:
                return "never ends"
            time.sleep(LOOK_S)
        if running.returncode in (0, property_of(test, "SKIP_RETURN_CODE", 0)):
            return None
        lines = said.read_text(errors="replace").split("\n")
        return failure_in(said) or next(filter(None, reversed(lines)), "fails")


def ask_tests(build, mutant, place, ask):
    """What is to be known of it; None is the tree as it stands."""
    cover_tree(mutant, place)
    tests = read_tests(build)
    if ask is not None:
        names = [name for name in tests if re.search(ask, name)]
    else:
        names = mutant.tests
    unknown = [name for name in names if name not in tests]
    if unknown:
        return {"wrong": f"no such test: {', '.join(unknown)}"}
    asked = [tests[name] for name in names]
    wrong = link(build, asked)
    if wrong:
        return {"wrong": f"does not compile\n{wrong}"}
    for test in asked:
        said = run_test(test)
        if said:
            return {"caught": test["name"], "said": said}
    return {"missed": names}


# ---- Outside ----------------------------------------------------------------


def in_namespaces(words):
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["setpriv", "--pdeathsig", "KILL",
            "unshare", *user, "--mount", "--pid", "--fork", "--kill-child",
            "--mount-proc", *words]


def can_mount():
    with tempfile.TemporaryDirectory() as place:
        script = (f"mount -t tmpfs tmpfs {place} && "
                  f"mkdir {place}/upper {place}/work && "
                  f"mount -t overlay -o lowerdir={ROOT},userxattr,"
                  f"upperdir={place}/upper,workdir={place}/work overlay {ROOT}")
        return subprocess.run(in_namespaces(["sh", "-c", script]),
                              capture_output=True).returncode == 0


def look_at(args, mutant, ask):
    """What the tests say of it: those that are asked, or those of the list."""
    asked = [] if ask is None else ["--ask", ask]
    names = [] if mutant is None else [mutant.name]
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            in_namespaces([sys.executable, __file__, "--build", args.build,
                           *asked, "--inside", place, *names]),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return {"wrong": "could not be tried"}
    return json.loads(done.stdout)


class Unchanged:
    """What a test says of the tree as it stands: of no use is one that fails
    there, too.  Each is asked once."""

    def __init__(self, args):
        self.args, self.mutex, self.said = args, threading.Lock(), {}

    def fails(self, test):
        with self.mutex:
            if test not in self.said:
                found = look_at(self.args, None, f"^{re.escape(test)}$")
                self.said[test] = found.get("said") or found.get("wrong")
            return self.said[test]


def try_one(mutant, args, unchanged, until):
    """What was found of it; None: there was no time."""
    if until is not None and time.monotonic() >= until:
        return None
    found = look_at(args, mutant, args.ask)
    if "caught" in found and unchanged.fails(found["caught"]):
        return {"wrong": f"{found['caught']} fails without it: "
                         f"{unchanged.fails(found['caught'])}"}
    return found


def say(mutant, found):
    """True: it was caught."""
    if "caught" in found:
        print(f"{mutant.name}: {found['caught']}: {found['said']}", flush=True)
        return True
    if "wrong" in found:
        print(f"{mutant.name}: {found['wrong']}", flush=True)
    else:
        print(f"{mutant.name}: NOT CAUGHT by "
              f"{', '.join(found['missed']) or 'anyone'}", flush=True)
    return False


def choose(args):
    """Those that a test can see, in the order in which they are tried."""
    mutants = [m for m in read_list(SHELL)
               if not args.names or m.name in args.names]
    if args.seconds is not None:
        random.Random(args.seed).shuffle(mutants)
        print(f"seed {args.seed}", flush=True)
    return [m for m in mutants if args.names or not m.nobody]


def main():
    args = options()
    mutants = choose(args)
    if args.inside:
        print(json.dumps(ask_tests(
            args.build, mutants[0] if args.names else None, args.inside,
            args.ask)))
        return 0
    if not can_mount():
        print("skipped: no overlay can be mounted here")
        return SKIPPED
    begun = time.monotonic()
    until = None if args.seconds is None else begun + args.seconds
    unchanged = Unchanged(args)
    caught = tried = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for mutant, found in zip(mutants, pool.map(
                lambda m: try_one(m, args, unchanged, until), mutants)):
            if found is not None:
                tried += 1
                caught += say(mutant, found)
    print(f"{len(mutants)} mutants, {tried} tried, {caught} caught, in "
          f"{time.monotonic() - begun:.0f} s")
    return 0 if caught == tried else 1


if __name__ == "__main__":
    sys.exit(main())
