#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up what the tests of one or more builds reported.

usage: count.py BUILD_FOLDER...

Reads meson's own log. A program of cmocka tests counts as many as it says, a
TAP test as many as it lists, any other test as one; a test that failed without
naming a failure (a crash, a time-out) counts as one failure more. Skipped
tests count as nothing, and are named. The last line is "N passed, N failed";
the exit status is 1 when anything failed or nothing ran.
"""
import json
import re
import sys
from pathlib import Path

CMOCKA_PASSED = re.compile(r"^\[  PASSED  \] (\d+) test", re.M)
CMOCKA_FAILED = re.compile(r"^\[  FAILED  \] (\d+) test", re.M)
TAP_PASSED = re.compile(r"^ok\b", re.M)
TAP_FAILED = re.compile(r"^not ok\b", re.M)


def count_test(test):
    """Returns how many passed and failed in one test of meson's."""
    text = test.get("stdout", "") + "\n" + test.get("stderr", "")
    if test["result"] == "SKIP":
        return 0, 0
    if CMOCKA_PASSED.search(text) or CMOCKA_FAILED.search(text):
        passed = sum(map(int, CMOCKA_PASSED.findall(text)))
        failed = sum(map(int, CMOCKA_FAILED.findall(text)))
    else:
        passed = len(TAP_PASSED.findall(text))
        failed = len(TAP_FAILED.findall(text))
    is_good = test["result"] in ("OK", "EXPECTEDFAIL")
    if not is_good and not failed:
        failed = 1
    if is_good and not passed + failed:
        passed = 1
    return passed, failed


def count_build(folder):
    log = Path(folder) / "meson-logs" / "testlog.json"
    if not log.is_file():
        print(f"{folder}: no tests were run")
        return 0, 1
    passed = failed = 0
    for line in log.read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        more_passed, more_failed = count_test(test)
        passed += more_passed
        failed += more_failed
        if test["result"] == "SKIP":
            print(f"{folder}: {test['name']}: skipped")
        if more_failed:
            print(f"{folder}: {test['name']}: {more_failed} failed")
    return passed, failed


def main():
    counts = [count_build(folder) for folder in sys.argv[1:]]
    passed = sum(count[0] for count in counts)
    failed = sum(count[1] for count in counts)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
