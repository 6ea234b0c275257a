#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    @opentelemetry/sdk-metrics 2.12.1 (npm), opentelemetry-sdk 1.45.2 (PyPI)
# Source:  record() in src/state/AsyncMetricStorage.ts of opentelemetry-js;
#          aggregate() of _SumAggregation in opentelemetry/sdk/metrics/_internal/aggregation.py
# Guess:   a view that leaves out an attribute of an observable counter adds up what is
#          observed, as of a counter; so does what lies past the limit of 2,000 sets.
# Seen:    Python adds up. JavaScript keeps what was observed last: of ten CPUs with 10 s
#          each, without the attribute "cpu" there are 10 s, and of 2,100 sets a hundred
#          are gone. Nothing is logged. (Go's SDK 1.47.0 and Java's 1.68.0 add up, too.)
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/sdk-metrics@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.js <<'JS'
const {createAllowListAttributesProcessor, MeterProvider, MetricReader} = require('@opentelemetry/sdk-metrics');
class Reader extends MetricReader {
  onShutdown() {}
  onForceFlush() {}
}
async function total(count, views, name) {
  const reader = new Reader();
  const meter = new MeterProvider({readers: [reader], views}).getMeter('m');
  meter.createObservableCounter('cpu.time').addCallback(result => {
    for (let cpu = 0; cpu < count; cpu++) result.observe(10, {state: 'user', cpu});
  });
  const points = (await reader.collect()).resourceMetrics.scopeMetrics[0].metrics[0].dataPoints;
  console.log(`JavaScript, ${name}:`, points.reduce((sum, point) => sum + point.value, 0), 's');
}
(async () => {
  await total(10, [], '10 CPUs');
  await total(10, [{instrumentName: 'cpu.time', attributesProcessors: [createAllowListAttributesProcessor(['state'])]}], 'by state');
  await total(2100, [], '2100 CPUs');
})();
JS
cat >run.py <<'PY'
from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.metrics.view import View

def total(count, views, name):
    reader = InMemoryMetricReader()
    meter = MeterProvider([reader], views=views).get_meter("m")
    meter.create_observable_counter("cpu.time", [lambda _: [Observation(10, {"state": "user", "cpu": cpu}) for cpu in range(count)]])
    points = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics[0].data.data_points
    print("Python, %s:" % name, sum(point.value for point in points), "s")

total(10, [], "10 CPUs")
total(10, [View(instrument_name="cpu.time", attribute_keys={"state"})], "by state")
total(2100, [], "2100 CPUs")
PY
seen=$(node run.js; PYTHONPATH=py python3 run.py)
printf '%s\n' "$seen"
[ "$seen" = 'JavaScript, 10 CPUs: 100 s
JavaScript, by state: 10 s
JavaScript, 2100 CPUs: 20000 s
Python, 10 CPUs: 100 s
Python, by state: 100 s
Python, 2100 CPUs: 21000 s' ]
