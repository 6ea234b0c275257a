#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `tracefind check` finds a change of a real program, and how often it
tells one of equal runs.

usage: real.py record go|python FOLDER [--runs N] [--requests N] [--apart]
       real.py judge TRACEFIND FOLDER... [--draws N] [--runs N]

record  runs the program N times as it is (FOLDER/a) and N times with one function
        1.5 times as dear (FOLDER/b), by turns; --apart: first all of a, then all
        of b. go: bench/power/go, where one of four callers of a helper asks more
        of it; python: bench/gate/python, where score is dearer.
judge   draws sides of some runs out of a and b, and of a and a, and asks.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEARER = "150"
# Of each program: the ending of its files, requests of a run of 1,000 samples, the
# function that changed and rows that change with it.
PROGRAMS = {
    "go": ("pb.gz", 65_000, "main.insure",
           {"main.handle", "main.main", "runtime.main", "main.curve"}),
    "python": ("folded", 2600, "score", {"handle", "main", "<module>"}),
}


def build(program, folder):
    """The command of a run, and its words for a side."""
    if program == "go":
        subprocess.run(["go", "build", "-o", folder / "program", "."],
                       check=True, cwd=HERE / "go")
        return lambda out, count, is_b: [
            folder / "program", out, count, DEARER if is_b else "100"]
    return lambda out, count, is_b: [
        sys.executable, HERE.parent / "gate" / "python" / "shop.py", count, out,
        "timer=cpu", *(["score=" + DEARER] if is_b else [])]


def record(args):
    folder = Path(args.folder).resolve()
    for side in "ab":
        (folder / side).mkdir(parents=True, exist_ok=True)
    (folder / "program.txt").write_text(args.program + "\n")
    ending, requests = PROGRAMS[args.program][:2]
    command = build(args.program, folder)
    order = [(i, side) for i in range(args.runs) for side in "ab"]
    if args.apart:
        order.sort(key=lambda run: run[1])
    for i, side in order:
        words = command(folder / side / f"{i:02}.{ending}",
                        args.requests or requests, side == "b")
        subprocess.run([str(word) for word in words], check=True)


# ---- judging ----

def check(tracefind, before, after):
    """Names that grew, and how many shrank, for certain."""
    words = [tracefind, "check", *after, "-o", "json", "--fail-on",
             "total>0%,function>0%,new>0%"]
    for path in before:
        words += ["--against", path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 5, 10):
        raise SystemExit(done.stderr)
    answer = json.loads(done.stdout)
    return ({hit["function"] for hit in answer["broken"]} - {None},
            answer["shrunk"])


def tell(what, told):
    """told: names that should not be, of each draw."""
    wrong = [names for names in told if names]
    print(f"  {what}: a false row in {len(wrong)} of {len(told)}", flush=True)
    for names in wrong:
        print(f"    {', '.join(names)}")


def false_rows(grown, shrunk, right=frozenset()):
    return sorted(grown - right) + ["something shrank"] * bool(shrunk)


def judge_folder(tracefind, folder, draws, count):
    program = (folder / "program.txt").read_text().strip()
    changed, with_it = PROGRAMS[program][2:]
    a, b = (sorted(map(str, (folder / side).iterdir())) for side in "ab")
    print(f"{folder.name}: {len(a)} and {len(b)} runs of {program}, "
          f"{changed} {DEARER} %")
    found, beside = 0, []
    for number in range(draws):
        rng = random.Random(number)
        grown, shrunk = check(tracefind, sorted(rng.sample(a, count)),
                              sorted(rng.sample(b, count)))
        found += changed in grown
        beside.append(false_rows(grown, shrunk, with_it | {changed}))
    print(f"  {count} runs a side: found in {found} of {draws}")
    tell("beside it", beside)
    for side, runs in (("a", a), ("b", b)):
        pairs = list(itertools.combinations(runs[:10], 2))
        tell(f"equal, one run a side, {side}",
             [false_rows(*check(tracefind, [x], [y])) for x, y in pairs])
        told = []
        for number in range(45):
            drawn = random.Random(number).sample(runs, 2 * count)
            told.append(false_rows(*check(
                tracefind, sorted(drawn[:count]), sorted(drawn[count:]))))
        tell(f"equal, {count} runs a side, {side}", told)


def judge(args):
    for folder in args.folders:
        judge_folder(args.tracefind, Path(folder), args.draws, args.runs)


def main():
    parser = argparse.ArgumentParser()
    modes = parser.add_subparsers(required=True)
    mode = modes.add_parser("record")
    mode.set_defaults(run=record)
    mode.add_argument("program", choices=PROGRAMS)
    mode.add_argument("folder")
    mode.add_argument("--runs", type=int, default=16)
    mode.add_argument("--requests", type=int)
    mode.add_argument("--apart", action="store_true")
    mode = modes.add_parser("judge")
    mode.set_defaults(run=judge)
    mode.add_argument("tracefind")
    mode.add_argument("folders", nargs="+")
    mode.add_argument("--draws", type=int, default=20)
    mode.add_argument("--runs", type=int, default=6)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
