#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which files of other programs' own test data are read.

usage: formats.py TRACEFIND FOLDER...

Runs `profile` on each file below the folders, `show` where it says that it is a
trace, and prints a table: file, what came of it, total or reason. "equal"
means that the total is that of a sum made here, of the formats where a few
lines can make it; "differs" that it is not. Of formats without such a sum it
is "read". Ends with 1 when something differs, or the program crashed."""
import collections
import gzip
import json
import os
import subprocess
import sys


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


def main():
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
