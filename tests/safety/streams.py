#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose outputs are full, closed, or read by somebody who leaves.

usage: streams.py TRACEFIND

Each of RUNS ends, for standard output that is

  full      (/dev/full) or closed: with status 1 and one line that says so
  left      by its reader, before anything or after some bytes, when there
            are more than a pipe holds: quietly with status 0
  and standard error that is closed or full: as with a good one

A file that cannot be written, or grows beyond what is allowed (RLIMIT_FSIZE),
ends a run with status 1 and one line, and leaves what was there. Standard
input that is closed, or is a folder, is told when it is asked for, and
otherwise harms nothing. Output is TAP, a line a run.
"""
import fcntl
import os
import resource
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE)]
import figures  # noqa: E402

TESTDATA = Path(os.environ.get("TESTDATA", HERE.parent.parent / "testdata"))
LIMIT_S = 30
PIPE_BYTES = 4096  # the least that Linux gives one
TRACE = str(TESTDATA / "otlp" / "b.json")
CASE = str(TESTDATA / "cases" / "n-plus-one.har.gz")
PROFILES = [str(TESTDATA / "pprof" / f"go-process_cpu-{which}.pb.gz")
            for which in ("normal", "incident")]
LARGE = str(TESTDATA / "pprof" / "real-go-compile-cpu.pb.gz")
URLS = ["--traces-url=tempo+http://127.0.0.1:1",
        "--profiles-url=pyroscope+http://127.0.0.1:1"]


def forms(words, names):
    return [[*words, "-o", name] for name in names.split()]


RUNS = [
    ["help"], ["help", "slow"], ["version"], ["config", "view"], ["types", "--guide"], ["slow", "--help"],
    ["search", *URLS, "--dry-run"], ["profile", PROFILES[1], "--tree"],
    ["--replay", CASE], ["--replay", CASE, "--why"],
    *forms(["--replay", CASE], "json csv html"),
    *forms(["show", TRACE], "table json markdown chrome otlp svg html"),
    *forms(["profile", PROFILES[1]],
           "table speedscope dot svg term pprof"),
    *forms(["profile", LARGE, "-n", "0"],
           "table csv markdown folded speedscope dot pprof"),
    *forms(["diff", *PROFILES], "table difffolded"),
    *forms(["convert", TRACE], "otlp"), *forms(["convert", PROFILES[1]], "folded"),
]
BASH = ["bash", "-c"]


class Machine:
    """Starts runs in a folder of their own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def start(self, words, limit=None, **streams):
        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, **streams}
        return subprocess.run(
            words, cwd=self.folder, timeout=LIMIT_S,
            preexec_fn=limited if limit is not None else None,
            env={"PATH": os.environ.get("PATH", ""), "HOME": self.folder,
                 "LC_ALL": "C.UTF-8", "TZ": "UTC", "PROGRAM": self.program,
                 "TRACEFIND_NOW": "2026-11-21T12:00:00Z",
                 **{k: v for k, v in os.environ.items()
                    if k.endswith("SAN_OPTIONS")}}, **streams)

    def run(self, words, **how):
        return self.start([self.program, *words], **how)

    def shell(self, words, redirect):
        return self.start([*BASH, f'"$PROGRAM" "$@" {redirect}', "bash",
                           *words])


def told(done, status, *reasons):
    lines = done.stderr.decode().splitlines()
    if done.returncode != status:
        return f"status {done.returncode}, not {status}: {lines[:3]}"
    if len(lines) != 1 or not any(r in lines[0] for r in reasons):
        return f"not one line with {reasons}: {lines[:3]}"
    return None


def same(done, wanted):
    if (done.returncode, done.stdout) != (wanted.returncode, wanted.stdout):
        return f"status {done.returncode}, {len(done.stdout)} bytes"
    return None


def left(machine, words, after):
    """A reader that leaves after so many bytes."""
    ours, theirs = os.pipe()
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def read():
        for _ in range(after):
            os.read(ours, 1)
        os.close(ours)
    reader = threading.Thread(target=read)
    reader.start()
    if not after:
        reader.join()
    try:
        done = machine.run(words, stdout=theirs)
    finally:
        os.close(theirs)
        reader.join()
    lines = done.stderr.decode().splitlines()
    if done.returncode or any("ipe" in line for line in lines):
        return f"status {done.returncode}: {lines[:2]}"
    return None


def outputs(machine, words):
    """(what was tried, what was wrong)"""
    wanted = machine.run(words)
    with open("/dev/full", "wb") as full:
        yield "full", told(machine.run(words, stdout=full), 1, "No space left")
        yield "error full", same(machine.run(words, stderr=full), wanted)
    yield "closed", told(machine.shell(words, ">&-"), 1, "Bad file")
    yield "error closed", same(machine.shell(words, "2>&-"), wanted)
    yield "input closed", same(machine.shell(words, "<&-"), wanted)
    yield "a folder as input", same(machine.shell(words, "</"), wanted)
    done = machine.shell(words, "<&- >&- 2>&-")
    yield "all closed", None if done.returncode == 1 else \
        f"status {done.returncode}"
    for after in (0, 1, 100, 5000):
        # Else it could end before anybody has left.
        if not after or len(wanted.stdout) > after + 2 * PIPE_BYTES:
            yield f"left after {after} bytes", left(machine, words, after)


def refused_file(machine, words, path, *reasons, **how):
    """A file that cannot be written: what is wrong, or None."""
    what = told(machine.run([*words, path], **how), 1, *reasons)
    others = [p.name for p in Path(machine.folder).rglob("*.tmp")]
    return what or (f"left {others}" if others else None)


def files(machine, form):
    words = ["profile", PROFILES[1], "-o"]
    path = Path(machine.folder, "out")
    path.write_text("old")
    for size in (0, 1, 100):
        yield f"at most {size} bytes", refused_file(
            machine, words, f"{form}={path}", "File too large", limit=size)
        yield "the old file", (None if path.read_bytes() == b"old"
                               else "is another")
    yield "full", refused_file(machine, words, f"{form}=/dev/full",
                               "No space left")
    yield "no folder", refused_file(machine, words, f"{form}=none/out",
                                    "No such file")
    yield "a folder", refused_file(machine, words, f"{form}=.",
                                   "Is a directory")
    yield "below a file", refused_file(machine, words, f"{form}=out/x",
                                       "Not a directory")
    yield "too long a name", refused_file(
        machine, words, f"{form}={'x' * 300}", "File name too long")


def inputs(machine, _):
    yield "closed", told(machine.shell(["show", "-"], "<&-"), 7, "Bad file")
    yield "a folder", told(machine.shell(["show", "-"], "</"), 2,
                           "Is a directory")
    yield "empty", told(machine.shell(["show", "-"], "</dev/null"), 7,
                        "empty")


def main():
    program = str(Path(sys.argv[1]).resolve())
    trials = [(outputs, words) for words in RUNS]
    trials += [(files, form) for form in ("json", "svg", "pprof")]
    trials.append((inputs, ["show", "-"]))
    total = failed = 0
    print(f"1..{len(trials)}", flush=True)
    for number, (kind, what) in enumerate(trials, 1):
        with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
            machine = Machine(program, folder)
            found = list(kind(machine, what))
        bad = [f"{name}: {why}" for name, why in found if why]
        total, failed = total + len(found), failed + len(bad)
        name = what if isinstance(what, str) else " ".join(
            word.rpartition("/")[2] for word in what)
        print(f"{'not ok' if bad else 'ok'} {number} - {kind.__name__} of "
              f"{name}")
        for line in bad:
            print(f"#   {line}", flush=True)
    print(f"# {total} trials")
    figures.record("streams", total, failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
