#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the folds of flame graphs to the frames that they stand for: each calls
the next with all but a hundredth of what it takes, none has a verdict, and
nothing else is missing. Standard library only.

usage: folds.py TRACEFIND
"""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

TESTDATA = Path(os.environ.get(
    "TESTDATA", Path(__file__).resolve().parent.parent.parent / "testdata"))
SVG = "{http://www.w3.org/2000/svg}"
PART, LEAST = 0.99, 3
REAL = {"new", "grown", "gone", "shrunk"}
PPROF = TESTDATA / "pprof"
# What is drawn, and whether something is to be folded.
DRAWN = [
    (["slow", "--replay", TESTDATA / "cases/n-plus-one.har.gz"], True),
    (["slow", "--replay", TESTDATA / "cases/recipe-slow.har.gz"], True),
    (["slow", "--replay", TESTDATA / "cases/python-n-plus-one.har.gz"], True),
    (["profile", PPROF / "real-go-compile-cpu.pb.gz"], True),
    (["profile", PPROF / "real-java-async-cpu.pb.gz"], True),
    (["profile", PPROF / "real-java-async-cpu.pb.gz", "--reverse"], True),
    (["diff", PPROF / "go-process_cpu-normal.pb.gz",
      PPROF / "go-process_cpu-incident.pb.gz"], False),
]


class Bad(Exception):
    pass


def read(text):
    """[(path of names, what it stands for, width, is blamed)]: a fold has the
    path to its first frame."""
    found, above = [], []
    lane = next(g for g in ET.fromstring(text).iter(f"{SVG}g")
                if g.get("class") == "lane")
    for frame in lane:
        kinds = frame.get("class", "").split(" ")
        if kinds[0] != "f":
            continue
        row, lines = int(frame.get("data-d")), frame.find(
            f"{SVG}title").text.split("\n")
        del above[row:]
        names = lines[3:] if "k" in kinds else lines[:1]
        if "k" in kinds and lines[0] != f"{len(names)} callers":
            raise Bad(f"{lines[0]!r} of {len(names)}")
        path = tuple(name for names in above for name in names)
        found.append((path, names, int(frame.get("data-w")), "r" in kinds,
                      int(frame.get("data-x"))))
        above.append(names)
    return found


def check(program, args, is_folded):
    def run(*more):
        return subprocess.run([program, *map(str, args), *more], check=True,
                              capture_output=True, text=True).stdout

    folded, whole = read(run("-o", "svg")), {}
    for path, names, width, is_blamed, x in read(
            run("-o", "svg", "--min-width", "0", "--width", "20000")):
        if len(names) != 1:
            raise Bad("a fold where all was wanted")
        whole[(*path, *names)] = (width, is_blamed, x)
    verdicts = {row["name"] for row in json.loads(run("-o", "json", "-n", "5"))
                ["functions"] if row.get("change") in REAL} \
        if args[0] != "profile" else set()
    folds = [one for one in folded if len(one[1]) > 1]
    if bool(folds) != is_folded:
        raise Bad(f"{len(folds)} folds")
    for path, names, width, is_blamed, x in folded:
        widths = [whole[(*path, *names[:i + 1])]
                  for i in range(len(names))]
        if widths[0][0] != width or widths[0][2] != x:
            raise Bad(f"{names} at {x}, {width} wide, without folds at "
                      f"{widths[0]}")
        if len(names) == 1:
            continue
        if len(names) < LEAST or any(w < PART * width for w, *_ in widths):
            raise Bad(f"a fold of {names}, {widths}")
        if any(blamed for _, blamed, _ in widths) or is_blamed:
            raise Bad(f"a fold of {names}: the one to blame")
    # Those that the table has by itself, first of all.
    hidden = {name for _, names, *_ in folds for name in names}
    lead = json.loads(run("-o", "json"))["functions"][0]["name"]
    if verdicts and lead in hidden:
        raise Bad(f"{lead} is in a fold")
    # Nothing but what is in folds, or narrow beside them, is gone.
    drawn = {(*path, *names[:i + 1]) for path, names, *_ in folded
             for i in range(len(names))}
    for path, (width, *_) in whole.items():
        if width > 10 ** 6 and path[:-1] in drawn and path not in drawn:
            raise Bad(f"{path} is not drawn")
    if args[0] != "profile":
        if any(len(names) > 1 for _, names, *_ in read(
                run("-o", "svg", "--callers"))):
            raise Bad("a fold with --callers")


def main():
    tap = Tap()
    for args, is_folded in DRAWN:
        what = " ".join(getattr(a, "name", a) for a in args)
        tap.attempt(what, check, sys.argv[1], args, is_folded)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
