#!/usr/bin/env python3
"""The report in a real browser: it renders, nothing overlaps or is cut, and
stepping works.

usage: test_report.py HOLDFAST-TALE [FOLDER]

With a FOLDER, screenshots are left in it.  Needs chromium; else 77.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from chrome import Chrome

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WIDTHS = [(360, 740), (768, 1024), (1280, 900), (1920, 1080)]
SCHEMES = ["light", "dark"]


class Results:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, complaints):
        """`complaints`: a list, or whether it is good."""
        if isinstance(complaints, bool):
            complaints = [] if complaints else ["it is not so"]
        good = not complaints
        self.passed += good
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.passed + self.failed} - "
              f"{name}", flush=True)
        for line in complaints[:10]:
            print(f"# {line}")
        if len(complaints) > 10:
            print(f"# and {len(complaints) - 10} more")


def write_proofs(path):
    """Some, with a promise that must break, by the program beside the tale."""
    lab = pathlib.Path(sys.argv[1]).with_name("holdfast-lab")
    with open(path, "w", encoding="utf-8") as file:
        for world, faults in ("takeover", "0"), ("dead-refuse", "1"):
            subprocess.run([lab, "prove", world, "--workers", "2", "--faults",
                            faults], stdout=file, check=True)


def write_mutants(path):
    """Those of docs/lab.md, as scripts/mutants.py --tsv writes them."""
    table = (ROOT / "docs/lab.md").read_text().split(
        "<!-- mutants: begin -->")[1].split("<!-- mutants: end -->")[0]
    with open(path, "w", encoding="utf-8") as file:
        file.write("mutant\tfile\twrong\tlab\tunit\n")
        for row in table.strip().split("\n")[2:]:
            name, about, lab, unit = row.strip("| ").split(" | ")
            if lab in ("finds nothing", "is not asked"):
                lab = "-"
            file.write(f"{name}\tsrc/core\t{about}\t{lab}\t{unit}\n")


def complaints_of(events):
    """What the browser itself complained of, and what it fetched."""
    wrong = []
    for method, params in events:
        if method == "Runtime.exceptionThrown":
            wrong.append(params["exceptionDetails"]["text"])
        elif method == "Log.entryAdded":
            wrong.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            wrong.append(f"console.{params['type']}")
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.endswith("/index.html") and not url.startswith("data:"):
                wrong.append(f"fetches {url}")
    return wrong


class Page:
    def __init__(self, chrome, url, shots):
        self.chrome, self.url, self.shots = chrome, url, shots

    def open(self, size, scheme="light", scripts=True):
        self.chrome.set_size(*size)
        self.chrome.set_media(prefers_color_scheme=scheme,
                              prefers_reduced_motion="reduce")
        self.chrome.set_scripts(scripts)
        events = self.chrome.open(self.url)
        self.chrome.evaluate((HERE / "checks.js").read_text())
        return events

    def ask(self, check):
        return self.chrome.evaluate(f"checks.{check}")

    def shoot(self, name):
        if self.shots:
            self.chrome.screenshot(self.shots / f"{name}.png")

    def middle(self, selector):
        """Where to click, after it was brought into view."""
        return self.chrome.evaluate(f"""(() => {{
            const element = document.querySelector({selector!r});
            element.scrollIntoView({{block: "center"}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")


def look(page, results):
    for size in WIDTHS:
        for scheme in SCHEMES:
            name = f"{size[0]} px, {scheme}"
            events = page.open(size, scheme)
            page.shoot(f"{size[0]}-{scheme}")
            results.check(f"{name}: the browser complains of nothing, and "
                          "fetches nothing", complaints_of(events))
            results.check(f"{name}: {scheme} it is",
                          (page.ask("paper()") > 0.5) == (scheme == "light"))
            results.check(f"{name}: it fits", page.ask("fits()"))
            results.check(f"{name}: no text stands on another",
                          page.ask("overlaps()"))
            results.check(f"{name}: nor in a picture, nor is any cut",
                          page.ask("pictures()"))
            results.check(f"{name}: everything can be read",
                          page.ask("colours()"))


def do_without_scripts(page, results):
    for size in WIDTHS:
        name = f"{size[0]} px, no scripts"
        events = page.open(size, scripts=False)
        page.shoot(f"{size[0]}-no-scripts")
        results.check(f"{name}: the browser complains of nothing",
                      complaints_of(events))
        results.check(f"{name}: it fits", page.ask("fits()"))
        results.check(f"{name}: no text stands on another",
                      page.ask("overlaps()"))
        results.check(f"{name}: every event can be seen",
                      page.ask("stories()"))
        results.check(f"{name}: there is nothing that does nothing",
                      page.chrome.evaluate(
                          "!document.querySelector('button, input')"))


def step(page, results):
    for size in (WIDTHS[0], WIDTHS[2]):
        page.open(size)
        results.check(f"{size[0]} px: every event can be seen at first",
                      page.ask("stories()"))
        results.check(f"{size[0]} px: every story goes forward and back",
                      page.ask("stepping()"))
        results.check(f"{size[0]} px: and still fits", page.ask("fits()"))
        results.check(f"{size[0]} px: and no text stands on another",
                      page.ask("overlaps()"))


def touch(page, results):
    """With a mouse and a keyboard, as a person does it."""
    player = "document.querySelector('#draft4 .player')"

    def stands(name, at):
        results.check(name, page.ask(f"standing({player}, {at})"))

    page.open(WIDTHS[2])
    last = page.chrome.evaluate(f"{player}.querySelectorAll('.tale li').length")
    page.chrome.click(*page.middle("#draft4 .steps button:nth-of-type(1)"))
    stands("a click on Start leads to the first event", 1)
    page.chrome.click(*page.middle("#draft4 .steps button:nth-of-type(3)"))
    stands("one on Next to the second", 2)
    page.shoot("stepping")
    page.chrome.press("ArrowRight")
    stands("the right arrow goes on", 3)
    page.chrome.press("ArrowLeft")
    stands("the left one back", 2)
    page.chrome.press("End")
    stands("End leads to the last", last)
    page.chrome.press("ArrowRight")
    stands("after which there is none", last)
    page.chrome.press("Home")
    stands("Home leads to the first", 1)
    page.chrome.press("ArrowLeft")
    stands("before which there is none", 1)
    page.chrome.click(*page.middle("#draft4 li:nth-child(5) .said"))
    stands("a click on a sentence leads there", 5)
    page.chrome.evaluate(f"""(() => {{
        const place = {player}.querySelector("input");
        place.focus();
        place.value = 4;
        place.dispatchEvent(new Event("input"));
    }})()""")
    stands("so does the slider", 4)
    page.chrome.press("ArrowRight")
    stands("and its own arrows go one event at a time", 5)
    page.chrome.click(*page.middle('#draft4 svg [data-event="3"] circle'))
    stands("a click on a number in the picture leads there, too", 3)


BREAKS = [
    ("fits()", "a wide element",
     "document.querySelector('main').style.width = '3000px'"),
    ("fits()", "a sentence that is cut",
     "Object.assign(document.querySelector('.said').style,"
     "{display: 'block', height: '4px', overflow: 'hidden'})"),
    ("overlaps()", "a sentence on the next",
     "Object.assign(document.querySelector('.tale li').style,"
     "{position: 'relative', top: '30px'})"),
    ("pictures()", "a word on another",
     "(() => { const [a, b] = document.querySelectorAll('.player svg text');"
     "for (const name of ['x', 'y'])"
     "b.setAttribute(name, a.getAttribute(name)); })()"),
    ("pictures()", "a word beyond its picture",
     "document.querySelector('.player svg text').setAttribute('x', -5)"),
    ("colours()", "grey on grey",
     "document.querySelector('.lead').style.color = '#bbb'"),
    ("stories()", "an event that is not drawn",
     "document.querySelectorAll('svg [data-event=\"1\"]').forEach("
     "(part) => part.remove())"),
    ("stepping()", "an event that always shows",
     "document.querySelector('.tale li:nth-child(3)').style.opacity = 1"),
    ("stepping()", "a button that does nothing",
     "document.querySelectorAll('.steps').forEach((steps) => steps"
     ".replaceWith(steps.cloneNode(true)))"),
]


def break_it(page, results):
    """A check that cannot fail checks nothing."""
    for check, what, how in BREAKS:
        page.open(WIDTHS[2])
        good = page.ask(check) == []
        page.open(WIDTHS[2])
        page.chrome.evaluate(f"(() => {{ {how} }})()")
        results.check(f"{what} is seen", good and page.ask(check) != [])
    page.open(WIDTHS[2])
    page.chrome.evaluate("void setTimeout(() => { throw Error('x') }, 0)")
    events = page.chrome.wait_for("Runtime.exceptionThrown")
    results.check("an error of a script is seen", complaints_of(events) != [])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if not shutil.which("chromium"):
        print("1..0 # skipped: there is no chromium")
        return 77
    shots = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    results = Results()
    with tempfile.TemporaryDirectory() as folder:
        mutants = f"{folder}/mutants.tsv"
        write_mutants(mutants)
        proofs = f"{folder}/proofs"
        write_proofs(proofs)
        subprocess.run([sys.argv[1], "report", "-o", folder, "--proofs", proofs,
                        "--mutants", mutants], check=True,
                       stdout=subprocess.DEVNULL)
        with Chrome() as chrome:
            page = Page(chrome, f"file://{folder}/index.html", shots)
            for part in (look, do_without_scripts, step, touch, break_it):
                part(page, results)
    print(f"1..{results.passed + results.failed}")
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
