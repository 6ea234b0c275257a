#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of `show` on a trace of 100,000 spans, from the file to the last row,
which is to stay under a second.

usage: show.py TRACEFIND
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 5
SPANS = 100_000
SERVICES = 20
START_NS = 1_795_228_418_000_000_000


def span(number):
    """Eight children each; siblings overlap."""
    start_ns = START_NS + number * 1000
    return {
        "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
        "spanId": f"{number + 1:016x}",
        "parentSpanId": f"{(number - 1) // 8 + 1:016x}" if number else "",
        "name": f"operation {number % 97}",
        "kind": 1 + number % 5,
        "startTimeUnixNano": str(start_ns),
        "endTimeUnixNano": str(start_ns + (SPANS - number) * 500),
        "attributes": [{"key": "http.route",
                        "value": {"stringValue": f"/route/{number % 50}"}}],
        "events": [{"timeUnixNano": str(start_ns), "name": "event"}],
    }


def write_trace(path):
    groups = []
    for service in range(SERVICES):
        name = {"key": "service.name",
                "value": {"stringValue": f"service-{service}"}}
        groups.append({
            "resource": {"attributes": [name]},
            "scopeSpans": [{"spans": [
                span(i) for i in range(service, SPANS, SERVICES)]}],
        })
    path.write_text(json.dumps({"resourceSpans": groups}))


def times_ms(command):
    """Passed and processor time of one run."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {child.returncode}")
    return (1000 * (time.perf_counter() - start),
            1000 * (usage.ru_utime + usage.ru_stime))


def main():
    program = str(Path(sys.argv[1]).resolve())
    print(f"{'show of 100,000 spans':<24} {'best ms':>8} {'cpu ms':>8}")
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        trace = Path(folder) / "trace.json"
        write_trace(trace)
        for words in ([], ["--events"], ["--errors"], ["--collapse", "2"],
                      ["-o", "json"], ["-o", "chrome"]):
            runs = [times_ms([program, "show", str(trace), *words])
                    for _ in range(RUNS)]
            best, cpu = (min(column) for column in zip(*runs))
            print(f"{' '.join(words) or 'table':<24} {best:>8.0f} {cpu:>8.0f}")


if __name__ == "__main__":
    main()
