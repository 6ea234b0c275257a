#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    tinybench 6.2.5 (npm)
# Source:  throughputSamples in src/task.ts and TaskResultWithStatistics in src/types.ts of
#          tinylibs/tinybench; the table in its README
# Guess:   throughput.mean, "Throughput avg (ops/s)" in the table, is one by latency.mean, but
#          for roundings: the calls of a second.
# Seen:    it is the mean of what each call alone would be in a second, in which slow calls
#          hardly count: of ten calls nine take 1 ms and one 91 ms, which are 100 calls a
#          second, and it says 901. A task of steady 5 ms is twice as fast and has 200: the
#          two columns of one table name different winners. A comment in the types tells how
#          it is made; the README and the table do not.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund tinybench@6.2.5 >/dev/null
cat >run.mjs <<'JS'
import {Bench} from 'tinybench';
let clock = 0, calls = 0;
const bench = new Bench({now: () => clock, time: 10000, iterations: 1, warmup: false});
bench.add('uneven', () => { clock += ++calls % 10 ? 1 : 91; });
bench.add('steady', () => { clock += 5; });
await bench.run();
for (const {name, result: {latency, throughput, totalTime}} of bench.tasks)
  console.log(`${name}: ${latency.samplesCount} calls in ${totalTime / 1000} s, mean ${latency.mean.toFixed()} ms,`,
    `throughput ${throughput.mean.toFixed()} a second`);
JS
seen=$(node run.mjs)
printf '%s\n' "$seen"
[ "$seen" = 'uneven: 1000 calls in 10 s, mean 10 ms, throughput 901 a second
steady: 2000 calls in 10 s, mean 5 ms, throughput 200 a second' ]
