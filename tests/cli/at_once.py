#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of `config set` at once: each adds a context, and all of them stay.
Output is TAP.

usage: at_once.py TRACEFIND
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

RUNS = 12
LIMIT_S = 60


def main():
    program, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as folder:
        env = {"HOME": folder, "LC_ALL": "C.UTF-8",
               **{k: v for k, v in os.environ.items()
                  if k in ("ASAN_OPTIONS", "UBSAN_OPTIONS")}}
        runs = [subprocess.Popen(
            [program, "config", "set", "--context", f"c{i}", "traces-url",
             f"http://localhost:{3000 + i}"], env=env,
            stdin=subprocess.DEVNULL) for i in range(RUNS)]
        tap.equal([run.wait(LIMIT_S) for run in runs], [0] * RUNS,
                  "each run ends well")
        text = Path(folder, ".config/tracefind/config").read_text()
        tap.equal(sorted(line for line in text.splitlines()
                         if line.startswith("[")),
                  sorted(f'[context "c{i}"]' for i in range(RUNS)),
                  "all contexts are there")
        tap.equal(os.listdir(Path(folder, ".config/tracefind")), ["config"],
                  "nothing else is left")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
