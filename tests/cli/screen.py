#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the answer of `slow` fits on a screen: every case that was recorded of
it, without --why, is replayed on a terminal of 80x24, and the rows that all of
standard output takes there are counted. Output is TAP.

usage: screen.py TRACEFIND
"""
import fcntl
import gzip
import json
import os
import struct
import subprocess
import sys
import termios
import unicodedata
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Lacking, Tap, open_terminal  # noqa: E402

CASES = Path(os.environ["TESTDATA"]) / "cases"
ROWS, COLUMNS = 24, 80
LEAST_SHARE = 12 / 17  # of the cases, that fit
LEAST_ROWS, MOST_ROWS = 8, 40  # of any
LIMIT_S = 30


def recorded():
    """The cases of `slow`, by name."""
    for path in sorted(CASES.glob("*.har.gz")):
        args = json.loads(gzip.decompress(path.read_bytes()))["log"][
            "_tracefind"]["args"]
        if args[0] == "slow" and "--why" not in args:
            yield path.name


def width(line):
    return sum(0 if unicodedata.combining(c) else
               2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)


def rows_of(text):
    """A line that is too long goes on in the next row."""
    return sum(max(1, -(-width(line) // COLUMNS)) for line in text.splitlines())


def answer(program, case):
    """What a terminal of that size gets; also of a case without profiles, whose
    status says so."""
    ours, theirs = open_terminal()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    parts = []
    with subprocess.Popen(
            [program, "slow", "--replay", case, "--no-pager", "--color",
             "never"], cwd=CASES, stdin=subprocess.DEVNULL, stdout=theirs,
            stderr=subprocess.DEVNULL, env={"LC_ALL": "C.UTF-8", "TZ": "UTC"}) as p:
        os.close(theirs)
        try:
            while part := os.read(ours, 65536):
                parts.append(part)
        except OSError:  # its other end is closed
            pass
        os.close(ours)
        p.wait(LIMIT_S)
    return b"".join(parts).decode().replace("\r\n", "\n")


def main():
    program = str(Path(sys.argv[1]).resolve())
    tap = Tap()
    try:
        counted = {case: rows_of(answer(program, case)) for case in recorded()}
    except Lacking as lack:
        tap.skip("answers on a terminal", lack)
        return tap.end()
    tap.check(counted and min(counted.values()) >= LEAST_ROWS,
              f"each of {len(counted)} cases has an answer", counted)
    fitting = sum(rows <= ROWS for rows in counted.values())
    table = "\n".join(f"{rows:4} {case}" for case, rows in
                      sorted(counted.items(), key=lambda pair: pair[1]))
    tap.check(fitting >= LEAST_SHARE * len(counted) > 0,
              f"{fitting} of {len(counted)} fit {COLUMNS}x{ROWS}", table)
    tap.check(max(counted.values(), default=0) <= MOST_ROWS,
              f"none has more than {MOST_ROWS} rows", table)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
