#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hostile server, against each side of the program. Output is TAP.

usage: hostile.py TRACEFIND [--all] [WORD...]

Each run must end by itself in 110 % of its time limit (150 % below a sanitizer),
with the status that the attack allows and one line that says why; with status 0
only when the answer is the one of an honest server; in a bounded memory. Without
--all the attacks are against a trace and a profile by turns; with it each is
against both, and against other servers and requests.
WORD: only attacks with it in their name.
"""
import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import wire
from attacks import all_attacks
from trial import (GOOD, LIMIT_S, MIB, RSS_FACTOR, TESTDATA, TIME_FACTOR,
                   environment, run, try_all, told)

# A body of the largest size, as it grows; Linux counts the test's own memory,
# of before exec(), in as well.
RSS_BYTES = 250 * MIB


class Side:
    """A command, the case with its answers, and which of them are broken."""

    def __init__(self, name, case, path, option, kind, args=None):
        self.name, self.path = name, path
        self.option, self.kind = option, kind
        self.recorded = wire.Recorded(TESTDATA / case)
        self.args = args or self.recorded.args
        self.honest = None

    def run(self, program, answer, *more):
        with wire.Wire(answer) as server:
            other = ("--profiles-url" if self.option == "--traces-url"
                     else "--traces-url")
            return run(program, server.host, [
                *self.args, f"{self.option}={self.kind}+{server.url}",
                f"{other}=http://127.0.0.1:1",
                f"--timeout={LIMIT_S * 1000:.0f}ms", *(more or ["--retry=0"])],
                environment(self.recorded.now))


def sides(is_all):
    trace = ["show", "bc3c20d5b1e18038e8dba50f99cc6d1d"]
    gauge = "cases/pyroscope-1.21-gauge.har.gz"
    yield Side("trace", "cases/n-plus-one.har.gz", "/api/v2/traces/",
               "--traces-url", "tempo", trace)
    yield Side("profile", gauge, "/SelectMergeProfile", "--profiles-url",
               "pyroscope")
    if not is_all:
        return
    yield Side("jaeger", "cases/n-plus-one-jaeger.har.gz", "/api/v3/traces/",
               "--traces-url", "jaeger", trace)
    yield Side("search", "cases/search-tempo.har.gz", "/api/search?",
               "--traces-url", "tempo")
    yield Side("services", "cases/services.har.gz", "/Series",
               "--profiles-url", "pyroscope")
    yield Side("parca", "cases/parca-profile.har.gz", "/api/profiles/query?",
               "--profiles-url", "parca")


def complaint(side, attack, outcome):
    """What is wrong with the outcome of an attack, or None."""
    if outcome.status not in attack.statuses:
        return (f"status {outcome.status}, not one of {attack.statuses}: "
                f"{outcome.stderr.strip()[:300]}")
    if outcome.status == GOOD and outcome.stdout != side.honest.stdout:
        return f"another answer: {outcome.stdout[:300]}"
    if outcome.status != GOOD and (what := told(outcome)):
        return what
    if outcome.rss_bytes > RSS_BYTES * RSS_FACTOR:
        return f"used {outcome.rss_bytes / MIB:.0f} MiB"
    if outcome.seconds > LIMIT_S * TIME_FACTOR:
        return f"took {outcome.seconds:.2f} s of {LIMIT_S}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--show", action="store_true",
                        help="tell what each ended with")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    trials = []
    for turn, side in enumerate(sides(options.all)):
        side.honest = side.run(program, wire.good(side.recorded))
        if side.honest.status != 0 or side.honest.stderr:
            raise SystemExit(f"{side.name}: {side.honest.stderr}")
        trials += [(f"{side.name}: {attack.title}", (side, attack))
                   for number, attack in enumerate(all_attacks())
                   if (options.all or number % 2 == turn) and
                   all(word in attack.title for word in options.words)]

    def judge(trial):
        side, attack = trial
        outcome = side.run(program, wire.broken(side.recorded, side.path,
                                                attack.act), *attack.args)
        if options.show:
            print(f"#{outcome.status} {outcome.seconds:.1f}s "
                  f"{outcome.rss_bytes >> 20}M {side.name}: {attack.title}: "
                  f"{outcome.stderr.strip()[:230]}", flush=True)
        return complaint(side, attack, outcome)
    return try_all("hostile-server", trials, judge)


if __name__ == "__main__":
    sys.exit(main())
