#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `tracefind check` finds a change, and how often it tells one that
is none, beside edgeR's quasi-likelihood F test of the same counts.

usage: power.py TRACEFIND [--pairs N | --short] [--cells WORD...] [--edger]
                [--robust] [--bar] [--write FILE]
       power.py TRACEFIND --smallest | --intervals | --limits [--pairs N]
                [--cells WORD...] [--bar] [--write FILE]

A line of the table for each cell of draws.py: pairs in which the changed
function was told to have grown for certain (edgeR: q of at most 5 %), and pairs
in which a function was told to have changed that neither did nor calls what did.
tracefind is asked as users ask it, about files or a server.

What edgeR says of these draws is kept in edger.json; --edger asks it about those
of which it is not (Debian: r-bioc-edger, r-cran-statmod), --robust about all, with
its robust fit, and keeps nothing. --bar: exits with 1 when tracefind does not do
as well as is asked of it. Other tables: --smallest, of the smallest change that
is found in nine of ten pairs; --intervals: of how often the interval of a
growth holds the growth; --limits: of how often a growth is found that answers say
would be seen in four of five. --write: puts the table into a page, between two
lines that name this command.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import edger
import intervals
import pyroscope
from draws import CHANGED, Cell, draw, write

# What is asked of tracefind: in each cell to find no fewer of a hundred than
# edgeR less so many; on average of the cells of each ratio so many; to tell
# something in no more of a hundred equal pairs.
LESS_THAN_EDGER = 3
AVERAGES = {1.2: 40, 1.5: 78}
FALSE = 5
RATIOS = (1.0, 1.2, 1.5)
LARGE_PAIRS = 40
AT_ONCE = 50
SMALLEST_RATIOS = (1.03, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 2, 3, 5, 10)
SMALLEST_SHARES = (0.01, 0.05, 0.20)


def plain_cells():
    for ratio in RATIOS:
        for runs in (3, 6):
            for samples in (1_000, 10_000):
                for share in (0.02, 0.10) if ratio > 1 else (0.10,):
                    name = f"{runs} runs of {samples:,}"
                    if ratio > 1:
                        name += f", {100 * share:g} % x {ratio}"
                    yield Cell(name, share, ratio, runs=runs, samples=samples)


def other_cells():
    """The rest of what users compare: six runs of 10,000 samples a side where
    nothing else is said; and changes of which edgeR finds some and some not."""
    small, large, larger = (0.02, 1.2), (0.10, 1.2), (0.10, 1.5)
    for what, changes, more in (
            ("one run of 10,000, diff", [larger], {"runs": 1}),
            ("one run of 100,000, diff", [large, larger],
             {"runs": 1, "samples": 100_000}),
            ("quarters of a server's window", [small, large],
             {"runs": 4, "form": "window"}),
            ("the same, windows 3 % apart", [],
             {"runs": 4, "form": "window", "apart": 0.03}),
            ("folded stacks", [small, large], {"form": "folded"}),
            ("a snapshot before", [small, large], {"form": "snapshot"}),
            ("ten runs before, three after", [small, large],
             {"runs": 10, "runs_after": 3}),
            ("six runs before, one after", [large, larger],
             {"runs_after": 1}),
            ("one side after the other", [small, large],
             {"is_by_turns": False}),
            ("half the sampling period", [small], {"period_after": 0.5}),
            ("twice as long, by the second", [small],
             {"length_after": 2, "is_in_seconds": True}),
            ("so many samples a run", [small, larger], {"is_fixed": True}),
            ("a leaf of a tree", [small, large], {"shape": "tree"}),
            ("a caller of a helper", [small, large], {"shape": "helper"}),
            ("another shrinks as much", [small], {"shape": "moved"}),
            ("one in ten wanders by 20 %", [small, large], {"unsteady": 0.2}),
            ("all wander by 10 %", [large, larger], {"wander": 0.1}),
            ("none wanders", [small], {"wander": 0}),
            ("a program of 12 functions", [large], {"functions": 12}),
            ("1,000 functions, three runs of 50,000", [small],
             {"functions": 1_000, "runs": 3, "samples": 50_000})):
        yield Cell(what, **more)
        for share, ratio in changes:
            yield Cell(f"{what}, {100 * share:g} % x {ratio}", share, ratio,
                       **more)


def large_cells():
    """Programs of many functions or deep stacks, sides that differ in more than
    one function, and runs of unlike size or noise. edgeR's rows are filtered."""
    small, large, larger = (0.02, 1.2), (0.10, 1.2), (0.10, 1.5)
    for what, changes, more in (
            ("120 functions", [small, large], {}),
            ("2,000 functions, runs of 30,000", [small, large],
             {"functions": 2_000, "samples": 30_000}),
            ("20,000 functions, three runs of 30,000", [large, larger],
             {"functions": 20_000, "samples": 30_000, "runs": 3}),
            ("2,000 functions, one run of 100,000, diff", [small, large],
             {"functions": 2_000, "samples": 100_000, "runs": 1}),
            ("20,000 functions, one run of 200,000, diff", [small, large],
             {"functions": 20_000, "samples": 200_000, "runs": 1}),
            ("deep stacks", [small, large], {"shape": "deep"}),
            ("a long tail of 5,000", [small, large],
             {"shape": "tail", "functions": 5_000}),
            ("a fifth renamed", [small, large], {"renamed": 0.2}),
            ("a fifth in another package", [small, large],
             {"renamed": 0.2, "is_package": True}),
            ("one run in twelve wanders by 30 %", [small, large],
             {"outlier": 0.3}),
            ("two runs before, eight after", [large, larger],
             {"runs": 2, "runs_after": 8}),
            ("1,000 samples, then 30,000, by the second", [large, larger],
             {"samples": 1_000, "length_after": 30, "is_in_seconds": True}),
            ("1,000 samples, then 30,000, of a shorter period", [large, larger],
             {"samples": 1_000, "period_after": 1 / 30}),
            ("three change, both ways", [small, large, larger],
             {"shape": "three"})):
        yield Cell(what, **more)
        for share, ratio in changes:
            yield Cell(f"{what}, {100 * share:g} % x {ratio}", share, ratio,
                       **more)


# ---- tracefind ----

def answer_of(words):
    done = subprocess.run([str(word) for word in words], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 5, 10):
        raise SystemExit(f"{words[1]}: {done.stderr[:2000]}")
    return json.loads(done.stdout)


def check(tracefind, words):
    """Names that grew, and how many shrank, for certain."""
    answer = answer_of([tracefind, "check", *words, "-o", "json", "--fail-on",
                        "total>0%,function>0%,new>0%"])
    return {hit["function"] for hit in answer["broken"]} - {None}, \
        answer["shrunk"]


def diff(tracefind, before, after):
    rows = answer_of([tracefind, "diff", before, after, "-n", "0", "-o",
                      "json"])["functions"]
    return {row["name"] for row in rows if row["change"] in ("new", "grown")}, \
        sum(row["change"] in ("gone", "shrunk") for row in rows)


def check_files(tracefind, before, after):
    words = [*after]
    for path in before:
        words += ["--against", path]
    return check(tracefind, words)


def check_snapshot(tracefind, before, after, folder):
    done = subprocess.run([tracefind, "check", *before, "--save",
                           folder / "kept.json"], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return check(tracefind, [*after, "--against", folder / "kept.json"])


def ask(tracefind, cell, pair, folder):
    paths = []
    for side, runs in (("before", pair.before), ("after", pair.after)):
        (folder / side).mkdir()
        paths.append(write(cell, runs, folder / side))
    if cell.form == "snapshot":
        return check_snapshot(tracefind, *paths, folder)
    if cell.runs == 1:
        return diff(tracefind, paths[0][0], paths[1][0])
    return check_files(tracefind, *paths)


def judge(tracefind, cell, pair, number, server):
    """Whether the change was told, and whether something else was."""
    if server:
        rng = random.Random(number)
        grown, shrunk = check(tracefind, server.serve(rng, pair))
    else:
        with tempfile.TemporaryDirectory(dir=scratch()) as folder:
            grown, shrunk = ask(tracefind, cell, pair, Path(folder))
    is_wrong = bool(grown - pair.right) or shrunk > len(pair.fewer)
    if pair.renamed and shrunk and not is_wrong:
        # Too many may shrink for their number to say anything.
        turned = replace(pair, before=pair.after, after=pair.before)
        with tempfile.TemporaryDirectory(dir=scratch()) as folder:
            names = ask(tracefind, cell, turned, Path(folder))[0]
        is_wrong = bool(names - pair.fewer)
    return CHANGED in grown, is_wrong


def scratch():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


# ---- cells ----

def measure(job):
    """One cell: its first pair, outcomes of all by tracefind and by edgeR, and
    edgeR's version when it was asked."""
    args, cell, kept, is_large = job
    count = min(args.pairs, LARGE_PAIRS) if is_large else args.pairs
    server = pyroscope.Server() if cell.form == "window" else None
    first = draw(cell, 0)
    ours = [judge(args.tracefind, cell, draw(cell, number), number, server)
            for number in range(count)]
    theirs = [] if args.robust else kept.find(cell.name, first)
    theirs, version = theirs[:count], ""
    if args.edger or args.robust:
        # Of large programs not all are kept in memory.
        for at in range(len(theirs), count, AT_ONCE):
            pairs = [draw(cell, number)
                     for number in range(at, min(at + AT_ONCE, count))]
            more, version = edger.ask(pairs, args.robust, is_filtered=is_large)
            theirs += more
    return cell, first, ours, theirs, version


def rate(outcomes, which):
    if not outcomes:
        return math.nan
    return 100 * sum(o[which] for o in outcomes) / len(outcomes)


def shown(value, digits):
    return "" if math.isnan(value) else f"{value:.{digits}f}"


class Table:
    """Lines, sums of them, and where tracefind does not do what is asked."""

    def __init__(self):
        self.lines = [["", "found", "edgeR", "false row", "edgeR"]]
        self.by_ratio = {ratio: [] for ratio in RATIOS}
        self.equal = [[], []]
        self.changed, self.wrong = [], []  # of each cell, and edgeR's
        self.lacks = []

    def add(self, cell, ours, theirs, is_plain):
        found, other = rate(ours, 0), rate(theirs, 0)
        line = [cell.name, shown(found, 0), shown(other, 0),
                shown(rate(ours, 1), 1), shown(rate(theirs, 1), 1)]
        self.wrong.append((rate(ours, 1), rate(theirs, 1)))
        if cell.ratio > 1:
            self.changed.append((found, other))
        if cell.ratio == 1:
            line[1] = line[2] = ""
            # Of windows that lie apart by more than their quarters tell no
            # test can know; it is shown. Nor are sides equal of which some
            # functions have other names.
            if not cell.apart and not cell.renamed:
                self.equal[0] += ours
                self.equal[1] += theirs
        elif found < other - LESS_THAN_EDGER:
            self.lacks.append(f"{cell.name}: found {found:.0f} %, edgeR "
                              f"{other:.0f} %")
        if is_plain:
            self.by_ratio[cell.ratio].append((found, other))
        self.lines.append(line)
        return line

    def finish(self):
        for ratio, asked in AVERAGES.items():
            cells = self.by_ratio[ratio]
            if not cells:
                continue
            ours, theirs = (sum(part) / len(cells) for part in zip(*cells))
            self.lines.append([f"**x {ratio}, the first {len(cells)} cells of it**",
                               f"**{ours:.0f}**", f"**{shown(theirs, 0)}**", "", ""])
            if ours < asked:
                self.lacks.append(f"x {ratio}: found {ours:.0f} % on average, "
                                  f"{asked} % are asked for")
        self.finish_means()
        if self.equal[0]:
            wrong = rate(self.equal[0], 1)
            self.lines.append([f"**equal pairs, {len(self.equal[0]):,}**", "", "",
                               f"**{wrong:.1f}**",
                               f"**{shown(rate(self.equal[1], 1), 1)}**"])
            if wrong > FALSE:
                self.lacks.append(f"a false row in {wrong:.1f} % of equal "
                                  f"pairs, at most {FALSE} are asked for")


    def finish_means(self):
        """Of all cells, each counted once."""
        means = [[sum(part) / len(part) if part else math.nan
                  for part in (zip(*cells) if cells else [[], []])]
                 for cells in (self.changed, self.wrong)]
        (ours, theirs), (wrong, others) = means
        self.lines.append(["**all cells**", f"**{shown(ours, 0)}**",
                           f"**{shown(theirs, 0)}**", f"**{shown(wrong, 1)}**",
                           f"**{shown(others, 1)}**"])
        if ours < theirs - LESS_THAN_EDGER:
            self.lacks.append(f"found {ours:.1f} % on average of all cells, edgeR "
                              f"{theirs:.1f} %")
        if wrong > FALSE:
            self.lacks.append(f"a false row in {wrong:.1f} % on average of all "
                              f"cells, at most {FALSE} are asked for")


# ---- the smallest change ----

def find_smallest(job):
    """The smallest of the ratios that is found in nine of ten pairs, and in all
    larger ones, by halving; as a word."""
    tracefind, samples, runs, share, count = job

    def is_found(ratio):
        cell = Cell(f"{samples} {runs} {share} {ratio}", share, ratio,
                    runs=runs, samples=samples, wander=0.02)
        return sum(judge(tracefind, cell, draw(cell, number), number, None)[0]
                   for number in range(count)) >= 0.9 * count

    low, high = 0, len(SMALLEST_RATIOS)
    while low < high:
        middle = (low + high) // 2
        if is_found(SMALLEST_RATIOS[middle]):
            high = middle
        else:
            low = middle + 1
    return f"{SMALLEST_RATIOS[low]:g}" if low < len(SMALLEST_RATIOS) else "none"


def smallest(args, pool):
    lines = [["samples of a run", "runs a side",
              *(f"{100 * share:g} %" for share in SMALLEST_SHARES)]]
    for runs in (1, 4, 10):
        for samples in (1_000, 10_000, 100_000):
            lines.append([f"{samples:,}", str(runs), *pool.map(
                find_smallest, [(args.tracefind, samples, runs, share, args.pairs)
                                for share in SMALLEST_SHARES])])
            show(lines[-1])
    return table_text(lines), []


def is_wanted(args, name):
    return not args.cells or any(word in name for word in args.cells)


def show(line):
    print(" | ".join(line), file=sys.stderr, flush=True)


def of_intervals(args, pool):
    lines, lacks = intervals.intervals(args.tracefind, args.pairs, pool, show,
                                       partial(is_wanted, args))
    return f"In {args.pairs} draws a line:\n\n{table_text(lines)}", lacks


def of_limits(args, pool):
    lines, lacks = intervals.limits(args.tracefind, args.pairs, pool, show,
                                    partial(is_wanted, args))
    return f"In {args.pairs} draws a line:\n\n{table_text(lines)}", lacks


OTHERS = {"smallest": smallest, "intervals": of_intervals, "limits": of_limits}


# ---- pages ----

def table_text(lines):
    rows = [f"| {' | '.join(line)} |\n" for line in lines]
    return rows[0] + "|" + "---|" * len(lines[0]) + "\n" + "".join(rows[1:])


def put_into(path, text, what):
    begin = f"<!-- written by bench/power/power.py{what} -->\n"
    end = f"<!-- end of bench/power/power.py{what} -->\n"
    head, rest = Path(path).read_text().split(begin)
    Path(path).write_text(head + begin + text + end + rest.split(end)[1])


def compare(args, pool):
    """The table beside edgeR, and what tracefind lacks in it."""
    kept, table = edger.Kept(), Table()
    plain, large = list(plain_cells()), set(large_cells())
    cells = [cell for cell in [*plain, *other_cells(), *large_cells()]
             if is_wanted(args, cell.name)]
    jobs = [(args, cell, kept, cell in large) for cell in cells]
    for cell, first, ours, theirs, version in pool.map(measure, jobs):
        if version and not args.robust:
            kept.version = version
            kept.add(cell.name, first, theirs)
            kept.write()
        line = table.add(cell, ours, theirs, cell in plain)
        show(line)
    if not args.cells:
        kept.keep({cell.name for cell in cells})
    table.finish()
    return (f"In percent of {args.pairs} pairs a line, edgeR {kept.version}:\n\n"
            f"{table_text(table.lines)}"), table.lacks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tracefind", type=os.path.abspath)
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--short", action="store_true")
    for other in OTHERS:
        parser.add_argument(f"--{other}", action="store_true")
    parser.add_argument("--cells", nargs="+")
    parser.add_argument("--edger", action="store_true")
    parser.add_argument("--robust", action="store_true")
    parser.add_argument("--bar", action="store_true")
    parser.add_argument("--write")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    args.pairs = args.pairs or \
        (10 if args.short else 50 if args.smallest else 200)
    other = next((other for other in OTHERS if getattr(args, other)), None)
    with ProcessPoolExecutor(args.jobs) as pool:
        text, lacks = OTHERS[other](args, pool) if other else compare(args, pool)
    print(text, end="")
    if args.write:
        put_into(args.write, text, f" --{other}" if other else "")
    for lack in lacks:
        print(f"lacking: {lack}")
    return 1 if args.bar and lacks else 0


if __name__ == "__main__":
    sys.exit(main())
