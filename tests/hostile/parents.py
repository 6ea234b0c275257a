#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces whose spans name impossible parents, or share what should be theirs
alone, in every order.

usage: parents.py TRACEFIND [--all]

The answer must not depend on the order of spans and of their groups: it is
asked for with them shuffled, 100 times with --all, and each must be the first
byte by byte. An order of the two shapes of 100,000 spans takes as long as hundreds
of the others. Each shape is answered, with the spans that have to be found in it,
and a note. TAP, a line a shape.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "safety")]
import figures  # noqa: E402
from making import MS, START_NS, TRACE, group, otlp, span  # noqa: E402

LIMIT_S = 120
ORDERS = 100
ORDERS_FAST = 3
ORDERS_LARGE_FAST = 2
CYCLE = 100000
COMMANDS = [["show"], ["show", "-o", "json", "--events"],
            ["slow", "-o", "json", "--profiles-url", "file:profile.folded"], ["show", "-o", "html"]]
OTHER = "000000000000000000000000000000ff"


def at(number, parent, start_ms, end_ms, name=None, **more):
    return span(number, parent, name or f"op {number}", START_NS + int(start_ms * MS), START_NS + int(end_ms * MS),
                **more)


def tree(count=12):
    """Each below the one of half its number, all within it."""
    return [at(i, i // 2, i, 200 - i) for i in range(1, count + 1)]


def self_parent():
    return tree() + [at(40, 40, 50, 90)]


def two_cycle():
    return tree() + [at(40, 41, 50, 90), at(41, 40, 40, 95)]


def only_a_cycle():
    return [at(i, i % 7 + 1, 10, 100) for i in range(1, 8)]


def cycle_with_tail():
    return [at(i, i % 5 + 1, i, 100 + i) for i in range(1, 6)] + [at(10, 3, 20, 30), at(11, 10, 21, 29)]


def equal_cycles():
    """Nothing tells them apart but their ids."""
    return [at(10 * k + i, 10 * k + (i + 1) % 4, 5, 50, "op") for k in range(1, 6) for i in range(4)]


def orphans():
    return tree() + [at(40 + i, 900 + i // 2, 30, 60 + i, "lost") for i in range(8)]


def only_orphans():
    return [at(i, 900 + i, 10, 20, "lost") for i in range(1, 9)]


def equal_duplicates():
    return tree() + tree() + tree()[:4]


def other_duplicates():
    """The same ids and lengths with other names, attributes and parents."""
    return tree() + [at(5, 2, 5, 195, "another"), at(5, 2, 5, 195, "a third"), at(6, 1, 6, 194),
                     at(7, 3, 7, 193, attrs={"http.route": "/a"}), at(7, 3, 7, 193, attrs={"http.route": "/b"}),
                     at(8, 4, 8, 192, status={"code": 2, "message": "x"}),
                     at(8, 4, 8, 192, status={"code": 2, "message": "y"}),
                     at(9, 4, 9, 191, events=[{"timeUnixNano": "1", "name": "e"}]),
                     at(9, 4, 9, 191, events=[{"timeUnixNano": "1", "name": "f"}])]


def longer_duplicates():
    """Two of them begin elsewhere: they are others with the same id."""
    return tree() + [at(5, 2, 5, 300), at(5, 2, 1, 100), at(6, 3, 6, 0), at(6, 3, 0, 0)]


def shared_client_and_server():
    pairs = [[at(i, i // 2 if i > 1 else 0, i, 200 - i, "call", kind=3),
              at(i, i // 2 if i > 1 else 0, i + 1, 199 - i, "serve", kind=2)] for i in range(1, 8)]
    return [s for pair in pairs for s in pair]


def shared_by_all_kinds():
    return tree(3) + [at(40, 2, 40, 60, f"kind {k}", kind=k) for k in range(6)] + [at(41, 40, 45, 50)]


def two_traces():
    """Of the same ids; the other one is shorter."""
    return tree() + [{**s, "traceId": OTHER} for s in tree(5)]


def two_equal_traces():
    """Only the ids of the traces tell them apart."""
    return [at(i, i // 2, 1, 100) for i in range(1, 6)] + [
        {**at(i, i // 2, 1, 100), "traceId": OTHER} for i in range(1, 6)]


def many_traces():
    """Of different lengths, but for two."""
    return [{**at(i, i // 2, 1, 100 - 10 * (k % 5)), "traceId": "%032x" % (100 + k)}
            for k in range(6) for i in range(1, 4)]


def zero_ids():
    return tree(4) + [{**at(1, 2, 20, 60, "no id"), "spanId": "0000000000000000"},
                      {**at(1, 0, 20, 60, "no id"), "spanId": "0000000000000000"},
                      {**at(1, 3, 20, 70, "empty id"), "spanId": ""}]


def zero_trace_id():
    return [{**s, "traceId": "0" * 32} for s in tree()]


def equal_times():
    return [at(i, 1 if i > 1 else 0, 10, 20, "op", kind=1 + i % 5) for i in range(1, 40)]


def equal_roots():
    return [at(i, 0, 10, 20, "op") for i in range(1, 20)]


def outside():
    """Children before, after and around their parents."""
    return [at(1, 0, 50, 100), at(2, 1, 0, 40), at(3, 1, 110, 300), at(4, 1, 0, 400), at(5, 2, 90, 95),
            at(6, 4, -100, -50), at(7, 3, 50, 60)]


def unfinished():
    return [at(1, 0, 0, 0), at(2, 1, 10, 5), at(3, 2, 20, 20), at(4, 3, 30, 90), at(5, 9, 50, 40),
            {**at(6, 1, 20, 30), "endTimeUnixNano": "0"}, {**at(7, 1, 20, 30), "startTimeUnixNano": "0"}]


def long_cycle():
    return [at(i, i % CYCLE + 1, 10, 100, "op") for i in range(1, CYCLE + 1)]


def long_chain():
    return [at(i, i - 1, i / 1000, 400 - i / 1000, "op") for i in range(1, CYCLE + 1)]


# How many spans are left, and what has to be said.
SHAPES = [
    (self_parent, 13, "cycle"), (two_cycle, 14, "cycle"), (only_a_cycle, 7, "cycle"), (cycle_with_tail, 7, "cycle"),
    (equal_cycles, 20, "cycle"), (orphans, 20, "missing|parent"), (only_orphans, 8, "parent"),
    (equal_duplicates, 12, ""), (other_duplicates, 12, "repeat the id of another"),
    (longer_duplicates, 14, "repeat the id of another"), (shared_client_and_server, 14, ""), (shared_by_all_kinds, 9, ""),
    (two_traces, 12, "trace"), (two_equal_traces, 5, "trace"), (many_traces, 3, "6 traces"),
    (zero_ids, 7, ""), (zero_trace_id, 12, ""),
    (equal_times, 39, ""), (equal_roots, 19, ""), (outside, 7, ""), (unfinished, 7, ""),
]
LARGE = [(long_cycle, CYCLE, "cycle"), (long_chain, CYCLE, "")]


def documents(spans, count, random_source):
    """The spans in so many orders, the first as it is; each of three services
    has its own, whose groups are several."""
    for turn in range(count):
        order = list(spans)
        if turn:
            random_source.shuffle(order)
        groups = []
        size = max(1, len(order) // (1 + turn % 4))
        for i in range(0, len(order), size):
            for service in range(3):
                mine = [s for s in order[i:i + size] if int(s["spanId"] or "0", 16) % 3 == service]
                if mine:
                    groups.append(group(f"service {service}", mine, {"host.name": "h"}))
        if turn:
            random_source.shuffle(groups)
        yield otlp(groups)


def ask(program, folder, command):
    path = str(folder / "trace.json")
    done = subprocess.run([program, command[0], path, *command[1:]], cwd=folder, capture_output=True,
                          timeout=LIMIT_S, env={**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"})
    return done.returncode, done.stdout, done.stderr


def check_first(answers, count, note):
    for status, _, err in answers:
        if status:
            return f"status {status}: {err[:200]!r}"
    out = answers[1][1]
    found = json.loads(out)
    if found["trace"]["spans"] != count:
        return f"{found['trace']['spans']} spans"
    notes = " ".join(found["notes"])
    return None if re.search(note, notes) else f"no {note!r} in {notes!r}"


def try_shape(program, folder, shape, orders, commands):
    make, count, note = shape
    random_source = random.Random(make.__name__)
    first, tried, wrong = None, 0, None
    for document in documents(make(), orders, random_source):
        (folder / "trace.json").write_text(document)
        answers = [ask(program, folder, command) for command in commands]
        tried += 1
        if first is None:
            first = answers
            wrong = wrong or check_first(answers, count, note)
        for command, one, answer in zip(commands, first, answers):
            if answer != one and not wrong:
                wrong = f"{' '.join(command)}, order {tried}: {difference(one, answer)}"
    return tried, wrong


def difference(one, answer):
    if one[0] != answer[0]:
        return f"status {answer[0]} instead of {one[0]}: {answer[2][:200]!r}"
    lines = [(a, b) for a, b in zip((one[1] + one[2]).split(b"\n"), (answer[1] + answer[2]).split(b"\n")) if a != b]
    return f"{lines[:2]}"[:400]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    shapes = SHAPES + LARGE
    total = failed = 0
    print(f"1..{len(shapes)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        Path(folder, "profile.folded").write_text("main;work 10\nmain;other 20\n")
        for i, shape in enumerate(shapes, 1):
            is_large = shape in LARGE
            orders = ORDERS if options.all else ORDERS_LARGE_FAST if is_large else ORDERS_FAST
            commands = COMMANDS[:2] if is_large and not options.all else COMMANDS
            tried, wrong = try_shape(program, Path(folder), shape, orders, commands)
            total += tried
            failed += wrong is not None
            name = shape[0].__name__.replace("_", " ")
            print(f"{'not ok' if wrong else 'ok'} {i} - {name}, {tried} orders", flush=True)
            if wrong:
                print("#   " + wrong.replace("\n", "\\n"), flush=True)
    figures.record("parents", total, failed, shapes=len(shapes))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
