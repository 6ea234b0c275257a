#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers at the edges of what their types hold, and texts that are numbers.

usage: numbers.py TRACEFIND [--all]

Each goes through every command and form that shows it; none may end by a signal
or without words, JSON must parse and hold no number that JSON has not, and where
the answer can be worked out by hand it must be that one. Builds with
-fsanitize=undefined and -ftrapv stop where arithmetic goes wrong. TAP, a line a
number.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "safety")]
import figures  # noqa: E402
from making import MS, START_NS, TRACE, Pprof, group, otlp, span  # noqa: E402

LIMIT_S = 60
MAX = (1 << 63) - 1
MIN = -(1 << 63)
UNSIGNED = (1 << 64) - 1
EXACT = (1 << 53) + 1  # no double holds it
DIGITS = "1" + "0" * 399
YEAR_2262 = MAX  # the last nanosecond that 63 bits hold
TRACE_FAST = [["show"], ["show", "-o", "json"], ["slow", "-o", "json"]]
TRACE_ALL = TRACE_FAST + [["show", "-o", "svg"], ["show", "-o", "html"], ["show", "-o", "chrome"], ["show", "--events"],
                          ["show", "-o", "markdown"], ["slow"], ["slow", "-o", "html"], ["slow", "--why"],
                          ["show", "--span", "0000000000000001"], ["slow", "--span", "0000000000000002"]]
PROFILE_FAST = [["profile"], ["profile", "-o", "json"], ["profile", "-o", "term"], ["diff", "-o", "json"]]
PROFILE_ALL = PROFILE_FAST + [["profile", "-o", f] for f in (
    "svg", "html", "csv", "folded", "pprof=x.pb.gz", "speedscope", "dot", "markdown")] + [
    ["profile", "--tree"], ["profile", "--peek", "a"], ["profile", "--granularity", "line"]] + [
    ["diff", "-o", f] for f in ("table", "svg", "html", "csv", "difffolded", "term", "markdown", "dot")]


# ---- inputs ----

def times(*pairs, attrs=None):
    """A span for each pair of start and end, below the first."""
    return otlp([group("s", [span(i, 1 if i > 1 else 0, f"op {i}", start, end, attrs)
                             for i, (start, end) in enumerate(pairs, 1)])])


def raw_times(start, end):
    """As they are written, without quotes."""
    text = times((START_NS, START_NS + MS))
    return text.replace(f'"{START_NS}"', start).replace(f'"{START_NS + MS}"', end)


def attribute(value):
    """The JSON of an attribute's value."""
    text = times((START_NS, START_NS + MS), attrs={"http.status_code": "@"})
    return text.replace('{"stringValue": "@"}', value)


def jaeger(start, duration):
    return ('{"data":[{"traceID":"%s","spans":[{"traceID":"%s","spanID":"0000000000000001","operationName":"op",'
            '"startTime":%s,"duration":%s,"processID":"p1","references":[]}],"processes":{"p1":{"serviceName":"s"}}}]}'
            % (TRACE, TRACE, start, duration))


def zipkin(start, duration):
    return '[{"traceId":"%s","id":"0000000000000001","name":"op","timestamp":%s,"duration":%s}]' % (
        TRACE, start, duration)


def cloud(start, end):
    return ('{"projectId":"p","traceId":"%s","spans":[{"spanId":"%s","name":"op","startTime":"%s","endTime":"%s"}]}'
            % (TRACE, "1", start, end))


def pprof(*values, types=(("cpu", "nanoseconds"),), **header):
    """A stack for each value; header: numbers of the profile itself."""
    from making import data, number
    p = Pprof(types)
    root = p.location("main", line=1)
    for i, value in enumerate(values):
        p.sample([p.location(f"f{i}", "a.c", line=header.get("line", 7)), root],
                 *(value if isinstance(value, tuple) else (value,)))
    for name, field in (("time_ns", 9), ("duration_ns", 10), ("period", 12)):
        if name in header:
            p.parts.append(number(field, header[name]))
    p.parts.append(data(11, number(1, p.text("cpu")) + number(2, p.text("nanoseconds"))))
    return p.bytes()


def folded(*values):
    return "".join(f"main;f{i} {value}\n" for i, value in enumerate(values))


def speedscope(weight, unit="nanoseconds"):
    return ('{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},'
            '{"name":"b"}]},"profiles":[{"type":"sampled","name":"p","unit":"%s","startValue":0,"endValue":1,'
            '"samples":[[0],[0,1]],"weights":[%s,1]}]}' % (unit, weight))


def flamegraph(value):
    return ('{"flamebearer":{"names":["total","a"],"levels":[[0,%s,0,0],[0,%s,%s,1]],"numTicks":%s,"maxSelf":%s},'
            '"metadata":{"format":"single","sampleRate":1000000000,"units":"samples","name":"cpu"}}' % ((value,) * 5))


def perf(period):
    return (f"work 1/2 [000] 33690.848496:  {period} cpu-clock: \n\t  1332 mix+0x22 (/usr/bin/work)\n\n" * 3)


def duration(found):
    return found["trace"]["duration_ns"]


def total(found):
    return sum(f["self_value"] for f in found["functions"])


def only(value):
    return lambda found, read: None if read(found) == value else f"{read(found)} instead of {value}"


# Name, file, and what the JSON answer has to tell when it is one.
TRACES = [
    ("1 ns", times((START_NS, START_NS + 1)), only(1)),
    ("0 ns", times((START_NS, START_NS)), only(0)),
    ("2^53+1 ns", times((START_NS, START_NS + EXACT)), only(EXACT)),
    ("start at 0", times((0, MS)), None), ("start and end at 0", times((0, 0)), None),
    ("start at 1 ns of 1970", times((1, MS)), None),
    ("end at 2^63-1", times((START_NS, YEAR_2262)), None), ("at 2^63-1", times((YEAR_2262, YEAR_2262)), None),
    ("from 0 to 2^63-1", times((0, MAX)), None), ("from 1 to 2^63-1, twice", times((1, MAX), (1, MAX)), None),
    ("end at 2^63", times((START_NS, MAX + 1)), None), ("start at 2^63", times((MAX + 1, MAX + 2)), None),
    ("end at 2^64-1", times((START_NS, UNSIGNED)), None), ("all at 2^64-1", times((UNSIGNED, UNSIGNED)), None),
    ("end at 2^64", times((START_NS, UNSIGNED + 1)), None), ("start at -1", times((-1, MS)), None),
    ("start at -2^63", times((MIN, START_NS)), None), ("end at -2^63", times((START_NS, MIN)), None),
    ("end before start", times((START_NS + MS, START_NS)), only(0)),
    ("children of 2^63-1", times((1, MAX), (2, MAX), (2, MAX), (3, MAX)), None),
    ("child of 1970 in 2262", times((MAX - 5, MAX), (0, 5), (5, MAX)), None),
    ("2^62 twice", times((1, 1 << 62), (1 << 62, MAX), (1 << 61, 1 << 62)), None),
    ("400 digits", raw_times(f'"{DIGITS}"', f'"{DIGITS}"'), None),
    ("leading zeros", raw_times('"000000000000%d"' % START_NS, '"%d"' % (START_NS + MS)), None),
    ("1e400", raw_times("1e400", "1e400"), None), ("1e18", raw_times("1e18", "1e18"), None),
    ("an integer as double", raw_times("1764000000000000000.0", "1764000001000000000.0"), None),
    ("a fraction", raw_times("1764000000000000000.5", "1764000001000000000.5"), None),
    ("-0", raw_times("-0", "-0.0"), None), ("NaN", raw_times("NaN", "Infinity"), None),
    ("null", raw_times("null", "null"), None), ("true", raw_times("true", "[]"), None),
    ("hexadecimal", raw_times('"0x10"', '"0x20"'), None), ("a sign", raw_times('"+5"', '" 6"'), None),
    ("an empty number", raw_times('""', '""'), None), ("1e-400", raw_times("1e-400", "1e-400"), None),
    ("int attribute of 2^64", attribute('{"intValue":"18446744073709551616"}'), None),
    ("int attribute of -2^63", attribute('{"intValue":"-9223372036854775808"}'), None),
    ("double attribute of 1e400", attribute('{"doubleValue":1e400}'), None),
    ("double attribute NaN", attribute('{"doubleValue":"NaN"}'), None),
    ("double attribute of 2^53+1", attribute('{"doubleValue":9007199254740993}'), None),
    ("status of 2^32", attribute('{"intValue":4294967296}'), None),
    ("Jaeger, 2^63-1 us", jaeger(MAX, MAX), None), ("Jaeger, -1 us", jaeger(-1, -1), None),
    ("Jaeger, 2^63-1 ns in us", jaeger(MAX // 1000, 1), None), ("Jaeger, 1e400", jaeger("1e400", "1e400"), None),
    ("Jaeger, lasting 2^63-1 us", jaeger(START_NS // 1000, MAX), None),
    ("Jaeger, 2^53+1", jaeger(START_NS // 1000, EXACT // 1000), only(EXACT // 1000 * 1000)),
    ("Zipkin, 2^63-1 us", zipkin(MAX, MAX), None), ("Zipkin, -2^63 us", zipkin(MIN, MIN), None),
    ("Zipkin, fractions", zipkin("1764000000000000.5", "1.5"), None),
    ("Cloud Trace, the year 9999", cloud("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999999Z"), None),
    ("Cloud Trace, the year 0", cloud("0000-01-01T00:00:00Z", "2262-04-11T23:47:16.854775807Z"), None),
    ("Cloud Trace, 1970 to 2262", cloud("1970-01-01T00:00:00.000000001Z", "2262-04-11T23:47:16.854775807Z"), None),
    ("Cloud Trace, no such day", cloud("2026-02-30T00:00:00Z", "2026-13-01T25:61:61Z"), None),
]
PROFILES = [
    ("one of 0", pprof(0), None), ("totals of 0", pprof(5, -5), None), ("1", pprof(1), only(1)),
    ("2^53+1", pprof(EXACT), only(EXACT)), ("2^63-1", pprof(MAX), only(MAX)),
    ("2^63-1 twice", pprof(MAX, MAX), None), ("-2^63", pprof(MIN), None), ("-2^63 twice", pprof(MIN, MIN), None),
    ("2^63-1 and -2^63", pprof(MAX, MIN), None), ("-1", pprof(-1), None), ("2^62 thrice", pprof(*[1 << 62] * 3), None),
    ("a period of 2^63-1", pprof(1, 2, period=MAX), only(3)), ("a period of 0", pprof(1, 2, period=0), only(3)),
    ("a period of -1", pprof(1, 2, period=-1), only(3)), ("a period of -2^63", pprof(MIN, period=MIN), None),
    ("lasting 2^63-1", pprof(1, 2, time_ns=MAX, duration_ns=MAX), only(3)),
    ("lasting -2^63", pprof(1, 2, time_ns=MIN, duration_ns=MIN), only(3)),
    ("from 2262 on", pprof(1, 2, time_ns=MAX, duration_ns=1), only(3)), ("line -1", pprof(1, 2, line=-1), only(3)),
    ("line 2^63-1", pprof(1, 2, line=MAX), only(3)), ("bytes of 2^63-1", pprof(
        MAX, 1, types=(("alloc_space", "bytes"),)), None),
    ("seconds of 2^63-1", pprof(MAX, 1, types=(("cpu", "seconds"),)), None),
    ("unknown unit of 2^63-1", pprof(MAX, 1, types=(("x", "parsecs"),)), None),
    ("two types of 2^63-1", pprof((MAX, MAX), (1, 1), types=(("samples", "count"), ("cpu", "nanoseconds"))), None),
    ("folded, 2^63-1", folded(MAX, 1), None), ("folded, 2^63", folded(MAX + 1), None),
    ("folded, -1", folded(-1), None), ("folded, 400 digits", folded(DIGITS), None),
    ("folded, 0", folded(0, 0), None), ("folded, 007", folded("007"), None), ("folded, 1.5", folded("1.5"), None),
    ("folded, 1e400", folded("1e400"), None), ("folded, NaN", folded("NaN"), None),
    ("speedscope, 1e400", speedscope("1e400"), None), ("speedscope, 1e18", speedscope("1e18"), None),
    ("speedscope, -1e18", speedscope("-1e18"), None), ("speedscope, 1e308 s", speedscope("1e308", "seconds"), None),
    ("speedscope, 2^53+1", speedscope(EXACT), None), ("speedscope, 1e-300", speedscope("1e-300"), None),
    ("speedscope, 400 digits", speedscope(DIGITS), None), ("speedscope, NaN", speedscope("NaN"), None),
    ("flame graph, 2^63-1", flamegraph(MAX), None), ("flame graph, 2^53+1", flamegraph(EXACT), None),
    ("flame graph, -1", flamegraph(-1), None), ("flame graph, 1e400", flamegraph("1e400"), None),
    ("perf, 2^63-1", perf(MAX), None), ("perf, 2^64", perf(1 << 64), None), ("perf, 0", perf(0), None),
]


# ---- runs ----

def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def run(program, folder, words):
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, timeout=LIMIT_S,
                          env={**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"})
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, 5, 7) or "runtime error" in err:
        return None, f"{' '.join(words)}: status {done.returncode}: {err[:400]}"
    if done.returncode and not err:
        return None, f"{' '.join(words)}: status {done.returncode} without words"
    if re.search(r"(?<![\w.])(nan|-nan|inf|-inf)(?![\w.])", out) and "html" not in words:
        return None, f"{' '.join(words)}: not a number: {out[:300]}"
    if words[-1] != "json" or done.returncode:
        return None, None
    try:
        return json.loads(out, parse_constant=refuse_constant), None
    except ValueError as error:
        return None, f"{' '.join(words)}: {error}"


def try_number(program, folder, content, wanted, read, commands):
    """(runs, the first complaint)"""
    path = folder / "input"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    wrong = None
    other = str(folder / ("other.pb" if isinstance(content, bytes) else "other.folded"))
    for command in commands:
        words = [command[0], str(path)] + ([other] if command[0] == "diff" else [])
        more = ["--profiles-url", f"file:{folder}/other.folded"] if command[0] == "slow" else []
        found, bad = run(program, folder, [*words, *more, *command[1:]])
        if found and wanted and not bad and command[0] in ("show", "profile"):
            bad = wanted(found, read)
        wrong = wrong or bad
    return len(commands), wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    rows = [(*row, duration, TRACE_ALL if options.all else TRACE_FAST) for row in TRACES] + [
        (*row, total, PROFILE_ALL if options.all else PROFILE_FAST) for row in PROFILES]
    failed = runs = 0
    print(f"1..{len(rows)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        folder = Path(folder)
        (folder / "other.pb").write_bytes(pprof(10, 20))
        (folder / "other.folded").write_text("main;f0 10\nmain;other 20\n")
        for i, (name, content, wanted, read, commands) in enumerate(rows, 1):
            count, wrong = try_number(program, folder, content, wanted, read, commands)
            runs += count
            failed += wrong is not None
            print(f"{'not ok' if wrong else 'ok'} {i} - {name}", flush=True)
            if wrong:
                print("#   " + wrong.replace("\n", "\n#   "), flush=True)
    print(f"# {len(rows)} numbers, {runs} runs, {failed} failed")
    figures.record("numbers", len(rows), failed, runs=runs)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
