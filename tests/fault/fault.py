#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets each allocation and each system call of many runs fail.

usage: fault.py TRACEFIND INJECT.SO allocation|call [--all] [CASE...]

The runs are cases of tests/cli. Each is run once to count, then again and
again with one failure (inject.c): an allocation once, an allocation and all
after it, a call with each of several errors, reads and writes of one byte.
Without --all only so many points, evenly spread, as POINTS says.

After each the program must have ended by itself, in time, with

  - the status, standard output and files of an undisturbed run, or
  - a status that says what is wrong (of an allocation: 1) and one line on
    standard error, or
  - status 0 and a note, which the undisturbed run has not, that tells what is
    missing (the answer of a server),

and with all memory freed that the program itself asked for, no file half
written, none left over and none lost that was there. What an undisturbed run
says on standard error is said, and besides it only what failed; a failed call
is not told as another trouble (FALSE). What is left in a cache must let the
next run answer as ever. Output is TAP, a line a case.
"""
import argparse
import errno
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cli"),
                str(HERE.parent / "safety")]
import figures  # noqa: E402
import run as cli  # noqa: E402
from tap import Tap  # noqa: E402

LIMIT_S = 30
# Runs wait for servers, and for as long as they are told to.
PARALLEL = 4
# Some cases have fewer allocations than their share: 2,000 and more are left.
POINTS = {"allocation": 2400, "call": 600}
# Of a run that lacks memory.
NO_MEMORY = 1
# Allocations whose failure once ended otherwise than it must.
KEPT = {"slow-cloud-trace/profiler": (6, 7)}
ERRORS = [errno.EIO, errno.ENOSPC, errno.EINTR, errno.EAGAIN, errno.EMFILE,
          errno.EACCES]
SHORT = 0  # in the place of an error: one byte at a time

# All commands, most formats, files, case files and servers. Those whose server
# answers by turns are not among them: they have one run only. CASE/before is
# the run before that of CASE, which fills a cache or records a case.
CASES = """
cache/diff cache/diff/before cache/slow check/all config/import config/list
config-set/replace config/view diff/csv diff/fast diff/svg diff/version
doctor/ok file/diff file/diff-standard-input file/outputs file/pages
file/perf-script file/profile-csv file/rules file/show file/slow file/speedscope
form/dot-diff form/markdown-show form/pprof form/speedscope-diff gauges/hostile
gauges/leak record/kept record/slow record/slow/before replay/cloud-trace
replay/demo replay-demo/json replay-parca/diff replay-pyroscope/1-slow
search/json search/tags services/all show/chrome convert/profile
convert/profile-pprof/before convert/trace/before show/grafana-download show/svg
slo/metrics slo/traces slow-baseline/1d slow-cloud-trace/profiler types/guide
view/tree
""".split()
# What is told of something that the answer does without.
TOLD = re.compile(r"memory|cannot|could not|failed|no answer|not be |not "
                  r"known|unreachable|unavailable|interrupted|not checked|"
                  r'"status": null')
# What no failed call means.
FALSE = re.compile(r"no such file|is no file|out of memory|answers 404", re.I)
# A file that was there before the run, after it.
GONE = "(gone)"
WHOLE_CASE = "a whole case"
# Said of an answer that is whole in its form.
INCOMPLETE = "so something may be missing in it"
# Said of what was lost besides the answer; and what a library says as it is
# loaded.
ASIDE = re.compile(r"tracefind: (note:|the cache)|Error in GnuTLS ")


class Point:
    """One failure to inject."""

    def __init__(self, kind, at, error=0, is_forever=False):
        self.kind, self.at = kind, at
        self.error, self.is_forever = error, is_forever

    def __str__(self):
        how = "and all after it" if self.is_forever else ""
        if self.kind == "call":
            how = errno.errorcode.get(self.error, "one byte at a time")
        return f"{self.kind} {self.at} {how}"

    def environment(self):
        env = {"FAULT_KIND": self.kind, "FAULT_AT": str(self.at),
               "FAULT_ERRNO": str(self.error)}
        return {**env, "FAULT_FOREVER": "1"} if self.is_forever else env


def files_in(folder):
    """But for those of the cache, which may be any."""
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and Path(folder, ".cache") not in path.parents:
            yield path


def cache_in(folder):
    """name -> bytes"""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in Path(folder, ".cache").rglob("*") if path.is_file()}


class Run:
    """The cases's program, server and folder; runs with or without a point."""

    def __init__(self, program, library, name):
        case = cli.cases.find(name.removesuffix("/before"))
        is_first = name.endswith("/before")
        self.program, self.library, self.case = program, library, case
        self.before = None if is_first else case.before
        self.names = cli.names_for("")
        self.line = case.before if is_first else case.command
        self.status = "0" if is_first else case.status
        self.kept = None  # the folder that the run before it left

    def furnish(self, names, tmp):
        """What a run finds: path -> text. A run before it is made once."""
        if self.before is None:
            return cli.furnish(self.case, names, tmp)
        if not self.kept:
            self.kept = tempfile.TemporaryDirectory(prefix="tracefind-")
            kept = os.path.realpath(self.kept.name)
            kept_names = {**self.names, "{tmp}": kept}
            cli.furnish(self.case, kept_names, kept)
            cli.start(self.program, self.before, self.case, kept_names, kept)
        shutil.copytree(self.kept.name, tmp, dirs_exist_ok=True)
        return {path: cli.read(path) for path in files_in(tmp)}

    def result(self, point):
        """(status, stdout, stderr, files, live blocks) of one run."""
        return self.results(point, is_again=False)[0]

    def results(self, point, is_again=True):
        """That, and the same of an undisturbed run that finds the cache which
        the first one left, or None where that has not changed it."""
        with tempfile.TemporaryDirectory(prefix="tracefind-") as place:
            tmp = os.path.realpath(place)
            names = {**self.names, "{tmp}": tmp}
            texts = self.furnish(names, tmp)
            cache = cache_in(tmp)
            found = self.once(point, tmp, names, texts)
            if not is_again or cache_in(tmp) == cache:
                return found, None
            return found, self.once(None, tmp, names, texts)

    def once(self, point, tmp, names, texts):
        with tempfile.NamedTemporaryFile() as report:
            env = {**cli.environment(self.case, names, tmp),
                   "LD_PRELOAD": self.library, "FAULT_REPORT": report.name,
                   **(point.environment() if point else {})}
            done = subprocess.run(
                [self.program, *cli.words_of(self.line, names)],
                cwd=tmp, env=env, timeout=LIMIT_S, capture_output=True,
                input=self.case.stdin)
            counts = [int(n) for n in report.read().split()]
            return (done.returncode, self.masked(done.stdout, names),
                    self.masked(done.stderr, names),
                    self.files(tmp, texts, names), counts)

    def masked(self, data, names):
        text = cli.put_back(data.decode("utf-8", "backslashreplace"), names)
        for pattern, replacement in self.case.masks:
            text = pattern.sub(replacement, text)
        return text

    def files(self, tmp, texts, names):
        found = {str(path.relative_to(tmp)): self.content(path, names)
                 for path in files_in(tmp) if texts.get(path) != cli.read(path)}
        gone = {str(path.relative_to(tmp)): GONE
                for path in texts if not path.is_file()}
        unfinished = {name: "" for name in cache_in(tmp)
                      if name.endswith(".tmp")}
        return {**found, **gone, **unfinished}

    def content(self, path, names):
        """Of a case only whether it is whole: what was asked differs."""
        data = path.read_bytes()
        if path.name.startswith("case.har"):
            try:
                packed = path.name.endswith(".gz")
                json.loads(gzip.decompress(data) if packed else data)
                return WHOLE_CASE
            except (ValueError, OSError, EOFError):
                pass
        return self.masked(data, names)


def is_told(wanted, found):
    """Whether a line tells that something is missing, and is only there then."""
    return any(TOLD.search(line) for line in more_lines(wanted, found))


def more_lines(wanted, found):
    """Those of found that wanted has not."""
    there = set(wanted.splitlines())
    return [line for line in found.splitlines() if line not in there]


def stderr_complaint(wanted, found):
    """Of a run that answers as ever: it says what it always does, and besides
    that what failed."""
    more = more_lines(wanted, found)
    other = [line for line in more
             if not TOLD.search(line) and not ASIDE.match(line)]
    if other:
        return f"the answer as ever, but it says {other[:3]}"
    lost = more_lines(found, wanted)
    if lost and not more:
        return f"the answer as ever, but it does not say {lost[:3]}"
    return None


def false_complaint(wanted, found):
    """A failed call is told as what it is not."""
    for one in (1, 2):
        for line in more_lines(wanted[one], found[one]):
            if FALSE.search(line):
                return f"status {found[0]}, says {line}"
    return None


def name_complaint(name, text):
    """What is wrong with a file whatever the run's end, or None."""
    if name.endswith(".tmp"):
        return f"left {name}"
    if text == GONE:
        return f"lost {name}"
    is_case = Path(name).name.startswith("case.har")
    return f"half of {name}" if is_case and text != WHOLE_CASE else None


def again_complaint(wanted, again):
    """What is wrong with the run after a disturbed one, or None."""
    if again and again[:2] != wanted[:2]:
        return (f"the next run, with the cache left: status {again[0]}, "
                f"{again[2][:200]}")
    return None


def file_complaint(wanted, found):
    """What is wrong with the files of a run, or None."""
    status, stdout, stderr, files = found[:4]
    for name, text in files.items():
        if text == wanted[3].get(name):
            continue
        if what := name_complaint(name, text):
            return what
        if name not in wanted[3]:
            return f"left {name}"
        if INCOMPLETE in stderr:
            continue
        if status != wanted[0] or not is_told(wanted[3][name], text):
            return f"{name} is another"
    missing = set(wanted[3]) - set(files)
    if missing and status == wanted[0] and not is_told(wanted[2], stderr):
        return f"lacks {missing}"
    return None


def complaint(kind, wanted, found):
    """What is wrong with the outcome, or None."""
    status, stdout, stderr, files, counts = found
    if status < 0:
        return f"killed by signal {-status}"
    if not counts:
        return "main() did not return"
    if counts[2] > wanted[4][2]:
        return f"{counts[2] - wanted[4][2]} blocks not freed"
    if what := file_complaint(wanted, found):
        return what
    if kind == "call" and (what := false_complaint(wanted, found)):
        return what
    if status == wanted[0] and stdout == wanted[1]:
        return stderr_complaint(wanted[2], stderr)
    if status == 0:
        has_told = is_told(wanted[1], stdout) or is_told(wanted[2], stderr)
        return None if has_told else "status 0, but another answer"
    if kind == "allocation" and status not in (wanted[0], NO_MEMORY):
        return f"status {status} for lack of memory"
    lines = [line for line in stderr.splitlines() if not ASIDE.match(line)]
    if not lines and re.search(r"^failed ", stdout, re.M):
        return None  # doctor's answer
    if len(lines) != 1 or not lines[0].startswith("tracefind: "):
        return f"status {status}, {len(lines)} lines of error: {lines[:3]}"
    return None


def spread(count, share):
    """Numbers 1 to count, or `share` of them, evenly."""
    if count <= share:
        return range(1, count + 1)
    return sorted({1 + i * count // share for i in range(share)})


def points(kind, counts, share, kept=()):
    if kind == "allocation":
        for at in sorted({*spread(counts[0], share // 2), *kept}):
            yield Point(kind, at)
            yield Point(kind, at, is_forever=True)
        return
    errors = ERRORS + [SHORT]
    for at in spread(counts[1], max(1, share // len(errors))):
        for error in errors if at == 1 else ERRORS:
            yield Point(kind, at, error)


def run_case(program, library, name, kind, share):
    """(points tried, complaints)"""
    run = Run(program, library, name)
    with cli.served(run.case, run.names):
        wanted = run.result(None)
        if str(wanted[0]) != run.status:
            return 0, [f"status {wanted[0]} without any failure: {wanted[2]}"]
        bad, tried = [], 0
        for point in points(kind, wanted[4], share, KEPT.get(name, ())):
            tried += 1
            try:
                found, again = run.results(point)
                what = (complaint(kind, wanted, found)
                        or again_complaint(wanted, again))
            except subprocess.TimeoutExpired:
                what = f"ran longer than {LIMIT_S} s"
            if what:
                bad.append(f"{point}: {what}")
        bad += no_longer(wanted, run)
    return tried, bad


def no_longer(wanted, run):
    """What is wrong with an undisturbed run after all others: that the server
    has ended, say, and what they were told was always that."""
    found = run.result(None)
    if found[:2] + found[3:4] == wanted[:2] + wanted[3:4]:
        return []
    return [f"no failure, at the end: status {found[0]}: {found[2][:300]}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("kind", choices=list(POINTS))
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    names = options.cases or CASES
    share = 1 << 30 if options.all else max(
        1, POINTS[options.kind] // len(names))
    program = str(Path(options.program).resolve())
    library = str(Path(options.library).resolve())
    tap, total, points_failed = Tap(), 0, 0
    with ThreadPoolExecutor(PARALLEL) as pool:
        results = pool.map(lambda n: run_case(program, library, n,
                                              options.kind, share), names)
        for name, (tried, bad) in zip(names, results):
            total += tried
            points_failed += len(bad)
            tap.check(not bad, f"{name}, {tried} points", "\n".join(bad[:20]))
            # After each: all of them take long, and may be ended early.
            figures.record("fault-" + options.kind, total, points_failed,
                           cases=tap.count)
    print(f"# {total} points")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
