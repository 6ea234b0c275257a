#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good `check --all` is: sends the CPU profiles of a fleet to a Pyroscope
server, of services of two versions, one after the other, of which some became
dearer; then asks, and counts what was found.

usage: fleet.py send [--url URL] [--services N] [--planted N] [--minutes M]
                     [--end TIME] [--prefix NAME] [--seed N] [--share LOW HIGH]
                     [--factor F] [--wander W] > TRUTH
       fleet.py ask TRACEFIND TRUTH [--url URL] [--by-version] [OPTIONS]

Each service is a program of its own: sixty functions in a tree, weights that lie
a thousandfold apart, two pods, half a core or so of load that goes up and down,
functions that wander by 2 % a minute and pod, and by W between the versions. In
a planted one a function of LOW to HIGH of it, by itself, takes F times as much
with the second version. TRUTH says what was planted; nobody else is told.
"""
import argparse
import base64
import gzip
import json
import math
import random
import resource
import subprocess
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

    def candidate(self, rng, low, high):
        """A function to make dearer, of such a share of the whole."""
        fit = [i for i in range(1, FUNCTIONS) if low <= self.share(i) <= high]
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


def send_service(client, name, program, planted, args, rng):
    """Version 1 in the first half of the time, version 2 in the second."""
    load = rng.uniform(0.3, 0.8)
    wander = [[math.exp(rng.gauss(0, args.wander)) for _ in range(FUNCTIONS)]
              for _ in range(2)]
    if planted is not None:
        wander[1][planted] *= args.factor
    for minute in range(args.minutes):
        version = int(minute * 2 >= args.minutes)
        at_s = args.end - (args.minutes - minute) * STEP_S
        for pod in range(2):
            busy = load * rng.gauss(1, 0.1) * SAMPLES_A_SECOND * STEP_S
            means = [max(0, program.share(i) * busy * rng.gauss(1, 0.02)) *
                     wander[version][i] for i in range(FUNCTIONS)]
            client.add(series(
                {"__name__": "process_cpu", "service_name": name,
                 "pod": f"{name}-{pod}", "version": str(version + 1)},
                profile(program, means, at_s, rng)))


def send(args):
    client, planted = Client(args.url), {}
    names = [f"{args.prefix}-{n:03}" for n in range(args.services)]
    order = names[:]
    random.Random(args.seed).shuffle(order)
    rngs = {name: random.Random(f"{args.seed} {name}") for name in names}
    programs = {name: Program(name, rngs[name]) for name in names}
    chosen = {}
    for name in order:
        choice = programs[name].candidate(rngs[name], *args.share)
        if choice is not None and len(chosen) < args.planted:
            chosen[name] = choice
    for name in names:
        choice = chosen.get(name)
        if choice is not None:
            planted[name] = {
                "function": programs[name].names[choice],
                "share": round(programs[name].share(choice), 4)}
        send_service(client, name, programs[name], choice, args, rngs[name])
    client.flush()
    json.dump({"sent": client.sent, "end": args.end, "minutes": args.minutes,
               "prefix": args.prefix, "factor": args.factor,
               "wander": args.wander, "planted": planted},
              sys.stdout, indent=1)
    print()


# ---- asking ----

def sweep(args, truth):
    """The answer, how long it took and the most memory, in MiB."""
    end, half = truth["end"], truth["minutes"] * STEP_S // 2
    start = end - half if not args.by_version else end - 2 * half
    baseline = ("version" if args.by_version else
                f"{end - 2 * half}..{end - half}")
    begin = time.monotonic()
    done = subprocess.run(
        [args.tracefind, "check", "--all", "-o", "json",
         "--profiles-url", f"pyroscope+{args.url}", "--from", str(start),
         "--to", str(end), "--baseline", baseline, *args.options],
        capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return json.loads(done.stdout), time.monotonic() - begin, memory


def ask(args):
    truth = json.loads(open(args.truth, encoding="utf-8").read())
    answer, seconds, memory = sweep(args, truth)
    planted = truth["planted"]
    rows = {row["service"]: row for row in answer["services"]
            if row["service"].startswith(truth["prefix"] + "-")}
    grown = {name for name, row in rows.items() if row["grown"]}
    right = sum(row["functions"][0]["function"] == planted[name]["function"]
                for name, row in rows.items()
                if name in planted and name in grown)
    others = sum(row["grown"] for row in answer["services"]) - len(grown)
    print(f"{len(rows)} services ({len(answer['services'])} in all), "
          f"{sum(r['state'] == 'compared' for r in rows.values())} judged; "
          f"found {len(grown & set(planted))} of {len(planted)}, "
          f"function right in {right}; false {len(grown - set(planted))}; "
          f"{others} elsewhere; {seconds:.1f} s, {memory:.0f} MiB")
    if args.names:
        print("missed:", *sorted(set(planted) - grown))
        print("false:", *sorted(grown - set(planted)))


def main():
    parser = argparse.ArgumentParser()
    modes = parser.add_subparsers(required=True)
    mode = modes.add_parser("send")
    mode.set_defaults(run=send)
    mode.add_argument("--url", default="http://127.0.0.1:4040")
    mode.add_argument("--services", type=int, default=300)
    mode.add_argument("--planted", type=int, default=30)
    mode.add_argument("--minutes", type=int, default=20)
    mode.add_argument("--end", type=int, default=int(time.time()))
    mode.add_argument("--prefix", default="fleet")
    mode.add_argument("--seed", type=int, default=1)
    mode.add_argument("--share", type=float, nargs=2, default=(0.05, 0.2))
    mode.add_argument("--factor", type=float, default=1.3)
    mode.add_argument("--wander", type=float, default=0)
    mode = modes.add_parser("ask")
    mode.set_defaults(run=ask)
    mode.add_argument("tracefind")
    mode.add_argument("truth")
    mode.add_argument("--url", default="http://127.0.0.1:4040")
    mode.add_argument("--by-version", action="store_true")
    mode.add_argument("--names", action="store_true")
    mode.add_argument("options", nargs="*", default=[])
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
