#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which files of other programs' own test data are read, and how fast.

usage: formats.py TRACEFIND FOLDER...
       formats.py --speed TRACEFIND CACHE [NAME...]

The first runs `profile` on each file below the folders, `show` where it says that it is a
trace, and prints a table: file, what came of it, total or reason. "equal"
means that the total is that of a sum made here, of the formats where a few
lines can make it; "differs" that it is not. Of formats without such a sum it
is "read". Ends with 1 when something differs, or the program crashed.

--speed prints a table instead: what reading 10 and 100 MB of a format costs
beside a peer that does a part of the job or all of it, processor time of whole
processes, run in turn. Inputs are made in CACHE (format_inputs.py) unless they
are there; peers are those that are in PATH. NAME: only these formats."""
import collections
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys

import format_inputs


def sum_folded(text):
    """Of lines "a;b 12"; None where a line is none."""
    total = 0
    for line in text.decode("utf-8", "replace").splitlines():
        if not line.strip() or line.startswith("# "):
            continue
        last = line.rsplit(None, 1)[-1]
        if not last.lstrip("-").isdigit():
            return None
        total += int(last)
    return total


def sum_cpu_profile(d):
    """Nanoseconds in which something ran; a sample lasts until the next."""
    names = {n["id"]: n["callFrame"]["functionName"] for n in d["nodes"]}
    at, times = d["startTime"], []
    for delta in d["timeDeltas"]:
        at += delta
        times.append(at)
    times.append(d["endTime"])
    total, latest = 0, times[0]
    for sample, end in zip(d["samples"], times[1:]):
        total += max(0, end - latest) * 1000 * (names[sample] != "(idle)")
        latest = max(latest, end)
    return round(total)


def sum_heap_profile(head):
    total, due = 0, [head]
    while due:
        node = due.pop()
        total += node["selfSize"]
        due += node["children"]
    return total


def sum_speedscope(d):
    """Of the first unit; weights or times as whole nanoseconds."""
    scale = {"nanoseconds": 1, "microseconds": 10**3, "milliseconds": 10**6,
             "seconds": 10**9}
    unit = d["profiles"][0]["unit"]
    total = 0
    for profile in d["profiles"]:
        if (profile["unit"] in scale) != (unit in scale):
            continue
        factor = scale.get(profile["unit"], 1)
        if profile["type"] == "sampled":
            total += sum(round(w * factor) for s, w in zip(
                profile["samples"], profile["weights"]) if s)
            continue
        depth, last = 0, None
        for event in profile["events"]:
            at = round(event["at"] * factor)
            total += (at - last) if depth else 0
            depth += 1 if event["type"] == "O" else -1
            last = at
    return total


def own_sum(path, data):
    """The total that a few lines make of it, or None."""
    try:
        if path.endswith((".folded", ".collapsed")) or "collapse" in path and \
                path.endswith(".txt"):
            return sum_folded(data)
        d = json.loads(data)
        if "timeDeltas" in d and "nodes" in d:
            return sum_cpu_profile(d)
        if "selfSize" in d.get("head", {}):
            return sum_heap_profile(d["head"])
        if "shared" in d and "profiles" in d:
            return sum_speedscope(d)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        pass
    return None


def run(program, *args):
    return subprocess.run([program, *args], capture_output=True, check=False)


def judge(program, path):
    """(outcome, what is told)"""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    answer = run(program, "profile", path, "-n", "0", "-o", "json")
    if b"a profile is needed" in answer.stderr or \
            b"its spans: tracefind show" in answer.stderr:
        answer = run(program, "show", path)
        if answer.returncode == 0:
            return "read", "a trace"
    if answer.returncode < 0:
        return "crashed", f"signal {-answer.returncode}"
    if answer.returncode:
        reason = answer.stderr.decode("utf-8", "replace").strip()
        reason = reason.splitlines()[-1].split(": ", 2)[-1].split("it looks like ")[-1]
        return "refused", reason
    profile = json.loads(answer.stdout)
    total = sum(f["self_value"] or 0 for f in profile["functions"])
    unit = profile["profile"]["type"]
    expected = own_sum(path, data)
    if expected is None:
        return "read", f"{total} {unit}"
    if expected == total:
        return "equal", f"{total} {unit}"
    return "differs", f"{total} {unit}, expected {expected}"


# Of each format what the program does, and what a peer does instead: reads all
# of it and adds something up.
PYTHON = "import json, sys, collections; f = open(sys.argv[1]); "
JOBS = {
    "chrome": ("slow", "jq", ["jq", "[.traceEvents[].dur] | max"]),
    "v8": ("profile", "Python json", [
        "python3", "-c", PYTHON + "d = json.load(f); t = collections.Counter()\n"
        "for s, u in zip(d['samples'], d['timeDeltas']): t[s] += u"]),
    "firefox": ("profile", "Python json", [
        "python3", "-c", PYTHON + "d = json.load(f)\nfor t in d['threads']: "
        "collections.Counter(t['samples']['stack'])"]),
    "xray": ("slow", "Python json by lines", [
        "python3", "-c", PYTHON + "print(max((lambda d: d['end_time'] - "
        "d['start_time'])(json.loads(x)) for x in f))"]),
    "datadog": ("slow", "Python json", [
        "python3", "-c", PYTHON + "print(max(s['duration'] for t in "
        "json.load(f) for s in t))"]),
    "zipkin": ("slow", "Python json", [
        "python3", "-c", PYTHON + "print(max(s['duration'] for s in "
        "json.load(f)))"]),
    "cloud_trace": ("slow", "Python json", [
        "python3", "-c", PYTHON + "print(max(s['endTime'] for t in "
        "json.load(f)['traces'] for s in t['spans']))"]),
    "speedscope": ("profile", "Python json", [
        "python3", "-c", PYTHON + "print(sum(json.load(f)['profiles'][0]"
        "['weights']))"]),
    "perf": ("profile", "inferno-collapse-perf", ["inferno-collapse-perf"]),
    "jfr": ("profile", "jfr print", [
        "jfr", "print", "--events", "jdk.ExecutionSample"]),
}
ROUNDS = 3


def cost(args):
    """(processor time in seconds, largest memory in bytes), or None."""
    process = subprocess.Popen(args, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # 5, 6: a trace was read, but there is no profile of it or no server.
    if process.returncode not in (0, 5, 6):
        return None
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def contest(runs):
    """Medians of each, run in turn; None where one failed."""
    costs = [[cost(run) if run else None for run in runs]
             for _ in range(ROUNDS)]
    return [None if None in of_run else
            [statistics.median(figures) for figures in zip(*of_run)]
            for of_run in zip(*costs)]


def speed(program, cache, names):
    print("format       MB/s   bytes/byte  growth   peer                   "
          "ratio  memory")
    for name in names or JOBS:
        command, peer_name, peer = JOBS[name]
        small, large = (format_inputs.make(name, cache, size)
                        for size in (10_000_000, 100_000_000))
        size = large.stat().st_size
        ours, theirs = contest([
            [program, command, str(large)],
            [*peer, str(large)] if shutil.which(peer[0]) else None])
        first = contest([[program, command, str(small)]])[0]
        if not ours or not first:
            sys.exit(f"{name}: {program} {command} {large} failed")
        growth = ours[0] / max(first[0], 0.001) / (
            size / small.stat().st_size)
        beside = (f"{theirs[0] / ours[0]:5.1f}x  1/{theirs[1] / ours[1]:.1f}"
                  if theirs else "    -  -")
        print(f"{name:<12} {size / 1e6 / ours[0]:4.0f}   "
              f"{ours[1] / size:10.2f}  {growth:5.2f}x   {peer_name:<22}"
              f"{beside}", flush=True)


def main():
    if len(sys.argv) > 3 and sys.argv[1] == "--speed":
        os.makedirs(sys.argv[3], exist_ok=True)
        speed(sys.argv[2], sys.argv[3], sys.argv[4:])
        return
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, counts = sys.argv[1], collections.Counter()
    for folder in sys.argv[2:]:
        for place, folders, files in os.walk(folder):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(place, name)
                outcome, told = judge(program, path)
                counts[outcome] += 1
                print(f"{os.path.relpath(path, folder)}\t{outcome}\t{told}",
                      flush=True)
    print(", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())))
    sys.exit(counts["differs"] + counts["crashed"] > 0)


if __name__ == "__main__":
    main()
