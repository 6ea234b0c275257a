#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    perf data convert --to-json, the perf that is there (tried: 6.1.187)
# Source:  process_sample_event() in tools/perf/util/data-convert-json.c of Linux
# Guess:   a sample in the JSON has its period, as perf script prints it.
# Seen:    it has time, process, processor and stack, and no period: of an event that is
#          sampled at a frequency each sample counts the same, whether it stands for one
#          page fault or for hundreds.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
perf --version
cat >work.py <<'PY'
import time
for size in [1 << 12] * 200 + [1 << 25] * 8:
    bytearray(size)
    time.sleep(0.001)
PY
perf record -q -e page-faults -F 500 -o data python3 work.py >/dev/null 2>&1
perf script -i data -F period | awk '{ print $1 }' >periods
perf data convert --to-json samples.json -i data >/dev/null 2>&1
python3 - <<'PY'
import json
periods = [int(line) for line in open("periods")]
samples = json.load(open("samples.json"))["samples"]
members = sorted({key for s in samples for key in s})
print("%d samples, %s faults by perf script's periods" % (len(periods), "more" if sum(periods) > 2 * len(periods) else "as many"))
print("members in JSON:", *members)
assert len(periods) == len(samples) and max(periods) > min(periods)
assert "period" not in members and "callchain" in members
PY
