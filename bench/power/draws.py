# SPDX-License-Identifier: Apache-2.0
"""Draws runs of programs in which one function got dearer, or none.

A program has FUNCTIONS functions, large and small ones by Zipf's law, nearly.
From run to run each wanders by itself and all wander together; what a profiler
counts of that is Poisson. Draws are the same in every run of the same Python.
"""
import math
import random
import struct
from dataclasses import dataclass, replace

FUNCTIONS = 120
PERIOD_NS = 10_000_000
START_NS = 1_700_000_000_000_000_000
CHANGED = "app.changed"


@dataclass(frozen=True)
class Cell:
    """One setting: draws of it are alike but for chance."""
    name: str
    share: float = 0.10   # of the changed function, before
    ratio: float = 1.0    # what it takes after
    runs: int = 6         # a side
    samples: int = 10_000  # of a run
    wander: float = 0.03  # of a function between runs: standard deviation
    common: float = 0.10  # of all functions of a run
    form: str = "pprof"   # of the files: pprof or folded
    is_by_turns: bool = True
    shape: str = "flat"
    period_after: float = 1.0  # of the sampling period, to that before
    length_after: float = 1.0  # of the length of a run, likewise

    def equal(self):
        return replace(self, ratio=1.0)


@dataclass
class Run:
    """Samples by stack, and what a file says beside them."""
    counts: dict
    start_ns: int
    duration_ns: int
    period_ns: int


@dataclass
class Pair:
    before: list
    after: list
    right: set  # names of rows that may be told


def poisson(rng, mean):
    """Exact: by multiplication, or by transformed rejection (Hoermann 1993)."""
    if mean < 12:
        limit, product, n = math.exp(-mean), rng.random(), 0
        while product > limit:
            product *= rng.random()
            n += 1
        return n
    root = math.sqrt(mean)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = rng.random() - 0.5, rng.random()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + mean + 0.43)
        if us >= 0.07 and v <= squeeze:
            return k
        if k < 0 or us < 0.013 and v > us:
            continue
        if (math.log(v) + math.log(inverse) - math.log(a / (us * us) + b) <=
                k * math.log(mean) - mean - math.lgamma(k + 1)):
            return k


def factor(rng, deviation):
    return math.exp(rng.gauss(0, deviation)) if deviation else 1


# ---- programs: stacks with their shares ----

def zipf(count, whole):
    weights = [(i + 3) ** -0.9 for i in range(1, count + 1)]
    return [whole * weight / sum(weights) for weight in weights]


def flat(cell):
    """A main function and what it calls, all with code of their own."""
    stacks = {("main", CHANGED): cell.share}
    for i, part in enumerate(zipf(FUNCTIONS - 1, 1 - cell.share)):
        stacks["main", f"app.f{i + 1}"] = part
    return stacks, {("main", CHANGED)}, {"main", CHANGED}


SHAPES = {"flat": flat}


# ---- runs ----

def draw_run(rng, cell, stacks, grown, is_after):
    """The functions wander by what they take beside their callers, that is by
    the leaf of a stack."""
    scale = cell.samples * factor(rng, cell.common)
    if is_after:
        scale *= cell.length_after / cell.period_after
    wander, counts = {}, {}
    for stack, part in stacks.items():
        if stack[-1] not in wander:
            wander[stack[-1]] = factor(rng, cell.wander)
        mean = scale * part * wander[stack[-1]]
        if is_after and stack in grown:
            mean *= cell.ratio
        count = poisson(rng, mean)
        if count:
            counts[stack] = count
    period_ns = round(PERIOD_NS * (cell.period_after if is_after else 1))
    return Run(counts, 0, sum(counts.values()) * period_ns + 1_234_567,
               period_ns)


def draw(cell, seed):
    """A pair of sides, the same for the same cell and seed."""
    rng = random.Random(f"{cell.name} {seed}")
    stacks, grown, right = SHAPES[cell.shape](cell)
    sides = ([], [])
    order = [i % 2 for i in range(2 * cell.runs)]
    if not cell.is_by_turns:
        order.sort()
    now_ns = START_NS
    for is_after in order:
        run = draw_run(rng, cell, stacks, grown, bool(is_after))
        run.start_ns = now_ns
        now_ns += run.duration_ns + 1_000_000_000
        sides[is_after].append(run)
    return Pair(*sides, right if cell.ratio != 1 else set())


def self_counts(pair):
    """Names of functions, and a row of each: own samples run by run."""
    runs = pair.before + pair.after
    names = sorted({stack[-1] for run in runs for stack in run.counts})
    at = {name: i for i, name in enumerate(names)}
    rows = [[0] * len(runs) for _ in names]
    for column, run in enumerate(runs):
        for stack, count in run.counts.items():
            rows[at[stack[-1]]][column] += count
    return names, rows


# ---- files ----

def folded(run):
    return "".join(f"{';'.join(stack)} {count}\n"
                   for stack, count in run.counts.items()).encode()


def varint(n):
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def pprof(run):
    """As profilers of CPUs write it: samples, and their nanoseconds."""
    strings = {"": 0}
    functions = {}
    out = []

    def text(word):
        return strings.setdefault(word, len(strings))

    def value_type(kind, unit):
        return number(1, text(kind)) + number(2, text(unit))

    out.append(block(1, value_type("samples", "count")))
    out.append(block(1, value_type("cpu", "nanoseconds")))
    for stack, count in run.counts.items():
        ids = b"".join(
            varint(functions.setdefault(name, len(functions) + 1))
            for name in reversed(stack))
        values = varint(count) + varint(count * run.period_ns)
        out.append(block(2, block(1, ids) + block(2, values)))
    for name, i in functions.items():
        line = number(1, i) + number(2, 1)
        out.append(block(4, number(1, i) + block(4, line)))
        out.append(block(5, number(1, i) + number(2, text(name))))
    out.append(block(11, value_type("cpu", "nanoseconds")))
    for word in strings:
        out.append(block(6, word.encode()))
    out.append(number(9, run.start_ns))
    out.append(number(10, run.duration_ns))
    out.append(number(12, run.period_ns))
    return b"".join(out)


FORMS = {"folded": (folded, "folded"), "pprof": (pprof, "pb")}


def write(cell, runs, folder):
    """Files of one side, a run each; their paths."""
    form, ending = FORMS[cell.form]
    paths = []
    for i, run in enumerate(runs):
        paths.append(f"{folder}/{i:02}.{ending}")
        with open(paths[-1], "wb") as out:
            out.write(form(run))
    return paths
