#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No secret of the cases of some topics comes out, whatever is asked for.
Output is TAP.

usage: no_secrets.py TRACEFIND TOPIC...

Each case runs once more with everything on that writes: -v, --record, --cache.
All that its credentials hold and that is secret has "canary" in it, but for
the key; tokens that are bought begin with "ya29.", signed ones with "eyJ". The
recording is then replayed without the credentials and without a server: there
is nothing to log in to.
"""
import gzip
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import run  # noqa: E402
from tap import Tap  # noqa: E402

MARKS = [b"canary", b"ya29.", b"eyJ"]


def marks():
    key = run.read(run.ROBOT_KEY).splitlines()
    return MARKS + [line.encode() for line in key if "-" not in line]


def written(tmp, given):
    """What the program left behind, unpacked."""
    for path in sorted(Path(tmp).rglob("*")):
        if path.is_file() and path not in given:
            data = path.read_bytes()
            yield path.name, (gzip.decompress(data)
                              if data.startswith(b"\x1f\x8b") else data)


def check(program, case):
    """What is wrong with a case, or None."""
    with tempfile.TemporaryDirectory(prefix="tracefind-") as tmp:
        tmp = os.path.realpath(tmp)
        names = run.names_for(tmp)
        with run.served(case, names):
            given = run.furnish(case, names, tmp)
            done = run.start(program, f"{case.command} -vq --cache "
                             "--record all.har.gz", case, names, tmp)
        texts = [("stdout", done.stdout), ("stderr", done.stderr),
                 *written(tmp, given)]
        for name, text in texts:
            for mark in marks():
                if mark in text:
                    return f"{name} has {mark.decode()}"
        if done.returncode:
            return None
        for path in given:
            path.unlink()
        again = run.start(program, "--replay all.har.gz", case, names, tmp)
        if (again.returncode, again.stdout) != (0, done.stdout):
            return "the replay differs: " + again.stderr.decode()
    return None


def main():
    program = str(Path(sys.argv[1]).resolve())
    cases = [c for c in run.cases.all_cases()
             if run.is_chosen(c, sys.argv[2:]) and "--dry-run" not in c.command]
    tap = Tap()
    for case in cases:
        problem = check(program, case)
        tap.check(not problem, case.name, problem)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
