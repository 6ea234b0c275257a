#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    @opentelemetry/otlp-transformer 0.223.1 with sdk-trace-base 2.12.1 (npm), the
#          writer of JavaScript's OTLP exporters; go.opentelemetry.io/collector/pdata
#          v1.71.0 (Go), the reader of the Collector and of the servers built on it
# Source:  toAnyValue() in src/common/internal.ts of otlp-transformer; "intValue" and
#          "doubleValue" of AnyValue in pcommon of pdata; JSON mapping of Protocol Buffers
# Guess:   an attribute of 0/0 or 1e19 arrives whichever of the two forms of OTLP carries
#          it: "NaN" as text, as the mapping asks for, and a double.
# Seen:    as protobuf both do. In JSON the first is null and the second an integer that
#          has no 64 bits: the reader refuses the request, and with it all spans that
#          were sent together, for one attribute of one of them.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/otlp-transformer@0.223.1 \
	@opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
cat >write.js <<'JS'
const fs = require('fs');
const {JsonTraceSerializer, ProtobufTraceSerializer} = require('@opentelemetry/otlp-transformer');
const {BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor} = require('@opentelemetry/sdk-trace-base');
for (const [name, value] of [['half', 0.5], ['nan', 0 / 0], ['large', 1e19]]) {
  const spans = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({spanProcessors: [new SimpleSpanProcessor(spans)]}).getTracer('finding');
  for (let i = 0; i < 9; i++) tracer.startSpan('other').end();
  tracer.startSpan('one', {attributes: {ratio: value}}).end();
  fs.writeFileSync(name + '.json', JsonTraceSerializer.serializeRequest(spans.getFinishedSpans()));
  fs.writeFileSync(name + '.protobuf', ProtobufTraceSerializer.serializeRequest(spans.getFinishedSpans()));
}
JS
node write.js
cat >go.mod <<'GO'
module finding
go 1.25
GO
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

func main() {
	for _, name := range os.Args[1:] {
		bytes, _ := os.ReadFile(name)
		request := ptraceotlp.NewExportRequest()
		read := request.UnmarshalJSON
		if strings.HasSuffix(name, "protobuf") {
			read = request.UnmarshalProto
		}
		if read(bytes) != nil {
			fmt.Println(name, "refused")
		} else {
			fmt.Println(name, request.Traces().SpanCount(), "spans")
		}
	}
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp@v1.71.0 2>/dev/null
seen=$(go run . half.json half.protobuf nan.json nan.protobuf large.json large.protobuf)
printf '%s\n' "$seen"
[ "$seen" = 'half.json 10 spans
half.protobuf 10 spans
nan.json refused
nan.protobuf 10 spans
large.json refused
large.protobuf 10 spans' ]
