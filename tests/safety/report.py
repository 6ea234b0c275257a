#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/safety.md's table from the figures of a run.

usage: report.py FOLDER [SAFETY.MD]

FOLDER holds what tests left through figures.py. Without SAFETY.MD the table
goes to standard output. A kind without figures was not run, and one that tried
less than its goal has not met it, whatever failed. Nor has one that left out a
part: that says "not run" of it, or how many it skipped. The exit status is 1
when a kind is not met or not run, or when there are figures of a kind without a
row.
"""
import json
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

BEGIN = "<!-- measured: ./dev test-full writes from here -->"
END = "<!-- measured: to here -->"
MET, MISSED, NOT_RUN = "met", "not met", "not run"
# What record() always keeps; the rest of a file is told as it stands.
ALWAYS = {"name", "tried", "failed", "commit"}


@dataclass
class Row:
    """A kind of trial. goal: how many must be tried at least, of which none
    may fail: near what a whole run tries, so that a share of it is too few;
    name: of its figures; may_skip: whether every run skips some."""
    name: str
    what: str
    goal: int
    where: str
    may_skip: bool = False


ROWS = [
    Row("tests", "the ordinary tests, with a share of each kind below: no more "
        "than 300 seconds", 300, "./dev test"),
    Row("fault-allocation", "an allocation fails once, or from then on for "
        "ever, ours and the libraries'", 50000, "tests/fault"),
    Row("fault-call", "a system call fails with EIO, ENOSPC, EINTR, EAGAIN, "
        "EMFILE or EACCES, or moves one byte: the same cases", 3000,
        "tests/fault"),
    Row("cuts", "a recorded answer is cut after every byte, in process", 60000,
        "tests/hostile"),
    Row("cuts-socket", "the same over a connection", 200, "tests/net/cuts.py"),
    Row("answers", "an answer of a recorded run is refused, lost, late, cut, "
        "damaged, or another one comes in its place: the same verdict, or what "
        "is missing is reported", 10000,
        "tests/safety/answers.py"),
    Row("hostile-server", "a server that lies, stalls, resets or never ends",
        80, "tests/net/hostile.py"),
    Row("bombs", "small answers that unfold to large ones: refused by name, "
        "in 2 s, within the budget", 12, "tests/hostile"),
    Row("redirects", "redirects elsewhere: no secret goes along", 200,
        "tests/net/redirects.py"),
    Row("tls", "certificates and versions that must be refused, with the "
        "reason", 8, "tests/net/tls.py"),
    Row("secrets", "canary secrets, searched in output, files and memory; "
        "plain, base64, percent-encoded", 150, "tests/net/canary.py"),
    Row("terminal", "controls, escapes, bidi and broken UTF-8 in foreign "
        "fields of what people read", 50000, "tests/hostile"),
    Row("injection", "HTML, SVG, JSON, folded, CSV and dot in foreign fields, "
        "opened where they are pages", 5000, "tests/hostile"),
    Row("queries", "values that would end a TraceQL query, a selector or a "
        "path: the server sees one query", 30, "tests/net/queries.py"),
    Row("parents", "traces with cycles, orphans and shared ids, in 100 "
        "orders: one answer", 2300, "tests/hostile"),
    Row("numbers", "2^53+1, 2^63-1, negative, 1970, 2262, overflowing sums", 60,
        "tests/hostile"),
    Row("determinism", "runs again, elsewhere and in other places and tongues: "
        "byte-identical", 20, "tests/safety/same.py"),
    # More than one of the two processors has. What is too slow under an
    # emulator is skipped.
    Row("cross", "32 bits, and big-endian: the tests of the program there", 300,
        "tests/safety/cross.py", may_skip=True),
    Row("streams", "full disks, closed and broken outputs", 300,
        "tests/safety/streams.py"),
    Row("signals", "SIGINT and SIGTERM at moments of a run: status, temporary "
        "files, terminal", 50, "tests/safety/signals.py"),
    Row("kills", "kill -9 while a file is written: the old one or the new one",
        1000, "tests/safety/signals.py"),
    Row("options", "each option missing, empty, repeated, 1 MiB, not UTF-8, "
        "of another type", 600, "tests/safety/options.py"),
    Row("fuzz", "targets driven by libFuzzer for 20 minutes of processor time "
        "or more, no crash", 16, "tests/fuzz"),
    Row("coverage", "lines and branches that tests reach: thresholds", 4,
        "tests/safety"),
    Row("analyzers", "static analyzers and sanitizers: runs without a finding",
        1000, "tests/safety"),
    Row("reproducible", "two builds in two folders: the same bytes", 2,
        "tests/safety/reproducible.py"),
    Row("hardening", "what the linker and the compiler put into the program",
        5, "tests/safety/hardening.py"),
    Row("sandbox", "files and programs that a run may not touch once it has "
        "started", 15, "tests/safety/sandbox.py"),
]


def is_whole(row, figure):
    """Whether no part was left out; skipped: how many, or a text."""
    return NOT_RUN not in figure.values() and (
        row.may_skip or not figure.get("skipped"))


def verdict(row, figure):
    """What is said of a row; figure: its figures or None."""
    if not figure or not figure["tried"]:
        return NOT_RUN
    is_met = (figure["tried"] >= row.goal and not figure["failed"] and
              is_whole(row, figure))
    return MET if is_met else MISSED


def told(value):
    if isinstance(value, (list, tuple)):
        return " ".join(map(told, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def line(row, figure):
    """A line of the table."""
    more = ", ".join(f"{key.replace('_', ' ')} {told(value)}"
                     for key, value in sorted((figure or {}).items())
                     if key not in ALWAYS)
    if not figure:
        tried = failed = ""
    else:
        tried, failed = f"{figure['tried']:,}", f"{figure['failed']:,}"
    cells = [row.what + (f" ({more})" if more else ""), tried, f"{row.goal:,}",
             failed, verdict(row, figure), f"`{row.where}`"]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def read(folder):
    """{name: figures}"""
    found = {}
    for path in sorted(Path(folder).glob("*.json")):
        figure = json.loads(path.read_text())
        found[figure["name"]] = figure
    return found


def heading(folder, figures):
    """When the figures were taken, and of which commits."""
    times = [path.stat().st_mtime for path in Path(folder).glob("*.json")]
    if not times:
        return "Nothing was run yet."
    days = sorted({datetime.fromtimestamp(t, timezone.utc)
                   .strftime("%Y-%m-%d %H:%M UTC")
                   for t in (min(times), max(times))})
    counts = Counter(figure.get("commit") or "no commit"
                     for figure in figures.values())
    if len(counts) == 1:
        return f"{' to '.join(days)}, tracefind at {next(iter(counts))}"
    return (f"{' to '.join(days)}, tracefind at " +
            ", ".join(f"{commit} ({number} of these kinds)"
                      for commit, number in counts.most_common()))


def table(folder, figures):
    lines = [heading(folder, figures), "",
             "| what | tried | goal | failed |  | test |",
             "| --- | ---: | ---: | ---: | --- | --- |"]
    lines += [line(row, figures.get(row.name)) for row in ROWS]
    return "\n".join(lines)


def put(path, text):
    """Puts the table between the markers of a page."""
    page = path.read_text()
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    path.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}")


def main():
    folder = sys.argv[1]
    figures = read(folder)
    text = table(folder, figures)
    if len(sys.argv) > 2:
        put(Path(sys.argv[2]), text)
    else:
        print(text)
    verdicts = {row.name: verdict(row, figures.get(row.name)) for row in ROWS}
    for wanted in (NOT_RUN, MISSED):
        names = [name for name, what in verdicts.items() if what == wanted]
        if names:
            print(f"{wanted}: {' '.join(names)}", file=sys.stderr)
    stray = sorted(set(figures) - set(verdicts))
    if stray:
        print(f"figures without a row in {sys.argv[0]}: {' '.join(stray)}",
              file=sys.stderr)
    return 1 if stray or set(verdicts.values()) != {MET} else 0


if __name__ == "__main__":
    sys.exit(main())
