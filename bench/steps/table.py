#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/lab/verdict.md about `tracefind when`: how often a step
is told where there is none, and how often and how near one that is there.

usage: table.py BENCH_STEPS

Draws are the same in every run. Standard library only.
"""
import re
import subprocess
import sys

DRAWS = 1000
DRAWS_LONG = 100  # of series of 360 steps
PLANTED = 300
KINDS = [("flat", "each step on its own"),
         ("ar4", "steps hang together, by 0.4"),
         ("ar8", "by 0.8"),
         ("ar95", "by 0.95"),
         ("walk", "a random walk"),
         ("mix", "flat, and as much that hangs together by 0.98"),
         ("ramp", "half as much again in the end"),
         ("hook", "flat, then rising"),
         ("day", "a sine of half the level"),
         ("part", "a quarter of one"),
         ("spikes", "one step in fifty three times as large"),
         ("bursts", "two steps together so")]
LENGTHS = (12, 24, 60, 360)
COUNTS = re.compile(r"found (\d+) wrong (\d+) near (\d+) within (\d+) "
                    r"mean ([0-9.]+) of (\d+) hint (\d+)")


def draws_of(steps):
    return DRAWS if steps < 360 else DRAWS_LONG


def run(bench, *args):
    """Counts of one run, as numbers."""
    text = subprocess.run([bench, *map(str, args)], check=True, text=True,
                          capture_output=True).stdout
    return [float(x) for x in COUNTS.match(text).groups()]


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def false_alarms(bench):
    print("| series without a step, 10 % of noise | "
          + " | ".join(f"{n} steps" for n in LENGTHS) + " |")
    print("|---" * (len(LENGTHS) + 1) + "|")
    for kind, words in KINDS:
        cells = []
        for n in LENGTHS:
            draws = draws_of(n)
            wrong = run(bench, kind, n, 0.1, 1, draws)[1]
            known = run(bench, kind, n, 0.1, 1, draws, "known")[1]
            cells.append(f"{percent(wrong, draws)} ({percent(known, draws)})")
        print(f"| {words} | " + " | ".join(cells) + " |")
    week = [run(bench, "office", n, 0.05, 1, DRAWS_LONG)[1] for n in (168, 336)]
    print(f"\nA week of office hours, 168 and 336 steps: "
          f"{percent(week[0], DRAWS_LONG)} and {percent(week[1], DRAWS_LONG)}.")


def planted(bench):
    print("\n| step of | noise | " + " | ".join(
        f"{n} steps" for n in LENGTHS) + " | version known, 360 | "
        "lies within what is told, its width |")
    print("|---" * (len(LENGTHS) + 4) + "|")
    for ratio in (1.2, 1.3, 1.5, 2):
        for noise in (0.03, 0.05, 0.1):
            cells = []
            for n in LENGTHS:
                draws = PLANTED if n < 360 else DRAWS_LONG
                counts = run(bench, "flat", n, noise, ratio, draws)
                cells.append(percent(counts[0], draws))
            known = run(bench, "flat", 360, noise, ratio, DRAWS_LONG, "known")
            cells.append(percent(known[0], DRAWS_LONG))
            cells.append(f"{percent(counts[3], counts[0])}, "
                         f"{counts[4]:.1f} steps")
            print(f"| {ratio} | {noise:.0%} | ".replace("%", " %")
                  + " | ".join(cells) + " |")


def hints(bench):
    print("\n| a hint, 10 % of noise (30 %) | "
          + " | ".join(f"{n} steps" for n in LENGTHS) + " |")
    print("|---" * (len(LENGTHS) + 1) + "|")
    for kind, words in KINDS:
        cells = []
        for n in LENGTHS:
            draws = draws_of(n)
            less, more = (percent(run(bench, kind, n, noise, 1, draws)[6],
                                  draws) for noise in (0.1, 0.3))
            cells.append(f"{less} ({more})")
        print(f"| {words} | " + " | ".join(cells) + " |")
    for ratio in (2, 4):
        cells = []
        for n in LENGTHS:
            draws = draws_of(n)
            counts = run(bench, "flat", n, 0.2, ratio, draws, "recent")
            cells.append(f"{percent(counts[6], draws)}, as a step "
                         f"{percent(counts[0], draws)}")
        print(f"| {ratio} times as much in the last three, 20 % of noise | "
              + " | ".join(cells) + " |")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    false_alarms(sys.argv[1])
    planted(sys.argv[1])
    hints(sys.argv[1])


if __name__ == "__main__":
    main()
