# SPDX-License-Identifier: Apache-2.0
"""Draws runs of programs in which one function got dearer, or none.

A program has some functions, large and small ones by Zipf's law, nearly.
From run to run each wanders by itself and all wander together; what a profiler
counts of that is Poisson. Draws are the same in every run of the same Python.
"""
import math
import random
from collections import Counter
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache

NS_PER_S = 1_000_000_000
PERIOD_NS = 10_000_000
START_NS = 1_700_000_000_000_000_000
CHANGED = "app.changed"


@dataclass(frozen=True)
class Cell:
    """One setting: draws of it are alike but for chance."""
    name: str
    share: float = 0.10   # of the changed function, before
    ratio: float = 1.0    # what it takes after
    _: KW_ONLY
    runs: int = 6         # a side; of windows its quarters
    runs_after: int = 0   # where they are not as many
    functions: int = 120
    samples: int = 10_000  # of a run
    wander: float = 0.03  # of a function between runs: standard deviation
    common: float = 0.10  # of all functions of a run
    apart: float = 0      # of a function between the sides
    unsteady: float = 0   # the same of one function in ten, where it is more
    outlier: float = 0    # the same of all in one run of the pair
    renamed: float = 0    # part of the functions that have another name afterwards
    is_package: bool = False  # of which only the package is another one
    shape: str = "flat"   # of the program, see SHAPES
    # Of the files: pprof or folded; snapshot: the baseline is kept as one;
    # window: of a server.
    form: str = "pprof"
    is_by_turns: bool = True
    is_fixed: bool = False  # each run has so many samples, neither more nor less
    is_in_seconds: bool = False  # runs are of a time that was asked for
    period_ns: int = PERIOD_NS
    period_after: float = 1  # of the sampling period, to that before
    length_after: float = 1  # of the length of a run, likewise


@dataclass
class Run:
    """Samples by stack, and what a file says beside them."""
    counts: dict
    start_ns: int
    length_ns: int
    period_ns: int
    means: dict = field(default_factory=dict)  # of `counts`, of what may grow


@dataclass
class Pair:
    before: list
    after: list
    right: set  # names of rows that may be told to have grown
    fewer: set  # those that may be told to have shrunk
    shape: "Shape"
    renamed: dict = field(default_factory=dict)  # names afterwards by those before


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

@dataclass
class Shape:
    stacks: dict  # share of the whole by stack, root first
    grown: set    # stacks that take more afterwards
    shrunk: set = field(default_factory=set)
    has_totals: bool = False  # functions are known by all that they call

    def holders(self, stacks):
        return {name for stack in stacks for name in stack}


def zipf(count, whole):
    weights = [(i + 3) ** -0.9 for i in range(1, count + 1)]
    total = sum(weights)
    return [whole * weight / total for weight in weights]


def flat(cell):
    """A main function and what it calls, all with code of their own."""
    stacks = {("main", CHANGED): cell.share}
    for i, part in enumerate(zipf(cell.functions - 1, 1 - cell.share)):
        stacks["main", f"app.f{i + 1}"] = part
    return Shape(stacks, {("main", CHANGED)})


def moved(cell):
    """The same, and a function of that size that shrinks by as much."""
    stacks = {("main", CHANGED): cell.share, ("main", "app.lighter"): cell.share}
    for i, part in enumerate(zipf(cell.functions - 2, 1 - 2 * cell.share)):
        stacks["main", f"app.f{i + 1}"] = part
    return Shape(stacks, {("main", CHANGED)}, {("main", "app.lighter")})


def tree(cell):
    """Handlers, parts and functions in a tree, each with code of its own; the
    changed one is a leaf of it, so that totals of its callers grow, too."""
    changed = ("main", "app.handler3", "app.part7", CHANGED)
    stacks = {changed: cell.share}
    parts = zipf(cell.functions - 1, 1 - cell.share)
    order = list(range(cell.functions - 1))
    random.Random(1).shuffle(order)  # large and small ones at each depth
    parts = [part for _, part in sorted(zip(order, parts))]
    for i, part in enumerate(parts):
        handler = f"app.handler{i % 6}"
        middle = f"app.part{i % 24}"
        if i < 6:
            stacks["main", handler] = part
        elif i < 30:
            stacks["main", handler, middle] = part
        else:
            stacks["main", handler, middle, f"app.f{i}"] = part
    return Shape(stacks, {changed}, has_totals=True)


def helper(cell):
    """Five callers spend most of their time in one helper; one of them asks
    more of it. The helper grows, but only through that one."""
    stacks, grown = {}, set()
    shares = [cell.share, 0.12, 0.06, 0.05, 0.03]
    for i, share in enumerate(shares):
        caller = f"app.caller{i}" if i else CHANGED
        stacks["main", caller] = share / 5
        stacks["main", caller, "app.helper"] = share * 4 / 5
    grown = {stack for stack in stacks if CHANGED in stack}
    count = cell.functions - len(shares) - 1
    for i, part in enumerate(zipf(count, 1 - sum(shares))):
        stacks["main", f"app.f{i + 1}"] = part
    return Shape(stacks, grown, has_totals=True)


def three(cell):
    """Two that grow, one large and one of 5 %, and a large one that shrinks."""
    shares = {CHANGED: cell.share, "app.heavier": 0.05, "app.lighter": cell.share}
    stacks = {("main", name): share for name, share in shares.items()}
    for i, part in enumerate(zipf(cell.functions - 3, 1 - sum(shares.values()))):
        stacks["main", f"app.f{i + 1}"] = part
    return Shape(stacks, {("main", CHANGED), ("main", "app.heavier")},
                 {("main", "app.lighter")})


def deep(cell):
    """Forty layers that only call the next one, then as many as a tree has, each
    function below ten of its own."""
    layers = ("main", *(f"app.layer{i}" for i in range(40)))
    shape = tree(cell)

    def deeper(stack):
        way = tuple(f"{stack[-1]}.step{i}" for i in range(10))
        return (*layers, *stack[1:-1], *way, stack[-1])

    return Shape({deeper(stack): part for stack, part in shape.stacks.items()},
                 {deeper(stack) for stack in shape.grown}, has_totals=True)


def tail(cell):
    """Sixty functions, and as many as the cell has that together take two
    fifths of the time."""
    stacks = {("main", CHANGED): cell.share}
    for i, part in enumerate(zipf(60, 0.6 - cell.share)):
        stacks["main", f"app.f{i + 1}"] = part
    for i in range(cell.functions):
        stacks["main", f"app.small{i + 1}"] = 0.4 / cell.functions
    return Shape(stacks, {("main", CHANGED)})


SHAPES = {"flat": flat, "moved": moved, "tree": tree, "helper": helper,
          "three": three, "deep": deep, "tail": tail}


# ---- runs ----

def draw_counts(rng, cell, means):
    """Samples by stack; of so many in all, where the cell says so."""
    if not cell.is_fixed:
        counts = {stack: poisson(rng, mean) for stack, mean in means.items()}
        return {stack: n for stack, n in counts.items() if n}
    drawn = rng.choices(list(means), list(means.values()), k=cell.samples)
    return dict(Counter(drawn))


def mover_of(stack):
    """Functions wander by what they take beside their callers: by the last frame
    of a stack, but of the helper its caller does."""
    return stack[-1] if stack[-1] != "app.helper" else stack[-2]


def draw_run(rng, cell, shape, level, is_after, is_outlier):
    """level: what each function takes on this side, beside what it does."""
    scale = cell.samples * factor(rng, cell.common)
    if is_after:
        scale *= cell.length_after / cell.period_after
    wander, means = {}, {}
    for at, (stack, part) in enumerate(shape.stacks.items()):
        mover = mover_of(stack)
        if mover not in wander:
            is_unsteady = cell.unsteady and at % 10 == 5
            wander[mover] = factor(
                rng, cell.outlier if is_outlier else
                cell.unsteady if is_unsteady else cell.wander)
        mean = scale * part * wander[mover] * level.get(mover, 1)
        if is_after and stack in shape.grown:
            mean *= cell.ratio
        if is_after and stack in shape.shrunk:
            mean *= 2 - cell.ratio
        means[stack] = mean
    counts = draw_counts(rng, cell, means)
    period_ns = round(cell.period_ns * (cell.period_after if is_after else 1))
    if cell.is_in_seconds:
        length = cell.samples * cell.period_ns // NS_PER_S
        length_ns = round(length * (cell.length_after if is_after else 1)) \
            * NS_PER_S
    else:
        length_ns = busy_length(counts, period_ns)
    return Run(counts, 0, length_ns, period_ns,
               {stack: means[stack] for stack in shape.grown})


def busy_length(counts, period_ns):
    return sum(counts.values()) * period_ns + 1_234_567


def plant(cell, pair, growth, seed):
    """Grows in a drawn pair, which stays what it is but for that; the sum of two
    Poisson counts is one of the sum of their means."""
    rng = random.Random(f"{cell.name} planted {seed}")
    for run in pair.after:
        for stack, mean in sorted(run.means.items()):
            run.counts[stack] = run.counts.get(stack, 0) + \
                poisson(rng, growth * mean)
        if not cell.is_in_seconds:
            run.length_ns = busy_length(run.counts, run.period_ns)


def rename(cell, shape, runs):
    """Gives some functions another name; names by those that they had."""
    if not cell.renamed:
        return {}
    names = sorted(shape.holders(shape.stacks) - {"main", CHANGED})
    chosen = random.Random(2).sample(names, round(cell.renamed * len(names)))
    renamed = {name: name.replace("app.", "core.") if cell.is_package else
               f"app.other{i + 1}" for i, name in enumerate(chosen)}
    for run in runs:
        run.counts = {tuple(renamed.get(name, name) for name in stack): count
                      for stack, count in run.counts.items()}
    return renamed


def draw(cell, seed):
    """A pair of sides, the same for the same cell and seed."""
    rng = random.Random(f"{cell.name} {seed}")
    shape = SHAPES[cell.shape](cell)
    sides = ([], [])
    levels = [{mover_of(stack): factor(rng, cell.apart)
               for stack in shape.stacks if cell.apart} for _ in sides]
    order = [i % 2 for i in range(2 * cell.runs)]
    if cell.runs_after:
        order = [0] * cell.runs + [1] * cell.runs_after
        rng.shuffle(order)
    if not cell.is_by_turns or cell.form == "window":
        order.sort()
    now_ns = START_NS
    outlier = rng.randrange(len(order)) if cell.outlier else None
    for at, is_after in enumerate(order):
        run = draw_run(rng, cell, shape, levels[is_after],
                       bool(is_after), at == outlier)
        run.start_ns = now_ns
        now_ns += run.length_ns + NS_PER_S
        sides[is_after].append(run)
    is_equal = cell.ratio == 1
    renamed = rename(cell, shape, sides[1])
    right = set() if is_equal else shape.holders(shape.grown)
    fewer = set() if is_equal else shape.holders(shape.shrunk) - {"main"}
    return Pair(*sides, right | set(renamed.values()), fewer | set(renamed),
                shape, renamed)


def count_functions(pair):
    """Names of functions, and a row of each: samples run by run, its own ones
    or all of those beneath it, as the shape has it. What is in all samples says
    nothing and is left out."""
    runs = pair.before + pair.after
    rows = {}
    stacks = [stack for run in runs for stack in run.counts]
    everywhere = set(stacks[0]).intersection(*stacks[1:]) | {"main"}
    for column, run in enumerate(runs):
        for stack, count in run.counts.items():
            names = set(stack) - everywhere if pair.shape.has_totals \
                else {stack[-1]}
            for name in names:
                rows.setdefault(name, [0] * len(runs))[column] += count
    names = sorted(rows)
    return names, [rows[name] for name in names]


# ---- files ----

def folded(run):
    return "".join(f"{';'.join(stack)} {count}\n"
                   for stack, count in run.counts.items()).encode()


@lru_cache(1 << 16)
def varint(n):
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(at, value):
    return varint(at << 3) + varint(value)


def block(at, data):
    return varint(at << 3 | 2) + varint(len(data)) + data


STRINGS = ["", "samples", "count", "cpu", "nanoseconds"]


@lru_cache(64)
def symbols(names):
    """Types of values, and functions with a place in each."""
    out = [block(1, number(1, 1) + number(2, 2)),
           block(1, number(1, 3) + number(2, 4)),
           block(11, number(1, 3) + number(2, 4))]
    for i, name in enumerate(names, 1):
        line = number(1, i) + number(2, 1)
        out.append(block(4, number(1, i) + block(4, line)))
        out.append(block(5, number(1, i) + number(2, len(STRINGS) + i - 1)))
    out += [block(6, word.encode()) for word in [*STRINGS, *names]]
    return b"".join(out)


def pprof(run):
    """As profilers of CPUs write it: samples, and their nanoseconds."""
    names = tuple(sorted({name for stack in run.counts for name in stack}))
    out = [symbols(names), number(9, run.start_ns), number(10, run.length_ns),
           number(12, run.period_ns)]
    ids = {name: varint(i) for i, name in enumerate(names, 1)}
    for stack, count in run.counts.items():
        places = b"".join(ids[name] for name in reversed(stack))
        values = varint(count) + varint(count * run.period_ns)
        out.append(block(2, block(1, places) + block(2, values)))
    return b"".join(out)


FORMS = {"folded": (folded, "folded"), "pprof": (pprof, "pb"),
         "snapshot": (pprof, "pb")}


def write(cell, runs, folder):
    """Files of one side, a run each; their paths."""
    form, ending = FORMS[cell.form]
    paths = []
    for i, run in enumerate(runs):
        paths.append(f"{folder}/{i:02}.{ending}")
        with open(paths[-1], "wb") as out:
            out.write(form(run))
    return paths
