#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good the gate is: false alarms among equal sides, and slowdowns found.

usage: gate.py measure POOL [--go GO] [--sides A B] [--orders N]
       gate.py pairs POOL TRACEFIND [--runs N] [--pairs N] [LIMITS]
       gate.py draw POOL TRACEFIND [--runs N] [--pairs N] [--samples N]...

measure  runs the benchmark bench/gate/go by turns, A times as it is (POOL/a) and
         B times with three functions slower (POOL/b): discount and score by 10 %,
         route by 20 %. It takes 13 s of CPU a run with the default of orders.
pairs    sides drawn out of the pool: N runs beside N others of a (no alarm is
         right), N of b beside N of a.
draw     runs drawn anew from all samples of a, as many as --samples each, with
         one function 1.1 times as dear: what longer runs would show.
"""
import argparse
import json
import os
import random
import subprocess
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path

HERE = Path(__file__).resolve().parent
SLOWER = {"GATE_DISCOUNT": "110", "GATE_ROUTE": "120", "GATE_SCORE": "110"}
PLANTED = ("shop.discount", "shop.route", "shop.score")
BROKEN = 10


def measure(args):
    pool = Path(args.pool)
    binary = pool / "shop.test"
    for side in "ab":
        (pool / side).mkdir(parents=True, exist_ok=True)
    subprocess.run([args.go, "test", "-c", "-o", binary, "."], check=True,
                   cwd=HERE / "go")
    for i in range(max(args.sides)):
        for side, runs, more in zip("ab", args.sides, ({}, SLOWER)):
            if i < runs:
                subprocess.run(
                    ["nice", binary, "-test.run=xxx", "-test.bench=.",
                     f"-test.benchtime={args.orders}x",
                     f"-test.cpuprofile={pool / side / f'{i:02}.pb.gz'}"],
                    check=True, env={**os.environ, **more},
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def check(tracefind, candidate, baseline, more=()):
    words = [tracefind, "check", *candidate, "-o", "json", *more]
    for path in baseline:
        words += ["--against", path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


def named(answer, end):
    return any((hit["function"] or "total").endswith(end)
               for hit in answer["broken"])


def tell(what, outcomes, names):
    alarms = sum(code == BROKEN for code, _ in outcomes)
    text = ", ".join(f"{name} {sum(named(a, name) for _, a in outcomes)}"
                     for name in names)
    print(f"{what}: {alarms} alarms of {len(outcomes)}"
          f"{': ' + text if text else ''}", flush=True)


def side_by_side(count, one):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, range(count)))


def pairs(args):
    a, b = (sorted(map(str, (Path(args.pool) / side).iterdir()))
            for side in "ab")
    more = ["--fail-on", args.limits] if args.limits else []

    def equal(i):
        runs = random.Random(i).sample(a, 2 * args.runs)
        return check(args.tracefind, runs[:args.runs], runs[args.runs:], more)

    def slower(i):
        rng = random.Random(f"b{i}")
        return check(args.tracefind, rng.sample(b, args.runs),
                     rng.sample(a, args.runs), more)

    if 2 * args.runs <= len(a):
        tell(f"equal, {args.runs} runs a side",
             side_by_side(args.pairs, equal), ())
    tell(f"slower, {args.runs} runs a side", side_by_side(args.pairs, slower),
         PLANTED)


def stacks_of(tracefind, pool):
    """All samples of the pool's a, as folded stacks and counts."""
    runs = sorted(map(str, (Path(pool) / "a").iterdir()))
    text = subprocess.run([tracefind, "profile", *runs, "-o", "folded"],
                          capture_output=True, text=True, check=True).stdout
    pairs_ = (line.rsplit(" ", 1) for line in text.splitlines())
    return [(stack, int(count)) for stack, count in pairs_]


def drawn(stacks, factor, samples, rng, path):
    sums = list(accumulate(c * (factor if PLANTED[1] in s else 1)
                           for s, c in stacks))
    # What is added takes time of its own: so many samples more.
    count = round(samples * sums[-1] / sum(c for _, c in stacks) +
                  rng.gauss(0, samples ** 0.5))
    got = Counter(rng.choices([s for s, _ in stacks], cum_weights=sums,
                              k=count))
    with open(path, "w") as out:
        for stack, n in sorted(got.items()):
            print(stack, n, file=out)


def draw(args):
    stacks = stacks_of(args.tracefind, args.pool)
    whole = sum(c for _, c in stacks)
    part = sum(c for s, c in stacks if PLANTED[1] in s) / whole
    print(f"{PLANTED[1]} is {100 * part:.1f} % of {len(stacks)} stacks")
    for samples in args.samples:
        for factor in (1, 1.1):
            def one(i, factor=factor, samples=samples):
                rng = random.Random(f"{samples} {factor} {i}")
                with tempfile.TemporaryDirectory() as folder:
                    sides = []
                    for side, by in (("new", factor), ("old", 1)):
                        paths = [f"{folder}/{side}{k}.folded"
                                 for k in range(args.runs)]
                        for path in paths:
                            drawn(stacks, by, samples, rng, path)
                        sides.append(paths)
                    return check(args.tracefind, *sides)
            tell(f"drawn, x{factor}, {args.runs} runs of {samples}",
                 side_by_side(args.pairs, one),
                 PLANTED[1:2] if factor != 1 else ())


def main():
    parser = argparse.ArgumentParser()
    modes = parser.add_subparsers(required=True)
    mode = modes.add_parser("measure")
    mode.set_defaults(run=measure)
    mode.add_argument("pool")
    mode.add_argument("--go", default="go")
    mode.add_argument("--sides", type=int, nargs=2, default=(22, 14))
    mode.add_argument("--orders", type=int, default=280000)
    for name, run in (("pairs", pairs), ("draw", draw)):
        mode = modes.add_parser(name)
        mode.set_defaults(run=run)
        mode.add_argument("pool")
        mode.add_argument("tracefind")
        mode.add_argument("--runs", type=int, default=10)
        mode.add_argument("--pairs", type=int, default=100)
        if name == "pairs":
            mode.add_argument("limits", nargs="?")
        else:
            mode.add_argument("--samples", type=int, nargs="+",
                              default=(3300, 10000, 15000))
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
