#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what frames say of a whole function to the table of the same run: the
same numbers in the same unit, however both sides are compared. Standard library
only.

usage: tables.py TRACEFIND
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

HERE = Path(__file__).resolve().parent
TESTDATA = Path(os.environ.get("TESTDATA", HERE.parent.parent / "testdata"))
PAIR = ["diff", *(str(TESTDATA / "pprof" / f"go-process_cpu-{side}.pb.gz")
                  for side in ("normal", "incident"))]
CASE = ["slow", "--replay", str(TESTDATA / "cases" / "n-plus-one.har.gz")]
# The arguments, the table's head, what follows a value.
RUNS = {
    "values": (PAIR, "CPU, s", " s"),
    "shares": (PAIR + ["--normalize", "share"], "CPU, %", " %"),
    "a second": (PAIR + ["--normalize", "rate"], "CPU per second, ms",
                 " ms per second"),
    "a request": (CASE, "CPU per request, ms", " ms per request"),
}
SVG = "{http://www.w3.org/2000/svg}"
ROW = re.compile(r" *([\d,.]+) +([\d,.]+) +([-+]?[\d,.]+)  (.*)")
SAID = re.compile(r"total ([\d,.]+)(.*?), baseline ([\d,.]+)(.*?), "
                  r"change ([-+]?[\d,.]+)")


def run(program, args, svg):
    return subprocess.run(
        [program, *args, "-n", "0", "--min-width", "0", "-o", "table",
         "-o", f"svg={svg}"], check=True, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout


def rows(table, head):
    """Total, before and change by name: names hold no two blanks."""
    found, lines = {}, iter(table.splitlines())
    for line in lines:
        if line.strip().split("; self+lib:")[0] == head:
            break
    assert next(lines).split()[:3] == ["total", "baseline", "change"]
    for line in lines:
        match = ROW.match(line)
        if not match:
            break
        name = re.split(r"[\d,.]+  ", match[4], maxsplit=1)[1]
        found[name.split("  ")[0].strip()] = match.group(1, 2, 3)
    return found


def frames(path):
    """What each function's frame says of all of it; the slivers' texts are
    kept apart."""
    root = ET.parse(path).getroot()
    texts = [title.text for title in root.iter(f"{SVG}title")]
    for data in root.iter(f"{SVG}metadata"):
        texts += re.findall(r"^ (.*(?:\n .*)*)", data.text, re.M)
    for text in texts:
        said = SAID.search(text)
        if said:
            yield text.split("\n")[0], said


def check(tap, program, what, args, head, unit):
    with tempfile.TemporaryDirectory() as folder:
        svg = Path(folder) / "flame.svg"
        table = rows(run(program, args, svg), head)
        said = list(frames(svg))
    tap.check(len(table) > 5, f"{what}: a table", f"{len(table)} rows")
    units = {(m[2], m[4]) for _, m in said}
    bare = unit.removesuffix(" per second").removesuffix(" per request")
    tap.check(units == {(unit, bare)}, f"{what}: its unit", str(units))
    wrong = [(name, m.group(1, 3, 5), table[name]) for name, m in said
             if name in table and m.group(1, 3, 5) != table[name]]
    tap.check(not wrong, f"{what}: pictures say what the table says",
              str(wrong[:3]))
    known = {name for name, _ in said} & set(table)
    tap.check(len(known) >= len(table) * 0.9, f"{what}: of its functions",
              str(sorted(set(table) - known)[:5]))


def main():
    tap = Tap()
    for what, (args, head, unit) in RUNS.items():
        check(tap, sys.argv[1], what, args, head, unit)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
