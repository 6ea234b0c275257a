#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads the demo, and says which requests were slow.

Each request has a trace id made here, so that each line of the result can be
opened. Progress goes to standard error, the table to standard output.
"""
import argparse
import collections
import http.client
import json
import queue
import random
import secrets
import sys
import threading
import time
import urllib.error
import urllib.request
from typing import NamedTuple

TIMEOUT_S = 30
PERCENTILES = (50, 95, 99)
ROUTES = "/=1,/items=1"


class Result(NamedTuple):
    route: str
    seconds: float
    trace_id: str
    failure: str  # empty when there was none


def parse_routes(text):
    """"/=3,/health=1": routes and how often each is taken beside the others."""
    weights = {}
    for part in text.split(","):
        route, _, weight = part.rpartition("=")
        if not route.startswith("/"):
            raise argparse.ArgumentTypeError(f"{part!r} is not ROUTE=WEIGHT")
        try:
            weights[route] = float(weight)
        except ValueError:
            raise argparse.ArgumentTypeError(
                f"{weight!r} is no weight of {route}") from None
        if not 0 < weights[route] < float("inf"):
            raise argparse.ArgumentTypeError(
                f"{weight!r} is no weight of {route}")
    return weights


def positive(text):
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def whole(text):
    number = positive(text)
    if number != int(number):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(number)


def percentile(ordered, percent):
    """Of the nearest rank: a value that was measured."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def ask(base, route):
    """One request; what the frontend tells of a failure behind it is one."""
    trace_id = secrets.token_hex(16)
    request = urllib.request.Request(base + route, headers={
        "traceparent": f"00-{trace_id}-{secrets.token_hex(8)}-01"})
    begin = time.monotonic()
    failure = ""
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            api = json.loads(answer.read()).get("api") or {}
            failure = api.get("error", "")
    except (urllib.error.URLError, http.client.HTTPException, OSError,
            ValueError) as error:
        failure = str(error)
    return Result(route, time.monotonic() - begin, trace_id, failure)


class Load:
    """Requests that begin at random moments, at a rate on average, whether or
    not those before them have ended, but never more than so many at a time."""

    def __init__(self, base, rate, concurrency, routes, random_source=random):
        self.base, self.rate = base, rate
        self.routes, self.weights = zip(*routes.items())
        self.random = random_source
        self.waiting = queue.Queue()
        self.results = collections.deque()
        self.threads = [threading.Thread(target=self.work, daemon=True)
                        for _ in range(concurrency)]

    def work(self):
        while (route := self.waiting.get()) is not None:
            self.results.append(ask(self.base, route))

    def run(self, requests, progress=lambda load, sent: None):
        """Until all have an answer; self.results has those so far."""
        for thread in self.threads:
            thread.start()
        for sent in range(1, requests + 1):
            self.waiting.put(*self.random.choices(self.routes, self.weights))
            progress(self, sent)
            time.sleep(self.random.expovariate(self.rate))
        for _ in self.threads:
            self.waiting.put(None)
        for thread in self.threads:
            thread.join()


def milliseconds(seconds):
    return f"{seconds * 1000:.1f}"


def table(results):
    """Lines: a route each, then its slowest requests."""
    by_route = collections.defaultdict(list)
    for result in results:
        by_route[result.route].append(result)
    rows = [["route", "requests", "failed", "mean ms",
             *(f"p{p} ms" for p in PERCENTILES), "max ms"]]
    for route, of_route in sorted(by_route.items()):
        seconds = sorted(r.seconds for r in of_route)
        rows.append([route, str(len(seconds)),
                     str(sum(bool(r.failure) for r in of_route)),
                     milliseconds(sum(seconds) / len(seconds)),
                     *(milliseconds(percentile(seconds, p))
                       for p in PERCENTILES),
                     milliseconds(seconds[-1])])
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join([row[0].ljust(widths[0]),
                       *map(str.rjust, row[1:], widths[1:])]) for row in rows]


def slowest(results, count):
    """Of each route, those to open."""
    by_route = collections.defaultdict(list)
    for result in sorted(results, key=lambda r: -r.seconds):
        if len(by_route[result.route]) < count:
            by_route[result.route].append(result)
    return [result for _, of_route in sorted(by_route.items())
            for result in of_route]


def report(results, count, is_open):
    if is_open:
        return [f"tracefind slow {r.trace_id}    # {r.route} "
                f"{milliseconds(r.seconds)} ms"
                for r in slowest(results, count)]
    lines = table(results) + ["", "slowest"]
    for r in slowest(results, count):
        told = f"  {r.failure}" if r.failure else ""
        lines.append(f"{milliseconds(r.seconds):>8} ms  {r.trace_id}  "
                     f"{r.route}{told}")
    return lines


def tell_progress(requests):
    """Ten lines, or one that changes on a terminal."""
    is_terminal = sys.stderr.isatty()
    step = max(1, requests // 10)

    def tell(load, sent):
        if is_terminal or sent % step == 0 or sent == requests:
            failed = sum(bool(r.failure) for r in list(load.results))
            print(f"{chr(13) if is_terminal else ''}{sent} of {requests} sent,"
                  f" {len(load.results)} answered, {failed} failed",
                  end="" if is_terminal and sent < requests else "\n",
                  file=sys.stderr, flush=True)
    return tell


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--url", default="http://localhost:8080",
                        help="the frontend (%(default)s)")
    parser.add_argument("--requests", type=whole, default=150)
    parser.add_argument("--rate", type=positive, default=3,
                        help="requests a second, on average (%(default)s)")
    parser.add_argument("--concurrency", type=whole, default=15,
                        help="requests at a time at most (%(default)s)")
    parser.add_argument("--routes", type=parse_routes, default=ROUTES,
                        help="and how often each is taken (%(default)s)")
    parser.add_argument("--slowest", type=whole, default=3,
                        help="of each route, so many ids (%(default)s)")
    parser.add_argument("--open", action="store_true",
                        help="print commands that open the slowest instead")
    args = parser.parse_args()
    made = Load(args.url.rstrip("/"), args.rate, args.concurrency, args.routes)
    try:
        made.run(args.requests, tell_progress(args.requests))
    except KeyboardInterrupt:
        print("interrupted; what has come so far:", file=sys.stderr)
    results = list(made.results)
    if not results:
        print("no request has ended", file=sys.stderr)
        return 1
    print("\n".join(report(results, args.slowest, args.open)))
    return 1 if all(r.failure for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
