#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What names.py refuses, and what it lets pass."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NAMES = Path(__file__).with_name("names.py")


class Refused(unittest.TestCase):
    def said(self, *names):
        """Exit status and words about a folder with these files."""
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            done = subprocess.run([sys.executable, NAMES, folder],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_names_of_the_library(self):
        for name in ("tests/pprof/types.py", "secrets.py", "a/b/numbers.py",
                     "tests/json/__init__.py"):
            with self.subTest(name):
                status, words = self.said("run.py", name)
                self.assertEqual(status, 1)
                self.assertIn(f"{name}: ", words)
                self.assertIn("2 files, 1 problems", words)

    def test_names_of_other_versions(self):
        # Gone since 3.12, and new in 3.14.
        status, words = self.said("imp.py", "annotationlib.py")
        self.assertEqual(status, 1)
        self.assertIn("2 files, 2 problems", words)

    def test_other_names(self):
        self.assertEqual(self.said(
            "sample_types.py", "html/pages.py", "build/types.py",
            "build-ci/x/secrets.py", ".cache/numbers.py"),
            (0, "2 files, 0 problems\n"))

    def test_nothing_to_look_at(self):
        self.assertEqual(self.said()[0], 1)


if __name__ == "__main__":
    unittest.main()
