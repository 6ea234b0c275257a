#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much an ordinary `slow` asks of the servers: the recorded cases are
replayed, and what -v lists is counted. Output is TAP.

usage: budget.py TRACEFIND
"""
import os
import re
import subprocess
import sys
from pathlib import Path

REQUESTS = 40  # of all kinds, those for the statistics included
ROUNDS = 6     # that wait for each other
LIMIT_S = 30
CASES = Path(os.environ["TESTDATA"]) / "cases"
LINE = re.compile(r"tracefind: (\d+): \d+, \d+ bytes, .*: (?:GET|POST) ")
TOTAL = re.compile(r"tracefind: (\d+) requests? in (\d+) rounds?$", re.M)


def check(program, case):
    """What is wrong with the run, or None; and the counts."""
    done = subprocess.run([program, "--replay", str(case), "-v"],
                          capture_output=True, text=True, timeout=LIMIT_S,
                          env={"LC_ALL": "C", "TZ": "UTC"})
    rounds = [int(n) for n in LINE.findall(done.stderr)]
    total = TOTAL.findall(done.stderr)
    counts = f"{len(rounds)} requests in {len(set(rounds))} rounds"
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr}", counts
    if total != [(str(len(rounds)), str(len(set(rounds))))]:
        return f"-v lists {counts} and says {total}", counts
    if rounds != sorted(rounds) or set(rounds) != set(range(1, rounds[-1] + 1)):
        return f"rounds are out of order: {rounds}", counts
    if len(rounds) > REQUESTS or len(set(rounds)) > ROUNDS:
        return f"{counts}; at most {REQUESTS} in {ROUNDS}", counts
    return None, counts


def main():
    program = str(Path(sys.argv[1]).resolve())
    cases = sorted(CASES.glob("*.har.gz"))
    failed = 0
    print(f"1..{len(cases)}")
    for number, case in enumerate(cases, 1):
        wrong, counts = check(program, case)
        failed += wrong is not None
        print(f"{'not ok' if wrong else 'ok'} {number} - {case.name}: {counts}")
        if wrong:
            print("#   " + wrong.replace("\n", "\n#   "))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
