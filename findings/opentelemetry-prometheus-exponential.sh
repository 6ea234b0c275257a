#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    @opentelemetry/exporter-prometheus 0.223.0 (npm),
#          opentelemetry-exporter-prometheus 0.66b2 (PyPI)
# Source:  toPrometheusType() in PrometheusSerializer.ts; _collect_data_points() in
#          opentelemetry/exporter/prometheus/__init__.py
# Guess:   a histogram of exponential buckets, a view that the SDKs offer, comes out as
#          Prometheus' own, or is left out with a warning.
# Seen:    JavaScript writes its name, "untyped", and no line of values, not even how many
#          there were; only a diag logger, which nobody has who did not set one, is told. In
#          Python the page itself fails for lack of an attribute: with one such view no
#          metric of the process is scraped.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/exporter-prometheus@0.223.0 @opentelemetry/sdk-metrics@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-exporter-prometheus==0.66b2 opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.js <<'JS'
const {AggregationType, MeterProvider} = require('@opentelemetry/sdk-metrics');
const {PrometheusExporter, PrometheusSerializer} = require('@opentelemetry/exporter-prometheus');
const reader = new PrometheusExporter({preventServerStart: true});
const views = [{instrumentName: 'seconds', aggregation: {type: AggregationType.EXPONENTIAL_HISTOGRAM}}];
const meter = new MeterProvider({readers: [reader], views}).getMeter('m');
meter.createCounter('requests').add(100);
const seconds = meter.createHistogram('seconds');
for (let i = 0; i < 100; i++) seconds.record(i);
reader.collect().then(({resourceMetrics}) => {
  const text = new PrometheusSerializer('', false, undefined, true).serialize(resourceMetrics);
  console.log(text.split('\n').filter(line => /^(# TYPE )?(seconds|requests)/.test(line)).map(line => 'JavaScript, ' + line).join('\n'));
});
JS
cat >run.py <<'PY'
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.view import ExponentialBucketHistogramAggregation, View
from prometheus_client import REGISTRY, generate_latest
views = [View(instrument_name="seconds", aggregation=ExponentialBucketHistogramAggregation())]
meter = MeterProvider([PrometheusMetricReader()], views=views).get_meter("m")
meter.create_counter("requests").add(100)
print("Python, counter alone:", b"requests_total{" in generate_latest(REGISTRY))
seconds = meter.create_histogram("seconds")
for i in range(100):
    seconds.record(i)
try:
    print(generate_latest(REGISTRY))
except AttributeError as error:
    print("Python, with the histogram:", error)
PY
seen=$(node run.js 2>&1; PYTHONPATH=py python3 run.py)
printf '%s\n' "$seen"
[ "$seen" = "JavaScript, # TYPE seconds untyped
JavaScript, # TYPE requests_total counter
JavaScript, requests_total{otel_scope_name=\"m\"} 100
Python, counter alone: True
Python, with the histogram: 'ExponentialHistogramDataPoint' object has no attribute 'value'" ]
