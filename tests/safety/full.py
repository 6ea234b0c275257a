#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All trials of safety, one kind after the other: ./dev test-full

usage: full.py BUILD_FOLDER [STAGE...]

Each stage writes to BUILD_FOLDER/test-full/STAGE.log, and its figures to
BUILD_FOLDER/figures, of which docs/safety.md is made in the end. With stages
named only these run, and the figures of the others stay as they are. A stage
that ends with status 77 could not run here: its last line says why.
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import figures  # noqa: E402
import introspect  # noqa: E402

# Not run: what automake and meson call a skipped test.
SKIPPED = 77

# (name, command). {build} is the folder of the build, {tracefind} the program.
# A kind that has more to try than the tests of every build adds a line; what it
# records wants a row in report.py.
STAGES = [
    # The guard counts instructions, in builds for speed only.
    ("tests", "meson test -C {build} --no-rebuild --print-errorlogs --no-suite "
     "guard"),
    ("allocations", "python3 tests/fault/fault.py {tracefind} {build}/tests/"
     "fault/libinject.so allocation --all"),
    ("calls", "python3 tests/fault/fault.py {tracefind} {build}/tests/fault/"
     "libinject.so call --all"),
    ("options", "python3 tests/safety/options.py {tracefind} {build}/"
     "completions/options-table --all"),
    ("signals", "python3 tests/safety/signals.py {tracefind} {build}/tests/"
     "fault/libinject.so --all"),
    ("cuts", "python3 tests/hostile/cuts.py {build}/tests/hostile/hostile-cuts "
     "--all"),
    ("bombs", "python3 tests/hostile/bombs.py {tracefind} --all"),
    ("terminal", "python3 tests/hostile/escapes.py {tracefind} --all"),
    ("injection", "python3 tests/hostile/injection.py {tracefind} --all"),
    ("parents", "python3 tests/hostile/parents.py {tracefind} --all"),
    ("numbers", "sh tests/hostile/edge_numbers.sh"),
    ("determinism", "python3 tests/safety/same.py {tracefind} --all gcc clang"),
    ("cross", "python3 tests/safety/cross.py {build}"),
    ("reproducible", "python3 tests/safety/reproducible.py"),
    ("hostile-server", "python3 tests/net/hostile.py {tracefind} --all"),
    ("redirects", "python3 tests/net/redirects.py {tracefind} --all"),
    ("tls", "python3 tests/net/tls.py {tracefind}"),
    ("queries", "python3 tests/net/queries.py {tracefind} --all"),
    ("answers", "python3 tests/safety/answers.py {tracefind} --all"),
    ("cuts-socket", "python3 tests/net/cuts.py {tracefind} --all"),
    ("secrets", "python3 tests/net/canary.py {tracefind} {build}/tests/net/"
     "libstop.so --all"),
    ("fuzz", "./dev fuzz --all"),
    ("coverage", "python3 tests/safety/coverage.py {build} unit cli fuzz"),
    ("analyzers", "python3 tests/safety/analyze.py {build}"),
]

# What the ordinary tests may take, a share of each kind among them.
TESTS_S = 300

# The tests record the share of each kind that they try. These kinds have no
# stage that tries more; the figures of the others are those of their stage.
OF_TESTS = ("hardening", "sandbox", "streams")


def commit():
    """The commit of the sources; docs/safety.md is written by the run."""
    changes = subprocess.run(
        ["git", "status", "--porcelain", "--", ":!docs/safety.md"], cwd=ROOT,
        capture_output=True, text=True).stdout
    name = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT,
                          capture_output=True, text=True).stdout.strip()
    return name + (" with changes" if name and changes else "")


def environment(folder):
    """What tests/meson.build gives to every test, and FIGURES."""
    return {**os.environ, "FIGURES": str(folder),
            "TESTDATA": str(ROOT / "testdata"), "PYTHON": sys.executable,
            "SERVER": str(ROOT / "tests" / "server" / "server.py"),
            "LC_ALL": "C", "TZ": "UTC"}


def last_line(log):
    """The last line that says something, without the mark of a comment."""
    lines = [text.strip("# \n") for text in
             log.read_text(errors="replace").splitlines()]
    return next((text for text in reversed(lines) if text), "nothing was said")


def run(build, command, log, folder):
    """The exit status of a stage."""
    words = [word.format(build=build, tracefind=build / "src" / "tracefind")
             for word in shlex.split(command)]
    with open(log, "w") as file:
        return subprocess.run(words, cwd=ROOT, env=environment(folder),
                              stdin=subprocess.DEVNULL, stdout=file,
                              stderr=subprocess.STDOUT).returncode


def run_tests(build, command, log):
    """The same of the tests, whose figures are sifted, and their own."""
    start_s = time.monotonic()
    with tempfile.TemporaryDirectory() as found:
        status = run(build, command, log, found)
        record_tests(build, int(time.monotonic() - start_s))
        for name in OF_TESTS:
            path = Path(found, name + ".json")
            if path.exists():
                shutil.copy(path, build / "figures")
    return status


def record_tests(build, seconds):
    tests = introspect.last_run(build)
    if tests is None:
        return
    results = [test["result"] for test in tests]
    passed, skipped = results.count("OK"), results.count("SKIP")
    figures.record("tests", passed, len(results) - passed - skipped +
                   (seconds > TESTS_S), skipped=skipped, seconds=seconds)


def lasted(start_s):
    minutes, seconds = divmod(int(time.monotonic() - start_s), 60)
    return f"{minutes} min {seconds:02} s"


def main():
    build, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    unknown = set(names) - {name for name, _ in STAGES}
    if unknown:
        print(f"no such stage: {' '.join(sorted(unknown))}; there are "
              f"{' '.join(name for name, _ in STAGES)}", file=sys.stderr)
        return 2
    chosen = [stage for stage in STAGES if not names or stage[0] in names]
    if not names:
        shutil.rmtree(build / "figures", ignore_errors=True)
    for folder in ("figures", "test-full"):
        (build / folder).mkdir(exist_ok=True)
    failed = 0
    # Of now: that is what was built, whatever is committed meanwhile.
    os.environ["COMMIT"] = commit()
    os.environ["FIGURES"] = str(build / "figures")
    for number, (name, command) in enumerate(chosen, 1):
        print(f"[{number}/{len(chosen)}] {name}: ", end="", flush=True)
        log, start_s = build / "test-full" / (name + ".log"), time.monotonic()
        status = (run_tests(build, command, log) if name == "tests" else
                  run(build, command, log, build / "figures"))
        what = {0: "ok", SKIPPED: "not run"}.get(status, "FAILED")
        failed += what == "FAILED"
        print(f"{what}, {lasted(start_s)}: {last_line(log)}", flush=True)
        if what == "FAILED":
            print(f"    see {log}", flush=True)
    reported = subprocess.run(
        [sys.executable, HERE / "report.py", build / "figures",
         ROOT / "docs" / "safety.md"], cwd=ROOT).returncode
    return 1 if failed or reported else 0


if __name__ == "__main__":
    sys.exit(main())
