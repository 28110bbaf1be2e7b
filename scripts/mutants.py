#!/usr/bin/env python3
"""Build the small wrong changes of lab/mutants/list.txt, one at a time, and
make sure that each is caught: by a proof of holdfast-lab or by a unit test.

usage: scripts/mutants.py [--build DIR] [--jobs N] [--survey] [--table FILE]
                          [--tsv FILE] [NAME...]

  --build DIR   a build with tests (build/dev): its objects are linked anew
  --jobs N      so many at a time (2)
  --survey      ask every proof and every test, not only those of the list,
                and print the list's lines that have changed
  --table FILE  put the table between the marks of that file (docs/lab.md)
  --tsv FILE    write it with tabs, for holdfast-lab report --mutants FILE

Exit: 0 when each was caught; 1 when one survived; 64 usage.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "lab/mutants/list.txt"
BEGIN, END = "<!-- mutants: begin -->", "<!-- mutants: end -->"

# In this order: the developer's proofs, then longer ones.
PROOFS = [
    "takeover 2 1", "refuse 2 1", "mixed 2 1", "drift 2 1", "drift-beyond 2 1",
    "freeze 2 1", "freeze-refuse 2 1", "frozen-unfenced 2 1",
    "dead-refuse 2 1", "live 1 1", "give-up 2 1", "slow 2 1", "unequal 2 1",
    "same-host 2 1", "same-host-refuse 2 1", "purge 2 1", "try 2 1",
    "clear 2 1", "slow-place 2 0", "slow-place-refuse 2 0", "forgets 2 1",
    "forgets-refuse 2 1", "slow-place-live 1 1", "live 2 1", "takeover 2 2",
    "drift 2 2",
]
TESTS = [
    "test_question", "test_evidence", "test_keeper", "test_keeper_claim",
    "test_keeper_release", "test_went_back", "test_contender",
    "test_contender_dead", "test_contender_end", "test_examiner",
    "test_core_random",
]
STATES_MAX = "12000000"
SECONDS_MAX = 120


class Mutant:
    def __init__(self, name):
        self.name, self.about, self.file = name, None, None
        self.lab, self.unit = None, None
        self.changes = [[]]  # lists of (sign, line)
        self.found = {}  # "lab" and "unit": what caught it, as a phrase
        self.wrong = None  # why it proves nothing

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


def read_list():
    mutants = []
    for number, line in enumerate(LIST.read_text().split("\n"), 1):
        mutant = mutants[-1] if mutants else None
        if line.startswith("== "):
            mutants.append(Mutant(line[3:]))
        elif line.startswith("#"):
            pass
        elif mutant and line == "@@":
            mutant.changes.append([])
        elif mutant and line[:1] in ("+", "-", " ") and line:
            mutant.changes[-1].append((line[0], line[1:]))
        elif mutant and line.startswith(("file: ", "lab: ", "unit: ")):
            key, value = line.split(": ", 1)
            setattr(mutant, key, None if value == "nobody" else value)
        elif mutant and line and mutant.about is None:
            mutant.about = line
        elif line:
            sys.exit(f"{LIST}:{number}: what is this?")
    for mutant in mutants:  # a blank line before the next entry is no context
        while mutant.changes[-1] and mutant.changes[-1][-1] == (" ", ""):
            mutant.changes[-1].pop()
    return mutants


class Build:
    """The commands of a build, to be run again with one object changed."""

    def __init__(self, folder):
        self.folder = folder
        entries = json.loads((folder / "compile_commands.json").read_text())
        self.compiling = {e["file"]: e for e in entries}
        self.linking = {}
        for target in ["holdfast-lab"] + ["unit_" + t for t in TESTS]:
            lines = subprocess.run(
                ["ninja", "-C", folder, "-t", "commands", f"bin/{target}"],
                check=True, capture_output=True, text=True).stdout.split("\n")
            self.linking[target] = next(
                line for line in reversed(lines)
                if f"-o bin/{target}" in line and " -c " not in line)

    def compile(self, mutant, folder):
        source = folder / pathlib.Path(mutant.file).name
        source.write_text(mutant.apply())
        words = shlex.split(
            self.compiling[str(ROOT / mutant.file)]["command"])
        at = words.index("-o")
        words[at + 1] = str(folder / "mutant.o")
        words[words.index("-c") + 1] = str(source)
        words = [w for w in words if w != "-Werror"] + ["-w"]
        done = subprocess.run(words, cwd=self.folder, capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise ValueError(f"{mutant.name}: does not compile\n{done.stderr}")

    def link(self, target, folder):
        """Its object first, so that the library's own is not looked for."""
        words = [w for w in shlex.split(self.linking[target])
                 if w not in ("&&", ":")]
        words[words.index("-o") + 1] = str(folder / target)
        first = next(i for i, w in enumerate(words) if w.endswith(".o"))
        words.insert(first, str(folder / "mutant.o"))
        subprocess.run(words, cwd=self.folder, check=True)
        return folder / target


def said(done):
    """What a failed check said, without the place."""
    lines = [x for x in done.stderr.split("\n") if "check failed" in x]
    return "check " + lines[0].split("check failed: ")[-1] if lines else None


def run_proof(program, proof):
    """How the proof caught it, or None."""
    world, workers, faults = proof.split()
    try:
        done = subprocess.run(
            [program, "prove", world, "--workers", workers, "--faults", faults,
             "--states", STATES_MAX, "--memory", "4", "--json"],
            capture_output=True, text=True, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode < 0:
        return f"{proof}: {said(done) or 'killed'}"
    if done.returncode != 1:
        return None
    report = json.loads(done.stdout.strip().split("\n")[-1])
    how = report["property"] or "its limit is not found"
    return f"{proof}: {how} ({report['states']:,} states, " \
           f"{report['seconds']:.1f} s)"


def run_test(program, test):
    try:
        done = subprocess.run([program], capture_output=True, text=True,
                              timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return f"{test}: never ends"
    if done.returncode == 0:
        return None
    failed = [line.split("] ")[1].split(":")[0]
              for line in done.stderr.split("\n") + done.stdout.split("\n")
              if line.startswith("[  FAILED  ] ") and "test(s)" not in line]
    how = failed[0] if failed else said(done) or "fails"
    return f"{test}: {how}"


def sound(build, mutants, survey, pool):
    """The proofs that say of the unchanged machines what they should: only
    what these find is the mutant's doing."""
    proofs = PROOFS if survey else sorted({m.lab for m in mutants if m.lab})
    program = build.folder / "bin/holdfast-lab"
    kept = []
    for proof, how in zip(proofs, pool.map(
            lambda proof: run_proof(program, proof), proofs)):
        if how:
            print(f"of no use, without any mutant: {how}", flush=True)
        else:
            kept.append(proof)
    return kept


def try_one(build, mutant, survey, proofs):
    folder = build.folder / "mutants" / mutant.name
    folder.mkdir(parents=True, exist_ok=True)
    build.compile(mutant, folder)
    core = mutant.file.startswith("src/")

    def lab(proofs):
        program = build.link("holdfast-lab", folder)
        return next(filter(None, (run_proof(program, p) for p in proofs)), None)

    def unit(tests):
        return next(filter(None, (run_test(build.link("unit_" + t, folder), t)
                                  for t in tests)), None)

    # Whoever the list names; where these fail, whoever is left.
    asking = [("lab", lab, proofs)] + [("unit", unit, TESTS)] * core
    for key, ask, everybody in asking:
        named = getattr(mutant, key)
        how = ask([named]) if named in everybody else None
        if how:
            mutant.found[key] = how
    for key, ask, everybody in reversed(asking):
        if key not in mutant.found and (survey or not mutant.found):
            how = ask([x for x in everybody if x != getattr(mutant, key)])
            if how:
                mutant.found[key] = how
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def table(mutants):
    yield "| mutant | what is wrong | caught in the lab by | by a unit test |"
    yield "|---|---|---|---|"
    for m in mutants:
        yield (f"| {m.name} | {m.about} | {m.found.get('lab', '-')} | "
               f"{m.found.get('unit', '-')} |")


def tsv(mutants):
    yield "mutant\tfile\twrong\tlab\tunit"
    for m in mutants:
        yield "\t".join((m.name, m.file, m.about, m.found.get("lab", "-"),
                         m.found.get("unit", "-")))


def put_table(path, lines):
    text = path.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    path.write_text(head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + tail)


def options():
    parser = argparse.ArgumentParser(add_help=True)
    parser.add_argument("--build", default="build/dev", type=pathlib.Path)
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--survey", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--tsv", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def main():
    args = options()
    mutants = read_list()
    if args.names:
        mutants = [m for m in mutants if m.name in args.names]
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
            if not m.found:
                bad += 1
                print(f"{m.name}: SURVIVES", flush=True)
            for key, how in m.found.items():
                name = how.split(":")[0]
                listed = getattr(m, key)
                note = "" if listed == name else f"   [{key}: {listed}?]"
                print(f"{m.name}: {key}: {how}{note}", flush=True)
            for key in ("lab", "unit"):
                if getattr(m, key) and key not in m.found and m.found:
                    print(f"{m.name}: {key}: nobody   "
                          f"[{key}: {getattr(m, key)}?]", flush=True)
    print(f"{len(mutants)} mutants, {len(mutants) - bad} caught, in "
          f"{time.monotonic() - started:.0f} s")
    if args.table:
        put_table(args.table, table(mutants))
    if args.tsv:
        args.tsv.write_text("".join(line + "\n" for line in tsv(mutants)))
    return 1 if bad else 0


sys.exit(main())
