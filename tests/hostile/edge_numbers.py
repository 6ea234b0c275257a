#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers at the edges of what their types hold, and texts that are numbers.

usage: edge_numbers.py TRACEFIND [--all]

Each goes through every command and form that shows it; none may end by a signal
or without words, JSON must parse and hold no number that JSON has not, and the
answer, or why there is none, must be the one worked out by hand. Builds with
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
TRACE_ALL = TRACE_FAST + [["show", "-o", "svg"], ["show", "-o", "html"], ["show", "-o", "chrome"], ["show", "-o", "otlp=x.otlp"], ["show", "--events"],
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


def chrome(start, duration):
    return '[{"ph":"X","name":"a","ts":%s,"dur":%s}]' % (start, duration)


def datadog(start, duration):
    return '[[{"trace_id":1,"span_id":1,"name":"op","resource":"r","start":%s,"duration":%s}]]' % (start, duration)


def xray(start, end):
    return ('{"trace_id":"1-%s-%s","id":"0000000000000001","name":"s","start_time":%s,"end_time":%s}'
            % (TRACE[:8], TRACE[8:], start, end))


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


# Why a file is refused.
NO_INTEGER, NO_VALUE, NO_TIME = "is no whole number", "where a value should come", "is no time"
NO_PROFILE, EMPTY, TOO_MUCH = "looks like text", "holds no samples", "missing or out of range"

# Name, file, and what the JSON answer tells: the length of the trace, the sum of what functions took themselves; or
# why there is none. Times before 2000 and after 2099 count where the trace has no other (src/model/trace.c).
TRACES = [
    ("1 ns", times((START_NS, START_NS + 1)), 1),
    ("0 ns", times((START_NS, START_NS)), 0),
    ("2^53+1 ns", times((START_NS, START_NS + EXACT)), EXACT),
    ("start at 0", times((0, MS)), MS), ("start and end at 0", times((0, 0)), 0),
    ("start at 1 ns of 1970", times((1, MS)), MS - 1),
    ("end at 2^63-1", times((START_NS, YEAR_2262)), 0), ("at 2^63-1", times((YEAR_2262, YEAR_2262)), 0),
    ("from 0 to 2^63-1", times((0, MAX)), MAX), ("from 1 to 2^63-1, twice", times((1, MAX), (1, MAX)), MAX - 1),
    ("end at 2^63", times((START_NS, MAX + 1)), 0), ("start at 2^63", times((MAX + 1, MAX + 2)), 0),
    ("end at 2^64-1", times((START_NS, UNSIGNED)), 0), ("all at 2^64-1", times((UNSIGNED, UNSIGNED)), 0),
    ("end at 2^64", times((START_NS, UNSIGNED + 1)), NO_INTEGER), ("start at -1", times((-1, MS)), NO_INTEGER),
    ("start at -2^63", times((MIN, START_NS)), NO_INTEGER), ("end at -2^63", times((START_NS, MIN)), NO_INTEGER),
    ("end before start", times((START_NS + MS, START_NS)), 0),
    ("children of 2^63-1", times((1, MAX), (2, MAX), (2, MAX), (3, MAX)), MAX - 1),
    ("child of 1970 in 2262", times((MAX - 5, MAX), (0, 5), (5, MAX)), MAX),
    ("2^62 twice", times((1, 1 << 62), (1 << 62, MAX), (1 << 61, 1 << 62)), 0),
    ("400 digits", raw_times(f'"{DIGITS}"', f'"{DIGITS}"'), NO_INTEGER),
    ("leading zeros", raw_times('"000000000000%d"' % START_NS, '"%d"' % (START_NS + MS)), MS),
    ("1e400", raw_times("1e400", "1e400"), NO_INTEGER), ("1e18", raw_times("1e18", "1e18"), 0),
    ("an integer as double", raw_times("1764000000000000000.0", "1764000001000000000.0"), 1000 * MS),
    ("a fraction", raw_times("1764000000000000000.5", "1764000001000000000.5"), NO_INTEGER),
    ("-0", raw_times("-0", "-0.0"), 0), ("NaN", raw_times("NaN", "Infinity"), NO_VALUE),
    ("null", raw_times("null", "null"), 0), ("true", raw_times("true", "[]"), "where a number should come"),
    ("hexadecimal", raw_times('"0x10"', '"0x20"'), NO_INTEGER), ("a sign", raw_times('"+5"', '" 6"'), NO_INTEGER),
    ("an empty number", raw_times('""', '""'), NO_INTEGER), ("1e-400", raw_times("1e-400", "1e-400"), NO_INTEGER),
    ("int attribute of 2^64", attribute('{"intValue":"18446744073709551616"}'), MS),
    ("int attribute of -2^63", attribute('{"intValue":"-9223372036854775808"}'), MS),
    ("double attribute of 1e400", attribute('{"doubleValue":1e400}'), "no number that fits"),
    ("double attribute NaN", attribute('{"doubleValue":"NaN"}'), MS),
    ("double attribute of 2^53+1", attribute('{"doubleValue":9007199254740993}'), MS),
    ("status of 2^32", attribute('{"intValue":4294967296}'), MS),
    ("Jaeger, 2^63-1 us", jaeger(MAX, MAX), 0), ("Jaeger, -1 us", jaeger(-1, -1), 0),
    ("Jaeger, 2^63-1 ns in us", jaeger(MAX // 1000, 1), 0), ("Jaeger, 1e400", jaeger("1e400", "1e400"), NO_INTEGER),
    ("Jaeger, lasting 2^63-1 us", jaeger(START_NS // 1000, MAX), 0),
    ("Jaeger, 2^53+1", jaeger(START_NS // 1000, EXACT // 1000), EXACT // 1000 * 1000),
    ("Zipkin, 2^63-1 us", zipkin(MAX, MAX), 0), ("Zipkin, -2^63 us", zipkin(MIN, MIN), NO_INTEGER),
    ("Zipkin, fractions", zipkin("1764000000000000.5", "1.5"), NO_INTEGER),
    ("Chrome, 1e400 us", chrome("1e400", "1e400"), 0), ("Chrome, -1e400 us", chrome("-1e400", "1e400"), 0),
    ("Chrome, 0 us", chrome("0", "0.001"), 1), ("Chrome, 2^53+1 ns", chrome("1764000000000000.001", "%d.%03d" % (
        EXACT // 1000, EXACT % 1000)), EXACT),
    ("Datadog, 2^63-1 ns", datadog(MAX, MAX), 0), ("Datadog, -2^63 ns", datadog(MIN, MIN), 0),
    ("Datadog, 2^53+1", datadog(START_NS, EXACT), EXACT), ("Datadog, 1e400", datadog("1e400", "1e400"), 0),
    ("Datadog, 2^64 ns", datadog(1 << 64, 1 << 64), 0),
    ("X-Ray, 1e400 s", xray("1e400", "1e400"), 0), ("X-Ray, -1e400 s", xray("-1e400", "-1e400"), 0),
    ("X-Ray, a nanosecond", xray("1764000000.000000001", "1764000000.000000002"), 1),
    ("X-Ray, to 2^63-1 ns", xray("1", "9223372036.854775807"), MAX - 10**9),
    ("Cloud Trace, the year 9999", cloud("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999999Z"), NO_TIME),
    ("Cloud Trace, the year 0", cloud("0000-01-01T00:00:00Z", "2262-04-11T23:47:16.854775807Z"), NO_TIME),
    ("Cloud Trace, 1970 to 2262", cloud("1970-01-01T00:00:00.000000001Z", "2262-04-11T23:47:16.854775807Z"), MAX - 1),
    ("Cloud Trace, no such day", cloud("2026-02-30T00:00:00Z", "2026-13-01T25:61:61Z"), NO_TIME),
]
PROFILES = [
    ("one of 0", pprof(0), EMPTY), ("totals of 0", pprof(5, -5), 0), ("1", pprof(1), 1),
    ("2^53+1", pprof(EXACT), EXACT), ("2^63-1", pprof(MAX), MAX),
    ("2^63-1 twice", pprof(MAX, MAX), 2 * MAX), ("-2^63", pprof(MIN), MIN), ("-2^63 twice", pprof(MIN, MIN), 2 * MIN),
    ("2^63-1 and -2^63", pprof(MAX, MIN), -1), ("-1", pprof(-1), -1), ("2^62 thrice", pprof(*[1 << 62] * 3), 3 << 62),
    ("a period of 2^63-1", pprof(1, 2, period=MAX), 3), ("a period of 0", pprof(1, 2, period=0), 3),
    ("a period of -1", pprof(1, 2, period=-1), 3), ("a period of -2^63", pprof(MIN, period=MIN), MIN),
    ("lasting 2^63-1", pprof(1, 2, time_ns=MAX, duration_ns=MAX), 3),
    ("lasting -2^63", pprof(1, 2, time_ns=MIN, duration_ns=MIN), 3),
    ("from 2262 on", pprof(1, 2, time_ns=MAX, duration_ns=1), 3), ("line -1", pprof(1, 2, line=-1), 3),
    ("line 2^63-1", pprof(1, 2, line=MAX), 3), ("bytes of 2^63-1", pprof(
        MAX, 1, types=(("alloc_space", "bytes"),)), MAX + 1),
    ("seconds of 2^63-1", pprof(MAX, 1, types=(("cpu", "seconds"),)), MAX + 1),
    ("unknown unit of 2^63-1", pprof(MAX, 1, types=(("x", "parsecs"),)), MAX + 1),
    ("two types of 2^63-1", pprof((MAX, MAX), (1, 1), types=(("samples", "count"), ("cpu", "nanoseconds"))), MAX + 1),
    ("folded, 2^63-1", folded(MAX, 1), MAX + 1), ("folded, 2^63", folded(MAX + 1), "is not a weight"),
    ("folded, -1", folded(-1), -1), ("folded, 1 and -1", folded(1, -1), 0), ("folded, -2^63", folded(MIN), MIN),
    ("folded, -2^63 twice", folded(MIN, MIN), 2 * MIN), ("folded, -2^63-1", folded(MIN - 1), "is not a weight"),
    ("folded, 400 digits", folded(DIGITS), NO_PROFILE),
    ("folded, 0", folded(0, 0), EMPTY), ("folded, 007", folded("007"), 7), ("folded, 1.5", folded("1.5"), "is no whole number"),
    ("folded, 1e400", folded("1e400"), NO_PROFILE), ("folded, NaN", folded("NaN"), NO_PROFILE),
    ("speedscope, 1e400", speedscope("1e400"), TOO_MUCH), ("speedscope, 1e18", speedscope("1e18"), 10**18 + 1),
    ("speedscope, -1e18", speedscope("-1e18"), 1 - 10**18),
    ("speedscope, 1e308 s", speedscope("1e308", "seconds"), TOO_MUCH),
    ("speedscope, 2^53+1", speedscope(EXACT), EXACT + 1), ("speedscope, 1e-300", speedscope("1e-300"), 1),
    ("speedscope, 400 digits", speedscope(DIGITS), TOO_MUCH), ("speedscope, NaN", speedscope("NaN"), NO_VALUE),
    ("flame graph, 2^63-1", flamegraph(MAX), MAX), ("flame graph, 2^53+1", flamegraph(EXACT), EXACT),
    ("flame graph, -1", flamegraph(-1), "impossible numbers"), ("flame graph, 1e400", flamegraph("1e400"), NO_INTEGER),
    ("perf, 2^63-1", perf(MAX), MAX), ("perf, 2^64", perf(1 << 64), NO_PROFILE), ("perf, 0", perf(0), EMPTY),
]


# ---- runs ----

def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def run(program, folder, words):
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, timeout=LIMIT_S,
                          env={**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"})
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    # Values below 0: a difference, of which there is none.
    if done.returncode == 2 and "is a difference already" in err and "diff" in words:
        return None, None
    if done.returncode not in (0, 5, 7) or "runtime error" in err:
        return None, f"status {done.returncode}: {err[:400]}"
    if done.returncode:
        return err, None if err else f"status {done.returncode} without words"
    if re.search(r"(?<![\w.])(nan|-nan|inf|-inf)(?![\w.])", out) and "html" not in words:
        return None, f"not a number: {out[:300]}"
    if words[-1] != "json":
        return None, None
    try:
        return json.loads(out, parse_constant=refuse_constant), None
    except ValueError as error:
        return None, str(error)


def differs(found, wanted, read):
    """found: an answer, or why there is none."""
    if isinstance(found, str) or isinstance(wanted, str):
        is_refused = isinstance(found, str) and isinstance(wanted, str) and wanted in found
        return None if is_refused else f"{str(found)[:300]!r} instead of {wanted!r}"
    value = read(found)
    if value != wanted:
        return f"{value} instead of {wanted}"
    if not MIN <= value <= MAX and "64 bits" not in json.dumps(found["notes"]):
        return f"{value}, and no note"
    return None


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
        # A form may refuse what its format cannot hold; nobody takes what is refused in JSON.
        is_json = command[-1] == "json" and command[0] in ("show", "profile")
        if not bad and (is_json or isinstance(wanted, str) and command[0] != "diff"):
            bad = differs(found, wanted, read)
        wrong = wrong or bad and f"{' '.join(words[:1] + command[1:])}: {bad}"
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
