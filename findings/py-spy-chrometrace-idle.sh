#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    py-spy 0.4.3 (PyPI)
# Source:  src/chrometrace.rs of py-spy; "--idle" of `py-spy record --help`
# Guess:   samples of a thread that waits are left out of all formats alike: a second of
#          work followed by a second of sleep is about a second in a Chrome trace, as
#          it is in folded stacks, or the sleep is an event of its own.
# Seen:    events end when the next sample comes that differs. While the thread sleeps
#          none comes, so that the function before the sleep gets the sleep as well: it
#          is told as taking about two seconds, and the one that sleeps has no event.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py py-spy==0.4.3 2>/dev/null
cat >work.py <<'PY'
import time
def busy():
    end = time.perf_counter() + 1
    while time.perf_counter() < end:
        pass
def nap():
    time.sleep(1)
def turn():
    busy()
    nap()
turn()
turn()
PY
for format in raw chrometrace; do
	py/bin/py-spy record --format $format --rate 50 --output $format -- python3 work.py >/dev/null 2>&1
done
python3 - <<'PY'
import json, re, sys
folded = {"busy": 0, "nap": 0}
for line in open("raw"):
    for name in folded:
        if re.search(r";%s \([^;]*$" % name, line):
            folded[name] += int(line.split()[-1]) / 50
events, began = {"busy": 0, "nap": 0}, {}
for event in json.load(open("chrometrace")):
    name = event["name"]
    if name in events and event["ph"] == "B":
        began[name] = event["ts"]
    elif name in events:
        events[name] += (event["ts"] - began[name]) / 1e6
print("of 2 s busy and 2 s nap, folded:", {name: round(s, 1) for name, s in folded.items()})
print("of 2 s busy and 2 s nap, Chrome:", {name: round(s, 1) for name, s in events.items()})
sys.exit(not (folded["busy"] < 2.3 and folded["nap"] < 0.3 and events["busy"] > 2.8 and events["nap"] < 0.3))
PY
