#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    gprof of GNU Binutils (tried: 2.40 of Debian 12)
# Source:  hist_write_hist() in gprof/hist.c of Binutils; "-s" of its manual
# Guess:   `gprof -s a b` adds up two runs, so that gmon.sum says what
#          `gprof program a b` says of the same two files.
# Seen:    bins are added up as int, but written with 16 bits each: two runs of 400 s
#          in one place are 800 s when read together, and 144.64 s (655.36 s less)
#          from the sum, while its calls are right. Sums of long runs are too small.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
gprof --version | sed 1q
cat >work.c <<'C'
static volatile unsigned long sum;
__attribute__((noinline)) static void hot(void)
{
    for (unsigned long i = 0; i < 200000000; i++) sum += i;
}
int main(void) { hot(); return 0; }
C
cc -pg -O1 -no-pie work.c -o work
./work
# A run of 400 s at 100 samples a second in one place, so that nobody waits for it: the
# file of the short run, with 40,000 samples where its most were.
cat >long.py <<'PY'
import struct
data = bytearray(open("gmon.out", "rb").read())
low, high, bins, rate = struct.unpack_from("<QQii", data, 21)
first = 21 + 24 + 16
counts = list(struct.unpack_from("<%dH" % bins, data, first))
top = counts.index(max(counts))
counts = [40000 * rate // 100 if i == top else 0 for i in range(bins)]
struct.pack_into("<%dH" % bins, data, first, *counts)
open("long.out", "wb").write(data)
PY
python3 long.py
seconds() { gprof -b -p work "$@" | awk '$NF == "hot" { printf "%.0f s, %d calls\n", $3 * 100 / $1, $4 }'; }
seen=$(printf 'two files '; seconds long.out long.out
  gprof -s work long.out long.out
  printf 'their sum '; seconds gmon.sum)
printf '%s\n' "$seen"
[ "$seen" = 'two files 800 s, 2 calls
their sum 145 s, 2 calls' ]
