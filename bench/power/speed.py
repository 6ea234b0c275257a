#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What comparing costs: `check` of twenty medium profiles a side (3 MB each), and
`diff` of two large ones (75 MB each, packed), by turns of several programs.

usage: speed.py BUILD FOLDER TRACEFIND... [--rounds N]

BUILD is a build folder with bench-make and bench-measure; inputs are made in
FOLDER once. Prints the least processor time of all rounds and the largest
resident set of each program, and of each but the first the median of its
processor time by that of the first in the same round.
"""
import argparse
import gzip
import os
import random
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))

from draws import NS_PER_S, START_NS, block, number, poisson, varint
from inputs import Inputs
from measure import Meter, Run
from pyroscope import read_varint

RUNS = 20


def fields(data):
    """Number, kind, value (bytes or number) of each field of a message."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 2:
            size, at = read_varint(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        else:
            value, at = read_varint(data, at)
            yield key >> 3, value


def drawn_sample(sample, rng):
    """The sample with as many counts as chance has it, or None."""
    ids, values = b"", []
    for field, value in fields(sample):
        if field == 1:
            ids = block(1, value)
        elif field == 2:
            at = 0
            while at < len(value):
                one, at = read_varint(value, at)
                values.append(one)
    count = poisson(rng, values[0]) if values[0] < 1000 else values[0]
    if not count or not values[0]:
        return None
    return block(2, ids + block(2, b"".join(
        varint(value * count // values[0]) for value in values)))


def drawn_profile(data, start_ns, rng):
    """The profile as another run would have it."""
    out = []
    for field, value in fields(data):
        if field == 2:
            out.append(drawn_sample(value, rng) or b"")
        elif field == 9:
            out.append(number(9, start_ns))
        elif isinstance(value, bytes):
            out.append(block(field, value))
        else:
            out.append(number(field, value))
    return b"".join(out)


def runs_of(inputs, folder):
    """Files of both sides, taken by turns."""
    sides = []
    for at, side in enumerate(("base", "cur")):
        data = None
        paths = [folder / f"medium-{side}-{i:02}.pb.gz" for i in range(RUNS)]
        for i, path in enumerate(paths):
            if path.exists():
                continue
            data = data or gzip.decompress(
                inputs.pprof("medium", side).read_bytes())
            drawn = drawn_profile(data, START_NS + (2 * i + at) * 60 * NS_PER_S,
                                  random.Random(f"{side} {i}"))
            part = path.with_suffix(".part")
            part.write_bytes(gzip.compress(drawn, 6))
            part.rename(path)
        sides.append(paths)
    return sides


def jobs(inputs, folder):
    before, after = runs_of(inputs, folder)
    words = ["check", *after, "-o", "json"]
    for path in before:
        words += ["--against", path]
    yield f"check, {RUNS} + {RUNS} medium", words
    yield "diff, large", ["diff", inputs.pprof("large", "base"),
                          inputs.pprof("large", "cur")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("tracefinds", nargs="+", type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    inputs = Inputs(args.folder, None, args.build / "bench/inputs/bench-make")
    meter = Meter(args.build / "bench/bench-measure", dict(os.environ))
    print("| job | program | CPU s | MiB | of the first |\n|---|---|---|---|---|")
    for name, words in jobs(inputs, args.folder):
        costs = [[meter.cost(Run((program, *map(str, words)),
                                 statuses=(0, 5, 10)))
                  for program in args.tracefinds]
                 for _ in range(args.rounds)]
        for at, program in enumerate(args.tracefinds):
            mine = [row[at] for row in costs]
            ratio = statistics.median(row[at].cpu_ns / row[0].cpu_ns
                                      for row in costs)
            print(f"| {name} | {program} | "
                  f"{min(c.cpu_ns for c in mine) / NS_PER_S:.2f} | "
                  f"{max(c.rss_kib for c in mine) / 1024:.0f} | "
                  f"{'' if at == 0 else f'{ratio:.3f}'} |", flush=True)


if __name__ == "__main__":
    main()
