#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rule of `leak -o prometheus` before memory as processes have it, evaluated
by promtool: a leak fires in time, what only grows for a while does not. Output is
TAP.

usage: growing.py TRACEFIND
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap, lack, skip_all  # noqa: E402

MIB = 2**20
HOUR, DAY = 60, 24 * 60  # in minutes, which samples are apart
LIMIT_S = 300
LIMIT_MIB = 768
FULL = 0.9 * LIMIT_MIB
# The recorded case grows by 39.9 MiB an hour and is looked at 4 h ahead.
RATE = 40
NO_LIMIT = ("--platform", "gke")


def noise(t):
    """Within one of 0, the same in each run."""
    return math.sin(t * 12.9898) * 43758.5453 % 1 * 2 - 1


def leak(rate=RATE, start=0, base=100, teeth=0):
    """rate in MiB an hour from a time on; teeth of a collector every 9 minutes."""
    return lambda t: base + max(0, t - start) * rate / 60 - teeth * (t % 9) / 9


def started(t):
    return min(70 + 106 * t, 600)


def cache(hours):
    return lambda t: 80 + 540 * (1 - math.exp(-t / 60 / hours))


def saw(hours):
    return lambda t: 100 + 500 * (t / 60 % hours) / hours


def day(low, high):
    return lambda t: (low + (high - low) * (1 - math.cos(2 * math.pi * t / DAY)) / 2
                      + 8 * noise(t))


def series(shape, begin, end):
    """Samples of one process; a shape that is None there has none."""
    return " ".join("_" if not begin <= t < end
                    else f"{shape(t - begin) * MIB:.0f}" for t in range(end))


# Processes as (shape, begin, end), when it must fire or None, and the minutes
# from when on it must not.
PLENTY = 3 * DAY
CASES = {
    "a leak": ([(leak(), 0, DAY)], (FULL - 100 - 3.4 * RATE) / RATE, 0),
    "a leak four times as fast":
        ([(leak(4 * RATE), 0, 5 * HOUR)], (FULL - 100) / RATE / 4 - 1, 0),
    "a leak below the teeth of a collector":
        ([(leak(teeth=60), 0, DAY)], (FULL - 100 - 3 * RATE) / RATE, 0),
    "a leak that begins after a day":
        ([(leak(start=30 * HOUR), 0, 2 * DAY)],
         30 + (FULL - 100 - 3.4 * RATE) / RATE, 0),
    "a leak over days in a day curve":
        ([(lambda t: day(100, 250)(t) + t * 5 / 60, 0, 5 * DAY)], 104, 0),
    "a start": ([(started, 0, DAY)], None, 0),
    "a deployment every 3 hours":
        ([(started, at, at + 3 * HOUR) for at in range(0, DAY, 3 * HOUR)],
         None, 0),
    "restarts in place":
        ([(lambda t: started(t % (5 * HOUR)), 0, DAY)], None, 0),
    "a cache that fills in half an hour": ([(cache(.5), 0, DAY)], None, 0),
    "a cache that fills in two hours": ([(cache(2), 0, DAY)], None, 0),
    "a cache that fills in four hours": ([(cache(4), 0, DAY)], None, 0),
    "a saw of half an hour": ([(saw(.5), 0, DAY)], None, 0),
    "a saw of two hours": ([(saw(2), 0, DAY)], None, 0),
    "a saw of eight hours, an hour into its second day":
        ([(saw(8), 0, PLENTY)], None, DAY + HOUR),
    "a day curve, from its second day on":
        ([(day(100, 650), 0, PLENTY)], None, DAY),
    "a flat process near its limit": ([(day(680, 690), 0, DAY)], None, 0),
}
# Of the rule on growth by percent, half of what was measured in six hours.
UNLIMITED = {
    "a leak without a limit": ([(leak(), 0, DAY)], 7, 0),
    "a start without a limit": ([(started, 0, DAY)], None, 0),
    "a cache without a limit": ([(cache(2), 0, DAY)], None, 0),
    "a saw without a limit": ([(saw(2), 0, DAY)], None, 0),
    "a day curve without a limit, from its second day on":
        ([(day(100, 650), 0, PLENTY)], None, DAY),
}


def rules(program, case, *more):
    path = Path(os.environ["TESTDATA"], "cases", case)
    return subprocess.run(
        [program, "leak", "--replay", path, "-o", "prometheus", "-q", *more],
        capture_output=True, text=True, check=False).stdout


def metric(text):
    name, rest = re.search(r'\{__name__="([^"]+)"((?:,[^}]*)?)\}', text).groups()
    labels = [part for part in re.findall(r'(\w+)="([^"]*)"', rest) if part[1]]
    return name, ",".join(f'{key}="{value}"' for key, value in
                          {key: value for key, value in reversed(labels)
                           if value != "POD"}.items())


def expectation(when, after, end):
    firing = 'ALERTS{alertstate="firing"}'
    if when is None:
        return [{"expr": f"count_over_time({firing}[{end - after}m]) > 0",
                 "eval_time": f"{end}m", "exp_samples": []}]
    return [{"expr": f"sum({firing})", "eval_time": f"{int(when * 60)}m",
             "exp_samples": [{"labels": "{}", "value": 1}]}]


def promtool(tap, promtool_path, text, name, case):
    processes, when, after = case
    metric_name, labels = metric(text)
    end = max(process[2] for process in processes)
    test = {"rule_files": ["rules.yaml"], "evaluation_interval": "5m", "tests": [{
        "interval": "1m",
        "input_series": [
            {"series": f'{metric_name}{{{labels},pod="{i}"}}',
             "values": series(*process)} for i, process in enumerate(processes)],
        "promql_expr_test": expectation(when, after, end)}]}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rules.yaml").write_text(text)
        Path(folder, "test.yaml").write_text(json.dumps(test))
        done = subprocess.run([promtool_path, "test", "rules", "test.yaml"],
                              cwd=folder, capture_output=True, text=True,
                              check=False, timeout=LIMIT_S)
    tap.check(done.returncode == 0, name, (done.stdout + done.stderr)[-600:])


def main():
    path, tap = shutil.which("promtool"), Tap()
    if not path:
        return skip_all(lack("promtool"))
    text = rules(sys.argv[1], "leak-leaky.har.gz")
    for name, case in CASES.items():
        promtool(tap, path, text, name, case)
    text = rules(sys.argv[1], "parca-leak.har.gz", *NO_LIMIT)
    for name, case in UNLIMITED.items():
        promtool(tap, path, text, name, case)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
