#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sums that fuzz.py keeps of its searches, with programs that only say what
libFuzzer would say."""
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import fuzz  # noqa: E402
import spent  # noqa: E402

WORKS = """#!/bin/sh
n=0
while [ $n -lt 20000 ]; do n=$((n + 1)); done
echo 'stat::number_of_executed_units: 7' >&2
"""
# Leaves the input that it ended at, and fails at it again.
BREAKS = """#!/bin/sh
for word; do
	case $word in
	-artifact_prefix=*) echo > "${word#*=}crash-1" ;;
	esac
done
exit 77
"""
# Ends once, at an input that is none when it is tried again.
ONCE = BREAKS.replace("exit 77", '[ $# -gt 3 ] || exit 0\n' + "".join(
    WORKS.splitlines(True)[1:]) + "exit 77")


# A line of a dictionary that libFuzzer reads: it ends at one that it does not.
ENTRY = re.compile(r'^(\w+=)?"([^"\\]|\\["\\]|\\x[0-9a-f]{2})+"$')
TARGETS = fuzz.TARGETS


class Dictionaries(unittest.TestCase):
    def test_each_target_has_one_that_is_read(self):
        fuzz.TARGETS = TARGETS
        for target in TARGETS:
            with tempfile.NamedTemporaryFile("r") as file:
                fuzz.write_dictionary(target, file.name)
                entries = [line for line in file.read().splitlines() if line[:1] != "#"]
            self.assertGreater(len(entries), 10, target)
            for line in entries:
                self.assertRegex(line, ENTRY, target)


class Searches(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = self.place.name
        os.environ["FIGURES"] = self.folder
        self.addCleanup(os.environ.pop, "FIGURES")
        fuzz.TARGETS, fuzz.GOAL_S = {}, 0.01

    def add_target(self, name, text):
        fuzz.TARGETS[name] = ("json escape", [])
        path = Path(self.folder, "fuzz-" + name)
        path.write_text(text)
        path.chmod(0o755)

    def all(self, *minutes):
        """The exit status, and the figures."""
        with contextlib.redirect_stdout(io.StringIO()):
            status = fuzz.search_all(self.folder, self.folder, *minutes)
        return status, json.loads(Path(self.folder, "fuzz.json").read_text())

    def test_adds_up(self):
        spent.add(self.folder, "a", cpu_s=1.5, executions=3)
        spent.add(self.folder, "b", crashes=1)
        spent.add(self.folder, "a", cpu_s=2, executions=4)
        self.assertEqual(spent.read(self.folder), {
            "a": {"cpu_s": 3.5, "crashes": 0, "executions": 7},
            "b": {"cpu_s": 0, "crashes": 1, "executions": 0}})

    def test_goes_on_until_each_had_enough(self):
        for name in "abc":
            self.add_target(name, WORKS)
        fuzz.GOAL_S = 0.2
        status, figures = self.all()
        self.assertEqual((status, figures["tried"], figures["failed"]), (0, 3, 0))
        for one in spent.read(self.folder).values():
            self.assertGreaterEqual(one["cpu_s"], 0.2)
            self.assertGreater(one["executions"], 7)
            self.assertEqual(one["executions"] % 7, 0)
        self.assertEqual(self.all(), (status, figures))

    def test_over_before_it_starts(self):
        self.add_target("a", WORKS)
        status, figures = self.all("0")
        self.assertEqual((status, figures["tried"]), (0, 0))
        self.assertEqual(spent.read(self.folder), {})

    def test_broken(self):
        self.add_target("a", WORKS)
        self.add_target("b", BREAKS)
        status, figures = self.all()
        self.assertEqual((status, figures["tried"], figures["failed"]), (1, 1, 1))

    def test_mended(self):
        self.add_target("a", ONCE)
        status, figures = self.all()
        self.assertEqual((status, figures["tried"], figures["failed"]), (0, 1, 0))
        self.assertGreater(spent.of(self.folder, "a")["crashes"], 0)


if __name__ == "__main__":
    unittest.main(verbosity=0)
