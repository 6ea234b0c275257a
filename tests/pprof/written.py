#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the files that `-o pprof` writes: read again they give the rows that
pprof printed for the profile they came from, they are no larger than that and
the same each time, those of a comparison hold the difference, those of several
files the sum. Standard library only.

usage: written.py TRACEFIND
       written.py TRACEFIND PPROF    the same rows as a real pprof has them
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import equal  # noqa: E402
from tap import Tap  # noqa: E402

# Of these the recorded texts are compared.
CASES = ("top", "cum", "lines", "files", "tree")

# Both sides of a comparison, and their unit.
DIFFS = [
    ("real-go-cpu", "real-go-compile-cpu", "ns"),
    ("real-go-heap", "real-go-heap", "B"),
    ("real-cpp-cpu", "real-rust-cpu", "ns"),
]


# Files that are added up.
SUMS = [
    (("real-go-cpu", "real-go-compile-cpu"), "ns"),
    (("real-go-heap", "real-go-heap"), "B"),
    (("real-go-cpu", "real-rust-cpu", "real-cpp-cpu"), "ns"),
    (("go-process_cpu-normal", "go-process_cpu-incident", "real-go-cpu",
      "go-process_cpu-normal", "real-go-compile-cpu"), "ns"),
]


def path_of(name):
    return equal.TESTDATA / "pprof" / f"{name}.pb.gz"


def write(program, to, *args):
    done = subprocess.run([program, *map(str, args), "-o", f"pprof={to}"],
                          capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return Path(to).read_bytes()


def real_rows(pprof, case, options, unit, *args):
    done = subprocess.run([pprof, *options, "-symbolize=none", "-trim=false",
                           f"-unit={unit}", *map(str, args)],
                          capture_output=True, text=True,
                          env={**os.environ, "TZ": "UTC"})
    read = equal.read_tree if case == "tree" else equal.read_top
    return read(done.stdout)


def kept(program, pprof, folder):
    """(label, reason or None) of each profile and case."""
    written = {}
    for name, kind, unit, case, theirs, ours in equal.all_cases():
        if case not in CASES:
            continue
        label = equal.file_name(name, kind, case)
        to = Path(folder) / f"{name}.{kind}.pb.gz"
        if to not in written:
            args = ["profile", path_of(name)] + (["--type", kind] if kind
                                                 else [])
            written[to] = write(program, to, *args)
            size, limit = len(written[to]), path_of(name).stat().st_size
            yield f"{label} size", (f"{size} bytes of {limit}"
                                    if size > limit + 64 else None)
            again = write(program, to, *args)
            yield f"{label} again", ("differs" if again != written[to]
                                     else None)
        recorded = (equal.RECORDED / label).read_text()
        yield label, equal.compare(program, to, None, unit, case, ours,
                                   recorded)
        if pprof:
            read = equal.read_tree if case == "tree" else equal.read_top
            rows = real_rows(pprof, case, theirs, unit, to)
            yield f"{label} by pprof", (
                f"{rows[:3]} for {read(recorded)[:3]}"
                if rows != read(recorded) else None)


def values(program, path):
    answer = equal.run(program, path, None, [])
    return {f["name"]: (f["self_value"], f["total_value"])
            for f in answer["functions"]}


def differences(program, pprof, folder):
    for before, after, unit in DIFFS:
        label = f"{before} {after}"
        to = Path(folder) / "diff.pb.gz"
        write(program, to, "diff", path_of(before), path_of(after))
        old, new = (values(program, path_of(n)) for n in (before, after))
        want = {name: tuple(new.get(name, (0, 0))[i] - old.get(name, (0, 0))[i]
                            for i in (0, 1)) for name in {*old, *new}}
        want = {name: pair for name, pair in want.items() if any(pair)}
        plain = (equal.run(program, to, None, []) or {"functions": []})
        got = {f["name"]: (f["self_value"], f["total_value"])
               for f in plain["functions"]}
        got = {name: pair for name, pair in got.items() if any(pair)}
        yield label, None if got == want else (
            f"{len(got)} rows, wanted {len(want)}: "
            f"{sorted(set(got.items()) ^ set(want.items()))[:4]}")
        if pprof:
            top = ["-top", "-nodecount=0"]
            ours = real_rows(pprof, "top", top, unit, to)
            theirs = real_rows(pprof, "top", top, unit,
                               f"-diff_base={path_of(before)}", path_of(after))
            yield f"{label} by pprof", None if ours == theirs else (
                f"{ours[:3]} for {theirs[:3]}")


def sums(program, pprof, folder):
    """What is written of several files holds the values of all."""
    for names, unit in SUMS:
        label = " + ".join(names)
        paths = [path_of(name) for name in names]
        to = Path(folder) / "sum.pb.gz"
        write(program, to, "profile", *paths)
        want = {}
        for path in paths:
            for name, pair in values(program, path).items():
                old = want.get(name, (0, 0))
                want[name] = (old[0] + pair[0], old[1] + pair[1])
        got = values(program, to)
        yield label, None if got == want else (
            f"{len(got)} rows, wanted {len(want)}: "
            f"{sorted(set(got.items()) ^ set(want.items()))[:4]}")
        if pprof:
            top = ["-top", "-nodecount=0"]
            ours = real_rows(pprof, "top", top, unit, to)
            theirs = real_rows(pprof, "top", top, unit, *paths)
            yield f"{label} by pprof", None if ours == theirs else (
                f"{ours[:3]} for {theirs[:3]}")


def main():
    program = os.path.abspath(sys.argv[1])
    pprof = sys.argv[2] if len(sys.argv) > 2 else None
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for check in (kept, differences, sums):
            for label, why in check(program, pprof, folder):
                tap.check(why is None, label, why)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
