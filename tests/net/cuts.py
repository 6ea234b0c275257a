#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recorded answers of which the connection brings a part only. Output is TAP.

usage: cuts.py TRACEFIND [--all]

The answer has a length, or comes in chunks, or ends with the connection; it is
packed or not; the connection is closed, or reset. A run must not give the
answer for less than all of it: it fails, or, where it can do without, says what
is missing. Every n-th byte; with --all more of them, and each of the first and
last.
"""
import argparse
import gzip
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import wire
from attacks import chunk
from hostile import Side, sides
from trial import GOOD, environment, run, try_all, told

POINTS, POINTS_ALL, EDGES = 5, 60, 12
TOLD = re.compile(r"cut the connection|cut off|whole|no answer|not known|"
                  r"could not|cannot")


class Slow(Side):
    """The whole inquest: it says what it lacks, and may say the rest."""

    def __init__(self, name, path):
        super().__init__(name, "cases/n-plus-one.har.gz", path, "", "")

    def run(self, program, answer, *more):
        with wire.Wire(answer) as server:
            return run(program, server.host, [
                *self.recorded.args, f"--traces-url=tempo+{server.url}",
                f"--profiles-url=pyroscope+{server.url}", "--timeout=20s",
                *(more or ["--retry=0"])], environment(self.recorded.now))


def framed(answer, how):
    """The pieces of an answer: what comes before the part to be cut, and that
    part."""
    body, coding = answer.body, []
    kind, packing = how
    if packing == "packed":
        body, coding = gzip.compress(body, mtime=0), ["Content-Encoding: gzip"]
    if kind == "chunks":
        pieces = b"".join(chunk(body[at:at + 1000])
                          for at in range(0, len(body), 1000))
        return (answer.head("Transfer-Encoding: chunked", *coding),
                pieces + b"0\r\n\r\n")
    if kind == "length":
        coding.append(f"Content-Length: {len(body)}")
    return answer.head(*coding), body


class Cut:
    def __init__(self, side, how, at, of, is_reset):
        self.side, self.how, self.at, self.of = side, how, at, of
        self.is_reset = is_reset

    def __call__(self, link, answer):
        head, rest = framed(answer, self.how)
        # Of several answers of other sizes each is cut at the same part.
        size = len(rest) - 2 * (self.how[0] == "chunks")
        link.send(head, rest[:size * self.at // self.of])
        if self.is_reset:
            link.reset()

    def __str__(self):
        return (f"{self.side.name}, {self.how[0]}, {self.how[1]}: "
                f"{self.at} of {self.of}"
                f"{', reset' if self.is_reset else ''}")


def spread(count, is_all):
    share = POINTS_ALL if is_all else POINTS
    points = {count * i // share for i in range(share)}
    if is_all:
        points.update(range(min(EDGES, count)))
        points.update(range(max(0, count - EDGES), count))
    else:
        points.add(count - 1)
    return sorted(points)


def all_cuts(is_all, program):
    found = [*sides(True), Slow("slow's profile", "/SelectMergeProfile"),
             Slow("slow's search", "/api/search")]
    for side in found:
        seen = []

        def watch(link, answer, seen=seen):
            seen.append(answer)
            link.send(answer.whole())
            return True
        side.honest = side.run(program, wire.broken(side.recorded, side.path,
                                                    watch))
        if side.honest.status != GOOD or not seen:
            raise SystemExit(f"{side.name}: {side.honest.stderr}")
        ways = [(kind, packing) for kind in ("length", "chunks", "connection")
                for packing in ("plain", "packed")]
        if isinstance(side, Slow) and not is_all:
            ways = ways[1:4:2]
        for how in ways:
            # The line's end behind the last chunk says nothing more.
            count = len(framed(seen[0], how)[1]) - 2 * (how[0] == "chunks")
            for number, at in enumerate(spread(count, is_all)):
                yield Cut(side, how, at, count, number % 3 == 2)


def judge_by(program):
    def judge(cut):
        outcome = cut.side.run(program, wire.broken(
            cut.side.recorded, cut.side.path, cut))
        if outcome.status < 0:
            return f"killed by signal {-outcome.status}"
        if outcome.status != GOOD:
            if isinstance(cut.side, Slow):
                outcome.stdout = ""
            return told(outcome)
        if outcome.stdout == cut.side.honest.stdout:
            return "the whole answer of a part of it"
        if isinstance(cut.side, Slow) and TOLD.search(outcome.stdout):
            return None
        return f"another answer: {outcome.stdout[-500:]}"
    return judge


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    cuts = [(str(cut), cut) for cut in all_cuts(options.all, program)]
    return try_all("cuts-socket", cuts, judge_by(program))


if __name__ == "__main__":
    sys.exit(main())
