#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What once.py counts, and what it lets pass."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import once  # noqa: E402


def short_ones(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.c")
        path.write_text(text, encoding="utf-8")
        return list(once.short_ones(path))


def function(name, lines, head="static int"):
    return f"{head} {name}(int a)\n{{\n" + "\treturn a;\n" * lines + "}\n\n"


CALLER = "int all(void)\n{\n\treturn %s;\n}\n"


class Counted(unittest.TestCase):
    def test_called_once(self):
        self.assertEqual(short_ones(function("f", 9) + CALLER % "f(1)"), ["f"])
        # A declaration is no use of it; nor is a comment or a string.
        self.assertEqual(short_ones("static int f(int a);\n/* f(2) */\n" + function("f", 1) +
                                    CALLER % 'f(1) + g("f(2)")'), ["f"])
        # A head of two lines.
        self.assertEqual(short_ones(function("f", 1).replace("(int", "(\n\t\tint") + CALLER % "f(1)"), ["f"])

    def test_passes(self):
        for text in (function("f", 10) + CALLER % "f(1)",
                     function("f", 1) + CALLER % "f(1) + f(2)",
                     function("f", 1) + CALLER % "call(f)",
                     function("f", 1) + CALLER % "f(1) + call(&f)",
                     function("f", 1, head="static inline int") + CALLER % "f(1)",
                     function("f", 1, head="int") + CALLER % "f(1)"):
            with self.subTest(text):
                self.assertEqual(short_ones(text), [])

    def test_exceptions_are_there(self):
        root = Path(__file__).resolve().parents[2]
        for name in once.NAMED:
            file, function_name = name.split()
            self.assertIn(function_name, list(once.short_ones(root / "src" / file)))


if __name__ == "__main__":
    unittest.main()
