#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `check` says that requests take longer, when they do and when not.

usage: latency.py TRACEFIND [--pairs N] [--requests N] [--drift CV] [--hang A]
                  [--factor F] [--operations N] [--seed N]
                  [--table | --record CASE [--by-version]]

Draws the requests of a service in two windows of half an hour: each operation
is a mixture of log-normal durations (most are quick, one in eight goes to a
slow store), and all of them drift together from one eighth of a window to the
next, by CV, of which A hangs on. In the later window the first operation takes
F times as long. The program asks for them as it would ask a Tempo: a server on
the loopback has them, and answers searches as one does, the newest first.

Prints how many pairs had a claim about an operation that did not change, and
in how many the one that did was named. --table prints the rows of
docs/lab/verdict.md, --record keeps what is asked and answered of one pair.
"""
import argparse
import json
import math
import random
import subprocess
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

LENGTH_S = 1800
PARTS = 8
AFTER_S = 1_764_000_000  # where the later window begins
BEFORE_S = AFTER_S - LENGTH_S - 30  # where the window before it does
SERVICE = "drawn"
NAMES = [f"GET /{word}" for word in ("cart", "items", "users", "prices",
                                     "orders", "stock", "login", "search")]
LIMIT_S = 60


def duration_ms(rng):
    if rng.random() < 0.12:
        return rng.lognormvariate(math.log(60), 0.6)
    return rng.lognormvariate(math.log(15), 0.45)


def drifts(rng, args):
    level = rng.gauss(0, args.drift)
    for _ in range(2 * PARTS):
        yield math.exp(level)
        level = (args.hang * level +
                 math.sqrt(1 - args.hang ** 2) * rng.gauss(0, args.drift))


def draw(args, factor, seed):
    """Requests of both windows: start (ns), duration (ns), operation."""
    rng = random.Random(seed)
    level = list(drifts(rng, args))
    spans = []
    for operation in range(args.operations):
        for window, begin_s in enumerate((BEFORE_S, AFTER_S)):
            for _ in range(args.requests):
                at = rng.random()
                ms = duration_ms(rng) * level[window * PARTS +
                                              int(at * PARTS)]
                if window and not operation:
                    ms *= factor
                spans.append((int((begin_s + at * LENGTH_S) * 1e9),
                              int(ms * 1e6), operation))
    return sorted(spans, reverse=True)


def attribute(key, value):
    return {"key": key, "value": {"stringValue": value}}


def version(start):
    return "2" if start >= AFTER_S * 10 ** 9 else "1"


def answer(spans, from_s, to_s, limit):
    traces = []
    for start, duration, operation in spans:
        if not from_s * 10 ** 9 <= start < to_s * 10 ** 9:
            continue
        if len(traces) == limit:
            break
        name = NAMES[operation]
        traces.append({
            "traceID": f"{start:032x}", "rootServiceName": SERVICE,
            "rootTraceName": name, "startTimeUnixNano": str(start),
            "durationMs": duration // 10 ** 6,
            "spanSets": [{"matched": 1, "spans": [{
                "spanID": f"{start % 2 ** 64:016x}", "name": name,
                "startTimeUnixNano": str(start),
                "durationNanos": str(duration),
                "attributes": [attribute("service.name", SERVICE),
                               attribute("service.version", version(start)),
                               attribute("kind", "server"),
                               attribute("status", "unset")]}]}]})
    return {"traces": traces}


def counts(spans, from_ns, to_ns, step_ms):
    step = step_ms * 10 ** 6
    times = range(from_ns - from_ns % step, to_ns, step)
    found = Counter((start - times[0]) // step for start, _, _ in spans
                    if from_ns <= start < to_ns)
    return {"series": [{"labels": [], "samples": [
        {"timestampMs": str((at + step) // 10 ** 6), "value": found[i]}
        for i, at in enumerate(times)]}]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pairs = {}

    def log_message(self, *args):
        pass

    def reply(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urlsplit(self.path)
        _, pair, path = url.path.split("/", 2)
        query = {k: v[0] for k, v in parse_qs(url.query).items()}
        if path == "api/echo":
            self.reply(200, b"echo", "text/plain")
        elif path == "api/search":
            found = answer(self.pairs[pair], int(query["start"]),
                           int(query["end"]), int(query["limit"]))
            self.reply(200, json.dumps(found).encode(), "application/json")
        elif path == "api/metrics/query_range":
            found = counts(self.pairs[pair], int(query["start"]),
                           int(query["end"]), int(query["step"][:-2]))
            self.reply(200, json.dumps(found).encode(), "application/json")
        else:
            self.reply(404, b"404 page not found", "text/plain")


def check(args, port, pair, *more):
    run = subprocess.run(
        [args.tracefind, "check", "--service", SERVICE,
         "--traces-url", f"tempo+http://127.0.0.1:{port}/{pair}",
         "--from", str(AFTER_S), "--to", str(AFTER_S + LENGTH_S),
         "--fail-on", "latency>10%", *more],
        capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if run.returncode not in (0, 5, 10):
        raise SystemExit(f"exit {run.returncode}: {run.stderr}")
    return run.stdout


def measure(args, port, factor):
    """Pairs with a false claim, those in which the slow one was named, and
    those that were told to be too few requests."""
    def one(number):
        pair = f"{factor}-{args.drift}-{args.hang}-{number}"
        Handler.pairs[pair] = draw(args, factor, f"{args.seed}-{pair}")
        found = json.loads(check(args, port, pair, "-o", "json"))
        del Handler.pairs[pair]
        names = {hit["operation"] for hit in found["broken"]}
        true = {NAMES[0]} if factor > 1 else set()
        return (bool(names - true), bool(names & true),
                found["outcome"] == "unknown")
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(one, range(args.pairs)))
    return [sum(column) for column in zip(*rows)]


def record(args, port):
    Handler.pairs["pair"] = draw(args, args.factor, args.seed)
    check(args, port, "pair", "--record", args.record,
          *(["--baseline", "version=1"] if args.by_version else []))


def drift_told(args):
    hang = f", {args.hang:g} of it goes on" if args.hang else ""
    return f"{100 * args.drift:g} %{hang}"


def row(args, port):
    equal = measure(args, port, 1)
    slow = measure(args, port, args.factor)
    print(f"| {args.operations} | {args.requests} | {drift_told(args)} | "
          f"{equal[0]} | {slow[1]} | {slow[0]} | {equal[2]} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tracefind")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--operations", type=int, default=5)
    parser.add_argument("--drift", type=float, default=0.05)
    parser.add_argument("--hang", type=float, default=0.0)
    parser.add_argument("--factor", type=float, default=1.3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--record")
    parser.add_argument("--by-version", action="store_true")
    args = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    if args.record:
        return record(args, port)
    print(f"| operations | requests | drift | equal pairs with a claim, of "
          f"{args.pairs} | {args.factor:g} times found | others claimed "
          f"beside it | cannot tell |\n|---|---|---|---|---|---|---|")
    if not args.table:
        return row(args, port)
    for operations, requests, drift, hang in (
            (1, 200, 0.0, 0), (1, 200, 0.05, 0), (5, 200, 0.0, 0),
            (5, 200, 0.03, 0), (5, 200, 0.05, 0), (5, 300, 0.05, 0),
            (5, 100, 0.05, 0),
            (5, 200, 0.1, 0), (5, 200, 0.05, 0.6), (5, 200, 0.1, 0.9)):
        args.operations, args.requests = operations, requests
        args.drift, args.hang = drift, hang
        row(args, port)
    return None


if __name__ == "__main__":
    main()
