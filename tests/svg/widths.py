#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the frames of flame graphs to the stacks that they are made from: the
same stacks, each as wide as its share. flamegraph.pl and inferno-flamegraph
are held to the same stacks where they are in the path, so that all three draw
the same boxes. Standard library only.

usage: widths.py TRACEFIND
"""
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap, lack  # noqa: E402

HERE = Path(__file__).resolve().parent
TESTDATA = Path(os.environ.get("TESTDATA", HERE.parent.parent / "testdata"))
PPROF = TESTDATA / "pprof"
SVG = "{http://www.w3.org/2000/svg}"
PROFILES = ["real-go-cpu", "real-go-compile-cpu", "real-cpp-cpu",
            "real-rust-cpu", "real-python-cpu", "real-java-async-cpu",
            "real-go-heap"]
PAIRS = [("real-go-cpu", "real-go-compile-cpu"),
         ("go-process_cpu-normal", "go-process_cpu-incident")]
# So wide that no box of these profiles is left out.
WIDTH, MARGIN = 20000, 10
PARTS = 10 ** 8
OTHERS = {"flamegraph.pl": ["--minwidth", "0", "--width", str(WIDTH)],
          "inferno-flamegraph": ["--minwidth", "0", "--width", str(WIDTH)]}
TITLE = re.compile(r"(.*) \(([\d,]+) samples?, [\d.]+%"
                   r"(?:; [-+]?[\d.]+%)?\)\Z", re.S)


class Bad(Exception):
    pass


def stacks(folded, column=1):
    """What each call path takes, the root as an empty path."""
    found = {}
    for line in folded.splitlines():
        *stack, value = line.rsplit(" ", column)
        path, value = tuple(stack[0].split(";")), int(value)
        for depth in range(len(path) + 1 if value else 0):
            found[path[:depth]] = found.get(path[:depth], 0) + value
    return found


def larger_sides(folded):
    """What each call path takes when each stack counts with its larger side:
    folded has both, as they compare."""
    sides, found = {}, {}
    for line in folded.splitlines():
        stack, *values = line.rsplit(" ", 2)
        path = plain_path(stack.split(";"))
        both = sides.setdefault(path, [0, 0])
        for i, value in enumerate(values):
            both[i] += int(value)
    for path, both in sides.items():
        for depth in range(len(path) + 1):
            found[path[:depth]] = found.get(path[:depth], 0) + max(both)
    return found


def ours(text):
    """Parts of the width by call path."""
    found, path = {}, []
    lane = next(g for g in ET.fromstring(text).iter(f"{SVG}g")
                if g.get("class") == "lane")
    for frame in lane:
        if frame.get("class", "").split(" ")[0] != "f":
            continue
        depth = int(frame.get("data-d"))
        del path[depth:]
        name = frame.find(f"{SVG}title").text.split("\n")[0]
        path.append(name.replace(";", ":"))
        key = tuple(path[1:])
        if key in found:
            raise Bad(f"{key} is drawn twice")
        found[key] = int(frame.get("data-w")) / PARTS
    return found


def number(text):
    """Of a width in pixels or in percent, as a share."""
    if text.endswith("%"):
        return float(text[:-1]) / 100
    return float(text) / (WIDTH - 2 * MARGIN)


def boxes(text):
    """Of the others: rows from the root on, each box (from, width, name,
    value)."""
    rows = {}
    for group in ET.fromstring(text).iter(f"{SVG}g"):
        title, rect = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
        match = TITLE.match(title.text) if title is not None else None
        # Of stacks that only the baseline has they draw empty boxes.
        if not match or rect is None or number(rect.get("width")) == 0:
            continue
        rows.setdefault(float(rect.get("y")), []).append(
            (number(rect.get("x")), number(rect.get("width")), match[1],
             int(match[2].replace(",", ""))))
    return [sorted(rows[y]) for y in sorted(rows, reverse=True)]


def theirs(text):
    """Value and width by call path; a caller is what lies below the middle."""
    found, below = {}, [(float("-inf"), float("inf"), None)]
    for row in boxes(text):
        above, at = [], 0
        for x, width, name, value in row:
            while below[at][1] < x + width / 2:
                at += 1
            path = below[at][2]
            path = () if path is None else path + (name,)
            if path in found:
                raise Bad(f"{path} is drawn twice")
            found[path] = (value, width)
            above.append((x, x + width, path))
        below = above
    return found


def plain_path(path):
    """A comparison tells functions of Go apart without their types."""
    return tuple(re.sub(r"\[.*\]", "[...]", name) for name in path)


def plain(paths):
    found = {}
    for path, value in paths.items():
        path = plain_path(path)
        found[path] = found.get(path, 0) + value
    return found


def same_paths(found, wanted):
    for what, paths in (("not drawn", wanted.keys() - found.keys()),
                        ("drawn of nothing", found.keys() - wanted.keys())):
        if paths:
            raise Bad(f"{len(paths)} {what}, as {sorted(paths)[0]}")


def check_ours(text, wanted):
    found, wanted = plain(ours(text)), plain(wanted)
    same_paths(found, wanted)
    for path, share in found.items():
        # Rounded down, to a part of the width.
        if not 0 <= wanted[path] / wanted[()] - share < 2 / PARTS:
            raise Bad(f"{path} is {share} wide, should be "
                      f"{wanted[path]} of {wanted[()]}")
    return len(found)


def check_theirs(text, wanted):
    found = theirs(text)
    same_paths(found, wanted)
    for path, (value, width) in found.items():
        if value != wanted[path]:
            raise Bad(f"{path}: {value}, should be {wanted[path]}")
        # Decimals of percent and of pixels.
        if abs(width - value / wanted[()]) > 1e-5:
            raise Bad(f"{path} is {width} wide, should be {value} of "
                      f"{wanted[()]}")
    return len(found)


class Test(Tap):
    def __init__(self, program):
        super().__init__()
        self.program = program

    def run(self, *args):
        return subprocess.run([self.program, *map(str, args)], check=True,
                              capture_output=True, text=True).stdout

    def draw(self, name, args, folded, wanted, larger=None):
        """larger: of a comparison, whose frames of ours are as wide."""
        svg = self.run(*args, "-o", "svg", "--width", WIDTH,
                       "--min-width", "0")
        self.attempt(f"{name}: frames", check_ours, svg, larger or wanted)
        for program, options in OTHERS.items():
            what = f"{name}: boxes of {program}"
            if not shutil.which(program):
                self.skip(what, lack(program))
                continue
            drawn = subprocess.run([program, *options], input=folded,
                                   capture_output=True, text=True, check=True)
            self.attempt(what, check_theirs, drawn.stdout, wanted)

    def all(self):
        for name in PROFILES:
            args = ["profile", PPROF / f"{name}.pb.gz"]
            folded = self.run(*args, "-o", "folded")
            self.draw(name, args, folded, stacks(folded))
        for before, after in PAIRS:
            args = ["diff", PPROF / f"{before}.pb.gz",
                    PPROF / f"{after}.pb.gz"]
            folded = self.run(*args, "-o", "difffolded")
            self.draw(f"{before} {after}", args, folded, stacks(folded, 2),
                      larger_sides(folded))
        return self.end()


if __name__ == "__main__":
    sys.exit(Test(sys.argv[1]).all())
