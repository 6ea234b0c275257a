#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    opentelemetry-sdk 1.45.2 (PyPI), @opentelemetry/sdk-trace-base 2.12.1 (npm)
# Source:  BoundedAttributes in opentelemetry/attributes/__init__.py of
#          opentelemetry-python; setAttribute() in Span.ts of opentelemetry-js;
#          "Attribute Limits" of the OpenTelemetry specification
# Guess:   past the limit of 128 an attribute that comes is dropped, as the
#          specification has it: what a span is begun with (the route, the method) stays.
# Seen:    JavaScript does that. Python drops the oldest: a span that gets 200
#          attributes loses what it began with. Both tell the same number dropped.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.py <<'PY'
from opentelemetry.sdk.trace import TracerProvider
span = TracerProvider().get_tracer("t").start_span("s", attributes={"http.route": "/cart"})
for i in range(200):
    span.set_attribute("step%d" % i, i)
span.end()
keys = list(span.attributes)
print("Python", len(keys), span.dropped_attributes, "http.route" in keys, keys[0], keys[-1])
PY
cat >run.js <<'JS'
const {BasicTracerProvider} = require('@opentelemetry/sdk-trace-base');
const span = new BasicTracerProvider().getTracer('t').startSpan('s', {attributes: {'http.route': '/cart'}});
for (let i = 0; i < 200; i++) span.setAttribute(`step${i}`, i);
span.end();
const keys = Object.keys(span.attributes);
console.log('JavaScript', keys.length, span.droppedAttributesCount, keys.includes('http.route'),
  keys[0], keys[keys.length - 1]);
JS
seen=$(PYTHONPATH=py python3 run.py 2>/dev/null; node run.js)
printf '%s\n' "$seen"
[ "$seen" = 'Python 128 73 False step72 step199
JavaScript 128 73 true http.route step126' ]
