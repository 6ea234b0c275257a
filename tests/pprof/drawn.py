#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the call graphs of `-o dot` with those that pprof draws for the same
profiles: functions in their order, calls, values. Standard library only; dot of
Graphviz reads ours too where it is installed.

usage: drawn.py TRACEFIND            compare with testdata/pprof-dot/
       drawn.py --record PPROF       write testdata/pprof-dot/ anew
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap, lack  # noqa: E402

HERE = Path(__file__).resolve().parent
TESTDATA = Path(os.environ.get("TESTDATA", HERE.parent.parent / "testdata"))
RECORDED = TESTDATA / "pprof-dot"

# Profile and unit: few functions, more than are drawn, inlining, sizes.
PROFILES = [("real-go-cpu", "ns"), ("real-go-compile-cpu", "ns"),
            ("real-cpp-cpu", "ns"), ("real-go-heap", "B")]

UNITS = {"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "B": 1,
         "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

NODE = re.compile(r'^N(\d+) \[.* tooltip="((?:[^"\\]|\\.)*) \(([^()]*)\)"')
EDGE = re.compile(r'^N(\d+) -> N(\d+) \[label="([^"]*)".*$')


def value(text):
    number, unit = re.fullmatch(r"(-?[\d.,]+) ?(\D*)", text).groups()
    return float(number.replace(",", "")) * UNITS[unit]


def read(text):
    """Nodes: name and value with callees. Calls: names, value, whether inlined,
    whether over others."""
    nodes, edges, names = [], [], {}
    for line in text.splitlines():
        node, edge = NODE.match(line), EDGE.match(line)
        if node:
            name = node[2].replace("&amp;", "&")
            names[node[1]] = name
            nodes.append((name, value(node[3])))
        elif edge:
            label = edge[3].strip()
            edges.append((names[edge[1]], names[edge[2]],
                          value(label.split("\\n")[0]), "inline" in label,
                          "dotted" in line))
    return nodes, edges


def near(a, b):
    """Ours have three digits."""
    return abs(a - b) <= 0.006 * max(abs(a), abs(b))


def same(ours, theirs):
    return len(ours) == len(theirs) and all(
        all(near(x, y) if isinstance(x, float) else x == y
            for x, y in zip(a, b)) for a, b in zip(ours, theirs))


def compare(ours, theirs):
    for what, a, b in (("functions", ours[0], theirs[0]),
                       ("calls", sorted(ours[1]), sorted(theirs[1]))):
        if not same(a, b):
            first = next((pair for pair in zip(a, b) if not same(*[[x] for x in
                                                                   pair])), "")
            return f"{what}: {len(a)}, pprof {len(b)}; {first}"
    return None


def drawn(program, name, *options):
    path = TESTDATA / "pprof" / f"{name}.pb.gz"
    done = subprocess.run([program, "profile", str(path), "-o", "dot",
                           *options], capture_output=True, text=True,
                          encoding="utf-8", env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return done.stdout


def graphviz(text):
    done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True,
                          text=True, encoding="utf-8")
    if done.returncode or done.stderr.strip():
        return f"dot: {done.stderr.strip()[:200]}"
    return None if "</svg>" in done.stdout else "dot: no picture"


def record(pprof):
    RECORDED.mkdir(exist_ok=True)
    for name, unit in PROFILES:
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(
                [pprof, "-dot", f"-unit={unit}", "-symbolize=none",
                 "-trim=true", str(TESTDATA / "pprof" / f"{name}.pb.gz")],
                capture_output=True, text=True, cwd=empty,
                env={**os.environ, "TZ": "UTC"}, check=True)
        (RECORDED / f"{name}.dot").write_text(done.stdout)


def main():
    if sys.argv[1] == "--record":
        return record(sys.argv[2])
    program = os.path.abspath(sys.argv[1])
    has_dot = shutil.which("dot") is not None
    tap = Tap()
    for name, _ in PROFILES:
        text = drawn(program, name)
        theirs = read((RECORDED / f"{name}.dot").read_text())
        why = compare(read(text), theirs)
        tap.check(why is None, name, why)
        if has_dot:
            why = graphviz(text)
            tap.check(why is None, f"{name} by dot", why)
        else:
            tap.skip(f"{name} by dot", lack("dot"))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
