#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `tracefind when --function` tell a step in a service whose load wanders, and
none where nothing but the load changes? A few of the series of served.py.

usage: test_served.py TRACEFIND
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from served import FLAT, STEPS, Server, count
from tap import Tap

SERIES = 10
# Kind, steps that are told at least, and at most.
ROWS = [("a step of 1.3", 7, 10), ("nothing changes", 0, 0),
        ("the load doubles at once", 0, 0)]


def main():
    tap, server = Tap(), Server()
    for words, least, most in ROWS:
        kind = next(kind for kind in FLAT + STEPS if kind.words == words)
        found, wrong, _ = count(sys.argv[1], server, kind, SERIES)
        tap.check(least <= found <= most and not wrong, words,
                  f"{found} found, {wrong} wrong of {SERIES}")
    sys.exit(tap.end())


if __name__ == "__main__":
    main()
