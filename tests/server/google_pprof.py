# SPDX-License-Identifier: Apache-2.0
"""Composes profiles (profile.proto of google/pprof) from stacks.

    compose([(["main", "work /app/w.py:12"], [n, value]), ...],
            shape_of("CPU", "go"), ...)

A stack is root first; a frame is a function's name, then, after the last
space, FILE:LINE when known. Standard library only.
"""
import gzip

# profileType -> sample types, period type, period; as Google's agents of Go and
# Java send.
KINDS = {
    "CPU": ((("samples", "count"), ("cpu", "nanoseconds")),
            ("cpu", "nanoseconds"), 10_000_000),
    "WALL": ((("samples", "count"), ("wall", "nanoseconds")),
             ("wall", "nanoseconds"), 10_000_000),
    "HEAP": ((("inuse_objects", "count"), ("inuse_space", "bytes")),
             ("space", "bytes"), 524288),
    "PEAK_HEAP": ((("inuse_objects", "count"), ("inuse_space", "bytes")),
                  ("space", "bytes"), 524288),
    "HEAP_ALLOC": ((("alloc_objects", "count"), ("alloc_space", "bytes")),
                   ("space", "bytes"), 524288),
    "THREADS": ((("goroutine", "count"),), ("goroutine", "count"), 1),
    "CONTENTION": ((("contentions", "count"), ("delay", "nanoseconds")),
                   ("contentions", "count"), 1),
}
# What agents of other languages call them.
KINDS_OF = {
    "python": {
        "CPU": ((("sample", "count"), ("CPU", "nanoseconds")),
                ("CPU", "nanoseconds"), 10_000_000),
        "WALL": ((("sample", "count"), ("wall", "nanoseconds")),
                 ("wall", "nanoseconds"), 10_000_000)},
    "nodejs": {
        "WALL": ((("sample", "count"), ("wall", "microseconds")),
                 ("wall", "microseconds"), 1000),
        "HEAP": ((("objects", "count"), ("space", "bytes")),
                 ("space", "bytes"), 524288)},
}


def varint(number):
    number &= 2**64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def integer(field, number):
    return varint(field << 3) + varint(number) if number else b""


def block(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(field, numbers):
    return block(field, b"".join(varint(n) for n in numbers))


class Table:
    """Values to indexes, in the order of their first use."""

    def __init__(self, *first):
        self.index = {value: n for n, value in enumerate(first)}

    def __call__(self, value):
        return self.index.setdefault(value, len(self.index))


def split_frame(frame):
    name, _, place = frame.rpartition(" ")
    file, _, line = place.rpartition(":")
    if name and file and line.isdigit():
        return name, file, int(line)
    return frame, "", 0


def shape_of(kind, language=None):
    return KINDS_OF.get(language, {}).get(kind, KINDS[kind])


def compose(samples, shape, time_ns, duration_ns, period=None):
    """Plain bytes; a sample's values are one for each sample type."""
    sample_types, period_type, usual = shape
    strings, functions, locations = Table(""), Table(None), Table(None)
    body = b""
    for name, unit in sample_types:
        body += block(1, integer(1, strings(name)) + integer(2, strings(unit)))
    for stack, values in samples:
        ids = []
        for frame in reversed(stack):
            name, file, line = split_frame(frame)
            function = functions((strings(name), strings(file)))
            ids.append(locations((function, line)))
        body += block(2, packed(1, ids) + packed(2, values))
    for (function, line), number in list(locations.index.items())[1:]:
        entry = integer(1, function) + integer(2, line)
        body += block(4, integer(1, number) + block(4, entry))
    for (name, file), number in list(functions.index.items())[1:]:
        body += block(5, integer(1, number) + integer(2, name) +
                      integer(3, name) + integer(4, file))
    period_entry = (integer(1, strings(period_type[0])) +
                    integer(2, strings(period_type[1])))
    for text in strings.index:
        body += block(6, text.encode())
    body += integer(9, time_ns) + integer(10, duration_ns)
    return body + block(11, period_entry) + integer(12, period or usual)


def folded(text, shape, time_ns, duration_ns):
    """From lines "a;b;c COUNT": one count is one period of CPU or wall time,
    one object of the mean size for heaps, one unit else."""
    period = shape[2]
    samples = []
    for line in text.splitlines():
        stack, _, count = line.strip().rpartition(" ")
        if stack:
            values = [int(count), int(count) * period]
            samples.append((stack.split(";"), values[:len(shape[0])]))
    return compose(samples, shape, time_ns, duration_ns)


def packed_gzip(data):
    return gzip.compress(data, 9, mtime=0)
