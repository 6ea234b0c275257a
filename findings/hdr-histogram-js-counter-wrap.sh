#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    hdr-histogram-js 3.0.1 (npm)
# Source:  incrementCountAtIndex() in src/TypedArrayHistogram.ts of HdrHistogramJS
# Guess:   with counters of 16 bits, the 65,536th record of one value is refused, as
#          the Java class ShortCountsHistogram refuses one: totals can be trusted.
# Seen:    the counter goes back to 0 without a word: the check asks for a negative
#          sum, which the counters of these arrays never hold. The total goes on
#          counting, and so every percentile of a long run is 0.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund hdr-histogram-js@3.0.1 >/dev/null
cat >run.js <<'JS'
const hdr = require('hdr-histogram-js');
const histogram = hdr.build({bitBucketSize: 16, numberOfSignificantValueDigits: 2,
  lowestDiscernibleValue: 1, highestTrackableValue: 1000000});
const record = (value, times) => { for (let i = 0; i < times; i++) histogram.recordValue(value); };
const say = () => console.log(`total ${histogram.totalCount}, ` +
  [1, 50, 99].map((p) => `p${p} ${histogram.getValueAtPercentile(p)}`).join(', '));
record(5, 65535);
say();
record(5, 1);
say();
record(900, 300);
say();
JS
seen=$(node run.js)
printf '%s\n' "$seen"
[ "$seen" = 'total 65535, p1 5, p50 5, p99 5
total 65536, p1 0, p50 0, p99 0
total 65836, p1 0, p50 0, p99 0' ]
