#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `tracefind when --function` tells a step, by the road a user takes: a
server on the loopback has the profiles of a simulated service minute by minute,
and the program fetches its slices of them.

The service has 40 functions; each wanders by itself from quarter to quarter of an
hour, its load as a whole wanders by a tenth, and samples are
Poisson. One function takes more from a random moment of the middle half on, or
nothing does. Draws are the same in every run of the same Python.

usage: served.py TRACEFIND [SERIES]   Writes the table of docs/lab/verdict.md.
"""
import json
import math
import pathlib
import random
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "power"))

from draws import CHANGED, Cell, factor, flat, poisson
from pyroscope import FROM_S, SERVICE, Server

QUARTER = 15   # minutes of a level
LOAD = 0.1  # standard deviation
MINUTE_SAMPLES = 3000  # of half a core, a hundred a second
PERIOD_NS = 10_000_000


@dataclass(frozen=True)
class Kind:
    """One setting: series of it are alike but for chance."""
    words: str
    ratio: float = 1
    wander: float = 0.03
    hours: int = 6
    hangs: float = 0       # the load, together with that of the quarter before
    is_day: bool = False   # the load goes up and down by half
    is_back: bool = False  # it lasts a third of the window
    load_ratio: float = 1  # what the load steps by, in the middle
    is_ramp: bool = False  # it comes little by little, over all of it


FLAT = [Kind("nothing changes"),
        Kind("nothing changes, 5 % of noise", wander=0.05),
        Kind("nothing changes, 10 %", wander=0.1),
        Kind("the load goes up and down by half", is_day=True),
        Kind("the load hangs together by 0.8", hangs=0.8),
        Kind("the load doubles at once", load_ratio=2),
        Kind("nothing changes, three hours", hours=3),
        Kind("nothing changes, a day", hours=24),
        Kind("1.3 times as much little by little", 1.3, is_ramp=True)]
STEPS = [Kind("a step of 1.2", 1.2),
         Kind("a step of 1.3", 1.3),
         Kind("1.3, the load goes up and down by half", 1.3, is_day=True),
         Kind("1.3, the load hangs together by 0.8", 1.3, hangs=0.8),
         Kind("1.3, 5 % of noise", 1.3, wander=0.05),
         Kind("1.3, 10 %", 1.3, wander=0.1),
         Kind("1.3, three hours", 1.3, hours=3),
         Kind("1.3, a day", 1.3, hours=24),
         Kind("1.3 and back", 1.3, is_back=True),
         Kind("1.5", 1.5),
         Kind("1.5, 10 % of noise", 1.5, wander=0.1)]


def levels(rng, kind, shares):
    """What each stack takes, a quarter of an hour after the other."""
    load, count = 0, kind.hours * 60 // QUARTER
    for i in range(count):
        load = kind.hangs * load + rng.gauss(
            0, LOAD * (1 - kind.hangs ** 2) ** 0.5)
        scale = MINUTE_SAMPLES * math.exp(load)
        if 2 * i >= count:
            scale *= kind.load_ratio
        if kind.is_day:
            scale *= 1 + 0.5 * (1 - abs(2 * i / count - 1))
        yield {stack: scale * share * factor(rng, kind.wander)
               for stack, share in shares.items()}


def more(kind, at, minute):
    """How much more the changed function takes in a minute."""
    length = kind.hours * 60
    if kind.is_ramp:
        return 1 + (kind.ratio - 1) * minute / length
    is_after = minute >= at and not (kind.is_back and
                                     minute >= at + length // 3)
    return kind.ratio if is_after else 1


def minutes_of(rng, kind):
    """Samples by stack of each minute, and in which one the step is."""
    shares = flat(Cell("steps", functions=40)).stacks
    length = kind.hours * 60
    at = round(length * ((0.15 if kind.is_back else 0.25) +
                         rng.random() * (0.35 if kind.is_back else 0.5)))
    minutes = []
    for quarter in levels(rng, kind, shares):
        for _ in range(QUARTER):
            by = more(kind, at, len(minutes))
            minutes.append({
                stack: poisson(rng, mean * (by if CHANGED in stack else 1))
                for stack, mean in quarter.items()})
    return minutes, at


def is_beside(step, minute, length):
    """Whether a step that is told lies where it is, to a twentieth."""
    begin, end = ((datetime.fromisoformat(step[side][:19] + "+00:00").timestamp()
                   - FROM_S) / 60 for side in ("from", "to"))
    return begin - length / 20 <= minute <= end + length / 20


def ask(program, server, minutes):
    """The series of the changed function, as it answers."""
    server.http.minutes = minutes
    server.http.period_ns = PERIOD_NS
    url = f"http://127.0.0.1:{server.http.server_address[1]}"
    run = subprocess.run(
        [program, "when", "--service", SERVICE, "--function", CHANGED,
         "--profiles-url", url, "--no-cache", "--from", str(FROM_S),
         "--to", str(FROM_S + 60 * len(minutes)), "-o", "json"],
        capture_output=True, text=True, timeout=60, check=False)
    if run.returncode:
        sys.exit(run.stderr)
    return json.loads(run.stdout)["series"][0]


def count(program, server, kind, series):
    """Series with a step where it is, with one where none is, and slices."""
    found = wrong = slices = 0
    for n in range(series):
        minutes, at = minutes_of(random.Random(f"{kind} {n}"), kind)
        function = ask(program, server, minutes)
        slices = len(function["values"])
        places = [at, at + len(minutes) // 3] if kind.is_back else [at]
        is_found = is_wrong = False
        for step in function["steps"]:
            if kind in STEPS and any(is_beside(step, place, len(minutes))
                                     for place in places):
                is_found = True
            else:
                is_wrong = True
        found += is_found
        wrong += is_wrong
    return found, wrong, slices


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    server = Server()
    series = int(sys.argv[2]) if len(sys.argv) == 3 else 40
    print("| of one function | slices | the step | another one |")
    print("|---|---|---|---|")
    for kind in FLAT + STEPS:
        found, wrong, slices = count(sys.argv[1], server, kind, series)
        share = f"{100 * found / series:.0f}" if kind in STEPS else ""
        print(f"| {kind.words} | {slices} | {share} | "
              f"{100 * wrong / series:.0f} |", flush=True)


if __name__ == "__main__":
    main()
