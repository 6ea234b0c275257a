#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    @opentelemetry/instrumentation-express 0.71.1, express 5.3.0 (npm)
# Source:  getRouterPath() in src/utils.ts and _applyPatch() in src/instrumentation.ts
#          of instrumentation-express
# Guess:   the span of a router lasts as long as its handlers, is their parent, and has the
#          path where it is mounted.
# Seen:    it lasts 0 ms, the handler of 200 ms is beside it, and it has the path of the route
#          that was added first: a call of /api/pay has a "router - /health" in its trace.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund express@5.3.0 @opentelemetry/api@1.9.0 @opentelemetry/sdk-trace-node@2.12.1 \
  @opentelemetry/instrumentation@0.223.0 @opentelemetry/instrumentation-http@0.223.0 @opentelemetry/instrumentation-express@0.71.1 >/dev/null
cat >run.js <<'JS'
const {InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor} = require('@opentelemetry/sdk-trace-node');
const {registerInstrumentations} = require('@opentelemetry/instrumentation');
const {HttpInstrumentation} = require('@opentelemetry/instrumentation-http');
const {ExpressInstrumentation} = require('@opentelemetry/instrumentation-express');
const memory = new InMemorySpanExporter();
new NodeTracerProvider({spanProcessors: [new SimpleSpanProcessor(memory)]}).register();
registerInstrumentations({instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()]});
const http = require('http');
const express = require('express');
const app = express();
const router = express.Router();
router.get('/health', (request, response) => response.send('ok'));
router.get('/pay', (request, response) => setTimeout(() => response.send('ok'), 200));
app.use('/api', router);
const server = app.listen(0, '127.0.0.1', () => {
  http.get({port: server.address().port, path: '/api/pay'}, response => response.resume().on('end', () => setTimeout(report, 100)));
});
function report() {
  const spans = memory.getFinishedSpans().filter(span => span.kind !== 2);
  for (const span of spans.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const parent = spans.find(other => other.spanContext().spanId === span.parentSpanContext?.spanId);
    const ms = span.duration[0] * 1e3 + span.duration[1] / 1e6;
    console.log(`${span.name}, below ${parent ? parent.name : 'the client'}: ${ms < 100 ? 'less than 100 ms' : '200 ms'}`);
  }
  process.exit();
}
JS
seen=$(node run.js)
printf '%s\n' "$seen"
[ "$seen" = 'GET /api/pay, below the client: 200 ms
request handler, below GET /api/pay: 200 ms
router - /health, below GET /api/pay: less than 100 ms' ]
