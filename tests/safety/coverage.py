#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which lines and branches of src the tests reach.

usage: coverage.py BUILD_FOLDER [SUITE...]

Builds with gcc's counters into BUILD_FOLDER/coverage, runs the tests there, or
those of some suites (children of a test count too), and prints lines and
branches of each folder.
Branches are counted as gcov has them: of every condition both ways, those of
failed allocations included. Ends with 1 when a goal is missed, and with 77,
telling why, when there is no gcc or no gcov.
"""
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import figures  # noqa: E402
from introspect import introspect  # noqa: E402

SKIPPED = 77
NEEDED = ("gcc", "gcov", "meson", "ninja")
# Where nothing of src runs, and where calls fail by which counts are written:
# lack of memory is met in the unit tests.
NOT_COUNTED = ("lint", "fault")
# The first limits the size of files, those of the counts among them; the second
# measures time, of which a build that counts needs a multiple.
UNABLE = ("safety/streams", "net/hostile")
# As many as a command line holds with ease.
FILES_AT_ONCE = 200
# Tests take a multiple of their time: nothing is optimised, all is counted.
TIMES = "10"


@dataclass
class Count:
    """Lines and branches: all, and those that ran."""
    lines: list = field(default_factory=lambda: [0, 0])
    branches: list = field(default_factory=lambda: [0, 0])

    def add(self, other):
        for mine, theirs in ((self.lines, other.lines),
                             (self.branches, other.branches)):
            mine[0] += theirs[0]
            mine[1] += theirs[1]

    def shares(self):
        return [100 * ran / all_ if all_ else 100.0
                for all_, ran in (self.lines, self.branches)]

    def __str__(self):
        return "{:6.2f} % lines {:6.2f} % branches".format(*self.shares())


@dataclass
class Goal:
    """What files whose path begins with one of these must reach."""
    name: str
    starts: tuple
    lines: float
    branches: float

    def misses(self, count):
        lines, branches = count.shares()
        return (lines < self.lines) + (branches < self.branches)


GOALS = [
    Goal("decoders and escapes", ("src/decode/", "src/base/escape"), 100, 95),
    Goal("all", ("src/",), 90, 80),
]


def skip(why):
    print(f"# not run: {why}")
    sys.exit(SKIPPED)


def build(folder):
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", folder, ROOT, "-Dbuildtype=debug",
                        "-Db_coverage=true", "-Dtests=enabled",
                        # Threads count, too.
                        "-Dc_args=-fprofile-update=atomic"], check=True,
                       env={**os.environ, "CC": "gcc"})
    subprocess.run(["ninja", "-C", folder], check=True)


def names_of(folder, suites):
    """Of the tests that are run: those of the suites, or all that count."""
    for test in introspect(folder, "--tests"):
        suite = test["suite"][0].rpartition(":")[2]
        is_wanted = suite in suites if suites else suite not in NOT_COUNTED
        if is_wanted and test["name"] not in UNABLE:
            yield test["name"]


def run_tests(folder, suites):
    """Counts of earlier runs are of other code. Figures are no figures of
    this build: its faults and fuzz inputs are those of every build."""
    for path in folder.rglob("*.gcda"):
        path.unlink()
    env = {name: value for name, value in os.environ.items()
           if name != "FIGURES"}
    return subprocess.run(["meson", "test", "-C", folder, "--no-rebuild", "-t",
                           TIMES, "--print-errorlogs",
                           *names_of(folder, suites)], env=env).returncode


def read_gcov(folder, data):
    """What gcov says of some files of counts; it tells of those that it
    cannot read, and they count as not run. A count below zero is the difference
    of two that were written while threads ran: nothing is known."""
    text = subprocess.run(["gcov", "--json-format", "--stdout",
                           "--branch-probabilities", *data], cwd=folder,
                          stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in text.splitlines()
            if line.startswith("{")]


def add_lines(found, lines):
    """found: line: (count, {place among its branches: count}). The same line
    stands in several objects when it is in a header, or of several functions
    in one."""
    seen = {}
    for line in lines:
        number = line["line_number"]
        have = found.setdefault(number, [0, {}])
        have[0] = max(have[0], line["count"])
        first = seen.setdefault((number, line.get("function_name")), 0)
        seen[number, line.get("function_name")] += len(line["branches"])
        for at, branch in enumerate(line["branches"], first):
            have[1][at] = max(have[1].get(at, 0), branch["count"])


def read_lines(folder):
    """Path of a source: {line: (count, branches)}."""
    found = {}
    data = sorted(str(path) for path in folder.rglob("*.gcda"))
    for first in range(0, len(data), FILES_AT_ONCE):
        for answer in read_gcov(folder, data[first:first + FILES_AT_ONCE]):
            place = Path(answer["current_working_directory"])
            for file in answer["files"]:
                path = os.path.normpath(place / file["file"])
                if path.startswith(str(ROOT / "src") + os.sep):
                    add_lines(found.setdefault(os.path.relpath(path, ROOT), {}),
                              file["lines"])
    return found


def count_of(lines):
    count = Count()
    for ran, branches in lines.values():
        count.add(Count([1, ran > 0], [len(branches),
                                       sum(n > 0 for n in branches.values())]))
    return count


def read_counts(folder):
    """Path of a source: its Count. What was not reached, line for line, goes
    to missed.txt."""
    found = read_lines(folder)
    with open(folder / "missed.txt", "w") as file:
        for path, lines in sorted(found.items()):
            for number, (ran, branches) in sorted(lines.items()):
                if ran <= 0 or min(branches.values(), default=1) <= 0:
                    marks = "".join("x."[n > 0] for _, n in
                                    sorted(branches.items()))
                    file.write(f"{path}:{number}: "
                               f"{marks if ran > 0 else 'not run'}\n")
    return {path: count_of(lines) for path, lines in found.items()}


def sum_of(counts, starts):
    total = Count()
    for path, count in counts.items():
        if path.startswith(starts):
            total.add(count)
    return total


def report(counts):
    """How many goals are missed."""
    for folder in sorted({str(Path(path).parent) for path in counts}):
        print(f"{folder:24} {sum_of(counts, (folder + '/',))}")
    failed, more = 0, {}
    for goal in GOALS:
        count = sum_of(counts, goal.starts)
        misses = goal.misses(count)
        failed += misses
        more[goal.name] = "{:.1f} % of lines, {:.1f} % of branches".format(
            *count.shares())
        print(f"{goal.name:24} {count}, goal {goal.lines} and "
              f"{goal.branches}{' MISSED' if misses else ''}")
    figures.record("coverage", 2 * len(GOALS), failed, **more)
    return failed


def main():
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        skip("there is no " + " ".join(missing))
    folder = Path(sys.argv[1]).resolve() / "coverage"
    build(folder)
    tests_failed = run_tests(folder, sys.argv[2:])
    missed = report(read_counts(folder))
    if tests_failed:
        print("tests failed: what did not run is not counted")
    return 1 if tests_failed or missed else 0


if __name__ == "__main__":
    sys.exit(main())
