#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends the CPU profiles of a fleet to a Pyroscope server: services of two
versions, one after the other, of which some became dearer.

usage: fleet.py --url URL [--services N] [--planted N] [--minutes M] [--end TIME]
                [--prefix NAME] [--seed N]

Each service is a program of its own: some sixty functions in a tree, weights
that lie a thousandfold apart, two pods, half a core or so of load that goes up
and down. In a planted one a function of 5 to 20 % of it takes 1.3 times as much
with the second version. What was planted is printed as JSON.
"""
import argparse
import base64
import gzip
import json
import math
import random
import sys
import time
import urllib.request

PERIOD_NS = 10_000_000
SAMPLES_A_SECOND = 100
STEP_S = 60
FUNCTIONS = 60
WORDS = ("parse load store route price check merge render scan index sign "
         "pack fetch apply build split match rank quote close").split()


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def blob(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(field, values):
    return blob(field, b"".join(map(varint, values)))


class Program:
    """A tree of functions: a parent, a weight of its own and a name each."""

    def __init__(self, name, rng):
        self.names = ["main.main"]
        self.parents = [None]
        for i in range(1, FUNCTIONS):
            word = f"{rng.choice(WORDS)}{rng.choice(WORDS).title()}{i}"
            self.names.append(f"example.com/{name}/work.{word}")
            self.parents.append(rng.randrange(max(0, i - 12), i))
        self.weights = [math.exp(rng.gauss(0, 1.6)) for _ in self.names]
        self.weights[0] = 0

    def stack(self, i):
        out = []
        while i is not None:
            out.append(i)
            i = self.parents[i]
        return out  # leaf first

    def share(self, i):
        return self.weights[i] / sum(self.weights)

    def candidate(self, rng):
        """A function to make dearer: 5 to 20 % of the whole."""
        fit = [i for i in range(1, FUNCTIONS) if 0.05 <= self.share(i) <= 0.2]
        return rng.choice(fit) if fit else None


def poisson(mean, rng):
    if mean > 50:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    limit, n, product = math.exp(-mean), 0, rng.random()
    while product > limit:
        n += 1
        product *= rng.random()
    return n


def profile(program, means, at_s, rng):
    """A pprof of a minute; means: samples of each function."""
    strings = ["", "cpu", "nanoseconds", *program.names, "work.go"]
    body = bytearray(blob(1, number(1, 1) + number(2, 2)))
    for i, mean in enumerate(means):
        count = poisson(mean, rng) if mean else 0
        if count:
            ids = [k + 1 for k in program.stack(i)]
            body += blob(2, packed(1, ids) + packed(2, [count * PERIOD_NS]))
    for i in range(len(program.names)):
        body += blob(4, number(1, i + 1) +
                     blob(4, number(1, i + 1) + number(2, 10 * i + 3)))
        body += blob(5, number(1, i + 1) + number(2, i + 3) +
                     number(3, i + 3) + number(4, len(strings) - 1))
    body += blob(11, number(1, 1) + number(2, 2)) + number(12, PERIOD_NS)
    body += number(9, at_s * 10**9) + number(10, STEP_S * 10**9)
    for text in strings:
        body += blob(6, text.encode())
    return gzip.compress(bytes(body), 1)


def series(labels, raw):
    return {"labels": [{"name": k, "value": v} for k, v in labels.items()],
            "samples": [{"rawProfile": base64.b64encode(raw).decode()}]}


class Client:
    def __init__(self, url):
        self.url = url.rstrip("/") + "/push.v1.PusherService/Push"
        self.waiting = []
        self.sent = 0

    def add(self, one):
        self.waiting.append(one)
        if len(self.waiting) >= 20:
            self.flush()

    def flush(self):
        if not self.waiting:
            return
        body = json.dumps({"series": self.waiting}).encode()
        request = urllib.request.Request(
            self.url, body, {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=60).read()
        self.sent += len(self.waiting)
        self.waiting = []


def send(client, name, program, planted, args, rng):
    """Version 1 in the first half of the time, version 2 in the second."""
    load = rng.uniform(0.3, 0.8)
    for minute in range(args.minutes):
        is_new = minute * 2 >= args.minutes
        at_s = args.end - (args.minutes - minute) * STEP_S
        for pod in range(2):
            busy = load * rng.gauss(1, 0.1) * SAMPLES_A_SECOND * STEP_S
            means = [program.share(i) * busy * rng.gauss(1, 0.02)
                     for i in range(FUNCTIONS)]
            if is_new and planted is not None:
                means[planted] *= 1.3
            means = [max(0, m) for m in means]
            client.add(series(
                {"__name__": "process_cpu", "service_name": name,
                 "pod": f"{name}-{pod}", "version": "2" if is_new else "1"},
                profile(program, means, at_s, rng)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", default="http://127.0.0.1:4040")
    parser.add_argument("--services", type=int, default=300)
    parser.add_argument("--planted", type=int, default=30)
    parser.add_argument("--minutes", type=int, default=20)
    parser.add_argument("--end", type=int, default=int(time.time()))
    parser.add_argument("--prefix", default="fleet")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    client, planted = Client(args.url), {}
    for n in range(args.services):
        name = f"{args.prefix}-{n:03}"
        rng = random.Random(f"{args.seed} {name}")
        program = Program(name, rng)
        choice = None
        if len(planted) < args.planted:
            choice = program.candidate(rng)
        if choice is not None:
            planted[name] = program.names[choice]
        send(client, name, program, choice, args, rng)
    client.flush()
    json.dump({"sent": client.sent, "end": args.end,
               "minutes": args.minutes, "planted": planted}, sys.stdout,
              indent=1)
    print()


if __name__ == "__main__":
    main()
