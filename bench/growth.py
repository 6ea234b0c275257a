# SPDX-License-Identifier: Apache-2.0
"""What one more item costs when there are more of them: P12 by processor time
on ordinary inputs, and by instructions on inputs that are made to be slow."""
import shutil
from dataclasses import dataclass, field

import jobs
import report
from measure import Failed, Run

# Four times as many items: so much dearer may one be. Sorting alone makes it
# 1.2 between these sizes; what is quadratic makes it 4.
HOSTILE_SIZES = (2_000, 8_000)
HOSTILE_LIMIT = 1.35
# A stack on which nothing can recurse over a million items.
STACK_KIB = 256
HUGE = 1_000_000
# The heap of one model (src/base/limits.h), and half of it for all else.
HUGE_MIB = 1536
HUGE_GOAL = f"an answer, <= {HUGE_MIB:,} MiB"


@dataclass
class Section:
    title: str
    head: list
    right: tuple
    rows: list = field(default_factory=list)
    verdicts: list = field(default_factory=list)

    def add(self, row, verdict):
        self.rows.append([*row, verdict])
        self.verdicts.append(verdict.split(":")[0])
        print("  ".join([*row, verdict]), flush=True)


def fill(args, program, **values):
    out = [str(program)]
    for arg in args[1:]:
        for key, value in values.items():
            arg = arg.replace("{" + key + "}", str(value))
        out.append(arg)
    return tuple(out)


def ordinary(bench):
    """Costs are those of the difference between two sizes, so that what a run
    costs at least does not hide any growth."""
    section = Section("P12: processor time of one more item, by the number of "
                      "items", ["items", "10k to 100k", "100k to 1M", "growth",
                                "goal", ""], (1, 2, 3))
    for growth in jobs.GROWTHS:
        times = []
        for file, rounds in zip(growth.files, growth.rounds):
            path = bench.files({"trace": file})["trace"]
            run = Run(fill(growth.args, bench.program, trace=path,
                           tiny=bench.inputs.tiny()))
            costs, failed = bench.meter.contest({"": run}, rounds)
            if failed:
                raise Failed(failed[""])
            times.append(costs[""].cpu_ns)
        first, second = (
            (times[i + 1] - times[i]) / (growth.sizes[i + 1] - growth.sizes[i])
            for i in (0, 1))
        limit = growth.goals[0].limit
        section.add([growth.title, f"{first:,.0f} ns", f"{second:,.0f} ns",
                     f"{second / first:.2f}x", f"<= {limit:g}x"],
                    report.MET if second <= limit * first else report.MISSED)
    return section


def trace_of(kind):
    def make(bench, count):
        return bench.inputs.path(f"{kind}-{count}.otlp.pb", "otlp-pb", kind,
                                 count)
    return make


def stacks_of(kind):
    def make(bench, count):
        depth = 20
        functions = {"one": count, "equal": depth,
                     "unlike": count * depth}.get(kind, 1_000)
        return bench.inputs.path(
            f"{kind}-{count}.pb.gz", "pprof", kind, "base", count, functions,
            functions, depth)
    return make


SLOW = jobs.SLOW.args
SHOW = ("tracefind", "show", "{trace}", "-n", "0")
SHOW_SVG = ("tracefind", "show", "{trace}", "-o", "svg=/dev/null")
TABLE = ("tracefind", "profile", "{trace}", "-n", "0")
FLAME = ("tracefind", "profile", "{trace}", "-o", "svg=/dev/null")

HOSTILE = (
    ("one trace, every span of the same name", trace_of("same-name"),
     (SLOW, SHOW)),
    ("one trace, no name twice", trace_of("names"), (SLOW, SHOW)),
    ("one parent of all other spans", trace_of("fan"), (SLOW, SHOW,
                                                        SHOW_SVG)),
    ("a chain: each span below the one before", trace_of("chain"),
     (SLOW, SHOW, SHOW_SVG)),
    ("one sample of so many frames", stacks_of("one"), (TABLE, FLAME)),
    ("all stacks equal", stacks_of("equal"), (TABLE, FLAME)),
    ("no two stacks share a function", stacks_of("unlike"), (TABLE, FLAME)),
    ("all functions of the same name", stacks_of("same-name"),
     (TABLE, FLAME)),
)


def words_of(args):
    return " ".join(a for a in args[1:] if a[0] != "{" and
                    not a.startswith("file:") and a != "--profiles-url")


def per_item(bench, make, args, count):
    path = make(bench, count)
    run = Run(fill(args, bench.program, trace=path, tiny=bench.inputs.tiny()))
    return bench.meter.instructions(run)


def hostile(bench):
    few, many = HOSTILE_SIZES
    section = Section(
        f"Hostile inputs: instructions for one more item, of {few:,} and of "
        f"{many:,}", ["input", "command", f"first {few:,}", "the others",
                      "growth", "goal", ""], (2, 3, 4))
    if not shutil.which("valgrind"):
        section.add(["all", "", "", "", "", ""],
                    f"{report.GAP}: valgrind was not found")
        return section
    for title, make, commands in HOSTILE:
        for args in commands:
            try:
                none, first, second = (per_item(bench, make, args, n)
                                       for n in (few // 4, few, many))
            except Failed as error:
                section.add([title, words_of(args), "", "", "", ""],
                            f"{report.MISSED}: {error}")
                continue
            early = (first - none) / (few - few // 4)
            late = (second - first) / (many - few)
            section.add(
                [title, words_of(args), f"{early:,.0f}", f"{late:,.0f}",
                 f"{late / early:.2f}x", f"<= {HOSTILE_LIMIT:g}x"],
                report.MET if late <= HOSTILE_LIMIT * early else
                report.MISSED)
    return section


def huge(bench):
    section = Section(
        f"A million items on a stack of {STACK_KIB} KiB",
        ["input", "command", "ms", "MiB", "goal", ""], (2, 3))
    for title, make, commands in HOSTILE:
        # The others are about text, not about depth.
        if make is None or "sample" not in title and "chain" not in title \
                and "parent" not in title:
            continue
        path = make(bench, HUGE)
        for args in commands:
            run = Run(fill(args, bench.program, trace=path,
                           tiny=bench.inputs.tiny()), stack_kib=STACK_KIB)
            try:
                cost = bench.meter.cost(run)
            except Failed as error:
                section.add([title, words_of(args), "", "", HUGE_GOAL],
                            f"{report.MISSED}: {error}")
                continue
            section.add([title, words_of(args),
                         report.time_text(cost.wall_ns),
                         f"{cost.rss_kib / 1024:,.0f}", HUGE_GOAL],
                        report.MET if cost.rss_kib <= HUGE_MIB * 1024 else
                        report.MISSED)
    return section


def sections(bench):
    if not bench.args.short and bench.wanted("P12"):
        yield ordinary(bench)
    if not bench.args.short and bench.wanted("hostile"):
        yield hostile(bench)
        yield huge(bench)
