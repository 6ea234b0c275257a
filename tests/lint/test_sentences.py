#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What sentences.py takes for a sentence, and what it lets pass."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SENTENCES = Path(__file__).with_name("sentences.py")


def said(code, name="src/analyze/rule.c"):
    """The problems of a tree with this file, but for the list's own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.parent.mkdir(parents=True)
        path.write_text(code, encoding="utf-8")
        done = subprocess.run([sys.executable, SENTENCES, folder],
                              capture_output=True, text=True, check=False)
    return done.returncode, [line for line in done.stdout.splitlines()
                             if line.startswith("src/")]


class Found(unittest.TestCase):
    def expect(self, code, text, name="src/analyze/rule.c", line=1):
        status, problems = said(code, name)
        self.assertEqual(status, 1)
        self.assertEqual(problems, [
            f"{name}:{line}: \"{text}\" is for users: it belongs into "
            "src/report/"])

    def test_in_each_folder(self):
        for folder in ("analyze", "investigate", "model"):
            with self.subTest(folder):
                self.expect('say("took longer");', "took longer",
                            f"src/{folder}/rule.c")

    def test_parts_are_one(self):
        self.expect('say(1,\n    "took "\n    /* why */ "%s longer");',
                    "took %s longer", line=2)

    def test_in_tables_and_choices(self):
        self.expect('static const char *const w[] = { "one by one" };',
                    "one by one")
        self.expect('return a ? "b" : "all of them";', "all of them")

    def test_after_a_call_that_only_names(self):
        self.expect('arena_fail(a, "the trace", err);\nsay("it is slow");',
                    "it is slow", line=2)

    def test_what_another_file_may_say(self):
        self.expect('find("Negative duration detected");',
                    "Negative duration detected")


class Passed(unittest.TestCase):
    def expect_none(self, code, name="src/analyze/rule.c"):
        self.assertEqual(said(code, name)[1], [])

    def test_one_word(self):
        for text in ("took", "n_plus_one", "%s took", " x ", "%d %% more",
                     "k8s.pod.name", "a b c"):
            with self.subTest(text):
                self.expect_none(f'say("{text}");')

    def test_other_folders(self):
        self.expect_none('say("took longer");', "src/report/rule.c")

    def test_comments_and_headers(self):
        self.expect_none('/* "took longer" */\n#include "a b/c d.h"\n')

    def test_names_for_errors(self):
        self.expect_none('return arena_fail(a, "the trace", err);')
        self.expect_none('#define WHAT "the trace"')
        self.expect_none('_Static_assert(A < B, "depths fit two bytes");')

    def test_what_is_listed(self):
        self.expect_none('find("Negative duration detected");',
                         "src/model/trace_build.c")

    def test_what_is_listed_must_be_there(self):
        status, _ = said("int x;")
        self.assertEqual(status, 1)


if __name__ == "__main__":
    unittest.main()
