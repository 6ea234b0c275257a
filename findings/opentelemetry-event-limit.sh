#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    opentelemetry_sdk 0.33.1 (crates.io), opentelemetry-sdk 1.45.2 (PyPI)
# Source:  add_event_with_timestamp() in opentelemetry-sdk/src/trace/span.rs of
#          opentelemetry-rust; BoundedList in opentelemetry/sdk/util/__init__.py
# Guess:   of a span's events past the limit of 128 the last are dropped, in all languages;
#          so are its links.
# Seen:    in Rust they are, in Python the first are: of a job that fails a thousand times over and
#          gives up there is its beginning without the end, or the end without its
#          beginning. (Java's SDK 1.68.0 does as Rust's, Go's 1.47.0 and
#          JavaScript's 2.12.1 as Python's.)
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.py <<'PY'
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import SpanContext
span = TracerProvider().get_tracer("t").start_span("job")
for i in range(1, 1001):
    span.add_event("try %d" % i)
    span.add_link(SpanContext(1, i, False))
print("Python: %s to %s," % (span.events[0].name, span.events[-1].name), "links", span.links[0].context.span_id, "to", span.links[-1].context.span_id)
PY
cargo init -q --name finding --vcs none .
cargo add -q opentelemetry@=0.33.1
cargo add -q opentelemetry_sdk@=0.33.1 --no-default-features --features trace,testing
cat >src/main.rs <<'RS'
use opentelemetry::trace::{Span, SpanContext, SpanId, TraceFlags, TraceId, TraceState, Tracer, TracerProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};

fn main() {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let mut span = provider.tracer("t").start("job");
    for i in 1..=1000 {
        span.add_event(format!("try {i}"), vec![]);
        let linked = SpanContext::new(TraceId::from(1), SpanId::from(i), TraceFlags::default(), false, TraceState::default());
        span.add_link(linked, vec![]);
    }
    span.end();
    let span = &exporter.get_finished_spans().unwrap()[0];
    let link = |i: usize| u64::from_be_bytes(span.links[i].span_context.span_id().to_bytes());
    println!("Rust: {} to {}, links {} to {}", span.events[0].name, span.events[127].name, link(0), link(127));
}
RS
CARGO_TARGET_DIR=target CARGO_PROFILE_DEV_DEBUG=0 cargo build -q 2>/dev/null
seen=$(PYTHONPATH=py python3 run.py; ./target/debug/finding)
printf '%s\n' "$seen"
[ "$seen" = 'Python: try 873 to try 1000, links 873 to 1000
Rust: try 1 to try 128, links 1 to 128' ]
