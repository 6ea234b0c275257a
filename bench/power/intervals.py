# SPDX-License-Identifier: Apache-2.0
"""Whether intervals of growth hold the truth as often as they say, and whether the
growth that an answer says it would have seen is seen.
"""
import json
import math
import subprocess
import tempfile
from pathlib import Path

from draws import CHANGED, Cell, draw, plant, write

# Percent of the draws: of an interval of 95 % as many hold the truth; a growth is
# said to be seen when four of five times it is. On average of all lines, and of each
# beside two deviations of its draws.
HOLDS = (93, 97)
SEEN = (75, 85)
EFFECTS = (0.5, 1.2, 1.5, 2, 5)
SHARES = (0.02, 0.10)
# Intervals are told of rows that are told; where some are not, the others are
# not all.
NEARLY_ALL = 0.97
# Runs of 10,000 samples that nobody asked to take so long.
PERIOD_NS = 1_130_000


def settings():
    """Six runs of 10,000 samples that wander by 3 % where nothing else is said."""
    yield "6 a side of 10,000", {}
    for runs in (1, 2, 3, 12):
        yield f"{runs} a side", {"runs": runs}
    for samples in (1_000, 30_000):
        yield f"{samples:,} samples a run", {"samples": samples}
    yield "12 a side of 1,000", {"runs": 12, "samples": 1_000}
    yield "none wanders", {"wander": 0}
    yield "all wander by 10 %", {"wander": 0.1}
    yield "one side after the other", {"is_by_turns": False}
    yield "lengths asked for", {"is_in_seconds": True, "period_ns": 2_000_000}
    yield "12 functions", {"functions": 12}
    yield "a function of 40 %", {"share": 0.4}
    yield "a leaf of a tree", {"shape": "tree"}


def ask(tracefind, cell, number, is_turned=False):
    """What check says; is_turned: of the sides exchanged."""
    return ask_about(tracefind, cell, draw(cell, number), is_turned)


def ask_about(tracefind, cell, pair, is_turned=False):
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        sides = []
        for side, runs in (("before", pair.before), ("after", pair.after)):
            (Path(folder) / side).mkdir()
            sides.append(write(cell, runs, f"{folder}/{side}"))
        before, after = reversed(sides) if is_turned else sides
        words = [tracefind, "check", *after, "-o", "json", "--fail-on",
                 "function>0%,new>0%"]
        for path in before:
            words += ["--against", path]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 5, 10):
        raise SystemExit(f"check: {done.stderr[:2000]}")
    return json.loads(done.stdout)


def scratch():
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def hit_of(answer):
    return next((hit for hit in answer["broken"] if hit["function"] == CHANGED),
                None)


def lack_of(name, part, bounds, count):
    """What is wrong with a part, in percent, of so many draws; 0: with a mean."""
    middle = sum(bounds) / 200
    chance = 200 * math.sqrt(middle * (1 - middle) / count) if count else 0
    if bounds[0] - chance <= part <= bounds[1] + chance:
        return []
    return [f"{name}: {part:.1f} %, {bounds[0]} to {bounds[1]} are asked for"]


def mean_of(lines, column, parts, bounds):
    """Puts the last line below; what is wrong with it."""
    if not parts:
        return []
    mean = sum(parts) / len(parts)
    line = [""] * len(lines[0])
    line[0], line[column] = "**all of these**", f"**{mean:.1f}**"
    lines.append(line)
    return lack_of("all of these", mean, bounds, 0)


# ---- intervals ----

def measure_interval(job):
    """Of the draws in which it is told: how much is told, and both ends."""
    tracefind, name, more, effect, count = job
    is_turned = effect < 1
    ratio = 1 / effect if is_turned else effect
    cell = Cell(f"interval {name} {effect}", ratio=effect,
                **{"period_ns": PERIOD_NS} | more)
    told = []
    for number in range(count):
        hit = hit_of(ask(tracefind, cell, number, is_turned))
        if hit and hit["growth_low"] is not None:
            told.append([1 + hit[key] for key in
                         ("growth", "growth_low", "growth_high")])
    return name, effect, ratio, told


def interval_line(name, effect, ratio, told, count):
    """And the part that holds the truth, where it is told of nearly all draws."""
    holds = sum(low <= ratio <= high for _, low, high in told)
    below = sum(high < ratio for _, _, high in told)
    above = sum(low > ratio for _, low, _ in told)
    part = 100 * holds / len(told) if told else math.nan
    widths = sorted(math.log(high / max(low, 1e-3)) for _, low, high in told)
    middles = [math.log(growth / ratio) for growth, _, _ in told]
    spread = math.sqrt(sum(x * x for x in middles) / len(told)) if told else 0
    return [name, f"x {effect:g}", f"{100 * len(told) / count:.0f}",
            f"{part:.1f}" if told else "", f"{100 * below / count:.1f}",
            f"{100 * above / count:.1f}",
            f"{widths[len(widths) // 2]:.3f}" if told else "",
            f"{2 * 1.96 * spread:.3f}" if told else ""], \
        part if len(told) >= NEARLY_ALL * count else None


def intervals(tracefind, count, pool, show, is_wanted):
    lines = [["", "effect", "told", "holds the truth", "lies below it",
              "lies above it", "median width", "width of the error"]]
    lacks, parts = [], []
    jobs = [(tracefind, name, more, effect, count)
            for name, more in settings() for effect in EFFECTS
            if is_wanted(name)]
    for measured in pool.map(measure_interval, jobs):
        line, part = interval_line(*measured, count)
        lines.append(line)
        show(line)
        if part is not None:
            parts.append(part)
            lacks += lack_of(f"intervals, {line[0]}, {line[1]}", part, HOLDS, count)
    return lines, lacks + mean_of(lines, 3, parts, HOLDS)


# ---- limits ----

def told_growth(answer, share):
    """From which on growth of a function of that share is said to be seen."""
    return next((row["growth"] for row in answer["power"]["functions"]
                 if abs(row["share"] - share) < 1e-9), None) \
        if answer["power"] else None


def measure_limit(job):
    """Plants in each equal pair the growth that is said to be seen in it."""
    tracefind, name, more, share, count = job
    cell = Cell(f"limit {name} {share}", share,
                **{"period_ns": PERIOD_NS} | more)
    told, found = [], 0
    for number in range(count):
        growth = told_growth(ask(tracefind, cell, number), share)
        told.append(math.inf if growth is None else growth)
        if growth is not None:
            pair = draw(cell, number)
            plant(cell, pair, growth, number)
            found += hit_of(ask_about(tracefind, cell, pair)) is not None
    return name, share, sorted(told), found


def limit_settings():
    for runs in (1, 3, 6, 12):
        for samples in (1_000, 10_000, 30_000):
            yield f"{runs} a side of {samples:,}", {"runs": runs,
                                                    "samples": samples}
    for name, more in settings():
        if more and not more.keys() & {"runs", "samples", "share"}:
            yield name, more


def limits(tracefind, count, pool, show, is_wanted):
    lines = [["", "function of", "said to be seen from", "in nine of ten answers",
              "found"]]
    lacks, parts = [], []
    jobs = [(tracefind, name, more, share, count)
            for name, more in limit_settings() for share in SHARES
            if is_wanted(name)]
    for name, share, told, found in pool.map(measure_limit, jobs):
        line = [name, f"{100 * share:g} %", "never", "", ""]
        limit = told[len(told) // 2]
        if limit < math.inf:
            part = 100 * found / count
            ends = [told[len(told) // 20], told[-1 - len(told) // 20]]
            line[2:] = [f"{100 * limit:.0f} %",
                        " to ".join(f"{100 * end:.0f}" for end in ends) + " %",
                        f"{part:.0f}"]
            parts.append(part)
            lacks += lack_of(f"limits, {name}, {line[1]}", part, SEEN, count)
        lines.append(line)
        show(line)
    return lines, lacks + mean_of(lines, 4, parts, SEEN)
