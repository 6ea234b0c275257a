#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cuts.c and keeps its figures.

usage: cuts.py HOSTILE_CUTS [--all]
"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "safety"))
import figures  # noqa: E402


def main():
    run = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
    for line in run.stdout:
        print(line, end="", flush=True)
        found = re.match(r"# (\d+) cuts, (\d+) failed", line)
        if found:
            figures.record("cuts", int(found[1]), int(found[2]))
    return run.wait()


if __name__ == "__main__":
    sys.exit(main())
