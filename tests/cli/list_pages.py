#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""As many pages of Cloud Profiler's list as are read, and one more: then the
answer says that it knows a part only. So it does where the profiles of a
window lie on more pages than a run may still ask for. Output is TAP.

usage: list_pages.py TRACEFIND
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from scripted import Server  # noqa: E402
from tap import Tap  # noqa: E402

LIMIT_S = 100
NOW = "2026-11-21T12:00:00Z"
TOTAL = re.compile(r"tracefind: (\d+) requests? in \d+ rounds?$", re.M)
CUT = "only the first"  # said when a list is longer than is read
PAGES = 320

ARGS = "profile --service busy-service --since "  # a profile a minute
UNASKED = "not fetched"

# Profiles of the list, one on a page; the window, its samples and the requests
# for its data; whether the list is cut, whether profiles are left out.
CASES = [(PAGES, "2m", 180, 2, False, False),
         (PAGES + 1, "2m", 180, 2, True, False),
         # 320 of 400 requests are gone, and half of what is left stays.
         (PAGES, "40m", 3600, 40, False, False),
         (PAGES, "41m", 3600, 40, False, True)]


def script(profiles):
    return {"google": {"profiler": {
        "page": 1, "retention": {
            "profiles": profiles, "end": NOW, "targets": ["busy-service"],
            "types": ["CPU"],
            "folded": "main;work;hash 60\nmain;work;json 30\n"}}}}


def run(program, url, window):
    with tempfile.TemporaryDirectory() as home:
        return subprocess.run(
            [program, *ARGS.split(), window, "--profiles-url", url, "-v",
             "--timeout", f"{LIMIT_S}s"], capture_output=True, text=True,
            env={"HOME": home, "TRACEFIND_NOW": NOW,
                 "TRACEFIND_PROFILES_TOKEN": "ya29.test",
                 **{k: v for k, v in os.environ.items()
                    if k.endswith("SAN_OPTIONS")}})


def check(tap, program, case):
    profiles, window, samples, requests, is_cut, is_thin = case
    with Server(script(profiles), now=NOW) as server:
        url = f"gcp+{server.url}/projects/shop-prod"
        done = run(program, url, window)
    found = TOTAL.search(done.stderr)
    is_ok = (done.returncode == 0 and
             f"{samples:,} samples" in done.stdout and
             found and int(found[1]) == PAGES + requests and
             (CUT in done.stdout) == is_cut and
             (UNASKED in done.stdout) == is_thin)
    tap.check(is_ok, f"{profiles} pages, {window}", done.stdout + done.stderr)


def main():
    tap = Tap()
    for case in CASES:
        check(tap, sys.argv[1], case)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
