#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of six jobs and of starting up, and compares them
with those kept in guard.json: 3 % more fail. Counts hold for one compiler and
one set of libraries; elsewhere the test skips itself and says why.

Hashes have a new key in every run, so that counts differ a little, by some
0.01 %. What starting up costs is the dynamic linker's work and subtracted from
the jobs: it would hide what they cost themselves.

usage: guard.py TRACEFIND BENCH_MAKE BUILD [--update] [--spread N]
       ./dev guard [--update] [--spread N]

BUILD describes the build, such as "gcc 12.2.0 -O2".
"""
import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from inputs import Inputs
from measure import Failed, Meter, Run

HERE = Path(__file__).resolve().parent
KEPT = HERE / "guard.json"
CASE = HERE.parent / "testdata" / "cases" / "pyroscope-1.21-slow.har.gz"
TOLERANCE = 0.03
SKIPPED = 77
ENV = {"LC_ALL": "C", "TZ": "UTC", "HOME": "/nonexistent"}
START = "start-up"
# Whose code runs, too, and differs between versions.
PACKAGES = ("libdeflate", "libisal", "zlib", "libutf8proc", "libpcre2-8")


def said(*args):
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def has_avx2():
    """Valgrind plays a processor with AVX2 where there is one, and libraries
    choose their code by it."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return " avx2 " in flags


def conditions(build):
    return {
        "build": build,
        "machine": f"{platform.machine()}{' avx2' if has_avx2() else ''}",
        "libc": " ".join(platform.libc_ver()),
        "valgrind": said("valgrind", "--version"),
        **{name: said("pkg-config", "--modversion", name)
           for name in PACKAGES},
    }


def jobs(inputs):
    """name -> arguments"""
    base, cur = (str(inputs.pprof("small", side)) for side in ("base", "cur"))
    folded = str(inputs.folded("small", "base"))
    jaeger, otlp = (str(inputs.trace("small", ending))
                    for ending in (".jaeger.json", ".otlp.pb"))
    slow = ("--profiles-url", f"file:{inputs.tiny()}", "-o", "json")
    return {
        START: ("--version",),
        "diff of two pprof files": ("diff", base, cur, "-n", "50"),
        "folded stacks to SVG": ("profile", folded, "-o", "svg"),
        "pprof to pprof": ("profile", base, "-o", "pprof=/dev/null"),
        "slow, Jaeger JSON": ("slow", jaeger, *slow),
        "slow, OTLP protobuf": ("slow", otlp, *slow),
        "slow, recorded case": ("--replay", str(CASE)),
    }


def count(meter, program, wanted):
    counts = {name: meter.instructions(Run((program, *args)))
              for name, args in wanted.items()}
    start = counts.pop(START)
    return {START: start, **{name: number - start
                             for name, number in counts.items()}}


def why_not(kept, here):
    """Why the counts do not hold here, or nothing."""
    for name, value in kept.items():
        if here.get(name) != value:
            return f"{name} is {here.get(name) or 'absent'}, not {value}"
    return None


def compare(kept, counts):
    """Prints all, the dearest last; returns whether one is dearer than it was,
    or new."""
    changes = {name: number / kept[name] - 1 if kept.get(name) else float("inf")
               for name, number in counts.items()}
    for name, change in sorted(changes.items(), key=lambda row: row[1]):
        verdict = "as kept"
        if name not in kept:
            verdict = "not kept yet"
        elif change > TOLERANCE:
            verdict = "dearer than kept"
        elif change < -TOLERANCE:
            verdict = "cheaper; ./dev guard --update keeps it"
        print(f"{name}: {counts[name]:,}, {100 * change:+.2f} %, {verdict}")
    return max(changes.values()) > TOLERANCE


def show_spread(runs):
    for name in runs[0]:
        numbers = [run[name] for run in runs]
        spread = max(numbers) / min(numbers) - 1
        print(f"{name}: {min(numbers):,} to {max(numbers):,}, "
              f"{100 * spread:.3f} %")


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("program", type=Path)
    ap.add_argument("make", type=Path)
    ap.add_argument("build")
    ap.add_argument("--update", action="store_true",
                    help="keep the counts of now")
    ap.add_argument("--spread", type=int, default=0, metavar="N",
                    help="count N times, each time with another environment, "
                    "and tell how much the counts differ")
    # What ./dev guard was given comes this way, through meson.
    return ap.parse_args(sys.argv[1:] +
                         os.environ.get("GUARD_ARGS", "").split())


def main():
    args = arguments()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) \
        if KEPT.exists() else {"conditions": {}, "instructions": {}}
    is_compared = not args.update and not args.spread
    build = kept["conditions"].get("build", args.build)
    if is_compared and args.build != build:
        print(f"# SKIP counts are of {build}: apt-get install valgrind; "
              "./dev guard")
        return SKIPPED
    if not shutil.which("valgrind"):
        print("# SKIP no valgrind: apt-get install valgrind")
        return SKIPPED
    here = conditions(args.build)
    reason = why_not(kept["conditions"], here)
    if reason and is_compared:
        print(f"# SKIP the counts are those of another machine: {reason}")
        return SKIPPED
    program = str(args.program.resolve())
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        wanted = jobs(Inputs(folder, None, args.make.resolve()))
        env = {**ENV, "PATH": os.environ.get("PATH", "")}
        if args.spread:
            show_spread([count(Meter("", {**env, "X": "x" * 1000 * i}),
                               program, wanted) for i in range(args.spread)])
            return 0
        counts = count(Meter("", env), program, wanted)
    is_bad = compare(kept["instructions"], counts)
    if args.update:
        KEPT.write_text(json.dumps({"conditions": here,
                                    "instructions": counts}, indent=1) + "\n",
                        encoding="utf-8")
        return 0
    return 1 if is_bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"guard: {error}")
