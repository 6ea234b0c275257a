#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What count.py makes of meson's logs."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COUNT = Path(__file__).resolve().parents[1] / "count.py"
GOOD = {"name": "tracefind:unit / unit/base/num", "result": "OK",
        "stdout": "[  PASSED  ] 12 test(s).\n"}
PART = {"name": "tracefind:html / html/check", "result": "OK",
        "stdout": "ok 1 - size\nok 2 - tidy # SKIP no tidy: apt-get install "
        "tidy\nok 3 - again # SKIP no tidy: apt-get install tidy\n1..3\n"}
UNIT_PART = {"name": "tracefind:unit / unit/base/jsonw", "result": "OK",
             "stdout": "# SKIP no locale\n[  SKIPPED ] test_no_locale\n"
             "[  PASSED  ] 3 test(s).\n"}
WHOLE = {"name": "tracefind:svg / svg/browser", "result": "SKIP",
         "stdout": "1..0 # SKIP no chromium: apt-get install chromium\n"}
BAD = {"name": "tracefind:cli / cli/slow", "result": "FAIL",
       "stdout": "ok 1 - a\nnot ok 2 - b\n#   why\nnot ok 3 - c\n1..3\n"}
CRASHED = {"name": "tracefind:cli / cli/start", "result": "ERROR",
           "stdout": "ok 1 - a\n", "stderr": "Traceback\nImportError: x\n\n"
           "(test program exited with status code 1)\n"}
LATE = {"name": "tracefind:cli / cli/late", "result": "TIMEOUT"}


class Counted(unittest.TestCase):
    def said(self, *builds):
        """Exit status and lines about builds with these tests."""
        with tempfile.TemporaryDirectory() as folder:
            for number, tests in enumerate(builds):
                logs = Path(folder, f"b{number}", "meson-logs")
                logs.mkdir(parents=True)
                if tests is not None:
                    (logs / "testlog.json").write_text(
                        "".join(json.dumps(t) + "\n" for t in tests))
            done = subprocess.run(
                [sys.executable, COUNT, *(f"b{n}" for n in range(len(builds)))],
                cwd=folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_all_passed(self):
        self.assertEqual(self.said([GOOD, GOOD]), (
            0, ["24 checks passed in 2 tests",
                "2 passed, 0 failed, 0 skipped"]))

    def test_skipped_with_what_to_install(self):
        self.assertEqual(self.said([GOOD, WHOLE]), (
            0, ["skipped: svg/browser: no chromium: apt-get install chromium",
                "12 checks passed in 1 tests",
                "1 passed, 0 failed, 1 skipped"]))

    def test_skipped_in_part(self):
        self.assertEqual(self.said([PART, UNIT_PART]), (
            0, ["skipped in part: html/check, 2 of 3 checks: "
                "no tidy: apt-get install tidy",
                "skipped in part: unit/base/jsonw, 1 of 4 checks: no locale",
                "4 checks passed in 2 tests",
                "2 passed, 0 failed, 0 skipped"]))

    def test_failed(self):
        status, lines = self.said([GOOD, BAD, CRASHED, LATE])
        self.assertEqual((status, lines), (
            1, ["failed: cli/slow: not ok 2 - b",
                "failed: cli/start: ImportError: x",
                "failed: cli/late: timeout",
                "what they said: b0/meson-logs/testlog.txt",
                "12 checks passed in 1 tests",
                "1 passed, 3 failed, 0 skipped"]))

    def test_several_builds(self):
        status, lines = self.said([GOOD], None, [WHOLE])
        self.assertEqual(status, 1)
        self.assertEqual(lines[0], "b1: no tests were run")
        self.assertTrue(lines[1].startswith("b2: skipped: svg/browser: "))
        self.assertEqual(lines[-1], "1 passed, 1 failed, 1 skipped")

    def test_nothing_ran(self):
        self.assertEqual(self.said([])[0], 1)
        self.assertEqual(self.said([WHOLE])[0], 1)


if __name__ == "__main__":
    unittest.main()
