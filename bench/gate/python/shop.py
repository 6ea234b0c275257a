# SPDX-License-Identifier: Apache-2.0
"""Answers orders as a small service does, and profiles itself: a timer that is
finer than the kernel's clock tick, and folded stacks.

    shop.py ORDERS OUT.folded [FUNCTION=PERCENT]... [timer=cpu]

timer=cpu: of the time on CPU, as often as the kernel's clock ticks, so that what
other programs take is not sampled.
"""

import collections
import hashlib
import json
import re
import signal
import sys

SAMPLES_A_SECOND = 2000
CODE = re.compile(r"^[a-z]+-[0-9]+$")


def discount(items, rounds):
    total = 0.0
    for n in range(rounds):
        for item in items:
            total += item["price"] * (item["count"] + n % 7)
    return total


def route(user, rounds):
    at = 2166136261
    for _ in range(rounds):
        for letter in user:
            at = (at ^ ord(letter)) * 16777619 & 0xFFFFFFFF
    return at % 64


def score(items, rounds):
    best = 0.0
    for n in range(rounds):
        for i, item in enumerate(items):
            rank = item["price"] * (n % 13) - i * item["count"]
            if rank > best:
                best = rank
    return best


def valid(items):
    return sum(1 for item in items if CODE.match(item["name"]))


def groups(items):
    by = collections.Counter()
    for item in items:
        by[item["name"][:3].upper()] += item["count"]
    return by


def sign(text):
    return hashlib.sha256(text).hexdigest()


def rank(items):
    return sorted(items, key=lambda item: (item["price"], item["name"]))


def parse(text):
    return [{"name": w[0], "price": float(w[1]), "count": int(w[2])}
            for w in (line.split(",") for line in text.splitlines())]


def render(items):
    return "\n".join(f"{i['name']}: {i['price']:.2f} x {i['count']}"
                     for i in items).encode()


def handle(text, effort):
    items = rank(parse(text))
    total = discount(items[:27], effort["discount"])
    total += score(items[:29], effort["score"])
    where = route("somebody-with-a-name", effort["route"])
    out = render(items)
    return json.dumps({"total": total, "route": where + valid(items),
                       "groups": groups(items), "sign": sign(out)})


class Sampler:
    """Counts the stacks of the main thread each time the timer fires."""

    def __init__(self, is_cpu):
        self.stacks = collections.Counter()
        self.timer = signal.ITIMER_PROF if is_cpu else signal.ITIMER_REAL
        self.signal = signal.SIGPROF if is_cpu else signal.SIGALRM

    def take(self, _number, frame):
        names = []
        while frame:
            names.append(frame.f_code.co_name)
            frame = frame.f_back
        self.stacks[tuple(reversed(names))] += 1

    def __enter__(self):
        signal.signal(self.signal, self.take)
        step = 1 / SAMPLES_A_SECOND
        signal.setitimer(self.timer, step, step)
        return self

    def __exit__(self, *_):
        signal.setitimer(self.timer, 0)

    def write(self, path):
        with open(path, "w") as out:
            for stack, count in sorted(self.stacks.items()):
                print(";".join(stack), count, file=out)


def main():
    effort = {"discount": 100, "route": 100, "score": 100}
    words = sys.argv[3:]
    is_cpu = "timer=cpu" in words
    for word in words:
        if word == "timer=cpu":
            continue
        name, percent = word.split("=")
        effort[name] = int(percent)
    usual = {"discount": 20, "route": 30, "score": 30}
    rounds = {name: usual[name] * effort[name] // 100 for name in usual}
    text = "\n".join(f"abc-{i * 7 % 400},{i * 31 % 400},{i}"
                     for i in range(400))
    with Sampler(is_cpu) as sampler:
        for _ in range(int(sys.argv[1])):
            handle(text, rounds)
    sampler.write(sys.argv[2])


if __name__ == "__main__":
    main()
