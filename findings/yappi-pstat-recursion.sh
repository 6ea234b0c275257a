#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    yappi 1.7.6, gprof2dot 2025.4.14 (PyPI), the standard library's pstats
# Source:  convert2pstats() in yappi/yappi.py; "primitive calls" of The Python
#          Profilers, pstats
# Guess:   yappi's two exports of one run say the same calls of a function that calls
#          itself four times: five, one of them from outside.
# Seen:    the callgrind file has the four calls within. In the pstats the two counts
#          are the other way round: pstats prints 1/5 (one call, five of them from
#          outside), fewer calls than primitive ones, and gprof2dot draws 1 call.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py yappi==1.7.6 gprof2dot==2025.4.14 2>/dev/null
cat >run.py <<'PY'
import yappi

def again(n):
    sum(range(200000))
    if n:
        again(n - 1)

yappi.start()
again(4)
yappi.stop()
stats = yappi.get_func_stats()
stats.save("run.pstat", "pstat")
stats.save("run.callgrind", "callgrind")
PY
export PYTHONPATH=py
python3 run.py
python3 -m pstats run.pstat >text <<'IN'
stats again
IN
seen=$(echo "pstats: $(awk '/\(again\)/ { print $1 }' text), $(sed -n 's/.* \([0-9]* function calls ([0-9]* primitive calls)\).*/\1/p' text)"
  PYTHONPATH=py python3 py/gprof2dot.py -n0 -e0 -f pstats run.pstat |
    sed -n '/ -> /d; s/.*label="[^"]*again.*n\([0-9]*\)[^0-9n]*", .*/gprof2dot: \1/p'
  echo "callgrind: $(grep -o 'calls=[0-9]*' run.callgrind)")
printf '%s\n' "$seen"
[ "$seen" = 'pstats: 1/5, 1 function calls (5 primitive calls)
gprof2dot: 1
callgrind: calls=4' ]
