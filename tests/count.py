#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up what the tests of one or more builds reported.

usage: count.py BUILD_FOLDER...

Reads meson's own log. Tests are counted as `meson test` lists them. Those that
were skipped, whole or in part, are named with what they lack and how to install
it: what follows "# SKIP" in their output. Those that failed are named with the
first thing that was wrong. The last line is "N passed, N failed, N skipped"; the
exit status is 1 when anything failed or nothing ran.
"""
import json
import re
import sys
from collections import Counter
from pathlib import Path

REASON = re.compile(r"# SKIP (.+)$", re.M)
CHECK_SKIPPED = re.compile(r"^(?:ok\b.*# SKIP |# SKIP )", re.M)
CHECK_PASSED = re.compile(r"^ok\b(?!.*# SKIP )", re.M)
CMOCKA_PASSED = re.compile(r"^\[  PASSED  \] (\d+) test", re.M)
WRONG = re.compile(r"^(?:not ok\b|\[  FAILED  \]|\[  ERROR   \]).*", re.M)


def text_of(test):
    return test.get("stdout", "") + "\n" + test.get("stderr", "")


def short_name(test):
    """Without the project and the suites, which meson puts before it."""
    return test["name"].split(" / ")[-1]


def reasons(text):
    """Each once, in the order in which they came."""
    return "; ".join(dict.fromkeys(REASON.findall(text))) or \
        "it does not say why"


def first_wrong(test):
    """What a failed test said first, or how it ended."""
    found = WRONG.search(text_of(test))
    if found:
        return found.group(0)
    lines = [line.strip() for line in text_of(test).splitlines()
             if not line.startswith("(test program exited")]
    return next(filter(None, reversed(lines)), test["result"].lower())


def checks(text):
    """How many a test that passed made, and how many it left out."""
    skipped = len(CHECK_SKIPPED.findall(text))
    cmocka = CMOCKA_PASSED.findall(text)
    passed = sum(map(int, cmocka)) if cmocka else \
        len(CHECK_PASSED.findall(text)) or 1
    return passed, skipped


def count_test(test, counts):
    """Adds one test; yields what is to be said of it."""
    text = text_of(test)
    if test["result"] == "SKIP":
        counts["skipped"] += 1
        yield f"skipped: {short_name(test)}: {reasons(text)}"
    elif test["result"] in ("OK", "EXPECTEDFAIL"):
        passed, skipped = checks(text)
        counts["passed"] += 1
        counts["checks"] += passed
        if skipped:
            yield (f"skipped in part: {short_name(test)}, {skipped} of "
                   f"{passed + skipped} checks: {reasons(text)}")
    else:
        counts["failed"] += 1
        yield f"failed: {short_name(test)}: {first_wrong(test)}"


def count_build(folder, counts):
    """Adds all tests of a build; yields the same."""
    log = Path(folder) / "meson-logs" / "testlog.json"
    if not log.is_file():
        counts["failed"] += 1
        yield "no tests were run"
        return
    before = counts["failed"]
    for line in log.read_text(encoding="utf-8").splitlines():
        yield from count_test(json.loads(line), counts)
    if counts["failed"] > before:
        yield f"what they said: {log.with_suffix('.txt')}"


def main():
    counts = Counter()
    for folder in sys.argv[1:]:
        of = f"{folder}: " if len(sys.argv) > 2 else ""
        for line in count_build(folder, counts):
            print(of + line)
    print(f"{counts['checks']} checks passed in {counts['passed']} tests")
    print(f"{counts['passed']} passed, {counts['failed']} failed, "
          f"{counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
