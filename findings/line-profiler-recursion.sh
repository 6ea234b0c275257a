#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    line_profiler 5.1.0 (PyPI)
# Source:  python_trace_callback() in line_profiler/_line_profiler.pyx; the FAQ of its
#          README does not speak of functions that call themselves
# Guess:   the time of a function that calls itself is at most the time that went by,
#          and the line that sleeps has nearly all of it.
# Seen:    the line with the call gets the time of all levels below, at each level anew:
#          half a second of sleep in ten levels is told as a total of about 2.8 s, with
#          more than 70 % on the line that only calls, and less than 30 % on the one that sleeps.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py line_profiler==5.1.0 2>/dev/null
cat >run.py <<'PY'
import time
from line_profiler import LineProfiler

def nap(n):
    time.sleep(0.05)
    if n:
        nap(n - 1)

profiler = LineProfiler()
nap = profiler(nap)
began = time.perf_counter()
nap(9)
wall = time.perf_counter() - began
stats = profiler.get_stats()
lines = [time * stats.unit for _, _, time in next(iter(stats.timings.values()))]
total = sum(lines)
print("went by %.2f s, told %.2f s: sleep %.0f %%, call %.0f %%"
      % (wall, total, 100 * lines[0] / total, 100 * lines[2] / total))
assert total > 4 * wall and lines[2] > 2 * lines[0]
PY
PYTHONPATH=py python3 run.py
