#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    opentelemetry_sdk 0.33.1 (crates.io), opentelemetry-sdk 1.45.2 (PyPI), read by
#          pdata v1.71.0 (Go), that of the collector
# Source:  set_attribute() in opentelemetry-sdk/src/trace/span.rs of opentelemetry-rust;
#          "SetAttribute" in specification/trace/api.md of OpenTelemetry; Get() and AsRaw()
#          in pdata/pcommon/map.go
# Guess:   as specified, an attribute that is set again has its later value alone.
# Seen:    so in Python. Rust exports both, in turn, which OTLP does not allow, and readers
#          choose: the collector's Get(), by which processors decide, finds the first, its
#          AsRaw() the last. A status of 200 that became 503 is either.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.py <<'PY'
from opentelemetry.sdk.trace import TracerProvider
span = TracerProvider().get_tracer("t").start_span("pay")
span.set_attribute("http.response.status_code", 200)
span.set_attribute("http.response.status_code", 503)
print("Python exports", *span.attributes.values())
PY
cargo init -q --name finding --vcs none .
cargo add -q opentelemetry@=0.33.1
cargo add -q opentelemetry_sdk@=0.33.1 --no-default-features --features trace,testing
cat >src/main.rs <<'RS'
use opentelemetry::trace::{Span, Tracer, TracerProvider};
use opentelemetry::KeyValue;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};

fn main() {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let mut span = provider.tracer("t").start("pay");
    span.set_attribute(KeyValue::new("http.response.status_code", 200));
    span.set_attribute(KeyValue::new("http.response.status_code", 503));
    span.end();
    let spans = exporter.get_finished_spans().unwrap();
    let values: Vec<String> = spans[0].attributes.iter().map(|attribute| attribute.value.to_string()).collect();
    println!("Rust exports {}", values.join(" "));
}
RS
CARGO_TARGET_DIR=target CARGO_PROFILE_DEV_DEBUG=0 cargo build -q 2>/dev/null
cat >main.go <<'GO'
package main

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

func main() {
	const attribute = `{"key": "http.response.status_code", "value": {"intValue": "%d"}}`
	request := fmt.Sprintf(`{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "pay", "attributes": [`+attribute+","+attribute+`]}]}]}]}`, 200, 503)
	traces, _ := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(request))
	attributes := traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes()
	value, _ := attributes.Get("http.response.status_code")
	fmt.Println("the collector reads", value.Int(), "by Get(),", attributes.AsRaw()["http.response.status_code"], "by AsRaw()")
}
GO
go mod init finding >/dev/null 2>&1
go get go.opentelemetry.io/collector/pdata@v1.71.0 >/dev/null 2>&1
go get . >/dev/null 2>&1
seen=$(PYTHONPATH=py python3 run.py; ./target/debug/finding; go run .)
printf '%s\n' "$seen"
[ "$seen" = 'Python exports 503
Rust exports 200 503
the collector reads 200 by Get(), 503 by AsRaw()' ]
