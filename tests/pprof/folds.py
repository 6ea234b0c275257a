#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `-o folded` writes is read back as what was written, whatever a stack
begins with and whatever its sign. Standard library only.

usage: folds.py TRACEFIND
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "hostile")]
from making import Pprof  # noqa: E402
from tap import Tap  # noqa: E402

# Names of stacks, root first, and the line that they become but for its weight.
STACKS = [
    (["main", "work"], "main;work"),
    (["#<Class:Cart>#total", "each"], "#<Class:Cart>#total;each"),
    (["#"], "#"),
    (["#", "work"], "#;work"),
    (["#work"], "#work"),
    (["# of carts", "# of items"], "#of carts;# of items"),
    (["#\t  things"], "#things"),
    (["main", "# of"], "main;# of"),
    (["[unknown]", "{}"], "[unknown];{}"),
    (["<module>"], "<module>"),
]


def folded(program, path):
    done = subprocess.run([program, "profile", path, "-o", "folded"],
                          capture_output=True, text=True, timeout=60,
                          env={**os.environ, "LC_ALL": "C"})
    return done.stdout or done.stderr


def check(tap, program, folder, what, stacks):
    """stacks: names, line and value of each."""
    profile = Pprof([("samples", "count")])
    for names, _, value in stacks:
        profile.sample([profile.location(name) for name in reversed(names)],
                       value)
    path, text = folder / "x.pb", folder / "x.folded"
    path.write_bytes(profile.bytes())
    written = folded(program, path)
    wanted = [f"{line} {value}" for _, line, value in stacks]
    tap.equal(sorted(written.splitlines()), sorted(wanted), what)
    text.write_text(written)
    tap.equal(folded(program, text), written, f"{what}, read back")


def main():
    program, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for names, line in STACKS:
            check(tap, program, folder, line, [(names, line, 7)])
        check(tap, program, folder, "all",
              [(*stack, 10 + i) for i, stack in enumerate(STACKS)])
        check(tap, program, folder, "a difference",
              [(["main", "gone"], "main;gone", -30),
               (["main"], "main", 100), (["main", "new"], "main;new", 7)])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
