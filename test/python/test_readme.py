"""The examples of the module's README run as they are printed."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import holdfast
from support import Case

README = pathlib.Path(holdfast.__file__).parents[1] / "README.md"


class Examples(Case):
    def test_every_example_runs(self):
        text = README.read_text()
        examples = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertGreater(len(examples), 2)
        for example in examples:
            with self.subTest(example):
                done = subprocess.run(
                    [sys.executable, "-W", "error", "-c", example], text=True,
                    capture_output=True,
                    env={**os.environ, "HOLDFAST_AT": self.place})
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_names_that_it_mentions_exist(self):
        for name in re.findall(r"`([A-Z][a-z]+[A-Za-z]*)`", README.read_text()):
            if name not in ("ImportError", "TypeError"):
                self.assertTrue(hasattr(holdfast, name), name)


if __name__ == "__main__":
    unittest.main()
