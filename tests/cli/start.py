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
    print("1..1")
    if sys.argv[2] != "true" or not text:
        print("ok 1 - libraries at the start # SKIP built with them, or no "
              "list of them")
        return 0
    found = [name for name in LATE if name in text]
    if found:
        print(f"not ok 1 - every run loads {', '.join(found)}")
        return 1
    print("ok 1 - no library of the network is loaded at the start")
    return 0


if __name__ == "__main__":
    sys.exit(main())
