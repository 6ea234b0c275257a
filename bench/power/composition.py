#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is a part of a program that changed told from the rest of it, which did not?

A profile alone has shares: where a half of it doubled, the other half looks as if it
had shrunk. Programs of few functions are drawn, each subset of whose time moves
alike, and `tracefind check` is asked about both sides, either way round.

usage: composition.py TRACEFIND [--short | --groups WORD...] [--jobs N] [--verbose]

A line of the table for each setting:

  asked     comparisons, half of them the other way round
  found     rows that took clearly more or less, told so; in percent
  wrong     comparisons in which a row was told of which neither its own time nor
            all of it moved that way; in percent
  unmoved   such rows of which the counts did not move either: no chance, but a
            measure that moved with the others
  flips     rows told to have moved the opposite way
  grew      exit statuses where something clearly grew: 10, 5, 0 (wrong)
  did not   exit statuses where nothing grew: 0, 5, 10 (wrong)

Exits with 1 where a row is unmoved or a sign flipped, where exit status 0 hides what
grew, where more is wrong than chance has, and where settings that say enough find
too little. --short is a part of it, the same every time, for the tests.
"""
import argparse
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from draws import NS_PER_S, START_NS, Run, factor, folded, poisson, pprof

FACTORS = (0.5, 1.5, 2.0, 3.0)
WANDER = 0.02   # of a function between runs: standard deviation
COMMON = 0.02   # of all functions of a run
# Runs of 1,000 samples take no time that anybody asks for.
PERIOD_NS = 11_300_000
CLEARLY = 8     # deviations of a difference that has to be found
STILL = 2       # and of one that is none
WRONG = 5       # percent of comparisons with a row that chance may tell
LITTLE = 0.501  # of the whole, beside which the rest tells what is usual
HIDDEN = 1      # percent with exit status 0 though something clearly grew
FOUND = 90      # percent of rows where a setting has all that is needed
GROWTH = "total>3%,function>0%,new>0%"

# Stacks below main and their parts of the whole.
SMALL = {("load",): 0.25, ("load", "parse"): 0.15, ("price",): 0.20,
         ("price", "taxes"): 0.15, ("store",): 0.15, ("audit",): 0.10}


@dataclass(frozen=True)
class Setting:
    """What a line of the table is about."""
    name: str
    _: KW_ONLY
    runs: int = 8
    samples: int = 1_000     # of a run, before
    is_by_turns: bool = True
    # What the files say of time: "work" (when, and for how long: as long as the
    # work takes), "seconds" (a time that was asked for), "start" (when alone),
    # "none" (folded stacks).
    times: str = "work"
    is_enough: bool = False  # for what moved to be found, where that is little
    has_limits: bool = True  # else those that check has by itself
    are_right: tuple = ()    # exit statuses, one way and the other, when told


@dataclass
class Case:
    setting: Setting
    before: dict  # parts of the whole by stack
    after: dict
    seed: str


@dataclass
class Score:
    asked: int = 0
    moved: int = 0   # rows to be found
    found: int = 0
    due: int = 0     # of those that have to be found, with all that the setting has
    due_found: int = 0
    wrong: int = 0
    unmoved: int = 0
    flips: int = 0
    grew: Counter = field(default_factory=Counter)
    did_not: Counter = field(default_factory=Counter)
    other: int = 0   # exit statuses that are not those a setting asks for
    examples: list = field(default_factory=list)

    def add(self, more):
        for name in ("asked", "moved", "found", "due", "due_found", "wrong",
                     "unmoved", "flips", "other"):
            setattr(self, name, getattr(self, name) + getattr(more, name))
        self.grew += more.grew
        self.did_not += more.did_not
        self.examples = (self.examples + more.examples)[:3]


# ---- draws ----

def draw_side(rng, setting, parts):
    wander = {stack: [factor(rng, WANDER) for _ in range(setting.runs)]
              for stack in parts}
    runs = []
    for i in range(setting.runs):
        scale = setting.samples * factor(rng, COMMON)
        counts = {("main", *stack): poisson(rng, scale * part * wander[stack][i])
                  for stack, part in parts.items()}
        runs.append({stack: count for stack, count in counts.items() if count})
    return runs


def put_in_time(setting, sides):
    """Runs of both sides, in the order in which they were taken."""
    runs = ([], [])
    order = [(i, side) for i in range(setting.runs) for side in (0, 1)]
    if not setting.is_by_turns:
        order.sort(key=lambda run: run[1])
    now_ns = START_NS
    for i, side in order:
        counts = sides[side][i]
        taken_ns = sum(counts.values()) * PERIOD_NS
        length_ns = {"work": taken_ns + 1_234_567,
                     "seconds": setting.samples * PERIOD_NS * 4 // NS_PER_S
                     * NS_PER_S}.get(setting.times, 0)
        runs[side].append(Run(counts, now_ns, length_ns, PERIOD_NS))
        now_ns += (length_ns or taken_ns) + NS_PER_S
    return runs


def write(setting, runs, folder):
    form, ending = (folded, "folded") if setting.times == "none" else (pprof, "pb")
    folder.mkdir()
    paths = [folder / f"{i:02}.{ending}" for i in range(len(runs))]
    for path, run in zip(paths, runs):
        path.write_bytes(form(run))
    return paths


# ---- what is true ----

def rows_of(counts):
    """By name what it takes itself and in all."""
    own, whole = Counter(), Counter()
    for stack, count in counts.items():
        own[stack[-1]] += count
        for name in set(stack):
            whole[name] += count
    return {name: (own[name], whole[name]) for name in whole}


def deviations(before, after, runs):
    """How far two means of runs lie apart."""
    spread = (before + after) / runs + \
        (WANDER ** 2 + COMMON ** 2) * (before ** 2 + after ** 2) / runs
    return (after - before) / math.sqrt(spread) if spread else 0.0


@dataclass
class Row:
    signs: set       # of what it takes itself and in all, where they move
    is_clear: bool   # its own time moved so far that it has to be found
    way: int         # in which direction
    seen: list       # deviations of what was counted


def known_rows(case, sides):
    runs, samples = case.setting.runs, case.setting.samples
    means = [rows_of({("main", *stack): part * samples
                      for stack, part in parts.items()})
             for parts in (case.before, case.after)]
    seen = [rows_of(sum((Counter(run) for run in side), Counter()))
            for side in sides]
    rows = {}
    for name in means[0].keys() | means[1].keys():
        (own0, all0), (own1, all1) = (side.get(name, (0, 0)) for side in means)
        counted = [side.get(name, (0, 0)) for side in seen]
        away = deviations(own0, own1, runs)
        rows[name] = Row(
            {math.copysign(1, y - x) for x, y in ((own0, own1), (all0, all1))
             if abs(y - x) > 1e-9 * samples},
            abs(away) > CLEARLY, int(math.copysign(1, away)),
            [deviations(counted[0][i] / runs, counted[1][i] / runs, runs)
             for i in (0, 1)])
    return rows


# ---- what is told ----

def ask(tracefind, before, after, limits=GROWTH):
    """Names told to have grown or to be new, and the exit status."""
    words = [tracefind, "check", *after, "-o", "json"]
    words += ["--fail-on", limits] if limits else []
    for path in before:
        words += ["--against", path]
    done = subprocess.run([str(word) for word in words], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 5, 10):
        raise SystemExit(f"check: exit {done.returncode}: {done.stderr[:2000]}")
    broken = json.loads(done.stdout)["broken"]
    return {hit["function"] for hit in broken} - {None}, done.returncode


def judge(job):
    tracefind, case = job
    rng = random.Random(case.seed)
    setting, score = case.setting, Score()
    sides = [draw_side(rng, setting, parts) for parts in (case.before, case.after)]
    rows = known_rows(case, sides)
    runs = put_in_time(setting, sides)
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        paths = [write(setting, side, Path(folder) / str(i))
                 for i, side in enumerate(runs)]
        for way, (before, after) in ((1, paths), (-1, paths[::-1])):
            told, status = ask(tracefind, before, after,
                               GROWTH if setting.has_limits else None)
            tell(score, case, way, rows, told, status)
    return setting, score


def moved_part(case):
    return sum(part for stack, part in case.before.items()
               if abs(case.after[stack] - part) > 1e-9 * part)


def tell(score, case, way, rows, told, status):
    """Adds what one answer is worth. way: 1, or -1 of the sides exchanged."""
    score.asked += 1
    wanted = {name for name, row in rows.items()
              if row.is_clear and row.way == way}
    score.moved += len(wanted)
    score.found += len(wanted & told)
    if case.setting.is_enough and moved_part(case) <= LITTLE:
        score.due += len(wanted)
        score.due_found += len(wanted & told)
    wrong = {name for name in told
             if name not in rows or way not in rows[name].signs}
    unmoved = {name for name in wrong if name in rows and
               all(way * seen < STILL for seen in rows[name].seen)}
    flips = {name for name in wrong if name in rows and rows[name].signs}
    score.wrong += bool(wrong)
    score.unmoved += len(unmoved)
    score.flips += len(flips)
    is_hidden = is_raised = False
    if wanted:
        score.grew[status] += 1
        is_hidden = status == 0
    elif not any(way in row.signs for row in rows.values()):
        score.did_not[status] += 1
        is_raised = status == 10
    right = case.setting.are_right
    is_other = bool(right) and status != right[0 if way == 1 else 1]
    score.other += is_other
    if unmoved or flips or is_hidden or is_raised or is_other:
        score.examples.append(
            f"{case.seed}{'' if way == 1 else ', the other way round'}: exit "
            f"{status}, told {sorted(told)}, right {sorted(wanted)}")


def scratch():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


# ---- settings ----

def move(parts, factors):
    return {stack: part * factors.get(stack, 1) for stack, part in parts.items()}


def subsets(setting, first=0, every=1):
    """All parts of the small program, or each so many; the empty one, too."""
    stacks = list(SMALL)
    chosen = [set(some) for count in range(len(stacks) + 1)
              for some in itertools.combinations(stacks, count)]
    cases = list(itertools.product(FACTORS, chosen))
    for ratio, some in cases[first % every::every]:
        names = "+".join(stack[-1] for stack in stacks if stack in some)
        yield Case(setting, SMALL, move(SMALL, dict.fromkeys(some, ratio)),
                   f"{setting.name}: x {ratio:g} {names or 'nothing'}")


def mixtures(setting, count):
    """Some take more and others less."""
    rng = random.Random(setting.name)
    for number in range(count):
        factors = {stack: rng.choice((1, 1, 0.5, 1 / 1.5, 1.5, 2, 3))
                   for stack in SMALL}
        yield Case(setting, SMALL, move(SMALL, factors),
                   f"{setting.name}: {number}")


def pair(own, leaf, others=10):
    """A function and its leaf, and what shares the rest."""
    parts = {("hot",): own / 100, ("hot", "leaf"): leaf / 100}
    rest = (100 - own - leaf) / 100
    return parts | {(f"part{i}",): rest / others for i in range(others)}


def pair_moved(setting, own, leaf, ratio, count):
    parts = pair(own, leaf)
    after = move(parts, {("hot",): ratio, ("hot", "leaf"): ratio})
    for number in range(count):
        yield Case(setting, parts, after, f"{setting.name}: {number}")


TIMES = {"work": "lengths of the work", "seconds": "lengths asked for",
         "start": "no lengths", "none": "folded, no times"}


def subset_settings(counts=(1, 2, 3, 4, 6, 8)):
    for times, words in TIMES.items():
        for is_by_turns in (True, False) if times != "none" else (False,):
            order = "" if times == "none" else \
                "by turns, " if is_by_turns else "in a row, "
            for runs in counts:
                yield Setting(f"{runs} a side, {order}{words}", runs=runs,
                              is_by_turns=is_by_turns, times=times,
                              is_enough=runs > 2)


def all_cases(is_short):
    """By group."""
    groups = {}
    cases = groups["subsets"] = []
    if is_short:
        for number, setting in enumerate(subset_settings((1, 3, 8))):
            cases += subsets(setting, 11 * number, 41)
    else:
        for setting in subset_settings():
            cases += subsets(setting)
    cases = groups["mixtures"] = []
    for setting in subset_settings((3,) if is_short else (1, 3, 6)):
        named = Setting(**vars(setting) | {"name": f"mixed: {setting.name}"})
        cases += mixtures(named, 3 if is_short else 60)
    cases = groups["pairs"] = []
    shares = (5, 25, 45) if is_short else (5, 10, 15, 20, 25, 30, 35, 40, 45)
    for own, leaf in itertools.product(shares, shares):
        for ratio in (2,) if is_short else (1.5, 2):
            cases += pair_moved(
                Setting(f"own {own} % + leaf {leaf} %, x {ratio}, 8 folded",
                        times="none", is_enough=True),
                own, leaf, ratio, 1 if is_short else 5)
    cases = groups["hot half"] = []
    for runs in (2, 8) if is_short else (1, 2, 4, 8):
        cases += pair_moved(
            Setting(f"hot half doubled, {runs} folded", runs=runs, times="none",
                    is_enough=runs > 1, are_right=(10, 0) if runs > 2 else ()),
            25, 25, 2, 2 if is_short else 20)
    cases = groups["long runs"] = []
    # Many lengths lie near one that could have been asked for, too.
    for samples in (12_170,) if is_short else (9_000, 12_170, 26_000):
        cases += pair_moved(
            Setting(f"hot half doubled, 6 by turns, {samples:,} samples",
                    runs=6, samples=samples, is_enough=True, are_right=(10, 0)),
            25, 25, 2, 3 if is_short else 20)
    cases = groups["all of it"] = []
    for setting in subset_settings((6,)):
        for ratio in (2,) if is_short else (1.5, 2, 3):
            named = Setting(**vars(setting) | {
                "name": f"everything x {ratio}: {setting.name}",
                "has_limits": False, "is_enough": False})
            parts = pair(25, 25)
            cases += [Case(named, parts, move(parts, dict.fromkeys(parts, ratio)),
                           f"{named.name}: {number}")
                      for number in range(1 if is_short else 10)]
    return groups


# ---- the table ----

def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else ""


def statuses(counter, order):
    return "/".join(str(counter[status]) for status in order) if counter else ""


def by_chance(asked):
    """The most of so many comparisons, and three deviations beyond."""
    part = WRONG / 100
    return part * asked + 3 * math.sqrt(part * (1 - part) * asked)


def lacks_of(setting, score):
    if score.unmoved:
        yield f"{score.unmoved} rows told whose counts did not move"
    if score.flips:
        yield f"{score.flips} signs flipped"
    # Few runs may hide one.
    if score.grew[0] > HIDDEN / 100 * score.asked + (setting.runs < 6):
        yield f"exit status 0 in {score.grew[0]} where something grew"
    for count, what in ((score.wrong, "a wrong row"),
                        (score.did_not[10], "exit status 10 where nothing grew")):
        if count > by_chance(score.asked):
            yield f"{what} in {count} of {score.asked}"
    if score.other > by_chance(score.asked):
        yield (f"exit status other than {setting.are_right[0]}, and "
               f"{setting.are_right[1]} the other way round, in {score.other}")
    if score.due - score.due_found > max(1, (1 - FOUND / 100) * score.due):
        yield (f"found {percent(score.due_found, score.due)} % of rows, where at "
               "most a half moved")


HEAD = ("setting", "asked", "found", "wrong", "unmoved", "flips",
        "grew 10/5/0", "did not 0/5/10")


def line_of(name, score):
    return (name, str(score.asked), percent(score.found, score.moved),
            percent(score.wrong, score.asked), str(score.unmoved),
            str(score.flips), statuses(score.grew, (10, 5, 0)),
            statuses(score.did_not, (0, 5, 10)))


def print_line(words):
    print(f"{words[0]:<48}" + "".join(f"{word:>9}" for word in words[1:6]) +
          "".join(f"{word:>16}" for word in words[6:]), flush=True)


def score_all(tracefind, cases, pool):
    """By setting, in order."""
    lines = {}
    for setting, score in pool.map(judge, [(tracefind, case) for case in cases],
                                   chunksize=8):
        lines.setdefault(setting, Score()).add(score)
    return lines


def sum_of(lines):
    whole = Score()
    for score in lines.values():
        whole.add(score)
    return whole


def lacks_in(lines, with_examples):
    lacks = []
    for setting, score in lines.items():
        found = [f"{setting.name}: {lack}" for lack in lacks_of(setting, score)]
        if found and with_examples:
            found += [f"    {one}" for one in score.examples]
        lacks += found
    return lacks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tracefind", type=os.path.abspath)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--groups", nargs="+")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    lacks = []
    print_line(HEAD)
    with ProcessPoolExecutor(args.jobs) as pool:
        for group, cases in all_cases(args.short).items():
            if args.groups and not any(word in group for word in args.groups):
                continue
            lines = score_all(args.tracefind, cases, pool)
            if not args.short:
                for setting, score in lines.items():
                    print_line(line_of(setting.name, score))
            print_line(line_of(f"all of {group}", sum_of(lines)))
            lacks += lacks_in(lines, args.verbose)
    for lack in lacks:
        print(lack if lack.startswith(" ") else f"lacking: {lack}")
    return 1 if lacks else 0


if __name__ == "__main__":
    sys.exit(main())
