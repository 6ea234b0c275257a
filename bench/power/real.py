#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `tracefind check` finds a change of a real program, and how often it
tells one of equal runs.

usage: real.py record go|python FOLDER [--runs N] [--requests N] [--apart]
       real.py judge TRACEFIND FOLDER... [--draws N] [--runs N] [--edger]

record  runs the program N times as it is (FOLDER/a) and N times with one function
        1.5 times as dear (FOLDER/b), by turns; --apart: first all of a, then all
        of b. go: bench/power/go, where one of four callers of a helper asks more
        of it; python: bench/gate/python, where score is dearer.
judge   draws sides of some runs out of a and b, of a, and of b, and asks; --edger:
        edgeR, too, about the totals of functions.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import edger
from draws import Pair, Run, Shape

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

def ask(tracefind, before, after):
    """Names that grew for certain, and how many shrank."""
    words = [tracefind, "check", *after, "-o", "json", "--fail-on",
             "total>0%,function>0%,new>0%"]
    for path in before:
        words += ["--against", path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 5, 10):
        raise SystemExit(done.stderr[:2000])
    answer = json.loads(done.stdout)
    return ({hit["function"] for hit in answer["broken"]} - {None},
            answer["shrunk"])


def check(tracefind, before, after):
    """Names that grew, and those that shrank, which are only counted: they are
    what grows the other way round."""
    grown, shrunk = ask(tracefind, before, after)
    names = ask(tracefind, after, before)[0] if shrunk else set()
    return grown, names or {"?"} if shrunk else names


def false_rows(grown, shrunk, right=frozenset()):
    return sorted(grown - right) + sorted(f"-{name}" for name in shrunk)


def read(tracefind, path):
    """A run as it is drawn elsewhere."""
    words = [] if path.endswith(".folded") else ["--type", "samples"]
    text = subprocess.run([tracefind, "profile", path, *words, "-o", "folded"],
                          capture_output=True, text=True, check=True).stdout
    lines = (line.rsplit(" ", 1) for line in text.splitlines())
    return Run({tuple(stack.split(";")): int(count) for stack, count in lines},
               0, 0, 0)


def without_everywhere(runs):
    """What is in nearly all samples says nothing."""
    total, whole = Counter(), 0
    for run in runs:
        for stack, count in run.counts.items():
            whole += count
            total.update({name: count for name in set(stack)})
    names = {name for name, count in total.items() if count > 0.95 * whole}
    for run in runs:
        counts = Counter()
        for stack, count in run.counts.items():
            counts[tuple(n for n in stack if n not in names)] += count
        run.counts = {stack: n for stack, n in counts.items() if stack}


def tell_edger(tracefind, sides, drawn, changed):
    """What edgeR finds in the same draws; rows seen in fewer than ten samples
    are left out, as its manual has it."""
    files = sorted(set(sum(sides, [])))
    runs = dict(zip(files, [read(tracefind, path) for path in files]))
    without_everywhere(runs.values())
    for what, pairs, allowed in drawn:
        outcomes, version = edger.ask(
            [Pair([runs[path] for path in before],
                  [runs[path] for path in after], allowed, set(),
                  Shape({}, set(), has_totals=True))
             for before, after in pairs], changed=changed, least=10)
        print(f"  edgeR {version}, {what}: found in "
              f"{sum(o[0] for o in outcomes)}, a false row in "
              f"{sum(o[1] for o in outcomes)} of {len(outcomes)}", flush=True)


def draw_sides(a, b, count, number):
    rng = random.Random(number)
    return sorted(rng.sample(a, count)), sorted(rng.sample(b, count))


def draw_halves(runs, count, number):
    drawn = random.Random(number).sample(runs, 2 * count)
    return sorted(drawn[:count]), sorted(drawn[count:])


def judge_folder(args, folder):
    program = (folder / "program.txt").read_text().strip()
    changed, with_it = PROGRAMS[program][2:]
    right = with_it | {changed}
    a, b = (sorted(map(str, (folder / side).iterdir())) for side in "ab")
    count = args.runs
    print(f"{folder.name}: {len(a)} and {len(b)} runs of {program}, "
          f"{changed} {DEARER} %")
    drawn = [(f"{count} runs a side", [draw_sides(a, b, count, number)
                                       for number in range(args.draws)], right)]
    for side, runs in (("a", a), ("b", b)):
        drawn.append((f"equal, one run a side, {side}",
                      [([x], [y]) for x, y in
                       itertools.combinations(runs[:10], 2)], set()))
        drawn.append((f"equal, {count} runs a side, {side}",
                      [draw_halves(runs, count, number) for number in range(45)],
                      set()))
    for what, pairs, allowed in drawn:
        told = [check(args.tracefind, *pair) for pair in pairs]
        wrong = [false_rows(*one, allowed) for one in told]
        print(f"  {what}: found in {sum(changed in grown for grown, _ in told)},"
              f" a false row in {sum(map(bool, wrong))} of {len(pairs)}",
              flush=True)
        for names in filter(None, wrong):
            print(f"    {', '.join(names)}")
    if args.edger:
        tell_edger(args.tracefind, (a, b),
                   [one for one in drawn if "one run" not in one[0]], changed)


def judge(args):
    for folder in args.folders:
        judge_folder(args, Path(folder))


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
    mode.add_argument("--edger", action="store_true")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
