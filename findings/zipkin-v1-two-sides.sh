#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin
#          0.165.1 (Go), what its Zipkin receiver reads version 1 with
# Source:  jsonToTraces() and parseZipkinV1Annotations() in zipkinv1/json.go
# Guess:   a span of Zipkin's JSON v1 that client and server told of (cs, sr, ss, cr)
#          becomes two spans, as in Zipkin, one of each service.
# Seen:    one: the service and address of the client, the kind of whoever comes last
#          in the list, the client's times. Of the server nothing is left, and its tag is
#          the client's.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin/zipkinv1"
)

func main() {
	bytes, _ := os.ReadFile("v1.json")
	traces, err := zipkinv1.NewJSONTracesUnmarshaler(false).UnmarshalTraces(bytes)
	if err != nil {
		panic(err)
	}
	fmt.Println(traces.SpanCount(), "span")
	for i := 0; i < traces.ResourceSpans().Len(); i++ {
		group := traces.ResourceSpans().At(i)
		service, _ := group.Resource().Attributes().Get("service.name")
		spans := group.ScopeSpans().At(0).Spans()
		for k := 0; k < spans.Len(); k++ {
			s := spans.At(k)
			rows, _ := s.Attributes().Get("rows")
			fmt.Println(service.Str(), s.Kind(), s.EndTimestamp().AsTime().Sub(s.StartTimestamp().AsTime()), "rows", rows.AsString())
		}
	}
}
GO
cat >v1.json <<'JSON'
[{"traceId":"463ac35c9f6413ad","id":"a2fb4a1d1a96d312","name":"get /api","timestamp":1763812336250000,"duration":200000,
 "annotations":[
 {"timestamp":1763812336250000,"value":"cs","endpoint":{"serviceName":"web","ipv4":"10.0.0.1"}},
 {"timestamp":1763812336300000,"value":"sr","endpoint":{"serviceName":"api","ipv4":"10.0.0.2"}},
 {"timestamp":1763812336400000,"value":"ss","endpoint":{"serviceName":"api","ipv4":"10.0.0.2"}},
 {"timestamp":1763812336450000,"value":"cr","endpoint":{"serviceName":"web","ipv4":"10.0.0.1"}}],
 "binaryAnnotations":[{"key":"rows","value":"52","endpoint":{"serviceName":"api","ipv4":"10.0.0.2"}}]}]
JSON
go mod init finding >/dev/null 2>&1
go get github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin@v0.165.1 >/dev/null 2>&1
go get . >/dev/null 2>&1
seen=$(go run .)
printf '%s\n' "$seen"
[ "$seen" = '1 span
web Client 200ms rows 52' ]
