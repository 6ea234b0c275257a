#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    @opentelemetry/sdk-trace-base 2.12.1 (npm); opentelemetry-sdk 1.45.2 (PyPI) beside it
# Source:  the constructor of SpanImpl and its _getTime() in src/Span.ts of
#          @opentelemetry/sdk-trace, which it brings
# Guess:   none was written (met on the way); it would have been that a span begins and ends
#          by one clock, of nanoseconds.
# Seen:    it begins at Date.now(), a whole millisecond, and lasts by performance.now(), so that
#          each span is moved to the front by up to 1 ms. Of 200 queries of 0.3 ms, one after the
#          other, about two in three begin before the last one has ended: a row of calls looks
#          like several at once, with time between that nobody took. In Python none overlap.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.js <<'JS'
const {BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor} = require('@opentelemetry/sdk-trace-base');
const memory = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({spanProcessors: [new SimpleSpanProcessor(memory)]}).getTracer('t');
for (let i = 0; i < 200; i++) {
  const query = tracer.startSpan('query');
  for (const end = performance.now() + 0.3; performance.now() < end;);
  query.end();
}
for (const {startTime, endTime} of memory.getFinishedSpans())
  console.log(BigInt(startTime[0]) * 1000000000n + BigInt(startTime[1]) + ' ' + (BigInt(endTime[0]) * 1000000000n + BigInt(endTime[1])));
JS
cat >run.py <<'PY'
import time
from opentelemetry.sdk.trace import TracerProvider
tracer = TracerProvider().get_tracer("t")
for _ in range(200):
    query = tracer.start_span("query")
    end = time.perf_counter() + 0.0003
    while time.perf_counter() < end:
        pass
    query.end()
    print(query.start_time, query.end_time)
PY
cat >judge.py <<'PY'
import sys
told = []
for name in ("JavaScript", "Python"):
    spans = [tuple(map(int, line.split())) for line in open(name)]
    whole = sum(begin % 1_000_000 == 0 for begin, _ in spans)
    overlap = sum(begin < last for (_, last), (begin, _) in zip(spans, spans[1:]))
    print("%s: %d of %d begin at a whole millisecond, %d before the last one has ended" % (name, whole, len(spans), overlap))
    told.append((whole, overlap))
(js_whole, js_overlap), (py_whole, py_overlap) = told
sys.exit(not (js_whole == 200 and js_overlap > 20 and py_whole < 10 and py_overlap == 0))
PY
node run.js >JavaScript
PYTHONPATH=py python3 run.py >Python
python3 judge.py
