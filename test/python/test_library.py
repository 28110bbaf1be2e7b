"""How the library is found, and the module installed."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import unittest

import holdfast
from holdfast import _library
from support import Case

MODULE = pathlib.Path(holdfast.__file__).parent
SOURCE = pathlib.Path(__file__).parents[2]


def python(*words, **environment):
    return subprocess.run([sys.executable, *words], text=True,
                          capture_output=True,
                          env={**os.environ, **environment})


class Libraries(Case):
    def refused(self, library):
        done = python("-c", "import holdfast", HOLDFAST_LIBRARY=library)
        last = done.stderr.strip().splitlines()[-1]
        self.assertTrue(last.startswith("ImportError: holdfast: "), last)
        return last

    def test_a_library_that_is_missing_is_told_in_one_sentence(self):
        said = self.refused("/nowhere/libholdfast.so")
        self.assertIn("/nowhere/libholdfast.so", said)
        self.assertIn("HOLDFAST_LIBRARY", said)

    def test_another_library_is_told_from_ours(self):
        self.assertIn("libc.so.6 is no libholdfast", self.refused("libc.so.6"))

    def test_a_library_of_another_minor_version_does_not_fit(self):
        major, minor = _library.MAJOR, _library.MINOR
        fits = [_library._fits(major * 10000 + (minor + more) * 100 + 7)
                for more in (-1, 0, 1)]
        self.assertEqual(fits, [False, True, False])

    def test_the_version_is_that_of_the_header(self):
        header = (SOURCE / "include/holdfast/version.h").read_text()
        version = re.search(r'define HF_VERSION\s+"(.*)"', header)[1]
        self.assertEqual(holdfast.__version__, version)

    def test_the_numbers_are_those_of_the_headers(self):
        words = (SOURCE / "include/holdfast/words.h").read_text()
        for table, ours, other in (
                ("STATUS", holdfast.Status, {"NOMEM": "NO_MEMORY"}),
                ("OUTCOME", holdfast.Outcome, {}),
                ("STATE", holdfast.State, {})):
            body = re.search(rf"define HF_{table}_TABLE\(X\)(.*?)\n\n", words,
                             re.S)[1]
            names = re.findall(r"X\(HF_(?:E_|STATE_)?(\w+)", body)
            self.assertEqual([other.get(name, name) for name in names],
                             [each.name for each in ours])
        main = (SOURCE / "include/holdfast/holdfast.h").read_text()
        news = re.findall(r"HF_NEWS_(\w+) = (\d+)", main)
        self.assertEqual(news, [(each.name, str(each.value))
                                for each in holdfast.News])


class Installed(Case):
    PROGRAM = ("import holdfast\n"
               "with holdfast.Client('memory:x') as client:\n"
               "    with client.lock('a') as lock:\n"
               "        print(holdfast.__file__, lock.fence)\n")

    def test_it_imports_from_a_plain_path(self):
        done = python("-c", self.PROGRAM, PYTHONPATH=str(MODULE.parent))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(
        all(importlib.util.find_spec(name)
            for name in ("pip", "setuptools", "wheel")),
        "there is no pip, setuptools or wheel")
    def test_pip_installs_it_without_a_network(self):
        copy = f"{self.folder}/source"
        subprocess.run(["cp", "-r", str(MODULE.parent), copy], check=True)
        done = python("-m", "pip", "install", "--quiet", "--no-index",
                      "--no-build-isolation", "--disable-pip-version-check",
                      "--root-user-action=ignore",
                      "--target", f"{self.folder}/site", copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = python("-c", self.PROGRAM, PYTHONPATH=f"{self.folder}/site")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"{self.folder}/site", done.stdout)

    @unittest.skipUnless(importlib.util.find_spec("mypy"),
                         "there is no mypy")
    def test_its_types_are_right(self):
        done = python("-m", "mypy", "--config-file",
                      str(MODULE.parent / "pyproject.toml"), "--cache-dir",
                      f"{self.folder}/cache", "-p", "holdfast",
                      MYPYPATH=str(MODULE.parent))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
