#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that can be read in two ways must give one answer, whichever way it is.

usage: twins.py TRACEFIND [--all]

  pprof   as samples that lie together, which stay packed where only sums are
          asked for, and with something else between two of them, which puts
          every stack into order
  gzip    as a regular file, which is unpacked as a whole when it is small, and
          through a pipe, piece by piece

What they are read of is made of random numbers of a known seed: types and units
that exist and that do not, values that have a step and that have none, deep
and recursive stacks, inlined functions. TAP, a line a kind and command.
"""
import argparse
import gzip
import random
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
from making import START_NS, Pprof, data, number  # noqa: E402
from tap import Tap  # noqa: E402

LIMIT_S = 60
PROFILES = 12
PROFILES_ALL = 400
TYPES = [("cpu", "nanoseconds"), ("samples", "count"), ("samples", "weight"), ("samples", "bytes"), ("samples", ""),
         ("wall", "microseconds"), ("alloc_space", "bytes"), ("delay", "nanoseconds"), ("gauge", "parsecs"), ("", "")]
COMMANDS = [["profile", "a.pb", "-n", "0"], ["profile", "a.pb", "-o", "json"], ["profile", "a.pb", "-o", "csv"],
            ["diff", "a.pb", "b.pb"], ["diff", "a.pb", "b.pb", "-o", "json"], ["diff", "a.pb", "b.pb", "-o", "csv"],
            ["diff", "a.pb", "b.pb", "--normalize", "share", "-n", "0"], ["profile", "a.pb", "b.pb"]]


# ---- pprof ----

def inlined(profile, functions):
    """A location of several functions, the caller last; returns its number."""
    first = [profile.location(name) for name in functions][0]
    profile.locations += 1
    profile.parts.append(data(4, number(1, profile.locations) + b"".join(
        data(4, number(1, first + i) + number(2, 7 + i)) for i in range(len(functions)))))
    return profile.locations


def places(r, profile):
    found = [profile.location(f"f{i % 60}", "a.c", i) for i in range(r.choice((3, 40, 200)))]
    return found + [inlined(profile, [f"g{i}", f"f{i}", f"g{i + 1}"][:r.randint(2, 3)]) for i in range(r.choice((0, 5)))]


def value_of(r, step):
    return r.choice((step, step * r.randint(1, 50), step * r.randint(1, 50), r.choice((0, step, -step, 1 << 62))))


def profile_of(pair, side):
    """(the file, the same with something between its samples)"""
    r = random.Random(pair)
    types = [r.choice(TYPES)] if pair % 3 else [("samples", "count"), r.choice(TYPES)]
    r.seed(2 * pair + side)
    profile = Pprof(types)
    there = places(r, profile)
    if r.random() < 0.5:
        profile.parts.append(data(11, number(1, profile.text(types[-1][0])) + number(2, profile.text(types[-1][1]))))
        profile.parts.append(number(12, r.choice((1, 10, 10000000, 3))))
    step, first = r.choice((1, 10, 10000000)), len(profile.parts)
    is_plain = r.random() < 0.7
    for _ in range(r.choice((1, 30, 300))):
        stack = [r.choice(there) for _ in range(r.choice((1, 5, 30)))]
        values = [step * r.randint(1, 9) if is_plain else value_of(r, step) for _ in types]
        profile.sample(stack, *values)
    time = number(9, START_NS)
    profile.parts.insert(first, time)
    whole = profile.bytes()
    profile.parts.remove(time)
    profile.parts.insert(first + 1, time)
    return whole, profile.bytes()


def run(program, words, folder, stdin=None):
    done = subprocess.run([program, *words], cwd=folder, input=stdin, capture_output=True, timeout=LIMIT_S)
    return done.returncode, done.stdout, done.stderr


def differs(one, other):
    """What is wrong with two outcomes, or None."""
    # Values below 0: a difference, of which there is none.
    if one[0] not in (0, 5, 7) and b"is a difference already" not in one[2]:
        return f"status {one[0]}: {one[2][:300]}"
    return None if one == other else f"{one[0]} {one[1][-300:]} {one[2][:200]} and {other[0]} {other[1][-300:]} {other[2][:200]}"


def try_profiles(program, tap, count):
    wrong = {" ".join(words): [] for words in COMMANDS}
    with tempfile.TemporaryDirectory(prefix="tracefind-") as place:
        folders = [Path(place, name) for name in ("together", "apart")]
        for folder in folders:
            folder.mkdir()
        for pair in range(count):
            for name, side in (("a.pb", 0), ("b.pb", int(pair % 4 != 0))):
                for folder, content in zip(folders, profile_of(pair, side)):
                    (folder / name).write_bytes(content)
            for words in COMMANDS:
                what = differs(*(run(program, words, folder) for folder in folders))
                if what:
                    wrong[" ".join(words)].append(f"{pair}: {what}")
    for command, found in wrong.items():
        tap.check(not found, f"packed and in order, {command}, {count} pairs", "\n".join(found[:3]))


# ---- gzip ----

def packed_files():
    """(title, file); none that unpacks too well: the ratio is judged at the end of a file, and as it comes of a pipe."""
    r = random.Random(1)
    text = "".join(f"main;f{i % 50};g{r.randint(1, 9)} {i}\n" for i in range(60000)).encode()
    member = gzip.compress(text, mtime=0)
    large = gzip.compress(text * 8, mtime=0)
    for size, one in (("small", member), ("large", large)):
        yield f"{size}, whole", one
        yield f"{size}, two members", one + member
        yield f"{size}, zeros behind", one + bytes(512)
        yield f"{size}, zeros and a member behind", one + bytes(8) + member
        yield f"{size}, something behind", one + b"something"
        yield f"{size}, a zlib stream behind", one + zlib.compress(text)
        yield f"{size}, cut", one[:len(one) // 2]
        yield f"{size}, another sum", one[:-8] + b"\1\2\3\4" + one[-4:]
        yield f"{size}, another length", one[:-4] + b"\1\0\0\0"
        yield f"{size}, a lie about the length, and a member", one[:-4] + b"\1\0\0\0" + member
        yield f"{size}, an empty member between", one + gzip.compress(b"", mtime=0) + member
    

def try_gzip(program, tap):
    with tempfile.TemporaryDirectory(prefix="tracefind-") as place:
        for title, content in packed_files():
            Path(place, "a.folded.gz").write_bytes(content)
            file = run(program, ["profile", "a.folded.gz", "-o", "csv"], place)
            pipe = run(program, ["profile", "-", "-o", "csv"], place, content)
            what = None if file[:2] == pipe[:2] and file[0] in (0, 7) else f"{file[0]} {file[2]} and {pipe[0]} {pipe[2]}"
            tap.check(not what, f"as a file and through a pipe: {title}", what or "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    program, tap = str(Path(options.program).resolve()), Tap()
    try_profiles(program, tap, PROFILES_ALL if options.all else PROFILES)
    try_gzip(program, tap)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
