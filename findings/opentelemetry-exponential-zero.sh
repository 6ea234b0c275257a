#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    opentelemetry-sdk 1.45.2 (PyPI), @opentelemetry/sdk-metrics 2.12.1 (npm)
# Source:  collect() of _ExponentialBucketHistogramAggregation in opentelemetry/sdk/metrics/
#          _internal/aggregation.py; the getter scale and _minScale() in
#          src/aggregator/ExponentialHistogram.ts of opentelemetry-js
# Guess:   a value of 0 has a counter of its own and no bucket, so that buckets of a
#          cumulative histogram stay as fine as they were.
# Seen:    an interval with nothing but zeros counts as of scale 0, with which all from before
#          is merged, and it stays so: 95 buckets in use, each 0.5 % wide, become one in
#          Python, from 128 to 256, and 14 in JavaScript. (Java's SDK 1.68.0 keeps all.)
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/sdk-metrics@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.js <<'JS'
const {AggregationType, MeterProvider, MetricReader} = require('@opentelemetry/sdk-metrics');
class Reader extends MetricReader {
  onShutdown() {}
  onForceFlush() {}
}
(async () => {
  const reader = new Reader();
  const views = [{instrumentName: 'ms', aggregation: {type: AggregationType.EXPONENTIAL_HISTOGRAM}}];
  const histogram = new MeterProvider({readers: [reader], views}).getMeter('m').createHistogram('ms');
  const show = async name => {
    const {value} = (await reader.collect()).resourceMetrics.scopeMetrics[0].metrics[0].dataPoints[0];
    const buckets = value.positive.bucketCounts.filter(count => count > 0).length;
    console.log(`JavaScript, ${name}: ${value.count} values, scale ${value.scale}, ${buckets} buckets in use`);
  };
  const values = () => { for (let i = 0; i < 100; i++) histogram.record(129 + i); };
  values();
  await show('at first');
  histogram.record(0);
  await show('after a zero');
  values();
  await show('later');
})();
JS
cat >run.py <<'PY'
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.metrics.view import ExponentialBucketHistogramAggregation, View

reader = InMemoryMetricReader()
views = [View(instrument_name="ms", aggregation=ExponentialBucketHistogramAggregation())]
histogram = MeterProvider([reader], views=views).get_meter("m").create_histogram("ms")

def show(name):
    point = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics[0].data.data_points[0]
    buckets = sum(count > 0 for count in point.positive.bucket_counts)
    print("Python, %s: %d values, scale %d, %d buckets in use" % (name, point.count, point.scale, buckets))

def values():
    for i in range(100):
        histogram.record(129 + i)

values()
show("at first")
histogram.record(0)
show("after a zero")
values()
show("later")
PY
seen=$(PYTHONPATH=py python3 run.py; node run.js)
printf '%s\n' "$seen"
[ "$seen" = 'Python, at first: 100 values, scale 7, 95 buckets in use
Python, after a zero: 101 values, scale 0, 1 buckets in use
Python, later: 201 values, scale 0, 1 buckets in use
JavaScript, at first: 100 values, scale 7, 95 buckets in use
JavaScript, after a zero: 101 values, scale 4, 14 buckets in use
JavaScript, later: 201 values, scale 4, 14 buckets in use' ]
