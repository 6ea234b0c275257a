# SPDX-License-Identifier: Apache-2.0
"""Traces and profiles with texts and numbers of one's own choice."""
import json

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
START_NS = 1764000000000000000
MS = 1000000


# ---- OTLP ----

def any_value(value):
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value}


def attributes(pairs):
    return [{"key": k, "value": any_value(v)} for k, v in pairs.items()]


def span(number, parent=0, name="op", start_ns=START_NS, end_ns=None, attrs=None, **more):
    """The OTLP JSON of a span; number: of its id."""
    return {"traceId": TRACE, "spanId": f"{number:016x}",
            "parentSpanId": f"{parent:016x}" if parent else "", "name": name, "kind": 2,
            "startTimeUnixNano": str(start_ns),
            "endTimeUnixNano": str(start_ns + 10 * MS if end_ns is None else end_ns),
            "attributes": attributes(attrs or {}), **more}


def group(service, spans, attrs=None):
    return {"resource": {"attributes": attributes({"service.name": service, **(attrs or {})})},
            "scopeSpans": [{"spans": spans}]}


def otlp(groups):
    return json.dumps({"resourceSpans": groups}, ensure_ascii=False)


# ---- protobuf ----

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, content):
    if isinstance(content, str):
        content = content.encode()
    return varint(field << 3 | 2) + varint(len(content)) + content


class Pprof:
    """A pprof file; texts may be bytes."""

    def __init__(self, types=(("cpu", "nanoseconds"),), texts=()):
        self.texts, self.parts = {b"": 0}, []
        self.locations = 0
        for text in texts:
            self.text(text)
        for kind, unit in types:
            self.parts.append(data(1, number(1, self.text(kind)) + number(2, self.text(unit))))

    def text(self, text):
        text = text.encode() if isinstance(text, str) else text
        return self.texts.setdefault(text, len(self.texts))

    def location(self, name, file="", line=0, mapping=0):
        """Adds a function and a location of it; returns the number."""
        self.locations += 1
        number_ = self.locations
        self.parts.append(data(5, number(1, number_) + number(2, self.text(name)) +
                               number(3, self.text(name)) + number(4, self.text(file))))
        self.parts.append(data(4, number(1, number_) + (number(2, mapping) if mapping else b"") +
                               data(4, number(1, number_) + number(2, line))))
        return number_

    def mapping(self, name, build_id=""):
        self.parts.append(data(3, number(1, 1) + number(2, 0x1000) + number(3, 0x9000) +
                               number(5, self.text(name)) + number(6, self.text(build_id))))
        return 1

    def sample(self, stack, *values, labels=()):
        """stack: numbers, leaf first; labels: (key, text or number)."""
        body = data(1, b"".join(map(varint, stack))) + data(2, b"".join(map(varint, values)))
        for key, value in labels:
            body += data(3, number(1, self.text(key)) + (number(3, value) if isinstance(value, int)
                                                         else number(2, self.text(value))))
        self.parts.append(data(2, body))

    def comment(self, text):
        self.parts.append(number(13, self.text(text)))

    def bytes(self):
        return b"".join(self.parts) + b"".join(data(6, text) for text in self.texts)
