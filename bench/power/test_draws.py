#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are draws what draws.py says? Of that rests all that power.py counts.

usage: test_draws.py TRACEFIND
"""
import random
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from draws import CHANGED, Cell, SHAPES, count_functions, draw, poisson, write
from tap import Tap


def is_poisson(mean):
    """Mean and variance of 20,000 draws, within five of their deviations."""
    rng = random.Random(mean)
    drawn = [poisson(rng, mean) for _ in range(20_000)]
    seen = sum(drawn) / len(drawn)
    variance = sum((n - seen) ** 2 for n in drawn) / (len(drawn) - 1)
    return (abs(seen - mean) < 5 * (mean / len(drawn)) ** 0.5 and
            abs(variance / mean - 1) < 5 * ((2 + 1 / mean) / len(drawn)) ** 0.5)


def is_read_alike(tracefind, cell):
    """The program reads from a file the samples that were drawn."""
    pair = draw(cell, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = write(cell, pair.after[:1], folder)[0]
        words = [] if cell.form == "folded" else ["--type", "samples"]
        text = subprocess.run([tracefind, "profile", path, *words, "-o",
                               "folded"], capture_output=True, text=True,
                              check=True).stdout
    read = dict(line.rsplit(" ", 1) for line in text.splitlines())
    return {tuple(stack.split(";")): int(count)
            for stack, count in read.items()} == pair.after[0].counts


def names_of(runs):
    return {name for run in runs for stack in run.counts for name in stack}


def growth(cell):
    """Of the changed function, beside the others, over forty pairs."""
    sums = {True: [0, 0], False: [0, 0]}
    for number in range(40):
        pair = draw(cell, number)
        names, rows = count_functions(pair)
        for name, row in zip(names, rows):
            if name != CHANGED and name in pair.right | pair.fewer:
                continue
            sums[name == CHANGED][0] += sum(row[:cell.runs])
            sums[name == CHANGED][1] += sum(row[cell.runs:])
    return (sums[True][1] / sums[True][0]) / (sums[False][1] / sums[False][0])


def main():
    tap = Tap()
    for mean in (0.3, 5, 11.9, 12.1, 60, 3_000):
        tap.check(is_poisson(mean), f"counts of mean {mean:g} are Poisson's")
    for form in ("pprof", "folded"):
        for shape in SHAPES:
            cell = Cell("test", ratio=1.5, form=form, shape=shape, samples=500)
            tap.check(is_read_alike(sys.argv[1], cell),
                      f"{form}: the program reads what was drawn, {shape}")
    for shape in SHAPES:
        cell = Cell("test", ratio=1.5, shape=shape, runs=3)
        tap.check(abs(growth(cell) - 1.5) < 0.03,
                  f"{shape}: the function takes 1.5 times as much")
        tap.check(abs(growth(replace(cell, ratio=1.0)) - 1) < 0.03,
                  f"{shape}: or as much as before")
    for cell in (Cell("test", renamed=0.2, runs=2, runs_after=8, samples=1_000,
                      period_after=1 / 30),):
        pair = draw(cell, 1)
        before, after = names_of(pair.before), names_of(pair.after)
        tap.check(len(pair.renamed) == 24 and not before & set(
            pair.renamed.values()) and not after & set(pair.renamed),
                  "a fifth of 120 functions has another name afterwards")
        tap.check((len(pair.before), len(pair.after)) == (2, 8),
                  "two runs, then eight")
        sizes = [sum(sum(run.counts.values()) for run in side) / len(side)
                 for side in (pair.before, pair.after)]
        tap.check(25 < sizes[1] / sizes[0] < 36, "thirty times as many samples")
    sys.exit(tap.end())


if __name__ == "__main__":
    main()
