#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What statics.py finds, and what it lets pass."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import statics  # noqa: E402


class Statics(unittest.TestCase):
    def test_finds(self):
        self.assertEqual(list(statics.bare("\nstatic int add(int a)\n{\n}\n")), [(2, "add")])
        self.assertEqual(list(statics.bare("static inline struct str add(\n\tint a)\n{\n}\n")), [(1, "add")])
        # Once, although it is declared before.
        self.assertEqual(list(statics.bare("static int add(int a);\nstatic int add(int a)\n{\n}\n")), [(1, "add")])

    def test_passes(self):
        for code in ("static int sum_add(int a)\n{\n}\n", "int add(int a)\n{\n}\n",
                     "static int add[] = { 1 };\n", "/* static int add(int a) */\n",
                     "static const int size = sizeof(int);\n"):
            with self.subTest(code):
                self.assertEqual(list(statics.bare(code)), [])


if __name__ == "__main__":
    unittest.main()
