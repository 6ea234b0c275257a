#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    @opentelemetry/exporter-zipkin 2.12.1 (npm), read by io.zipkin.zipkin2:zipkin 3.5.1
#          (Maven), the codec of Zipkin's server, and by contrib's
#          pkg/translator/zipkin 0.165.1 (Go), that of the collector
# Source:  toZipkinSpan() in opentelemetry-exporter-zipkin/src/transform.ts and
#          hrTimeToMicroseconds() in opentelemetry-core of opentelemetry-js; "timestamp", an
#          int64, in zipkin2-api.yaml of openzipkin/zipkin-api
# Guess:   a span that began at a time of nanoseconds, as startTime of the API may be, has a
#          timestamp in whole microseconds, or one with a fraction that readers round.
# Seen:    the length is rounded, the timestamp is not: 1700000000123456.8. Both readers refuse the
#          whole request for it, so that one span of a library that gives startTime takes
#          all spans of its batch along.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/exporter-zipkin@2.12.1 @opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
mvn -q dependency:copy -Dartifact=io.zipkin.zipkin2:zipkin:3.5.1 -DoutputDirectory=. >/dev/null
cat >run.js <<'JS'
const {ZipkinExporter} = require('@opentelemetry/exporter-zipkin');
const {BasicTracerProvider, BatchSpanProcessor} = require('@opentelemetry/sdk-trace-base');
const server = require('http').createServer((request, response) => {
  const parts = [];
  request.on('data', part => parts.push(part)).on('end', () => {
    require('fs').writeFileSync('request', Buffer.concat(parts));
    response.writeHead(202).end();
  });
});
server.listen(0, '127.0.0.1', async () => {
  const exporter = new ZipkinExporter({url: `http://127.0.0.1:${server.address().port}/api/v2/spans`});
  const provider = new BasicTracerProvider({spanProcessors: [new BatchSpanProcessor(exporter)]});
  const tracer = provider.getTracer('t');
  for (let i = 0; i < 10; i++) tracer.startSpan('plain').end();
  tracer.startSpan('given', {startTime: [1700000000, 123456789]}).end([1700000000, 123999999]);
  await provider.shutdown();
  server.close();
  for (const span of JSON.parse(require('fs').readFileSync('request')))
    if (span.name === 'given') console.log('written:', span.timestamp, span.duration);
});
JS
cat >Read.java <<'JAVA'
import java.nio.file.*;
import zipkin2.codec.SpanBytesDecoder;
public class Read {
  public static void main(String[] args) throws Exception {
    try {
      System.out.println(SpanBytesDecoder.JSON_V2.decodeList(Files.readAllBytes(Path.of("request"))).size() + " spans");
    } catch (IllegalArgumentException e) {
      System.out.println("Zipkin: " + e.getMessage().replaceAll(" at .*", ""));
    }
  }
}
JAVA
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin/zipkinv2"
)

func main() {
	bytes, _ := os.ReadFile("request")
	traces, err := zipkinv2.NewJSONTracesUnmarshaler(false).UnmarshalTraces(bytes)
	if err == nil {
		fmt.Println(traces.SpanCount(), "spans")
	}
	fmt.Println("collector:", err)
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin@v0.165.1 >/dev/null 2>&1
go get . >/dev/null 2>&1
seen=$(node run.js; java -cp zipkin-3.5.1.jar Read.java; go run .)
printf '%s\n' "$seen"
[ "$seen" = 'written: 1700000000123456.8 543
Zipkin: Expected a long but was 1700000000123456.8
collector: json: cannot unmarshal number 1700000000123456.8 into Go struct field .timestamp of type uint64' ]
