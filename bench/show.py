#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of `show` on a trace of 100,000 spans, from the file to the last row,
and on a terminal to the first rows in the pager, which is to stay under a
second of processor time. Passed time is more when others compute.

usage: show.py TRACEFIND
"""
import json
import os
import pty
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 5
LIMIT_MS = 1000
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


def pager_ms(command):
    """To the first bytes that the pager wrote, and the processor time of all
    until then; the reader then quits, as people do."""
    start = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"PAGER": "head -n 50", "TERM": "xterm"})
        os.execv(command[0], command)
    os.read(terminal, 1)
    passed = time.perf_counter() - start
    # The rest, up to the end of the terminal, which Linux tells as EIO.
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
    os.close(terminal)
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return 1000 * passed, 1000 * (usage.ru_utime + usage.ru_stime)


def best_of(measure, command):
    return [min(column) for column in
            zip(*(measure(command) for _ in range(RUNS)))]


def main():
    program = str(Path(sys.argv[1]).resolve())
    print(f"{'show of 100,000 spans':<24} {'best ms':>8} {'cpu ms':>8}")
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        trace = Path(folder) / "trace.json"
        write_trace(trace)
        for words in ([], ["--events"], ["--errors"], ["--collapse", "2"],
                      ["-o", "json"], ["-o", "chrome"]):
            best, cpu = best_of(times_ms,
                                [program, "show", str(trace), *words])
            print(f"{' '.join(words) or 'table':<24} {best:>8.0f} {cpu:>8.0f}")
        best, cpu = best_of(pager_ms, [program, "show", str(trace)])
        print(f"{'to a pager':<24} {best:>8.0f} {cpu:>8.0f}")
    if cpu >= LIMIT_MS:
        sys.exit(f"to a pager: {cpu:.0f} ms, the limit is {LIMIT_MS}")


if __name__ == "__main__":
    main()
