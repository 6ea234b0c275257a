#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends signals to runs at moments that are spread over them.

usage: signals.py TRACEFIND INJECT.SO [--all]

A moment is the n-th system call of a run (tests/fault/inject.c), so that it is
the same one each time. Without --all so many, evenly spread, as SHARE says.

  interrupted  cases of tests/cli with SIGINT, SIGTERM and SIGHUP: the status of
               that signal, every file as before or as an undisturbed run
               leaves it, a case whole or not there, and no temporary one
  terminal     --interactive, and a pager, likewise: modes, screen, cursor and
               mouse of the terminal as before
  killed       kill -9 while a file is written, some bytes at a time: the old
               file or the new one, at most one temporary file, and the next
               run ends as if nothing had been

Output is TAP.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), *(str(HERE.parent / name)
                             for name in ("fault", "cli", "tui"))]
import fault  # noqa: E402
import figures  # noqa: E402
from tap import Lacking, open_terminal  # noqa: E402
from terminal import Program, check_restored  # noqa: E402

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LIMIT_S = 30
# After that the explorer waits for a key, and its moment is over.
LEAVE_S = 5
PARALLEL = 2
# Moments a case and signal, on the terminal, and of each file that is written.
SHARE = {"interrupted": 1, "terminal": 10, "killed": 50}
TESTDATA = fault.cli.TESTDATA
TRACE = str(TESTDATA / "otlp" / "b.json")
PROFILES = [str(TESTDATA / "pprof" / f"go-process_cpu-{which}.pb.gz")
            for which in ("normal", "incident")]


class Moment(fault.Point):
    """A signal at a system call."""

    def __init__(self, at, number):
        super().__init__("call", at)
        self.number = number

    def __str__(self):
        return f"{signal.Signals(self.number).name} at call {self.at}"

    def environment(self):
        return {**super().environment(), "FAULT_SIGNAL": str(self.number)}


def status_of(number):
    """As subprocess tells it: an interrupt is an end of its own."""
    return 130 if number == signal.SIGINT else -number


class Interrupted(fault.Run):
    def files(self, tmp, texts, names):
        return {**super().files(tmp, texts, names),
                **{str(path): "" for path in Path(tmp).rglob("*.tmp")}}


def interrupted(wanted, found, moment):
    """What is wrong with the end of a run, or None."""
    status, _, stderr, files, counts = found
    # How often a server is waited for is not always the same: it came too late.
    is_over = counts and counts[1] < moment.at
    if status != (wanted[0] if is_over else status_of(moment.number)):
        return f"status {status}: {stderr[-300:]}"
    for name, text in files.items():
        if text == wanted[3].get(name):
            continue
        if what := fault.name_complaint(name, text):
            return what
        # A case is written of a run that is interrupted, too.
        if text == fault.WHOLE_CASE:
            continue
        return f"{'another' if name in wanted[3] else 'left'} {name}"
    return None


def interrupt_case(program, library, name, is_all):
    """(moments tried, complaints)"""
    run = Interrupted(program, library, name)
    turn = sum(map(ord, name))
    bad, tried = [], 0
    with fault.cli.served(run.case, run.names):
        wanted = run.result(None)
        calls = wanted[4][1]
        for number in SIGNALS:
            share = calls if is_all else SHARE["interrupted"]
            for at in fault.spread(calls, share):
                if not is_all:
                    at = (turn * 37 + number * 11) % calls + 1
                moment = Moment(at, number)
                tried += 1
                what = interrupted(wanted, run.result(moment), moment)
                if what:
                    bad.append(f"{moment}: {what}")
        bad += fault.no_longer(wanted, run)
    return tried, bad


# ---- the terminal ----


def moment_environment(library, moment, report=None):
    return {"LD_PRELOAD": library, **(moment.environment() if moment else {}),
            **({"FAULT_REPORT": report} if report else {})}


def press_q(p):
    p.until(lambda: b"q quit" in p.data, "the first screen")
    p.send("q")


def leave(p):
    """Presses q where nothing ends the run."""
    deadline = time.monotonic() + LEAVE_S
    p.until(lambda: p.status is not None or time.monotonic() > deadline,
            "the end")
    if p.status is None:
        press_q(p)


def on_terminal(words, library, moment, is_asked, env):
    """(calls, complaint) of a run on a terminal; is_asked: it waits for q."""
    with tempfile.NamedTemporaryFile() as report, \
            Program(words, term="xterm-256color", env={
                **env, **moment_environment(library, moment,
                                            report.name)}) as p:
        if is_asked and not moment:
            press_q(p)
        elif is_asked:
            leave(p)
        status = p.end()
        try:
            check_restored(p)
        except AssertionError as error:
            return 0, str(error)
        counts = report.read().split()
        if not moment:
            return int(counts[1]), None
        # How many calls there are is not always the same, and a pager has the
        # key, not we.
        is_over = counts and int(counts[1]) < moment.at
        wanted = {128 + moment.number} | (
            {0} if is_over or not is_asked and moment.number == signal.SIGINT
            else set())
        return 0, None if status in wanted else f"status {status}"


# So many calls before the end of it all a key, or the pager, is waited for, now
# in more calls and now in fewer.
ASKING = 12


def terminal(program, library, is_all):
    bad, tried = [], 0
    for name, words, is_asked, env in (
            ("--interactive", ["diff", *PROFILES, "-i"], True, {}),
            ("a pager", ["show", TRACE], False, {"PAGER": "cat >/dev/null"})):
        words = [program, *words]
        calls, what = on_terminal(words, library, None, is_asked, env)
        if what:
            return 1, [f"{name}: {what}"]
        calls -= ASKING
        for number in SIGNALS[:2]:
            for at in fault.spread(calls, calls if is_all else
                                   SHARE["terminal"]):
                tried += 1
                moment = Moment(at, number)
                what = on_terminal(words, library, moment, is_asked, env)[1]
                if what:
                    bad.append(f"{name}, {moment}: {what}")
    return tried, bad


# ---- killed ----

# (name, words, file, whether an old one is there, bytes a call: few enough for
# hundreds of moments, where a file has as many)
WRITTEN = [
    ("json over an old file", ["show", TRACE, "-o", "json=out"], "out", True,
     128),
    ("svg", ["profile", PROFILES[1], "-o", "svg=out"], "out", False, 64),
    ("html over an old file", ["diff", *PROFILES, "-o", "html=out"], "out",
     True, 128),
    ("the configuration", ["config", "set", "timeout", "30s"],
     "tracefind/config", True, 1),
]
OLD = "timeout = 10s\n"


def start_writing(program, words, folder, env):
    return subprocess.run(
        [program, *words], cwd=folder, timeout=LIMIT_S, capture_output=True,
        env={"PATH": os.environ.get("PATH", ""), "HOME": folder, "TZ": "UTC",
             "XDG_CONFIG_HOME": folder, "LC_ALL": "C.UTF-8", **env})


def prepare(folder, file, has_old):
    path = Path(folder, file)
    path.parent.mkdir(exist_ok=True)
    if has_old:
        path.write_text(OLD)
        path.chmod(0o600)
    return path


def kill_once(program, library, row, at, new):
    """What is wrong after a kill at a moment, or None."""
    _, words, file, has_old, size = row
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        path = prepare(folder, file, has_old)
        done = start_writing(program, words, folder, {
            **moment_environment(library, Moment(at, signal.SIGKILL)),
            "FAULT_BYTES": str(size)})
        if done.returncode != -signal.SIGKILL:
            return f"status {done.returncode}"
        now = path.read_bytes() if path.exists() else None
        if now not in (new, OLD.encode() if has_old else None):
            return f"a mixed file of {len(now or b'')} bytes"
        others = [p for p in Path(folder).rglob("*")
                  if p.is_file() and p != path]
        # The next run takes over a lock's file, which then is nobody's. Whatever
        # number the next process has, the other name is taken.
        if sorted(p.suffix for p in others) not in (
                [], [".lock"], [".tmp"], [".lock", ".tmp"]):
            return f"left {others}"
        done = start_writing(program, words, folder, {})
        if done.returncode or path.read_bytes() != new:
            return f"the next run: status {done.returncode}, {done.stderr}"
    return None


def undisturbed(program, library, row):
    """(the new file, the system calls of a run)"""
    _, words, file, has_old, size = row
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder, \
            tempfile.NamedTemporaryFile() as report:
        path = prepare(folder, file, has_old)
        start_writing(program, words, folder, {
            **moment_environment(library, None, report.name),
            "FAULT_BYTES": str(size)})
        return path.read_bytes(), int(report.read().split()[1])


def kill(program, library, row, is_all):
    new, calls = undisturbed(program, library, row)
    moments = fault.spread(calls, calls if is_all else SHARE["killed"])
    bad = [f"call {at} of {calls}: {what}" for at in moments if
           (what := kill_once(program, library, row, at, new))]
    return len(moments), bad


def main():
    # What is started in the background may ignore some, and the runs would
    # inherit that.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    program, library = (str(Path(word).resolve()) for word in sys.argv[1:3])
    is_all = "--all" in sys.argv[3:]
    jobs = [("signals", name, lambda n=name: interrupt_case(
        program, library, n, is_all)) for name in fault.CASES]
    try:
        for end in open_terminal():
            os.close(end)
        jobs.append(("signals", "the terminal",
                     lambda: terminal(program, library, is_all)))
    except Lacking as why:
        print(f"# SKIP {why}")
    jobs += [("kills", row[0], lambda r=row: kill(program, library, r, is_all))
             for row in WRITTEN]
    counts = {"signals": [0, 0], "kills": [0, 0]}
    print(f"1..{len(jobs)}", flush=True)
    with ThreadPoolExecutor(PARALLEL) as pool:
        results = pool.map(lambda job: job[2](), jobs)
        for number, (job, (tried, bad)) in enumerate(zip(jobs, results), 1):
            counts[job[0]][0] += tried
            counts[job[0]][1] += len(bad)
            print(f"{'not ok' if bad else 'ok'} {number} - {job[1]}, "
                  f"{tried} moments")
            for line in bad[:20]:
                print(f"#   {line}", flush=True)
    for name, (tried, failed) in counts.items():
        figures.record(name, tried, failed)
    print(f"# {counts['signals'][0]} moments of signals, "
          f"{counts['kills'][0]} kills")
    return 1 if any(failed for _, failed in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
