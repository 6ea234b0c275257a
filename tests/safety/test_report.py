#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What report.py says of figures, and that docs/safety.md has its rows.

usage: test_report.py SAFETY.MD
"""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import analyze
import full
import report

ROW = report.Row("tried", "what is tried", 10, "tests/where")


class Verdict(unittest.TestCase):
    def verdict(self, tried, failed, row=ROW, **more):
        return report.verdict(row, {"name": "tried", "tried": tried,
                                    "failed": failed, **more})

    def test_needs_figures(self):
        self.assertEqual(report.verdict(ROW, None), report.NOT_RUN)
        self.assertEqual(self.verdict(0, 0), report.NOT_RUN)

    def test_needs_the_goal(self):
        self.assertEqual(self.verdict(9, 0), report.MISSED)
        self.assertEqual(self.verdict(10, 0), report.MET)

    def test_no_failure(self):
        self.assertEqual(self.verdict(1000, 1), report.MISSED)

    def test_no_part_not_run(self):
        self.assertEqual(self.verdict(1000, 0, one=900, other="not run"),
                         report.MISSED)
        self.assertEqual(self.verdict(1000, 0, one=900, other=100), report.MET)

    def test_nothing_skipped(self):
        self.assertEqual(self.verdict(1000, 0, skipped=1), report.MISSED)
        self.assertEqual(self.verdict(1000, 0, skipped="no dot"),
                         report.MISSED)
        self.assertEqual(self.verdict(1000, 0, skipped=0), report.MET)

    def test_only_emulators_skip(self):
        self.assertEqual(["cross"], [row.name for row in report.ROWS
                                     if row.may_skip])
        row = next(row for row in report.ROWS if row.may_skip)
        self.assertEqual(self.verdict(1000, 0, row, skipped=1), report.MET)
        self.assertEqual(self.verdict(1000, 0, row, s390x="not run"),
                         report.MISSED)

    def test_analyzers_are_not_run_until_they_were(self):
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.dict(os.environ, {"FIGURES": folder}), \
                    mock.patch.object(analyze, "run_kind",
                                      lambda kind, build: (2000, 0)), \
                    mock.patch.object(sys, "argv", ["", folder, "gcc"]), \
                    contextlib.redirect_stdout(io.StringIO()):
                analyze.main()
            figure = report.read(folder)["analyzers"]
        row = next(row for row in report.ROWS if row.name == "analyzers")
        self.assertEqual(figure["gcc"], 2000)
        self.assertEqual(figure["valgrind"], report.NOT_RUN)
        self.assertEqual(report.verdict(row, figure), report.MISSED)


class Table(unittest.TestCase):
    def test_line(self):
        figure = {"name": "tried", "tried": 1234, "failed": 0, "skipped": 2}
        self.assertEqual(
            report.line(ROW, figure),
            "| what is tried (skipped 2) | 1,234 | 10 | 0 | not met | "
            "`tests/where` |")

    def test_heading_names_each_commit(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "any.json").write_text("{}")

            def heading(*commits):
                return report.heading(folder, {
                    str(number): {"commit": commit}
                    for number, commit in enumerate(commits)})
            self.assertRegex(heading("abc", "abc"), " tracefind at abc$")
            self.assertRegex(
                heading("abc", "def", "def"),
                r" at def \(2 of these kinds\), abc \(1 of these kinds\)$")
            self.assertRegex(heading(""), " tracefind at no commit$")

    def test_put_keeps_the_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text(f"above\n{report.BEGIN}\nold\n{report.END}\nbelow\n")
            report.put(page, "new")
            text = page.read_text()
        self.assertNotIn("old", text)
        self.assertTrue(text.startswith("above\n") and
                        text.endswith("below\n") and "\nnew\n" in text)

    def test_page_has_every_row(self):
        text = PAGE.read_text()
        table = text.split(report.BEGIN)[1].split(report.END)[0]
        for row in report.ROWS:
            found = [line for line in table.splitlines()
                     if line.startswith("| " + row.what)]
            self.assertTrue(found, f"{row.name}: run ./dev test-full")
            self.assertIn(f" | {row.goal:,} | ", found[0], row.name)

    def test_names_differ(self):
        names = [row.name for row in report.ROWS]
        self.assertEqual(len(names), len(set(names)))

    def test_sifted_kinds_have_rows(self):
        self.assertLessEqual(set(full.OF_TESTS),
                             {row.name for row in report.ROWS})


class Stages(unittest.TestCase):
    def test_tests_keep_what_stages_found(self):
        """The share that the tests try does not replace all of a kind."""
        record = "import figures as f; f.record('{}', 1, 0)"
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder)
            (build / "figures").mkdir()
            for name in ("options", "streams"):
                full.run_tests(build, f"""env PYTHONPATH={full.HERE}
                    python3 -c "{record.format(name)}" """, build / "log")
            self.assertEqual(list(report.read(build / "figures")), ["streams"])


if __name__ == "__main__":
    PAGE = Path(sys.argv.pop())
    unittest.main(verbosity=0)
