#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Splits the samples of real profiles in two random halves and compares them:
whatever differs is noise, so no frame may have a colour. The same halves with
one function ten times as costly must have some. Standard library only.

usage: noise.py TRACEFIND              test
       noise.py --write FOLDER TRACEFIND   leave the first halves of each there
"""
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

HERE = Path(__file__).resolve().parent
TESTDATA = Path(os.environ.get("TESTDATA", HERE.parent.parent / "testdata"))
# Profile, value of a sample, and a function with a tenth of it or more.
PROFILES = [("real-go-compile-cpu", 10 ** 7,
             "cmd/compile/internal/ssa.Compile"),
            ("real-go-cpu", 10 ** 7, "main.allocLoop"),
            ("real-cpp-cpu", 4 * 10 ** 6, None),
            ("real-java-async-cpu", 1, None)]
SPLITS = 8
FACTOR = 10
# Neither grown nor shrunk, and what is not told from noise.
GREY = {"#e3e3e3", "#d3d3d3"}


def samples_of(folded, value):
    found = []
    for line in folded.splitlines():
        stack, weight = line.rsplit(" ", 1)
        if int(weight) % value:
            raise ValueError(f"{line} is not of whole samples of {value}")
        found += [stack] * (int(weight) // value)
    return found


def halves(samples, number):
    """Reproducible: the same for the same number."""
    chance = random.Random(number)
    sides = ([], [])
    for stack in samples:
        sides[chance.getrandbits(1)].append(stack)
    return sides


def write(path, samples, value, function=None):
    """The samples of a function count more often; weights as the profile has
    them, of time, or of samples where value is 1."""
    counts = {}
    for stack in samples:
        times = FACTOR if function in stack.split(";") else 1
        counts[stack] = counts.get(stack, 0) + times * value
    path.write_text("".join(f"{s} {n}\n" for s, n in sorted(counts.items())))


def colors(svg):
    """Of all that is drawn as frames."""
    lanes = re.search(r'<g class="lane".*?(?=<rect class="legend")', svg, re.S)
    found = re.findall(r'fill="(#[0-9a-f]{6})"', lanes[0])
    return len(found), [c for c in found if c not in GREY]


class Test(Tap):
    def __init__(self, program, folder):
        super().__init__()
        self.program, self.folder = program, folder

    def run(self, *args):
        return subprocess.run([self.program, *map(str, args)], check=True,
                              capture_output=True, text=True).stdout

    def compare(self, sides, value, function=None):
        before, after = self.folder / "before", self.folder / "after"
        write(before, sides[0], value)
        write(after, sides[1], value, function)
        return colors(self.run("diff", before, after, "-o", "svg"))

    def profile(self, name, value, function):
        folded = self.run("profile", TESTDATA / "pprof" / f"{name}.pb.gz",
                          "-o", "folded")
        samples = samples_of(folded, value)
        for each in sorted({1, value}):
            frames, wrong = 0, []
            for number in range(SPLITS):
                count, coloured = self.compare(halves(samples, number), each)
                frames, wrong = frames + count, wrong + coloured
            self.check(frames > 100 and not wrong,
                       f"{name}, {SPLITS} halves in units of {each}: "
                       f"{len(wrong)} of {frames} coloured")
        if function:
            frames, coloured = self.compare(halves(samples, 0), 1, function)
            self.check(coloured, f"{name}, {function} {FACTOR} times: "
                       f"{len(coloured)} of {frames} coloured")

    def all(self):
        for profile in PROFILES:
            self.profile(*profile)
        return self.end()


def leave(folder, program):
    test = Test(program, folder)
    for name, value, _ in PROFILES:
        folded = test.run("profile", TESTDATA / "pprof" / f"{name}.pb.gz",
                          "-o", "folded")
        sides = halves(samples_of(folded, value), 0)
        for side, half in zip("ab", sides):
            write(folder / f"{name}-{side}.folded", half, 1)


def main():
    if sys.argv[1] == "--write":
        leave(Path(sys.argv[2]), sys.argv[3])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return Test(sys.argv[1], Path(folder)).all()


if __name__ == "__main__":
    sys.exit(main())
