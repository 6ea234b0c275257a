#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processor time of an ordinary `slow`, from recorded cases: what the program
itself does, reading the case included, without a network.

usage: slow.py TRACEFIND CASES
"""
import os
import subprocess
import sys
from pathlib import Path

RUNS = 10


def cpu_ms(command):
    """User and system time of one run."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {child.returncode}")
    return 1000 * (usage.ru_utime + usage.ru_stime)


def main():
    program = str(Path(sys.argv[1]).resolve())
    print(f"{'run':<32} {'runs':>4} {'best ms':>8} {'median ms':>9}")
    jobs = {"--version": [program, "--version"]}
    for case in sorted(Path(sys.argv[2]).glob("*.har.gz")):
        jobs[case.name] = [program, "--replay", str(case)]
    for name, command in jobs.items():
        times = sorted(cpu_ms(command) for _ in range(RUNS))
        print(f"{name:<32} {RUNS:>4} {times[0]:>8.1f} "
              f"{times[RUNS // 2]:>9.1f}")


if __name__ == "__main__":
    main()
