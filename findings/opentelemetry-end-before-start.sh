#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    @opentelemetry/sdk-trace-base 2.12.1 (npm), opentelemetry-sdk 1.45.2 (PyPI)
# Source:  Span.ts of the one (end(): "Inconsistent start and end time"),
#          sdk/trace/__init__.py of the other; "End" of the trace API's specification,
#          which does not say
# Guess:   a span that is given an end in front of its start, as of two machines' clocks,
#          is exported with a length of 0 by either.
# Seen:    so in JavaScript, which writes the start over the end; Python exports it as it
#          is, and who subtracts without a sign has a span of 584 years.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.js <<'JS'
const {BasicTracerProvider, SimpleSpanProcessor, InMemorySpanExporter} = require('@opentelemetry/sdk-trace-base')
const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({spanProcessors: [new SimpleSpanProcessor(exporter)]})
provider.getTracer('t').startSpan('s', {startTime: [1000, 0]}).end([999, 0])
const [s] = exporter.getFinishedSpans()
console.log('JavaScript:', s.endTime[0] - s.startTime[0], 's')
JS
cat >run.py <<'PY'
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
provider.get_tracer("t").start_span("s", start_time=1000 * 10**9).end(999 * 10**9)
(s,) = exporter.get_finished_spans()
print("Python:", (s.end_time - s.start_time) // 10**9, "s")
PY
seen=$(node run.js 2>/dev/null; PYTHONPATH=py python3 run.py 2>/dev/null)
printf '%s\n' "$seen"
[ "$seen" = 'JavaScript: 0 s
Python: -1 s' ]
