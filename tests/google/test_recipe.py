#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipe's traces in the tree are what its generator makes, and tell its
story. Output is TAP.

usage: test_recipe.py TESTDATA
"""
import gzip
import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import make_recipe  # noqa: E402
import pprof_read  # noqa: E402
from google_trace import time_ns  # noqa: E402
from tap import run_checks  # noqa: E402

RECIPE = Path(sys.argv[1], "google", "recipe")


def unpacked(path):
    return json.loads(gzip.decompress(Path(path).read_bytes()))


def share(profile, function):
    """Of the last value, what function's own frame holds as the leaf, and
    what lies below it, per mille."""
    samples = pprof_read.stacks(profile["pprof"].encode("latin-1"))
    total = sum(values[-1] for values in samples.values())
    below = sum(values[-1] for stack, values in samples.items() if
                any(function in frame for frame in stack))
    return 1000 * below // max(total, 1)


def profiles(service, kind, version="1.0.0"):
    return [p for p in unpacked(RECIPE / "profiles.json.gz")["profiles"]
            if p["deployment"]["target"] == service and
            p["deployment"]["labels"]["version"] == version and
            p["profileType"] == kind]


def check(is_so, text):
    if not is_so:
        raise AssertionError(text)


def check_same_traces():
    with tempfile.TemporaryDirectory() as folder:
        make_recipe.make_traces(folder)
        check(unpacked(Path(folder, "traces.json.gz")) ==
              unpacked(RECIPE / "traces.json.gz"), "the generator makes others")


def check_gateway_waits():
    """The gateway's own span is long, what it does itself is short."""
    times = {"before": [], "after": [], "own": []}
    for trace in unpacked(RECIPE / "traces.json.gz")["traces"]:
        spans = {s["spanId"]: s for s in trace["spans"]}
        gateway = next(s for s in trace["spans"]
                       if s["name"] == "GET /api/orders")
        length = time_ns(gateway["endTime"]) - time_ns(gateway["startTime"])
        calls = sum(time_ns(s["endTime"]) - time_ns(s["startTime"])
                    for s in spans.values()
                    if s.get("parentSpanId") == gateway["spanId"])
        begun = time_ns(gateway["startTime"])
        times["before" if begun < make_recipe.ROLLOUT_NS else "after"].append(
            length / 1e6)
        times["own"].append((length - calls) / 1e6)
    middle = {k: statistics.median(v) for k, v in times.items()}
    check(80 < middle["before"] < 110, middle)
    check(400 < middle["after"] < 500, middle)
    check(5 < middle["own"] < 15, middle)


def check_auth_allocates():
    found = [share(p, "main.(*Policies).ExpandRoles")
             for p in profiles("auth-service", "HEAP_ALLOC")]
    check(len(found) > 30 and statistics.median(found) > 600, found)


def check_version_slower():
    for version, low, high in (("1.0.0", 20, 400), ("1.1.0", 600, 1000)):
        found = [share(p, "match_discounts ") for p in
                 profiles("data-service", "CPU", version)]
        check(len(found) > 20 and low < statistics.median(found) < high, found)


def check_real_times():
    """Each profile was taken in about ten seconds, at the list's time."""
    for profile in unpacked(RECIPE / "profiles.json.gz")["profiles"]:
        top = pprof_read.message(profile["pprof"].encode("latin-1"))
        check(top[9] == [time_ns(profile["startTime"])], profile["name"])
        if profile["profileType"] in ("CPU", "WALL"):
            check(9 * 10**9 < top[10][0] < 14 * 10**9, top[10])


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
