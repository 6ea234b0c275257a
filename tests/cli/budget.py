#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much an ordinary `slow` asks of the servers: the recorded cases are
replayed, a service that sends every type of profile and waits is asked of a
scripted server, and what -v lists is counted. Output is TAP.

usage: budget.py TRACEFIND
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import cases  # noqa: E402
from scripted import Server  # noqa: E402
from tap import Tap  # noqa: E402

REQUESTS = 40  # of all kinds, those for the statistics included
ROUNDS = 7     # that wait for each other
READ_UNITS = 300  # of Cloud Trace, that a project has a minute
LIMIT_S = 30
CASES = Path(os.environ["TESTDATA"]) / "cases"
LINE = re.compile(r"tracefind: (\d+): \d+, \d+ bytes, .*: (?:GET|POST) ")
UNITS = re.compile(r"Cloud Trace: (\d+) read unit")
TOTAL = re.compile(r"tracefind: (\d+) requests? in (\d+) rounds?$", re.M)


TYPES = ["process_cpu:cpu:nanoseconds:cpu:nanoseconds",
         "memory:alloc_space:bytes:space:bytes",
         "mutex:delay:nanoseconds:mutex:count",
         "block:delay:nanoseconds:block:count",
         "wall:wall:nanoseconds:wall:nanoseconds",
         "offcpu:offcpu:nanoseconds:offcpu:nanoseconds",
         "goroutine:goroutine:count:goroutine:count"]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPANS = "/querier.v1.QuerierService/SelectMergeSpanProfile"


def all_types():
    """The script of the case of a cohort, but what grew there in CPU grew in
    the types that wait; CPU is what it was before."""
    script = json.loads(cases.find("slow-scope/cohort").server)
    routes = script["routes"]
    before = next(r for r in routes if r.get("body_contains") == "ba5e")
    quiet = {"prefix": SPANS, "body_contains": "process_cpu",
             "reply": before["reply"]}
    for route in routes:
        if not route.get("prefix", "").endswith("/Series"):
            continue
        sets = route["reply"]["json"]["labelsSet"]
        sets += [{"labels": [dict(label, value=kind)
                             if label["name"] == "__profile_type__" else label
                             for label in sets[0]["labels"]]}
                 for kind in TYPES[1:]]
    routes.insert(routes.index(before), quiet)
    return script


def run(program, *args):
    return subprocess.run([program, *args, "-v"],
                          capture_output=True, text=True, timeout=LIMIT_S,
                          env={"LC_ALL": "C", "TZ": "UTC",
                               "TRACEFIND_NOW": "2026-11-21T12:00:00Z"})


def replay(program, case):
    return run(program, "--replay", str(case))


def ask_all_types(program):
    with Server(all_types()) as server:
        done = run(program, "slow", TRACE, "--traces-url", server.url,
                   "--profiles-url", server.url, "--why")
    return done


def check_all_types(done, counts):
    """It must have gone all the way, and have told what it left out."""
    wanted = ["goroutine: the top function .*: taken",
              "the type chosen last: as a whole, to keep to 40 requests"]
    missing = [w for w in wanted if not re.search(w, done.stdout)]
    if missing:
        return f"missing: {missing}; {counts}\n{done.stdout}"
    return None


def check(done):
    """What is wrong with the run, or None; and the counts."""
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
    units = UNITS.findall(done.stderr)
    if any(int(n) > READ_UNITS for n in units):
        return f"{units} read units; at most {READ_UNITS}", counts
    return None, counts


def main():
    program = str(Path(sys.argv[1]).resolve())
    recorded = sorted([*CASES.glob("n-plus-one*.har.gz"),
                       *CASES.glob("cloud-trace*.har.gz")])
    runs = [(case.name, lambda case=case: replay(program, case))
            for case in recorded]
    runs.append(("all types", lambda: ask_all_types(program)))
    tap = Tap()
    for name, start in runs:
        done = start()
        wrong, counts = check(done)
        if not wrong and name == "all types":
            wrong = check_all_types(done, counts)
        tap.check(not wrong, f"{name}: {counts}", wrong)
    return tap.end() if recorded else 1


if __name__ == "__main__":
    sys.exit(main())
