# SPDX-License-Identifier: Apache-2.0
"""Runs programs and tells what they cost."""
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

MS = 1_000_000
COLLECTED = re.compile(r"Collected : (\d+)")
# The longest run there is: the slowest peer on the largest input, on a
# machine that has much else to do.
TIMEOUT_S = 1800
VALGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]


class Failed(Exception):
    """A program could not do its job; the text says why."""


@dataclass(frozen=True)
class Cost:
    wall_ns: int
    user_ns: int
    sys_ns: int
    rss_kib: int

    @property
    def cpu_ns(self):
        return self.user_ns + self.sys_ns


@dataclass(frozen=True)
class Run:
    """A command, and where what it prints goes. cpus: how many processors it
    may use, 0 all; stack_kib: 0 the usual stack."""
    args: tuple
    output: str = "/dev/null"
    cpus: int = 0
    stack_kib: int = 0
    env: tuple = ()
    statuses: tuple = (0,)


class Meter:
    """Measures with the small program that is not counted itself."""

    def __init__(self, program, env):
        self.program = str(program)
        self.env = env

    def cost(self, run):
        with tempfile.TemporaryDirectory(prefix="bench-") as folder, \
                open(run.output, "wb") as output:
            report = Path(folder) / "report"
            errors = Path(folder) / "errors"
            with open(errors, "wb") as stderr:
                subprocess.run(
                    [self.program, str(report), str(run.cpus),
                     str(run.stack_kib), *map(str, run.args)],
                    stdin=subprocess.DEVNULL, stdout=output, stderr=stderr,
                    env={**self.env, **dict(run.env)}, check=True,
                    timeout=TIMEOUT_S)
            *numbers, status = map(int, report.read_text().split())
            if status not in run.statuses:
                raise Failed(f"status {status}: {last_line(errors)}")
            return Cost(*numbers)

    def contest(self, runs, rounds, most=None):
        """Each of the runs in turn, round after round, so that what else the
        machine does meets all of them: {label: median Cost}, and {label: why}
        for those that failed. most: {label: rounds} of those with fewer."""
        most = most or {}
        costs = {label: [] for label in runs}
        failed = {}
        for _ in range(rounds):
            for label, run in runs.items():
                if label in failed or \
                        len(costs[label]) == most.get(label, rounds):
                    continue
                try:
                    costs[label].append(self.cost(run))
                except (Failed, OSError, subprocess.SubprocessError) as error:
                    failed[label] = str(error)
        return {label: median(list_) for label, list_ in costs.items()
                if list_ and label not in failed}, failed

    def heap_kib(self, run):
        """How much the heap holds at most, by one more run."""
        counter = Path(self.program).with_name("libbench-heap.so")
        if not counter.exists():  # not of this C library, not of sanitizers
            return 0
        with tempfile.NamedTemporaryFile(prefix="bench-") as most:
            most.write(bytes(8))
            most.flush()
            self.cost(replace(run, env=(
                *run.env, ("LD_PRELOAD", str(counter)),
                ("BENCH_HEAP", most.name))))
            return int.from_bytes(Path(most.name).read_bytes(),
                                  sys.byteorder) // 1024

    def instructions(self, run):
        """How many instructions the program executes in user mode."""
        done = subprocess.run(
            [*VALGRIND, *map(str, run.args)], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**self.env, **dict(run.env)}, timeout=TIMEOUT_S, check=False)
        found = COLLECTED.search(done.stderr)
        if done.returncode not in run.statuses or not found:
            lines = done.stderr.strip().splitlines() or ["nothing was said"]
            raise Failed(f"status {done.returncode}: {lines[-1]}")
        return int(found.group(1))


def last_line(path):
    lines = path.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing was said"


def median(costs):
    return Cost(*(round(statistics.median(getattr(c, field) for c in costs))
                  for field in ("wall_ns", "user_ns", "sys_ns", "rss_kib")))
