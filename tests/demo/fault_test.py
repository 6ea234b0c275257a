#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One fault of the demo, with real servers and services: does tracefind name the
function that it is in?

usage: fault_test.py DEMO TRACEFIND FOLDER FAULT

FAULT "none": does it call nothing a leak? That and "leak" take an hour, and run with
DEMO_HOUR=1.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tap import Tap, lack, skip_all  # noqa: E402

SERVERS = "tempo", "pyroscope"
OF_AN_HOUR = "leak", "none"
NO_PIP = "pip cannot install", "cannot make a virtual environment"


def main():
    demo, tracefind, folder, fault = sys.argv[1:]
    for name in SERVERS:
        if not shutil.which(name):
            return skip_all(lack(name))
    if fault in OF_AN_HOUR and not os.environ.get("DEMO_HOUR"):
        return skip_all("takes an hour: DEMO_HOUR=1 runs it")
    done = subprocess.run(
        [sys.executable, "-B", Path(demo, "live.py"), fault, "--tracefind",
         os.path.abspath(tracefind), "--folder", folder],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        stdin=subprocess.DEVNULL, check=False)
    last = (done.stdout.strip().splitlines() or [""])[-1]
    if done.returncode and any(why in last for why in NO_PIP):
        return skip_all(last)
    tap = Tap()
    tap.check(not done.returncode, f"{fault}: {last}", done.stdout)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
