# SPDX-License-Identifier: Apache-2.0
"""Reads as much of a profile (profile.proto of google/pprof) as the recipe's
generator needs. For our own recordings: what is malformed raises anything."""


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def fields(data):
    """Field number, value, and where the field begins and ends."""
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value, begin, at


def numbers(value):
    """A packed list, or a single element of one that is not packed."""
    if isinstance(value, int):
        return [value]
    out, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        out.append(number)
    return out


def signed(number):
    return number - 2**64 if number >= 2**63 else number


def with_time(data, time_ns):
    """The profile with another time_nanos, all else as it was."""
    out = b"".join(data[begin:end] for number, _, begin, end in fields(data)
                   if number != 9)
    rest, tail = time_ns, bytearray([9 << 3])
    while rest > 127:
        tail.append(rest & 127 | 128)
        rest >>= 7
    return out + bytes(tail) + bytes([rest])


def message(data):
    out = {}
    for number, value, _, _ in fields(data):
        out.setdefault(number, []).append(value)
    return out


def stacks(data):
    """{frames from the root, "NAME FILE:LINE": values}"""
    top = message(data)
    strings = [text.decode() for text in top[6]]
    functions = {}
    for raw in top.get(5, []):
        one = message(raw)
        functions[one[1][0]] = (strings[one[2][0]],
                                strings[one.get(4, [0])[0]])
    frames = {}
    for raw in top.get(4, []):
        one = message(raw)
        names = []
        for line in map(message, one.get(4, [])):
            name, file = functions[line[1][0]]
            names.append(f"{name} {file}:{line.get(2, [0])[0]}")
        frames[one[1][0]] = names  # innermost first
    out = {}
    for raw in top.get(2, []):
        one = message(raw)
        stack = []
        for value in one[1]:
            for location in numbers(value):
                stack += frames[location]
        values = [signed(n) for value in one[2] for n in numbers(value)]
        key = tuple(reversed(stack))
        old = out.get(key, [0] * len(values))
        out[key] = [a + b for a, b in zip(old, values)]
    return out


def difference(before, after, width):
    """Samples of what came between, only the first values of each."""
    samples = []
    for stack, values in sorted(after.items()):
        old = before.get(stack, [0] * len(values))
        grown = [a - b for a, b in zip(values, old)][:width]
        if all(n >= 0 for n in grown) and any(grown):
            samples.append((list(stack), grown))
    return samples
