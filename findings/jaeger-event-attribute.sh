#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    contrib's pkg/translator/jaeger v0.165.1 (Go), that of the collector
# Source:  spanEventsToJaegerProtoLogs() in traces_to_jaegerproto.go and
#          jLogsToSpanEvents() in jaegerproto_to_traces.go
# Guess:   (met on the way, no guess written) an event of a span keeps its name in Jaeger, as
#          the field "event", beside its attributes.
# Seen:    not if it has an attribute "event": then its name is nowhere in Jaeger, and on the way
#          back it is called by that attribute, which is gone. If that is a number, as in
#          info!(event = 7, "sent") of Rust's tracing, nothing is left of either.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/jaeger"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func main() {
	made := ptrace.NewTraces()
	span := made.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID([16]byte{1})
	span.SetSpanID([8]byte{1})
	for _, name := range []string{"plain", "text", "number"} {
		event := span.Events().AppendEmpty()
		event.SetName(name)
		event.Attributes().PutStr("key", "k")
		if name == "text" {
			event.Attributes().PutStr("event", "evict")
		} else if name == "number" {
			event.Attributes().PutInt("event", 7)
		}
	}
	batches := jaeger.ProtoFromTraces(made)
	read, _ := jaeger.ProtoToTraces(batches)
	events := read.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Events()
	for i, log := range batches[0].Spans[0].Logs {
		fmt.Printf("%s: in Jaeger", span.Events().At(i).Name())
		for _, field := range log.Fields {
			fmt.Printf(" %s=%s", field.Key, field.AsString())
		}
		fmt.Printf(", back %q %v\n", events.At(i).Name(), events.At(i).Attributes().AsRaw())
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/jaeger@v0.165.1 >/dev/null 2>&1
go get . >/dev/null 2>&1
seen=$(go run .)
printf '%s\n' "$seen"
[ "$seen" = 'plain: in Jaeger event=plain key=k, back "plain" map[key:k]
text: in Jaeger key=k event=evict, back "evict" map[key:k]
number: in Jaeger key=k event=7, back "" map[key:k]' ]
