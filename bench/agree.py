# SPDX-License-Identifier: Apache-2.0
"""Whether two programs gave the same answer to the same question. Each check
returns what differs, or nothing."""
import csv
import io
import json
import re
import subprocess

# Whose answers a check reads, besides ours.
NEEDED = {"diff": {"pprof"}, "guilty": {"jq"}, "merge": {"pprof"}}

TOP_ROW = re.compile(r"\s*(-?\d+)(?:ns)?\s+\S+\s+\S+\s+(-?\d+)(?:ns)?\s+\S+"
                     r"\s+(.*?)(?: \(inline\)| \(partial-inline\))?$")
TOTAL = re.compile(r"Total samples = (\d+)ns")
# The shares of a table have six decimals.
SHARE_STEP = 1e-6
ALL_SAMPLES = re.compile(r"<title>all \(([\d,]+) samples", re.S)
OUR_SAMPLES = re.compile(r">([\d,]+) samples<")
# Self time of one span: its own less what its children cover of it.
JQ_ONE = """.data[].spans | select(any(.[]; .spanID == $id))
| (map(select(.spanID == $id))[0]) as $p
| ($p.startTime + $p.duration) as $stop
| [.[] | select(.references[0].spanID == $id)
   | {a: ([.startTime, $p.startTime] | max),
      b: ([.startTime + .duration, $stop] | min)} | select(.b > .a)]
| sort_by(.a)
| reduce .[] as $c ({at: $p.startTime, covered: 0};
    ([$c.a, .at] | max) as $from
    | if $c.b > $from then .covered += $c.b - $from | .at = $c.b else . end)
| $p.duration - .covered"""


def answer(*args):
    return subprocess.run([str(a) for a in args], stdout=subprocess.PIPE,
                          text=True, check=True).stdout


def table_of(program, *args):
    return {row["function"]: row for row in csv.DictReader(
        io.StringIO(answer(program, *args, "-n", "0", "-o", "csv")))}


def near(a, b, step):
    return abs(a - b) <= step


def diff(program, files, outputs):
    """Flat and cumulative change of each function that pprof lists."""
    text = outputs["pprof"].read_text(encoding="utf-8")
    total = TOTAL.search(text)
    rows = [m.groups() for m in map(TOP_ROW.match, text.splitlines()) if m]
    if not total or not rows:
        return "pprof listed nothing"
    ours = table_of(program, "diff", files["base"], files["cur"])
    for flat, cum, name in rows:
        row = ours.get(name)
        if not row:
            return f"{name} is missing"
        for ours_is, pprofs in (("self", flat), ("total", cum)):
            change = (int(row[ours_is + "_value"] or 0) -
                      float(row["baseline_" + ours_is] or 0) *
                      int(total.group(1)))
            if not near(change, int(pprofs),
                        SHARE_STEP * int(total.group(1))):
                return (f"{ours_is} of {name} changed by {change:.0f}, by "
                        f"pprof {pprofs}")
    return None


def guilty(_program, files, outputs):
    """Self time of the span that ours blames, by jq."""
    said = json.loads(outputs["ours"].read_text(encoding="utf-8"))
    span = said["span"]
    by_jq = answer("jq", "--arg", "id", span["span_id"], JQ_ONE,
                   files["trace"]).split()
    if [str(span["self_ns"] // 1000)] != by_jq:
        return (f"self time of {span['span_id']} is {span['self_ns']} ns, by "
                f"jq {' '.join(by_jq) or 'not there'} us")
    return None


def samples(path, pattern):
    match = pattern.search(path.read_text(encoding="utf-8", errors="replace"))
    return match and match.group(1)


def flame(_program, _files, outputs):
    """Samples of the whole picture."""
    ours = samples(outputs["ours"], OUR_SAMPLES)
    for peer in ("flamegraph.pl", "inferno"):
        if peer in outputs and ours != samples(outputs[peer], ALL_SAMPLES):
            return (f"{ours} samples, by {peer} "
                    f"{samples(outputs[peer], ALL_SAMPLES)}")
    return None


def merge(program, _files, outputs):
    """Every function's values in both results, read by ours; that ours reads
    as pprof does is checked elsewhere."""
    ours, pprofs = (table_of(program, "profile", outputs[name])
                    for name in ("ours", "pprof"))
    keys = ("self_value", "total_value")
    if ours.keys() != pprofs.keys():
        return f"{len(ours)} functions, by pprof {len(pprofs)}"
    for name, row in ours.items():
        if any(row[key] != pprofs[name][key] for key in keys):
            return f"{name} differs"
    return None
