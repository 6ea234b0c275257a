#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `tracefind check` finds a change, and how often it tells one that
is none, beside edgeR on the same counts.

usage: power.py TRACEFIND [--pairs N | --short] [--cells WORD...] [--edger]

A row of a table for each cell: pairs in which the changed function was told to
have changed for certain (edgeR: q of at most 5 %), and pairs in which another
one was that had not changed. What edgeR says of these draws is kept in
edger.json; --edger asks it about others (Debian: r-bioc-edger, r-cran-statmod).
"""
import argparse
import array
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from draws import CHANGED, Cell, draw, self_counts, write

HERE = Path(__file__).resolve().parent
Q = 0.05


def make_cells(form):
    cells = []
    for ratio in (1.0, 1.2, 1.5):
        for runs in (3, 6):
            for samples in (1_000, 10_000):
                for share in (0.02, 0.10):
                    if ratio == 1.0 and share != 0.10:
                        continue
                    name = f"x{ratio} {runs} runs of {samples}"
                    if ratio != 1.0:
                        name += f", {100 * share:g} %"
                    cells.append(Cell(name, share, ratio, runs, samples, form=form))
    return cells


def check(tracefind, before, after):
    """The answer of a comparison with any growth that is told from noise."""
    words = [tracefind, "check", *after, "-n", "0", "-o", "json",
             "--fail-on", "total>0%,function>0%,new>0%"]
    for path in before:
        words += ["--against", path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 5, 10):
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def judge_tracefind(tracefind, cell, pair):
    """Whether the change was told, and whether something else was."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        paths = []
        for side, runs in (("before", pair.before), ("after", pair.after)):
            os.mkdir(f"{folder}/{side}")
            paths.append(write(cell, runs, f"{folder}/{side}"))
        answer = check(tracefind, *paths)
    told = {hit["function"] for hit in answer["broken"]} - {None}
    return (CHANGED in told,
            bool(told - pair.right) or answer["shrunk"] > 0)


def edger(pairs):
    """The same of all pairs, in one process of R; and edgeR's version."""
    tables = [self_counts(pair) for pair in pairs]
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/counts", f"{folder}/answers"]
        with open(paths[0], "wb") as out:
            for pair, (_, rows) in zip(pairs, tables):
                array.array("i", [len(rows), len(pair.before),
                                  len(pair.after)]).tofile(out)
                for row in rows:
                    array.array("i", row).tofile(out)
        version = subprocess.run(
            ["Rscript", HERE / "edger.R", *paths], check=True, text=True,
            stdout=subprocess.PIPE).stdout.strip()
        values = array.array("d", Path(paths[1]).read_bytes())
    outcomes, at = [], 0
    for pair, (names, rows) in zip(pairs, tables):
        q = values[at + len(rows):at + 2 * len(rows)]
        at += 2 * len(rows)
        told = {name for name, value in zip(names, q) if value <= Q}
        outcomes.append((CHANGED in told, bool(told - pair.right)))
    return outcomes, version


class Kept:
    """What edgeR said of draws, kept beside this file: it takes a second for
    ten of them. Draws are known again by the counts of the first one."""

    def __init__(self):
        self.path = HERE / "edger.json"
        self.all = {"version": "", "cells": {}}
        if self.path.exists():
            self.all = json.loads(self.path.read_text())

    @staticmethod
    def mark(pair):
        return hashlib.sha256(repr(self_counts(pair)).encode()).hexdigest()[:16]

    def find(self, cell, pairs):
        """Outcomes of all pairs, or None."""
        kept = self.all["cells"].get(cell.name)
        if (not kept or kept["mark"] != self.mark(pairs[0]) or
                len(kept["found"]) < len(pairs)):
            return None
        return [(kept["found"][i] == "1", kept["false"][i] == "1")
                for i in range(len(pairs))]

    def add(self, cell, pair, outcomes, version):
        self.all["version"] = version
        self.all["cells"][cell.name] = {
            "mark": self.mark(pair),
            "found": "".join(str(int(found)) for found, _ in outcomes),
            "false": "".join(str(int(wrong)) for _, wrong in outcomes)}

    def write(self):
        self.path.write_text(json.dumps(self.all, indent=1) + "\n")


def measure(job):
    """One cell: its first pair, and outcomes of all by tracefind and edgeR."""
    tracefind, cell, count, is_edger_run, kept = job
    pairs = [draw(cell, seed) for seed in range(count)]
    ours = [judge_tracefind(tracefind, cell, pair) for pair in pairs]
    theirs, version = kept.find(cell, pairs), ""
    if theirs is None and is_edger_run:
        theirs, version = edger(pairs)
    return cell, pairs[0], ours, theirs, version


def percent(outcomes, which):
    if outcomes is None:
        return "?"
    return f"{100 * sum(o[which] for o in outcomes) / len(outcomes):.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tracefind")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--cells", nargs="+")
    parser.add_argument("--edger", action="store_true")
    parser.add_argument("--form", default="pprof")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    count = 20 if args.short else args.pairs
    kept = Kept()
    cells = [c for c in make_cells(args.form)
             if not args.cells or any(w in c.name for w in args.cells)]
    jobs = [(os.path.abspath(args.tracefind), cell, count, args.edger, kept)
            for cell in cells]
    print("| cell | found | edgeR | false row | edgeR |\n|---|---|---|---|---|")
    with ProcessPoolExecutor(args.jobs) as pool:
        for cell, first, ours, theirs, version in pool.map(measure, jobs):
            if version:
                kept.add(cell, first, theirs, version)
                kept.write()
            shown = [percent(ours, 0), percent(theirs, 0), percent(ours, 1),
                     percent(theirs, 1)]
            if cell.ratio == 1:
                shown[0] = shown[1] = ""
            print(f"| {cell.name} | {' | '.join(shown)} |", flush=True)
    print(f"edgeR {kept.all['version']}", file=sys.stderr)


if __name__ == "__main__":
    main()
