#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    Deno 2.9.6 (npm) with OTEL_DENO=true, which exports OTLP by itself
# Source:  attr_raw! in ext/telemetry/lib.rs and setResponseAttributes() in
#          ext/telemetry/util.ts of deno; http.response.status_code, an int, in
#          OpenTelemetry's "Semantic conventions for HTTP spans"
# Guess:   a whole number is an intValue, as JavaScript's SDK exports it, and so is the
#          status that Deno's own spans of HTTP have.
# Seen:    one attribute has three types: what a program sets is a double (500 becomes 500.0),
#          Deno's spans have the text "500", its metrics the integer. A search for 500 or for
#          >= 500, written for what other languages send, finds none of the spans.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund deno@2.9.6 @opentelemetry/api@1.9.0 >/dev/null 2>&1
cat >run.mjs <<'JS'
import {trace} from '@opentelemetry/api';
const span = trace.getTracer('t').startSpan('own');
span.setAttribute('http.response.status_code', 500);
span.end();
const server = Deno.serve({port: 0, hostname: '127.0.0.1', onListen() {}}, () => new Response('', {status: 500}));
await (await fetch(`http://127.0.0.1:${server.addr.port}/`)).text();
await server.shutdown();
JS
cat >collect.js <<'JS'
const {spawn} = require('child_process');
const bodies = {};
const server = require('http').createServer((request, response) => {
  const parts = [];
  request.on('data', part => parts.push(part)).on('end', () => {
    (bodies[request.url] ||= []).push(JSON.parse(Buffer.concat(parts)));
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
});
const status = point => JSON.stringify(point.attributes.find(a => a.key === 'http.response.status_code')?.value);
server.listen(0, '127.0.0.1', () => {
  const env = {...process.env, OTEL_DENO: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.address().port}`, DENO_DIR: process.cwd() + '/cache'};
  spawn('node_modules/.bin/deno', ['run', '-A', 'run.mjs'], {env, stdio: 'inherit'}).on('exit', () => {
    const lines = [];
    for (const {scopeSpans} of (bodies['/v1/traces'] || []).flatMap(b => b.resourceSpans))
      for (const span of scopeSpans.flatMap(s => s.spans)) lines.push(`${span.name}, kind ${span.kind}: ${status(span)}`);
    for (const {scopeMetrics} of (bodies['/v1/metrics'] || []).flatMap(b => b.resourceMetrics))
      for (const metric of scopeMetrics.flatMap(s => s.metrics))
        if (metric.name === 'http.server.request.duration') lines.push(`${metric.name}: ${status(metric.histogram.dataPoints[0])}`);
    console.log([...new Set(lines)].sort().join('\n'));
    server.close();
  });
});
JS
seen=$(node collect.js)
printf '%s\n' "$seen"
[ "$seen" = 'GET, kind 2: {"stringValue":"500"}
GET, kind 3: {"stringValue":"500"}
http.server.request.duration: {"intValue":"500"}
own, kind 1: {"doubleValue":500}' ]
