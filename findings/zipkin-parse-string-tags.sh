#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin
#          v0.165.1 (Go), with parse_string_tags as the Collector's Zipkin receiver has it
# Source:  tagsToAttributeMap in zipkinv2/to_translator.go; README of zipkinreceiver
# Guess:   a tag that looks like a number becomes one if it fits 64 bits and stays a text
#          if not.
# Seen:    a number of 20 digits becomes the largest of 64 bits, so that two orders have
#          one id; "007" becomes 7. What it was is nowhere any more.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
cat >go.mod <<'GO'
module finding
go 1.25
GO
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin/zipkinv2"
	zipkin "github.com/openzipkin/zipkin-go/model"
)

func main() {
	id := zipkin.ID(1)
	for _, order := range []string{"1234", "007", "31415926535897932384", "27182818284590452353"} {
		span := &zipkin.SpanModel{
			SpanContext: zipkin.SpanContext{TraceID: zipkin.TraceID{Low: 1}, ID: id},
			Tags:        map[string]string{"order": order},
		}
		traces, err := zipkinv2.ToTranslator{ParseStringTags: true}.ToTraces([]*zipkin.SpanModel{span})
		if err != nil {
			panic(err)
		}
		value, _ := traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("order")
		fmt.Println(order, value.Type(), value.AsString())
	}
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/zipkin/zipkinv2@v0.165.1 2>/dev/null
seen=$(go run .)
printf '%s\n' "$seen"
[ "$seen" = '1234 Int 1234
007 Int 7
31415926535897932384 Int 9223372036854775807
27182818284590452353 Int 9223372036854775807' ]
