#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares repeated real profiles: equal runs (A/A) and a known change (A/B).

usage: repeated.py TRACEFIND go|python [RUNS [PERCENT [SECONDS]]]

Runs a small program RUNS times as it is and RUNS times with one function
PERCENT dearer, in turn, and compares each pair as `tracefind diff` does.
Prints pairs of equal runs in which something was said to have changed, and
changed pairs in which the function was said to have grown.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

GO_MOD = "module repeated\n\ngo 1.21\n"
GO_TEST = """package repeated

import (
	"encoding/json"
	"hash/crc32"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
)

var sink int

func checksum(text []byte, rounds int) {
	for i := 0; i < rounds; i++ {
		sink += int(crc32.ChecksumIEEE(text))
	}
}

//go:noinline
func order(words []string) {
	sorted := append([]string(nil), words...)
	sort.Strings(sorted)
	sink += len(sorted[0])
}

//go:noinline
func encode(words []string) []byte {
	text, _ := json.Marshal(words)
	return text
}

//go:noinline
func split(text string) []string { return strings.Fields(text) }

//go:noinline
func Changed(rounds int) {
	n := uint32(1)
	for i := 0; i < rounds; i++ {
		n = n*1664525 + 1013904223
	}
	sink += int(n & 1)
}

func BenchmarkRequests(b *testing.B) {
	percent, _ := strconv.Atoi(os.Getenv("PERCENT"))
	var text strings.Builder
	for i := 0; i < 300; i++ {
		text.WriteString(strconv.Itoa(i*7919%1000) + " ")
	}
	for i := 0; i < b.N; i++ {
		words := split(text.String())
		order(words)
		checksum(encode(words), 20)
		Changed(30000 * (100 + percent) / 100)
	}
}
"""
PYTHON = """import collections, json, re, signal, sys, time

stacks = collections.Counter()


def sample(_, frame):
    names = []
    while frame:
        names.append(frame.f_code.co_qualname)
        frame = frame.f_back
    stacks[";".join(reversed(names))] += 1


def changed(rounds):
    n = 1
    for _ in range(rounds):
        n = n * 1664525 + 1013904223 & 0xffffffff
    return n


def order(words):
    return sorted(words, key=lambda word: word[::-1])


def encode(words):
    return json.dumps({word: word for word in words})


def split(text):
    return [word for word in re.split(r"[ ,]", text) if word]


def handle(text, rounds):
    words = split(text)
    order(words)
    encode(words)
    changed(rounds)


def main(path, percent, seconds):
    text = ",".join(str(i * 7919 % 1000) for i in range(600))
    signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, 0.004, 0.004)
    while time.process_time() < seconds:
        handle(text, 3000 * (100 + percent) // 100)
    signal.setitimer(signal.ITIMER_PROF, 0)
    with open(path, "w") as out:
        for stack, count in sorted(stacks.items()):
            out.write(f"{stack} {count}\\n")


main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
"""
CHANGED = {"go": "repeated.Changed", "python": "changed"}


def prepare(kind, folder):
    """Writes the program, builds it; returns its command."""
    if kind == "python":
        with open(f"{folder}/run.py", "w") as out:
            out.write(PYTHON)
        return [sys.executable, f"{folder}/run.py"]
    for name, text in (("go.mod", GO_MOD), ("run_test.go", GO_TEST)):
        with open(f"{folder}/{name}", "w") as out:
            out.write(text)
    subprocess.run(["go", "test", "-c", "-o", f"{folder}/run"], cwd=folder,
                   check=True)
    return [f"{folder}/run"]


def run(kind, command, path, percent, seconds):
    if kind == "python":
        command = command + [path, str(percent), str(seconds)]
    else:
        command = command + ["-test.bench=.", "-test.run=none",
                             f"-test.benchtime={seconds}s",
                             f"-test.cpuprofile={path}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, PERCENT=str(percent)))


def compare(tracefind, before, after):
    """Names of functions that are said to have changed, and those that grew."""
    answer = json.loads(subprocess.run(
        [tracefind, "diff", before, after, "--normalize", "share", "-n", "0",
         "-o", "json"], check=True, capture_output=True).stdout)
    said = [f for f in answer["functions"]
            if f["change"] in ("new", "grown", "shrunk", "gone")]
    return said, [f["name"] for f in said if f["change"] in ("new", "grown")]


def main():
    tracefind, kind = sys.argv[1:3]
    runs, percent, seconds = (int(word) for word in
                              (sys.argv[3:] + ["6", "50", "4"][len(sys.argv) - 3:]))
    with tempfile.TemporaryDirectory() as folder:
        command = prepare(kind, folder)
        ending = "folded" if kind == "python" else "pb.gz"
        names = {side: [f"{folder}/{side}{i}.{ending}" for i in range(runs)]
                 for side in "ab"}
        for i in range(runs):
            run(kind, command, names["a"][i], 0, seconds)
            run(kind, command, names["b"][i], percent, seconds)
        equal = [compare(tracefind, *pair)[0] for side in "ab"
                 for pair in itertools.combinations(names[side], 2)]
        grown = [compare(tracefind, *pair)[1]
                 for pair in itertools.product(names["a"], names["b"])]
        found = sum(any(name.endswith(CHANGED[kind]) for name in names_)
                    for names_ in grown)
        print(f"{kind}: equal runs, something said: "
              f"{sum(map(bool, equal))} of {len(equal)}; one function "
              f"{percent} % dearer, found: {found} of {len(grown)}")


if __name__ == "__main__":
    main()
