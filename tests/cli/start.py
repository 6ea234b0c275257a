#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which libraries every run loads. Those of the network bring thirty others
along and are loaded by runs that ask a server. Output is TAP.

usage: start.py TRACEFIND LAZY

LAZY is true or false, as the build was configured.
"""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap, skip_all  # noqa: E402

LATE = ("libcurl", "libcrypto", "libssl")


def linked(program):
    """What the dynamic linker would load, by its own list; nothing where it
    has none."""
    done = subprocess.run([program], capture_output=True, text=True,
                          env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
                          stdin=subprocess.DEVNULL, timeout=30, check=False)
    return done.stdout if "libc.so" in done.stdout else ""


def main():
    text = linked(sys.argv[1])
    if sys.argv[2] != "true" or not text:
        return skip_all("built with the libraries, or no list of them")
    tap = Tap()
    tap.equal([name for name in LATE if name in text], [],
              "no library of the network is loaded at the start")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
