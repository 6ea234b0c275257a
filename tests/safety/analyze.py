#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What analyzers find: gcc's and clang's in the source, valgrind in runs, the
thread sanitizer where there are threads, those of addresses and of undefined
behaviour in all that .ci/run has them for.

usage: analyze.py BUILD_FOLDER [gcc|clang|sanitizers|threads|valgrind]...

gcc and clang read each file of src once, valgrind's memcheck runs the unit
tests but those that are LONG (cross.py), and every FOURTH case of the command
line, which makes the memory sanitizer unnecessary: that needs every library
built for it. The thread sanitizer runs what uses base/thread.c, in a build of
its own. What is not installed is left out, and told.

A finding fails. One that is none is named in tests/safety/analyze.supp
(valgrind), or the code is written so that it shows: no source file switches an
analyzer off.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import figures  # noqa: E402
from cross import LONG  # noqa: E402
from introspect import introspect, last_run, unit_tests  # noqa: E402

sys.path.insert(0, str(ROOT / "tests" / "cli"))
import run as cli  # noqa: E402

SUPPRESSIONS = HERE / "analyze.supp"
# -O1: with more, gcc's analyzer reads what inlining has left.
GCC = ["gcc", "-fanalyzer", "-O1"]
CLANG = ["clang", "--analyze", "--analyzer-output", "text", "-w"]
# It says of functions what their files do not show, but not in these.
HINTS = HERE / "analyzer.h"
NOT_HINTED = ("base/error.c", "base/arena.c")
# Threads that wait for a further task until the end hold what is theirs.
MEMCHECK = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full",
            "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite",
            "--child-silent-after-fork=yes",
            f"--suppressions={SUPPRESSIONS}"]
# A line of one, which begins with the number of the process between two "=".
FINDING = re.compile(r"^==\d+== ", re.M)
FOURTH = 4
# Suites in which a sanitizer may see what gcc's build does not.
SANITIZED = "unit cli fuzz hostile net".split()
# Two files are read at once, lines cut beside, and large profiles looked at and
# counted by two threads.
THREADED = ["unit/base/thread", "unit/decode/folded_lines",
            "unit/analyze/function_totals", "unit/analyze/rank", "cli/file", "cli/diff",
            "cli/diff-file"]


def flags_of(command):
    """What of a compiler's call decides how the source is read."""
    words = shlex.split(command)
    return [word for word in words if word.startswith(("-I", "-D", "-std"))]


def read_source(tool, entry):
    """What the tool says of one file."""
    hints = (["-include", HINTS] if tool == CLANG and
             not entry["file"].endswith(NOT_HINTED) else [])
    done = subprocess.run(
        [*tool, *flags_of(entry["command"]), "-U_FORTIFY_SOURCE", *hints, "-c",
         "-o", os.devnull, entry["file"]],
        cwd=entry["directory"], capture_output=True, text=True)
    return done.stderr if done.returncode or "warning:" in done.stderr else ""


def source(tool, build):
    """(files, findings) of a static analyzer."""
    with open(build / "compile_commands.json") as file:
        entries = [entry for entry in json.load(file)
                   if entry["file"].startswith("../src/") or
                   entry["file"].startswith(str(ROOT / "src") + "/")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = list(pool.map(lambda e: read_source(tool, e), entries))
    for text in filter(None, texts):
        print(text)
    return len(entries), sum(max(1, text.count("warning:"))
                             for text in texts if text)


def run_tests(build, *words):
    """(tests, those that failed), of their log; without those that skipped
    themselves."""
    env = {name: value for name, value in os.environ.items()
           if name != "FIGURES"}
    for path in (build / "meson-logs").glob("testlog*.json"):
        path.unlink()
    subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "-t", "20",
                    "--print-errorlogs", *words], env=env)
    tests = last_run(build)
    if tests is None:
        return 0, 1
    results = [t["result"] for t in tests if t["result"] != "SKIP"]
    bad = [r for r in results if r not in ("OK", "EXPECTEDFAIL")]
    return len(results), len(bad)


class NotRun(Exception):
    """Why one cannot run here."""


def wrapper(build, logs):
    """A program that runs tracefind below memcheck, which does not speak in
    between: it tells of calls that it does not know, such as a sandbox's."""
    path = build / "tracefind-memcheck"
    path.write_text("#!/bin/sh\nexec {} {} \"$@\"\n".format(
        shlex.join([*MEMCHECK, f"--log-file={logs}/%p"]),
        shlex.quote(str(build / "src" / "tracefind"))))
    path.chmod(0o755)
    return path


def cases():
    """Every fourth, of all topics."""
    return [case.name for case in cli.cases.all_cases()[::FOURTH]]


def run_cases(build):
    """(cases, those in which memcheck found something). It takes a multiple of
    a run's time: those that end otherwise because of that are not counted."""
    names = cases()
    with tempfile.TemporaryDirectory(prefix="tracefind-") as logs:
        done = subprocess.run(
            [sys.executable, ROOT / "tests" / "cli" / "run.py",
             wrapper(build, logs), *names], capture_output=True, text=True)
        found = [text for text in
                 (path.read_text(errors="replace") for path in
                  Path(logs).iterdir()) if FINDING.search(text)]
    late = re.findall("^not ok \\d+ - (.*)$", done.stdout, re.M)
    print(*found, sep="\n")
    print(f"# {len(late)} cases took too long: {' '.join(late)}")
    return len(names) - len(late) + len(found), len(found)


def valgrind(build):
    """A build with a sanitizer has an allocator that valgrind cannot watch."""
    options = introspect(build, "--buildoptions")
    if any(option["name"] == "b_sanitize" and option["value"] != "none" and
           option["value"] for option in options):
        raise NotRun("the build has sanitizers")
    names = [name for name in unit_tests(build) if name not in LONG]
    units, bad = run_tests(build, *names, "--wrapper", shlex.join(MEMCHECK))
    count, bad_cases = run_cases(build)
    return units + count, bad + bad_cases


def targets_of(build, names):
    """What these tests need, as ninja calls it."""
    files = {target["id"]: target["filename"]
             for target in introspect(build, "--targets")}
    return sorted({os.path.relpath(file, build)
                   for test in introspect(build, "--tests")
                   if test["name"] in names for need in test["depends"]
                   for file in files[need]})


def set_up(folder, compiler, *options):
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", folder, ROOT, "-Dtests=enabled",
                        "-Dbuildtype=debug", "-Db_lundef=false", *options],
                       env={**os.environ, "CC": compiler}, check=True)


def sanitizers(build):
    """As .ci/run has them."""
    folder = build / "sanitizers"
    set_up(folder, "clang", "-Db_sanitize=address,undefined", "-Dlazy=false",
           "-Dc_args=-g1")
    subprocess.run(["ninja", "-C", folder], check=True)
    os.environ["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
    return run_tests(folder, *(word for suite in SANITIZED
                               for word in ("--suite", suite)))


def threads(build):
    folder = build / "threads"
    set_up(folder, "gcc", "-Doptimization=1", "-Db_sanitize=thread")
    needed = targets_of(folder, THREADED)
    subprocess.run(["ninja", "-C", folder, *needed], check=True)
    return run_tests(folder, *THREADED)


KINDS = {
    "gcc": ("gcc", lambda build: source(GCC, build)),
    "clang": ("clang", lambda build: source(CLANG, build)),
    "sanitizers": ("clang", sanitizers),
    "threads": ("gcc", threads),
    "valgrind": ("valgrind", valgrind),
}


def run_kind(kind, build):
    """(count, findings) or why it was not run."""
    program, run = KINDS[kind]
    if not shutil.which(program):
        return f"there is no {program}"
    start_s = os.times().children_user
    try:
        count, bad = run(build)
    except NotRun as why:
        return str(why)
    print(f"# {kind}: {count} read or run, {bad} with findings, "
          f"{os.times().children_user - start_s:.0f} s of the processor",
          flush=True)
    return count, bad


def main():
    build, kinds = Path(sys.argv[1]).resolve(), sys.argv[2:] or list(KINDS)
    tried = failed = 0
    more = dict.fromkeys(KINDS, "not run")
    for kind in kinds:
        done = run_kind(kind, build)
        if isinstance(done, str):
            print(f"# {kind}: not run, {done}", flush=True)
        else:
            more[kind] = done[0]
            tried += done[0]
            failed += done[1]
        # After each: they take long, and may be ended early.
        figures.record("analyzers", tried, failed, **more)
    print(f"# {tried} read or run by {' '.join(kinds)}, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
