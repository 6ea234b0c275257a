#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What mentions.py finds, and what it lets pass."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import mentions  # noqa: E402


def absent(comment):
    return list(mentions.absent(f"/* {comment} */", {"here.c", "base/here.c"}, {"known", "here"}))


class Mentions(unittest.TestCase):
    def test_finds(self):
        self.assertEqual(absent("see gone.c"), ["gone.c"])
        self.assertEqual(absent("as gone() does"), ["gone()"])
        self.assertEqual(absent("a struct gone of them"), ["type gone"])
        self.assertEqual(absent("a struct\n * gone"), ["type gone"])

    def test_passes(self):
        for comment in ("base/here.c, here.c", "known()", "struct known, enum here", "x.gone() of Python",
                        "gone(1)", "<gone.h>"):
            with self.subTest(comment):
                self.assertEqual(absent(comment), [])
        self.assertEqual(list(mentions.absent('f("gone()");', set(), set())), [])


if __name__ == "__main__":
    unittest.main()
