# SPDX-License-Identifier: Apache-2.0
"""What is measured: every job and its goals, once. A contest is a set of
programs that run in turn; a row compares two of them, or holds one against a
number."""
from dataclasses import dataclass, field

PPROF_TOP = ("pprof", "-symbolize=none", "-top", "-nodecount=50",
             "-unit=nanoseconds", "-diff_base={base}", "{cur}")
# Time of each span less that of its children, and the span with the most:
# the least that answers the question at all.
JQ_SELF = """[.data[] | .spans as $s
| (reduce $s[] as $x ({}; .[$x.references[0].spanID // ""] += $x.duration))
  as $children
| $s[] | {id: .spanID, self: (.duration - ($children[.spanID] // 0))}]
| max_by(.self)"""
PYTHON_SELF = """import collections, json, sys
children = collections.Counter()
spans = [s for t in json.load(open(sys.argv[1]))["data"] for s in t["spans"]]
for s in spans:
    for r in s["references"][:1]:
        children[r["spanID"]] += s["duration"]
print(max((s["duration"] - children[s["spanID"]], s["spanID"])
          for s in spans))"""


@dataclass(frozen=True)
class Entry:
    """A program of a contest. args[0] is tracefind or a peer; {names} stand
    for inputs and for {out}, the file it writes."""
    args: tuple
    cpus: int = 0
    most: int = 0  # so many rounds at most; 0: as many as there are


@dataclass(frozen=True)
class Goal:
    """what: see judge() of report.py."""
    what: str
    limit: float


@dataclass(frozen=True)
class Row:
    number: str
    title: str
    ours: str
    peer: str = ""
    goals: tuple = ()


@dataclass(frozen=True)
class Contest:
    name: str
    inputs: dict
    entries: dict
    rows: tuple
    rounds: int = 5
    short_rounds: int = 0  # 0: not in the short form
    check: str = ""        # a function of agree.py


def pair(name):
    return {"base": ("pprof", name, "base"), "cur": ("pprof", name, "cur")}


def diff(cpus=0):
    return Entry(("tracefind", "diff", "{base}", "{cur}", "-n", "50"), cpus)


SLOW = Entry(("tracefind", "slow", "{trace}", "--profiles-url",
              "file:{tiny}", "-o", "json"))

CONTESTS = (
    Contest("large pair", pair("large"),
            {"one processor": diff(1), "two processors": diff(2),
             # Minutes, and gigabytes that others need.
             "pprof": Entry(PPROF_TOP, most=1),
             "inflate": Entry(("bench-inflate", "{base}", "{cur}"))},
            (Row("P1", "diff, top 50, large pair; one processor",
                 "one processor", "pprof",
                 (Goal("faster", 40), Goal("memory", 12))),
             Row("P1", "the same; two processors", "two processors", "pprof",
                 (Goal("faster", 75), Goal("memory", 12))),
             Row("P8", "its CPU against inflating the same bytes",
                 "one processor", "inflate", (Goal("cpu-times", 4),))),
            rounds=3, check="diff"),
    Contest("medium pair", pair("medium"),
            {"ours": diff(), "one processor": diff(1),
             "pprof": Entry(PPROF_TOP),
             "inflate": Entry(("bench-inflate", "{base}", "{cur}"))},
            (Row("P2", "diff, top 50, medium pair", "ours", "pprof",
                 (Goal("faster", 30), Goal("memory", 15))),
             Row("-", "its CPU against inflating the same bytes",
                 "one processor", "inflate")),
            rounds=5, short_rounds=3, check="diff"),
    Contest("small pair", pair("small"),
            {"ours": diff(), "version": Entry(("tracefind", "--version")),
             "pprof": Entry(PPROF_TOP)},
            (Row("P3", "diff, top 50, small pair", "ours", "pprof",
                 (Goal("faster", 15),)),
             Row("P3", "--version", "version", "", (Goal("wall-ms", 6),))),
            rounds=25, short_rounds=9, check="diff"),
    Contest("Jaeger JSON, 100k spans", {"trace": ("trace", "medium",
                                                  ".jaeger.json")},
            {"ours": SLOW,
             "jq": Entry(("jq", "-c", JQ_SELF, "{trace}"), most=3),
             "python": Entry(("python3", "-c", PYTHON_SELF, "{trace}"),
                             most=3)},
            (Row("P4", "guilty span, Jaeger JSON, 100k spans", "ours", "jq",
                 (Goal("faster", 25), Goal("memory", 10))),
             Row("-", "the same; self time by Python's json", "ours",
                 "python")),
            rounds=5, short_rounds=1, check="guilty"),
    Contest("Jaeger JSON, 1M spans",
            {"large": ("trace", "large", ".jaeger.json"),
             "trace": ("trace", "medium", ".jaeger.json")},
            {"1M": Entry(("tracefind", "slow", "{large}", "--profiles-url",
                          "file:{tiny}", "-o", "json")),
             "100k": SLOW},
            (Row("P5", "Jaeger JSON, 1M spans, against 100k", "1M", "100k",
                 (Goal("wall-times", 11), Goal("rss-mib", 200))),),
            rounds=5),
    Contest("OTLP protobuf, 1M spans", {"trace": ("trace", "large",
                                                  ".otlp.pb")},
            {"ours": SLOW, "unpack": Entry(("bench-unpack", "{trace}"))},
            (Row("P6", "guilty span, OTLP protobuf, 1M spans", "ours",
                 "unpack", (Goal("faster", 4), Goal("memory", 10))),),
            rounds=5),
    Contest("OTLP protobuf, 100k spans", {"trace": ("trace", "medium",
                                                    ".otlp.pb")},
            {"ours": SLOW, "unpack": Entry(("bench-unpack", "{trace}"))},
            (Row("-", "guilty span, OTLP protobuf, 100k spans", "ours",
                 "unpack"),),
            rounds=5, short_rounds=5),
    Contest("folded stacks", {"stacks": ("folded", "medium", "base")},
            {"ours": Entry(("tracefind", "profile", "{stacks}", "-o",
                            "svg={out}")),
             "flamegraph.pl": Entry(("flamegraph.pl", "{stacks}")),
             "inferno": Entry(("inferno-flamegraph", "{stacks}"))},
            (Row("P7", "folded stacks (175 MB) to SVG", "ours",
                 "flamegraph.pl", (Goal("faster", 25),)),
             Row("P7", "the same", "ours", "inferno", (Goal("faster", 2),))),
            rounds=3, short_rounds=1, check="flame"),
    Contest("merge", pair("medium"),
            {"ours": Entry(("tracefind", "profile", "{base}", "{cur}", "-o",
                            "pprof={out}")),
             "pprof": Entry(("pprof", "-symbolize=none", "-proto",
                             "-output={out}", "{base}", "{cur}"))},
            (Row("P10", "merge of the medium pair, written as pprof", "ours",
                 "pprof", (Goal("faster", 5), Goal("size", 1))),),
            rounds=5, short_rounds=3, check="merge"),
    Contest("pictures", {"frames": ("frames",)},
            {"html": Entry(("tracefind", "profile", "{frames}", "-o",
                            "html={out}")),
             "svg": Entry(("tracefind", "profile", "{frames}", "-o",
                           "svg={out}"))},
            (Row("P11", "HTML report of 20,000 frames", "html", "",
                 (Goal("wall-ms", 100),)),
             Row("P11", "SVG of 20,000 frames", "svg", "",
                 (Goal("wall-ms", 50),))),
            rounds=15, short_rounds=5),
)


@dataclass(frozen=True)
class Growth:
    """Inputs of growing size: what one more item costs must not grow."""
    title: str
    args: tuple
    files: tuple           # of an input each, by size
    sizes: tuple = (10_000, 100_000, 1_000_000)
    rounds: tuple = (15, 5, 3)
    goals: tuple = field(default=(Goal("growth", 1.15),))


def span_files(ending):
    return tuple(("trace", name, ending, "many", spans) for name, spans in
                 (("10k", 10_000), ("medium", 100_000), ("large", 1_000_000)))


def sample_files():
    return tuple(("pprof", f"samples-{n}", "base", "real",
                  (n, 20_000, 50_000, 30))
                 for n in (10_000, 100_000, 1_000_000))


GROWTHS = (
    Growth("spans of OTLP protobuf", SLOW.args, span_files(".otlp.pb")),
    Growth("spans of Jaeger JSON", SLOW.args, span_files(".jaeger.json")),
    Growth("samples of pprof",
           ("tracefind", "profile", "{trace}", "-n", "50"), sample_files()),
)
