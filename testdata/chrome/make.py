#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the file of this folder: spans of two invented processes in every
form that the Trace Event Format has for them."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
# As a clock that counts from a start of the machine.
T0 = 51234567890.0


def event(phase, name, at_us, pid=1, tid=11, **members):
    return {"name": name, "cat": "build", "ph": phase, "ts": T0 + at_us, "pid": pid, "tid": tid, **members}


def main():
    events = [
        {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "builder"}},
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": 11, "args": {"name": "main"}},
        # Inner ones end, and are written, first.
        event("X", "parse", 100.125, dur=300, args={"file": "a.c", "lines": 120}),
        event("X", "parse", 450, dur=250, args={"file": "b.c", "lines": 80}),
        event("X", "compile", 50, dur=900),
        event("B", "link", 1000, args={"objects": ["a.o", "b.o"]}),
        event("B", "write", 1200),
        event("i", "flushed", 1250, s="t"),
        event("E", "write", 1400),
        event("E", "link", 1500.5),
        event("E", "before the recording", 1501, tid=12),
        event("b", "fetch", 100, pid=2, tid=21, id="0x7", args={"url": "http://cache.example/a.o"}),
        event("b", "resolve", 110, pid=2, tid=22, id="0x7"),
        event("e", "resolve", 140, pid=2, tid=22, id="0x7"),
        event("e", "fetch", 400, pid=2, tid=21, id="0x7"),
        event("B", "serve", 120, pid=2, tid=21),
        event("C", "memory", 130, pid=2, args={"MB": 12}),
    ]
    with open(os.path.join(HERE, "spans.json"), "w", encoding="utf-8") as file:
        json.dump({"displayTimeUnit": "ms", "traceEvents": events}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
