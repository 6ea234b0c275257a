#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of several sample types, odd names and equal ones among them: a file is
the same as itself, every type of a list is found by what the list calls it,
and of two files both give the same one, whether the second is read beside the
first or after it. Standard library only.

usage: sample_types.py TRACEFIND

The files are made here. Type K of a file has values of (K + 1) * 1000, so that
sums tell which one was read.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "hostile")]
from making import Pprof, data, number  # noqa: E402
from tap import Tap  # noqa: E402

DEFAULT_TYPE = 14
FUNCTIONS = 5
# Beyond 32 KiB two files are read side by side.
SAMPLES = {"small": 10, "large": 5000}

# Name, types, the default's name, and the type that is read when none is
# asked for.
FILES = [
    ("twice", [("a", "count"), ("a", "count")], "", 1),
    ("twice-default", [("a", "count"), ("b", "count"), ("a", "count")], "a", 0),
    ("thrice", [("a", "count"), ("a", "count"), ("b", "count"),
                ("a", "count")], "b", 2),
    ("units", [("cpu", "nanoseconds"), ("cpu", "count")], "", 1),
    ("units-default", [("cpu", "count"), ("cpu", "nanoseconds")], "cpu", 0),
    ("cases", [("CPU", "count"), ("cpu", "count")], "", 1),
    ("cases-units", [("CPU", "nanoseconds"), ("cpu", "count")], "cpu", 1),
    ("slashes", [("a/b", "count"), ("a", "b/bytes"), ("/", "count")], "", 2),
    ("colons", [("p:q:r:s:t", "count"), ("q", "r"), ("x:y", "count")], "", 2),
    ("words", [("samples", "count"), ("auto", "count"), ("alloc", "bytes"),
               ("alloc_space", "bytes")], "", 3),
    ("nameless", [("", "count"), ("a", "")], "", 1),
]


def make(types, default, samples):
    profile = Pprof(types)
    places = [profile.location(f"f{i}") for i in range(FUNCTIONS)]
    for i in range(samples):
        profile.sample([places[i % FUNCTIONS], places[0]],
                       *[1000 * (k + 1) for k in range(len(types))])
    if default:
        profile.parts.append(number(DEFAULT_TYPE, profile.text(default)))
    return profile.bytes() + data(6, "x" * 40000)


def run(program, *args):
    done = subprocess.run([program, *map(str, args), "-n", "0", "-o", "json"],
                          capture_output=True, text=True, timeout=60,
                          env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return json.loads(done.stdout)


def sums(answer):
    """What the values of both sides add up to."""
    rows = answer["functions"]
    return (sum(row["self_value"] for row in rows),
            round(sum(row["baseline_share_self"] or 0 for row in rows), 6),
            sum(abs(row["share_delta"] or 0) for row in rows))


def judge(program, path, types, samples, index, *args):
    """None, or how it differs."""
    total = samples * 1000 * (index + 1)
    name = "/".join(types[index])
    diff = run(program, "diff", path, path, *args)
    found = diff["profile"]["type"], *sums(diff)
    if found != (name, total, 1, 0):
        return f"diff: {found}"
    added = run(program, "profile", path, path, path, *args)
    found = added["profile"]["type"], sums(added)[0]
    return None if found == (name, 3 * total) else f"profile: {found}"


def last_equal(types, default, index):
    equal = [k for k, kind in enumerate(types) if kind == types[index]]
    return equal[0 if types[index][0] == default else -1]


def check_file(tap, program, path, types, default, chosen, samples):
    def check(what, index, *args):
        try:
            why = judge(program, path, types, samples, index, *args)
        except ValueError as error:
            why = str(error)
        tap.check(why is None, f"{path.stem}, {what}", why)

    check("the default", chosen)
    for index, (kind, unit) in enumerate(types):
        name = f"{kind}/{unit}"
        check(name, last_equal(types, default, index), "--type", name)


def check_others(tap, program, folder):
    """The second one does not say its type, or says it its own way."""
    folded, pprof = folder / "x.folded", folder / "x.pb"
    folded.write_text("main;work 5\nmain 3\n" * 8000)
    pprof.write_bytes(make([("samples", "count"), ("cpu", "nanoseconds")], "",
                           SAMPLES["large"]))
    for first, second, args, wanted in [
            (folded, folded, [], "samples/count"),
            (folded, folded, ["--type", "cpu/nanoseconds"], "cpu/nanoseconds"),
            (folded, pprof, [], "samples/count"),
            (pprof, folded, ["--type", "samples"], "samples/count"),
            (pprof, folded, ["--type", "cpu/nanoseconds"], "cpu/nanoseconds"),
            (folded, pprof, ["--type", "cpu/nanoseconds"], "cpu/nanoseconds"),
            (pprof, folded, [], None)]:
        try:
            # The second of `diff` is the one that is read first.
            diff = run(program, "diff", second, first, *args)
            added = run(program, "profile", first, second, *args)
            found = diff["profile"]["type"], added["profile"]["type"]
        except ValueError as error:
            found = str(error)
        what = " ".join([first.suffix, second.suffix, *args])
        if wanted:
            tap.equal(found, (wanted, wanted), what)
        else:
            tap.check("count different things" in found, what, found)


def main():
    program, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, types, default, chosen in FILES:
            for size, samples in SAMPLES.items():
                path = folder / f"{name}-{size}.pb"
                text = make(types, default, samples)
                path.write_bytes(text if size == "large"
                                 else text.replace(data(6, "x" * 40000), b""))
                check_file(tap, program, path, types, default, chosen, samples)
        check_others(tap, program, folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
