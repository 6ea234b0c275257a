#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    io.opentelemetry:opentelemetry-exporter-logging-otlp 1.55.0 (Maven), and
#          go.opentelemetry.io/collector/pdata 1.71.0 (Go), the collector's reader
# Source:  OtlpJsonLoggingSpanExporter.java of the one, ptrace/json.go of the other;
#          "JSON Protobuf Encoding" of OTLP
# Guess:   each line that is logged is a request as OTLP has it in JSON, and the reader
#          of the collector gets its spans.
# Seen:    a line is one member of the list, without {"resourceSpans": [...]} around it.
#          The reader passes over members that it does not know: 0 spans, and no error.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>finding</groupId><artifactId>finding</artifactId><version>1</version><dependencies>
<dependency><groupId>io.opentelemetry</groupId><artifactId>opentelemetry-sdk</artifactId><version>1.55.0</version></dependency>
<dependency><groupId>io.opentelemetry</groupId><artifactId>opentelemetry-exporter-logging-otlp</artifactId><version>1.55.0</version></dependency>
</dependencies></project>
XML
mvn -q dependency:copy-dependencies -DoutputDirectory=lib >/dev/null
cat >Log.java <<'JAVA'
import io.opentelemetry.exporter.logging.otlp.OtlpJsonLoggingSpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
public class Log {
  public static void main(String[] args) {
    SdkTracerProvider provider = SdkTracerProvider.builder()
        .addSpanProcessor(SimpleSpanProcessor.create(OtlpJsonLoggingSpanExporter.create())).build();
    provider.get("t").spanBuilder("s").startSpan().end();
    provider.close();
  }
}
JAVA
java -cp 'lib/*' Log.java 2>&1 | sed -n 's/^[^{]*{/{/p' >line.json
printf '{"resourceSpans":[%s]}\n' "$(cat line.json)" >wrapped.json
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

func main() {
	for _, name := range []string{"line.json", "wrapped.json"} {
		bytes, _ := os.ReadFile(name)
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(bytes)
		fmt.Println(name+":", traces.SpanCount(), "spans, error:", err)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get go.opentelemetry.io/collector/pdata@v1.71.0 >/dev/null 2>&1
go get . >/dev/null 2>&1
cut -c 1-60 line.json
seen=$(go run .)
printf '%s\n' "$seen"
[ "$seen" = 'line.json: 0 spans, error: <nil>
wrapped.json: 1 spans, error: <nil>' ]
