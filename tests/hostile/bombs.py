#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small inputs that mean to fill the memory or to keep the machine busy.

usage: bombs.py TRACEFIND [--all] [--cpu SECONDS] [--memory BYTES]

Each is made on the spot (the larger ones with --all only), and has to be refused
by its name or to be answered with what is left of it told, within so many
seconds of the processor (2; of the clock it may be more) and so much memory of
addresses (1.5 GiB: the heap of one model, limits.h, and half of it for the
program, its libraries and an answer). 0: no limit, for builds whose sanitizer
takes more. TAP.
"""
import argparse
import base64
import functools
import gzip
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "cli"), str(HERE.parent / "safety")]
import figures  # noqa: E402
from making import Pprof, data, number, varint  # noqa: E402
from scripted import Server  # noqa: E402

CPU_S = 2.0
MEMORY_BYTES = 3 << 29
WALL_S = 300
MIB = 1 << 20
OTLP = b'{"resourceSpans":['
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"00000000000000a1",' \
       '"startTimeUnixNano":"1764000000000000000","endTimeUnixNano":"1764000000100000000",' % TRACE

# A line behind the others: who knows of it has read them.
LAST = (SPAN.replace("00a1", "00a2") + '"name":"last"}]}]}]}\n').encode()


class Bomb:
    """How it is made and run, and what has to be said of it: of an answer, what
    only who has read all of it can say."""

    def __init__(self, name, make, args, said, status=7, is_large=False):
        self.name, self.make, self.args = name, make, args
        self.said, self.status, self.is_large = said, status, is_large


def packed(head, unit, plain_bytes):
    """Gzip of the head and of so many bytes of repeated units, about a
    thousandth of them: blocks that end at a byte may be repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    front = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(unit * (16 * MIB // len(unit))) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + front + block * (plain_bytes // (16 * MIB))


def packed_json():
    return packed(OTLP, b" ", 10 << 30)


def packed_folded():
    return packed(b"", b"main;work 1\n" + b" " * 500, 10 << 30)


def packed_members():
    member = gzip.compress(b"\n" * (64 * MIB), 9, mtime=0)
    return gzip.compress(b"main;work 1\n", mtime=0) + member * 160


@functools.lru_cache
def five_times():
    plain = packed(b"main;work 1\n", b"\n", 10 << 30)
    for _ in range(4):
        plain = gzip.compress(plain, 9, mtime=0)
    return plain


def deep(opening):
    """A million levels below a key that means nothing."""
    return lambda: OTLP + b'{"x":' + opening * (1000000)


def nested_any_values(size):
    """As many levels as fit into so many bytes: ArrayValue within AnyValue."""
    value = data(1, b"x")
    while len(value) < size:
        value = data(5, data(1, value))
    attr = data(1, "db.statement") + data(2, value)
    one = data(1, bytes.fromhex(TRACE)) + data(2, b"\1" * 8) + data(5, "op") + \
        b"\x39" + (1764000000000000000).to_bytes(8, "little") + \
        b"\x41" + (1764000000100000000).to_bytes(8, "little") + data(9, attr)
    return data(1, data(2, data(2, one)))


def hash_ids(step):
    """Numbers of locations that only a poor hash tells apart."""
    out = bytearray(data(1, number(1, 1) + number(2, 2)))
    for i in range(1, 300001):
        out += data(4, number(1, i * step)) + data(2, data(1, varint(i * step)) + data(2, varint(1)))
    return bytes(out) + b"".join(data(6, t) for t in (b"", b"cpu", b"nanoseconds"))


def one_sample(depth):
    p = Pprof()
    here = p.location("f")
    p.sample([here] * depth, 1)
    return p.bytes()


def inlined(lines, depth, samples):
    """Locations of many functions each, many of them in each sample."""
    p = Pprof()
    here = p.location("f")
    p.parts.append(data(4, number(1, 2) + b"".join(data(4, number(1, here)) for _ in range(lines))))
    sample = data(2, data(1, varint(2) * depth) + data(2, varint(1)))
    return p.bytes() + sample * samples


def strings(count):
    return data(1, number(1, 1) + number(2, 2)) + data(6, b"") + data(6, b"cpu") + b"\x32\0" * count


def long_field(front, field):
    return lambda: front() + varint(field << 3 | 2) + varint((1 << 63) - 1) + b"x" * 64


def packed_varints():
    p = Pprof()
    p.location("f")
    p.parts.append(data(2, data(1, b"\1" * (48 * MIB)) + data(2, varint(1))))
    return p.bytes()


def objects(count):
    return OTLP + b"{}," * (count - 1) + b"{}]}"


def span_objects(count):
    return b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + b"{}," * (count - 1) + b"{}]}]}]}"


def many_attributes(count):
    one = '{"key":"k%d","value":{"intValue":"1"}}'
    kept = '{"key":"http.request.header.h%d","value":{"stringValue":"v"}}'
    return (SPAN + '"name":"op","attributes":[' +
            ",".join((kept if i % 2 else one) % i for i in range(count)) + "]}]}]}]}").encode()


def many_references(count):
    span = {"traceID": TRACE, "spanID": "00000000000000a1", "operationName": "op", "startTime": 1,
            "duration": 1, "processID": "p1"}
    text = json.dumps({"data": [{"traceID": TRACE, "spans": [span],
                                 "processes": {"p1": {"serviceName": "s"}}}]})
    ref = '{"refType":"CHILD_OF","traceID":"%s","spanID":"00000000000000a1"}' % TRACE
    return text.replace('"processID"', '"references": [%s], "processID"' % ",".join([ref] * count),
                        1).encode()


def equal_keys(count):
    return (SPAN + '"name":"op",' + '"name":"op",' * count + '"kind":2}]}]}]}\n').encode() + LAST


def long_string():
    """Piece by piece, for standard input."""
    yield (SPAN + '"name":"').encode()
    for _ in range(500):
        yield b"a" * MIB
    yield b'","kind":2}]}]}]}'


def many_documents(count):
    """So many without a span; the first has one, so that it is known what they are."""
    return (SPAN + '"name":"op"}]}]}]}\n').encode() + b"{}\n" * count + LAST


def swapped_names(count):
    """Each of two words whose sum, or exclusive or, is that of many others."""
    return b"".join(b"%08d%08d 1\n" % (i, count - i) for i in range(count))


def tree_answer(count):
    """A chain of so many nodes: name, self and the number of children."""
    return b"".join(b"\1f\1\1" for _ in range(count))


def case_of(body):
    entry = {"request": {"method": "GET", "url": "http://h/x", "headers": []},
             "response": {"status": 200, "headers": [], "content": {"text": ""}}, "time": 1}
    return json.dumps({"log": {"version": "1.2", "entries": [entry] * body}}).encode()


SHOW, PROFILE = ["show"], ["profile"]
BOMBS = [
    Bomb("gzip of 10 GiB of blanks in JSON", packed_json, SHOW, r"more than \d+ times its size"),
    Bomb("gzip of 10 GiB of folded stacks", packed_folded, PROFILE, r"more than \d+ times its size"),
    Bomb("gzip of 160 members of 64 MiB", packed_members, PROFILE, r"more than \d+ times its size"),
    Bomb("gzip five times", five_times, PROFILE, r"gzip inside compressed data"),
    Bomb("gzip five times as a trace", five_times, SHOW, r"gzip inside compressed data"),
    Bomb("1M lists in each other", deep(b"["), SHOW, r"nested deeper than the limit"),
    Bomb("1M objects in each other", deep(b'{"a":'), SHOW, r"nested deeper than the limit"),
    Bomb("20M {} for resources", lambda: objects(20000000), SHOW, r"holds no spans", 5, is_large=True),
    Bomb("20M {} for spans", lambda: span_objects(20000000), SHOW, r"more than 2000000 spans", is_large=True),
    Bomb("20M {} a line", lambda: many_documents(20000000), SHOW, r"2 spans in 1 service", 0, is_large=True),
    Bomb("34 KB of nested AnyValue", lambda: nested_any_values(34000), SHOW, r"nested too deeply"),
    Bomb("ids that are multiples of 2^32", lambda: hash_ids(1 << 32), PROFILE, r"profile +300 us of CPU", 0),
    Bomb("ids that are multiples of 2^20 + 1", lambda: hash_ids((1 << 20) + 1), PROFILE, r"profile +300 us of CPU", 0,
         is_large=True),
    Bomb("250,000 names of equal sums", lambda: swapped_names(250000), PROFILE, r"249990 more functions", 0),
    Bomb("a key a million times", lambda: equal_keys(1000000), SHOW, r"2 spans in 1 service", 0),
    Bomb("one sample of 1M frames", lambda: one_sample(1000000), PROFILE, r"frames lost their middle", 0),
    Bomb("a folded stack of 1M frames", lambda: b"a;" * 1000000 + b"b 1\n", PROFILE, r"frames lost their middle", 0),
    Bomb("a string of 500 MiB", long_string, SHOW, r"over 64 KiB", 0, is_large=True),
    Bomb("a length of 2^63-1 in a trace", long_field(lambda: nested_any_values(3), 1), SHOW, r"damaged or cut off"),
    Bomb("a length of 2^63-1 in a profile", long_field(lambda: one_sample(3), 2), PROFILE, r"damaged or cut off|of no known kind"),
    Bomb("a million attributes", lambda: many_attributes(1000000), ["show", "--events"],
         r"attributes past the 40,000th", 0),
    Bomb("a million references", lambda: many_references(1000000), SHOW, r"forms a cycle", 0),
    Bomb("48 MiB of packed varints", packed_varints, PROFILE, r"frames lost their middle", 0, is_large=True),
    Bomb("locations of 4,000 functions each", lambda: inlined(4000, 4000, 4000), PROFILE, r"more than 400000000 frames"),
    Bomb("30M empty strings", lambda: strings(30000000), PROFILE, r"holds no samples", 5, is_large=True),
    Bomb("an answer packed five times", five_times, ["show", TRACE, "--traces-url"],
         r"encod|gzip|damaged|neither"),
    Bomb("a case of 100,000 requests", lambda: case_of(100000), ["show", TRACE, "--replay"], r"at most 4000 requests"),
]


def limits(memory_bytes):
    def apply():
        if memory_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return apply


def write(bomb, path):
    """Its file, or None for one that comes by standard input."""
    content = bomb.make()
    if not isinstance(content, bytes):
        return None
    path.write_bytes(content)
    return path


def spawn(program, args, folder, memory_bytes, pieces=()):
    """(status, output, CPU seconds) with these pieces on standard input."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [program, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, cwd=folder, preexec_fn=limits(memory_bytes),
        env={**os.environ, "HOME": folder, "LC_ALL": "C"})
    try:
        for piece in pieces:
            process.stdin.write(piece)
    except BrokenPipeError:
        pass
    out, _ = process.communicate(timeout=WALL_S)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return process.returncode, out.decode("utf-8", "replace"), cpu_s


def run(program, bomb, folder, memory_bytes):
    if "--traces-url" in bomb.args:
        body = base64.b64encode(bomb.make()).decode()
        script = Path(folder) / "script.json"
        script.write_text(json.dumps({"routes": [{"reply": {"base64": body, "headers": {
            "Content-Type": "application/protobuf",
            "Content-Encoding": ", ".join(["gzip"] * 5)}}}]}))
        with Server({"like": str(script)}) as server:
            return spawn(program, [*bomb.args, "tempo+" + server.url], folder, memory_bytes)
    path = write(bomb, Path(folder) / "bomb")
    return spawn(program, [*bomb.args, str(path or "-")], folder, memory_bytes,
                 () if path else bomb.make())


def judge(bomb, status, out, cpu_s, cpu_limit_s):
    if status != bomb.status:
        return f"status {status}: {out[:300]}"
    if not re.search(bomb.said, out):
        return f"not {bomb.said!r} in {out[:300]!r}"
    if cpu_limit_s and cpu_s > cpu_limit_s:
        return f"{cpu_s:.2f} s"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--cpu", type=float, default=CPU_S)
    parser.add_argument("--memory", type=int, default=MEMORY_BYTES)
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    bombs = [b for b in BOMBS if options.all or not b.is_large]
    failed, longest = 0, 0.0
    print(f"1..{len(bombs)}", flush=True)
    for i, bomb in enumerate(bombs, 1):
        with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
            status, out, cpu_s = run(program, bomb, folder, options.memory)
        wrong = judge(bomb, status, out, cpu_s, options.cpu)
        failed += wrong is not None
        longest = max(longest, cpu_s)
        print(f"{'not ok' if wrong else 'ok'} {i} - {bomb.name}, {cpu_s:.2f} s", flush=True)
        if wrong:
            print("#   " + wrong.replace("\n", "\n#   "), flush=True)
        if os.environ.get("VERBOSE"):
            print("#   " + out[:400].replace("\n", "\n#   "))
    figures.record("bombs", len(bombs), failed, longest_cpu_s=round(longest, 2))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
