#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    pyinstrument 5.1.3 (PyPI)
# Source:  remove_irrelevant_nodes() in pyinstrument/processors.py, default_processors() of
#          the renderers for speedscope, pstats and JSON
# Guess:   only the text for people leaves out functions below 1 %; what is written for other
#          programs has all of them, each with its own time.
# Seen:    all three leave them out, and their time is the caller's own: of 150 functions that
#          share 1.5 s a few are left, and the function that only calls them has more than
#          9 in 10 of the time. (filter_threshold=0 of the renderer has all.)
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py pyinstrument==5.1.3 2>/dev/null
cat >run.py <<'PY'
import json, marshal, time
from pyinstrument import Profiler
from pyinstrument.renderers import JSONRenderer, PstatsRenderer, SpeedscopeRenderer
def work():
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass
parts = []
for number in range(150):
    exec("def part%d(): work()" % number)
    parts.append(locals()["part%d" % number])
def caller():
    for part in parts:
        part()
profiler = Profiler()
profiler.start()
caller()
profiler.stop()
def told(names):
    count = sum(name.startswith("part") for name in set(names))
    return "less than 30" if count < 30 else "more than 120" if count > 120 else count
def functions(frame):
    return {frame["function"]}.union(*map(functions, frame["children"]))
for options in {}, {"filter_threshold": 0}:
    written = lambda renderer: profiler.output(renderer(processor_options=options))
    file = json.loads(written(SpeedscopeRenderer))
    names = [frame["name"] for frame in file["shared"]["frames"]]
    stack, own, last = [], {}, 0
    for event in file["profiles"][0]["events"]:
        if stack:
            own[stack[-1]] = own.get(stack[-1], 0) + event["at"] - last
        stack.append(names[event["frame"]]) if event["type"] == "O" else stack.pop()
        last = event["at"]
    part = own.get("caller", 0) / sum(own.values())
    pstats = marshal.loads(written(PstatsRenderer).encode("utf-8", "surrogateescape"))
    print(options or "as it is:", told(names), "in speedscope,", told(name for _, _, name in pstats), "in pstats,", told(functions(json.loads(written(JSONRenderer))["root_frame"])),
        "in JSON, caller", "more than 70 %" if part > 0.7 else "less than 10 %" if part < 0.1 else part)
PY
seen=$(PYTHONPATH=py python3 run.py)
printf '%s\n' "$seen"
[ "$seen" = "as it is: less than 30 in speedscope, less than 30 in pstats, less than 30 in JSON, caller more than 70 %
{'filter_threshold': 0} more than 120 in speedscope, more than 120 in pstats, more than 120 in JSON, caller less than 10 %" ]
