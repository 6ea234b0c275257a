#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every document that watches a service, of every subset of the metrics that a
platform may have: it is written and read as the program would that loads it, or
refused in a sentence. Output is TAP.

usage: subsets.py TRACEFIND
"""
import itertools
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "cli"), str(TESTS / "lint")]
from documents import READERS, kind_of, problem  # noqa: E402
from tap import Tap  # noqa: E402

LIMIT_S = 60
NOT_FOUND, LEAK = 5, 10
PLATFORMS = ("cloud-run", "gke", "otel", "tempo")
# A case each with a limit of memory that is known, and without.
LEAKS = ("leak-leaky.har.gz", "parca-leak.har.gz")
COMMANDS = [
    *(("dash", *service, "-o", form)
      for form in ("google", "grafana") for service in ((), ("a",), ("a", "b"))),
    *(("alert", *service, *kind, "-o", form)
      for form in ("google", "grafana", "prometheus")
      for service, kind in (((), ()), (("a",), ()), (("a", "b"), ()),
                            (("a",), ("--objective", "99.9")))),
    *(("leak", "--replay", case, "-o", form)
      for form in ("google", "prometheus") for case in LEAKS)]


def run(program, words):
    cases = Path(os.environ["TESTDATA"], "cases")
    words = [str(cases / word) if word in LEAKS else word for word in words]
    done = subprocess.run([program, *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=LIMIT_S, check=False,
                          env={**os.environ, "HOME": "/nonexistent"})
    return done.returncode, done.stdout, done.stderr


def metrics(program, platform):
    """Those of the platform, as `dash` says which tile has which."""
    told = run(program, ("dash", "a", "-o", "google", "--platform", platform))[2]
    return sorted(set(re.findall(r"note: [a-z ]+ metric: (\S+) \(", told)))


def wrong(program, words):
    """What is wrong with the document; empty: nothing."""
    status, text, told = run(program, words)
    if status == NOT_FOUND and not text:
        return "" if "tracefind: " in told else "no word of why"
    if status not in (0, LEAK):
        return f"status {status}: {told}"
    kind = kind_of(text)
    return problem(kind, text) if kind in READERS else ""


def main():
    tap, program = Tap(), sys.argv[1]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for platform in PLATFORMS:
            names = metrics(program, platform)
            chosen = [("--platform", platform)]
            for count in range(1, len(names) + 1):
                chosen += [tuple(word for name in some
                                 for word in ("--metric", name))
                           for some in itertools.combinations(names, count)]
            for command in COMMANDS:
                runs = [(*command, *some) for some in chosen]
                found = [f"{' '.join(words)}: {why}" for words, why in zip(
                    runs, pool.map(lambda w: wrong(program, w), runs)) if why]
                tap.check(len(names) > 1 and not found,
                          f"{platform}: {' '.join(command)}, of {len(runs)}",
                          "\n".join(found))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
