#!/usr/bin/env python3
"""Build the small wrong changes of lab/mutants/list.txt, one at a time, and
make sure that each is caught by all that the list names: a proof of
holdfast-lab, tests, or both.  (Those of the shell: scripts/mutants_shell.py.)

usage: scripts/mutants.py [--build DIR] [--jobs N] [--survey] [--stand]
                          [--table FILE] [--tsv FILE] [NAME...]

  --build DIR   a build with tests (build/dev): its objects are linked anew
  --jobs N      so many at a time (5: some tests wait more than they work)
  --survey      ask every proof, and every test of the engine, not only those
                of the list, and print the list's lines that have changed
  --stand       only see that each stands, once, in the file that it names;
                those of the shell, too
  --table FILE  put the table between the marks of that file (docs/lab.md)
  --tsv FILE    write it with tabs, for holdfast-tale report --mutants FILE

Exit: 0 when each was caught by all that are named; 1 when one was not; 64
usage.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "lab/mutants/list.txt"
SHELL = ROOT / "lab/mutants/shell.txt"
BEGIN, END = "<!-- mutants: begin -->", "<!-- mutants: end -->"

# In this order: the developer's proofs, then longer ones.
PROOFS = [
    "takeover 2 1", "refuse 2 1", "mixed 2 1", "drift 2 1", "drift-beyond 2 1",
    "freeze 2 1", "freeze-refuse 2 1", "frozen-unfenced 2 1",
    "dead-refuse 2 1", "live 1 1", "give-up 2 1", "slow 2 1", "unequal 2 1",
    "same-host 2 1", "same-host-refuse 2 1", "purge 2 1", "try 2 1",
    "clear 2 1", "slow-place 2 0", "slow-place-refuse 2 0", "forgets 2 1",
    "forgets-refuse 2 1", "slow-place-live 1 1", "fine 2 1", "fine-refuse 2 1",
    "grace 2 1", "shell 2 1", "shell-refuse 2 1", "foreign 2 1",
    "try-refuse 2 1", "suspect 2 1", "trust-clock-beyond 2 1",
    "examine 2 0", "examine-live 1 1", "live 2 1", "takeover 2 2", "drift 2 2",
    "fine 2 2",
]
# Those that may be asked for a change of the engine.
TESTS = [
    "unit/test_question", "unit/test_evidence", "unit/test_keeper",
    "unit/test_keeper_claim", "unit/test_keeper_release",
    "unit/test_went_back", "unit/test_contender", "unit/test_contender_dead",
    "unit/test_contender_end", "unit/test_examiner", "unit/test_core_random",
]
NOTHING = "nothing"  # of the lab: it was asked, and finds nothing
STATES_MAX = "12000000"
STATES_MAX_ALONE = "2000000"  # of a proof in no list, which is made twice
WALKS = "3000"
SECONDS_MAX = 120  # of a test
PROOF_SECONDS_MAX = 300  # beside so many others


def listed():
    """The proofs of `make test`, `make prove` and `make prove-all`."""
    line = r'\{"([a-z-]+)", (\d), (\d), WORLDS_\w+\}'
    return {" ".join(found) for file in (ROOT / "lab").glob("*/worlds.c")
            for found in re.findall(line, file.read_text())}


LISTED = listed()


class Mutant:
    def __init__(self, name):
        self.name, self.about, self.file = name, None, None
        # A proof, "wander WORLD WORKERS", NOTHING, or None: it is not asked.
        self.lab = None
        self.tests = []
        self.nobody = None  # why no test can see it
        self.changes = [[]]  # lists of (sign, line)
        self.found = {}  # by the proof, or the test: how it caught it

    def apply(self):
        """The changed text of its file."""
        text = (ROOT / self.file).read_text()
        for change in self.changes:
            old = "".join(line + "\n" for sign, line in change if sign != "+")
            new = "".join(line + "\n" for sign, line in change if sign != "-")
            if old == new or text.count("\n" + old) != 1:
                raise ValueError(f"{self.name}: stands not once in {self.file}")
            text = text.replace("\n" + old, "\n" + new)
        return text


def read_list(path=LIST):
    mutants = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        mutant = mutants[-1] if mutants else None
        if line.startswith("== "):
            mutants.append(Mutant(line[3:]))
        elif line.startswith("#"):
            pass
        elif mutant and line == "@@":
            mutant.changes.append([])
        elif mutant and line[:1] in ("+", "-", " ") and line:
            mutant.changes[-1].append((line[0], line[1:]))
        elif mutant and line.startswith("tests: "):
            mutant.tests = line.removeprefix("tests: ").split(", ")
        elif mutant and line.startswith(("file: ", "lab: ", "nobody: ")):
            key, value = line.split(": ", 1)
            setattr(mutant, key, value)
        elif mutant and line and mutant.about is None:
            mutant.about = line
        elif line:
            sys.exit(f"{path}:{number}: what is this?")
    for mutant in mutants:  # a blank line before the next entry is no context
        while mutant.changes[-1] and mutant.changes[-1][-1] == (" ", ""):
            mutant.changes[-1].pop()
    return mutants


class Build:
    """The commands of a build, to be run again with one object changed."""

    def __init__(self, folder):
        self.folder = folder
        entries = json.loads((folder / "compile_commands.json").read_text())
        # Some are compiled for a test of theirs too: the product's comes last.
        self.compiling = {e["file"]: e for e in sorted(
            entries, key=lambda e: "-o test/" not in e["command"])}
        listed = subprocess.run(
            ["ctest", "--test-dir", folder, "--show-only=json-v1"], check=True,
            capture_output=True, text=True).stdout
        self.tests = {t["name"]: t for t in json.loads(listed)["tests"]}
        self.linking = {}

    def link_command(self, target):
        if target not in self.linking:
            lines = subprocess.run(
                ["ninja", "-C", self.folder, "-t", "commands", target],
                check=True, capture_output=True, text=True).stdout.split("\n")
            self.linking[target] = next(
                line for line in reversed(lines)
                if f"-o {target}" in line and " -c " not in line)
        return self.linking[target]

    def compile(self, mutant, folder):
        source = folder / pathlib.Path(mutant.file).name
        source.write_text(mutant.apply())
        words = shlex.split(
            self.compiling[str(ROOT / mutant.file)]["command"])
        at = words.index("-o")
        mutant.object = words[at + 1]
        words[at + 1] = str(folder / "mutant.o")
        words[words.index("-c") + 1] = str(source)
        words = [w for w in words if w != "-Werror"] + [
            "-w", "-I", str((ROOT / mutant.file).parent)]
        done = subprocess.run(words, cwd=self.folder, capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise ValueError(f"{mutant.name}: does not compile\n{done.stderr}")

    def link(self, target, mutant, folder, name=None):
        """With the changed object in the place of its like; or first, where its
        library follows, so that the library's own is not looked for.  Without
        either, as it is."""
        out = folder / (name or pathlib.Path(target).name)
        if out.exists():  # another test of the same program
            return out
        changed = str(folder / "mutant.o")
        folder_of, own = mutant.object.split(".dir/", 1)
        library = folder_of.rpartition("/")[2]
        words = [w for w in shlex.split(self.link_command(target))
                 if w not in ("&&", ":")]
        words[words.index("-o") + 1] = str(out)
        if any(w.endswith("/" + own) for w in words):
            words = [changed if w.endswith("/" + own) else w
                     for w in words]
        elif any(w.endswith(f"/lib{library}.a") for w in words):
            words.insert(next(i for i, w in enumerate(words)
                              if w.endswith(".o")), changed)
        subprocess.run(words, cwd=self.folder, check=True)
        return out

    def command(self, test, mutant, folder):
        """The test's, and its environment, with what it tests linked anew."""
        words = list(self.tests[test]["command"])
        env = dict(os.environ)
        program = self.folder / "bin/holdfast"
        own = [self.folder / "bin" / name for name in
               (test.replace("/", "_"), f"{test.split('/')[0]}_tests",
                "simulate", "simulate_server")]
        if words[0] in map(str, own):
            words[0] = str(self.link(f"bin/{pathlib.Path(words[0]).name}",
                                     mutant, folder))
        if str(program) in words:
            library = self.folder / "lib/libholdfast.so"
            self.link(f"lib/{library.resolve().name}", mutant, folder,
                      str(library.readlink()))
            env["LD_LIBRARY_PATH"] = str(folder)
            words[words.index(str(program))] = str(
                self.link("bin/holdfast", mutant, folder))
        return words, env


def said(done):
    """What a failed check said, without the place."""
    lines = [x for x in done.stderr.split("\n") if "check failed" in x]
    return "check " + lines[0].split("check failed: ")[-1] if lines else None


def run_walks(program, world, workers):
    """How walks at random caught it, or None."""
    try:
        done = subprocess.run(
            [program, "wander", "--walks", WALKS, "--workers", workers, world],
            capture_output=True, text=True, timeout=PROOF_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 1:
        return None
    seed, broken = done.stdout.split("\n")[0].split(": ", 1)
    return f"{broken} ({seed})"


def run_proof(program, proof):
    """How the proof caught it, or None."""
    if proof.startswith("wander "):
        return run_walks(program, *proof.split()[1:])
    world, workers, faults = proof.split()
    states = STATES_MAX if proof in LISTED else STATES_MAX_ALONE
    try:
        done = subprocess.run(
            [program, "prove", world, "--workers", workers, "--faults", faults,
             "--states", states, "--memory", "4", "--json"],
            capture_output=True, text=True, timeout=PROOF_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 1:
        return None  # a search that is cut short, or fails, says nothing
    report = json.loads(done.stdout.strip().split("\n")[-1])
    if (report["property"] or "").endswith(("NAMES_MAX", "WORLD_LATE_MAX")):
        return None  # the world is too small for it
    how = report["property"] or {
        "vacuous": "nobody is ever inside",
        "proved": "its limit is not found"}[report["verdict"]]
    return f"{how} ({report['states']:,} states, {report['seconds']:.1f} s)"


def run_to_its_end(words, env):
    """Who takes too long is asked to end, and stops what it started.  What it
    says goes into files: whoever it left behind would keep a pipe open."""
    with tempfile.TemporaryFile("w+", errors="replace") as out, \
            tempfile.TemporaryFile("w+", errors="replace") as err:
        running = subprocess.Popen(words, stdout=out, stderr=err, env=env,
                                   start_new_session=True)
        in_time = True
        for seconds, number in ((SECONDS_MAX, signal.SIGTERM),
                                (10, signal.SIGKILL), (None, None)):
            try:
                running.wait(timeout=seconds)
                break
            except subprocess.TimeoutExpired:
                in_time = False
                os.killpg(running.pid, number)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)  # whoever is left
        if not in_time:
            return None
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, running.returncode,
                                           out.read(), err.read())


def run_test(build, mutant, folder, test):
    """How the test caught it, or None."""
    words, env = build.command(test, mutant, folder)
    done = run_to_its_end(words, env)
    if done is None:
        return "never ends"
    if done.returncode in (0, 77):
        return None
    lines = done.stderr.split("\n") + done.stdout.split("\n")
    failed = [line.split("] ")[1].split(":")[0] for line in lines
              if line.startswith("[  FAILED  ] ") and "test(s)" not in line]
    failed += [line.split(" - ", 1)[1] for line in lines
               if line.startswith("not ok ") and " - " in line]
    # A simulation says which promise was broken, and in which world.
    failed += [f"{line.split(': ')[2]} ({line.split(':')[0]})"
               for line in lines if re.match("seed [0-9]+: broken: ", line)]
    return failed[0] if failed else said(done) or "fails"


def sound(build, mutants, survey, pool):
    """The proofs that say of the unchanged machines what they should: only
    what these find is the mutant's doing.  A proof that is listed is made by
    whoever makes all of those."""
    asked = PROOFS if survey else sorted(
        {m.lab for m in mutants if m.lab not in (None, NOTHING)})
    alone = [proof for proof in asked if proof not in LISTED]
    program = build.folder / "bin/holdfast-lab"
    useless = []
    for proof, how in zip(alone, pool.map(
            lambda proof: run_proof(program, proof), alone)):
        if how:
            print(f"of no use, without any mutant: {proof}: {how}",
                  flush=True)
            useless.append(proof)
    return [proof for proof in asked if proof not in useless]


def is_of_the_lab(mutant):
    return mutant.file.startswith(("src/core/", "explore/", "lab/"))


def try_one(build, mutant, survey, proofs):
    """Whoever the list names; in a survey whoever could be named, too."""
    folder = build.folder / "mutants" / mutant.name
    folder.mkdir(parents=True, exist_ok=True)
    build.compile(mutant, folder)
    asked = [mutant.lab] if mutant.lab in proofs else []
    tests = list(mutant.tests)
    if is_of_the_lab(mutant) and (asked or survey):
        program = build.link("bin/holdfast-lab", mutant, folder)
        asked += [p for p in proofs if p not in asked] if survey else []
        for proof in asked:
            how = run_proof(program, proof)
            if how:
                mutant.found[proof] = how
                break
    if survey and mutant.file.startswith("src/core/"):
        tests += [t for t in TESTS if t not in tests]
    for test in tests:
        how = run_test(build, mutant, folder, test)
        if how:
            mutant.found[test] = how
        if how and survey and test not in mutant.tests:
            break
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def named(mutant):
    return ([mutant.lab] if mutant.lab not in (None, NOTHING) else []) + \
        mutant.tests


def by_lab(mutant, nobody=("finds nothing", "is not asked")):
    for who, how in mutant.found.items():
        if "/" not in who:
            return f"{who}: {how}"
    return nobody[0] if mutant.lab == NOTHING else nobody[1]


def by_tests(mutant):
    caught = [f"{who}: {how}" for who, how in mutant.found.items()
              if "/" in who]
    return "; ".join(caught) or "-"


def table(mutants):
    yield "| mutant | what is wrong | the lab | tests |"
    yield "|---|---|---|---|"
    for m in mutants:
        yield f"| {m.name} | {m.about} | {by_lab(m)} | {by_tests(m)} |"


def tsv(mutants):
    yield "mutant\tfile\twrong\tlab\tunit"
    for m in mutants:
        yield "\t".join((m.name, m.file, m.about, by_lab(m, ("-", "-")),
                         by_tests(m)))


def put_table(path, lines):
    text = path.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    path.write_text(head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + tail)


def options():
    parser = argparse.ArgumentParser(add_help=True)
    parser.add_argument("--build", default="build/dev", type=pathlib.Path)
    parser.add_argument("--jobs", default=5, type=int)
    parser.add_argument("--survey", action="store_true")
    parser.add_argument("--stand", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--tsv", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def see_that_they_stand(mutants):
    bad = 0
    for mutant in mutants:
        try:
            mutant.apply()
        except (OSError, ValueError) as wrong:
            bad += 1
            print(wrong)
    print(f"{len(mutants)} mutants, {len(mutants) - bad} stand")
    return 1 if bad else 0


def main():
    args = options()
    mutants = read_list()
    if args.names:
        mutants = [m for m in mutants if m.name in args.names]
    if args.stand:
        return see_that_they_stand(mutants + read_list(SHELL))
    build = Build(args.build.resolve())
    started = time.monotonic()
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        proofs = sound(build, mutants, args.survey, pool)
        futures = [pool.submit(try_one, build, m, args.survey, proofs)
                   for m in mutants]
        for m, future in zip(mutants, futures):
            try:
                future.result()
            except ValueError as wrong:
                bad += 1
                print(f"{m.name}: {wrong}", flush=True)
                continue
            missed = [who for who in named(m) if who not in m.found]
            if missed or not m.found:
                bad += 1
                print(f"{m.name}: NOT CAUGHT by {', '.join(missed) or 'anyone'}",
                      flush=True)
            for who, how in m.found.items():
                new = "" if who in named(m) else "   [is not in the list]"
                print(f"{m.name}: {who}: {how}{new}", flush=True)
    print(f"{len(mutants)} mutants, {len(mutants) - bad} caught, in "
          f"{time.monotonic() - started:.0f} s")
    if args.table:
        put_table(args.table, table(mutants))
    if args.tsv:
        args.tsv.write_text("".join(line + "\n" for line in tsv(mutants)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
