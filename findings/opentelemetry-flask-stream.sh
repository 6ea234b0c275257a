#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    opentelemetry-instrumentation-flask and -wsgi 0.66b1, Flask 3.1.3 (PyPI)
# Source:  _wrapped_teardown_request() in opentelemetry/instrumentation/flask/__init__.py;
#          OpenTelemetryMiddleware.__call__() in opentelemetry/instrumentation/wsgi/__init__.py
# Guess:   a response that is streamed for 0.3 s has a server span of 0.3 s in both, and what
#          is done meanwhile is below it; stream_with_context() makes sure of it.
# Seen:    so in WSGI. In Flask the span ends before the first byte, and each span of the
#          generator begins a trace of its own, also with stream_with_context().
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.1 \
  opentelemetry-instrumentation-flask==0.66b1 opentelemetry-instrumentation-wsgi==0.66b1 flask==3.1.3 2>/dev/null
cat >run.py <<'PY'
import time
from wsgiref.util import setup_testing_defaults
import flask
from opentelemetry import trace
from opentelemetry.instrumentation.flask import FlaskInstrumentor
from opentelemetry.instrumentation.wsgi import OpenTelemetryMiddleware
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
memory = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(memory))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("t")
def rows():
    for _ in range(3):
        with tracer.start_as_current_span("row"):
            time.sleep(0.1)
        yield b"row"
app = flask.Flask("app")
app.get("/plain", endpoint="plain")(lambda: flask.Response(rows()))
app.get("/context", endpoint="context")(lambda: flask.Response(flask.stream_with_context(rows())))
FlaskInstrumentor().instrument_app(app)
def bare(environ, start_response):
    start_response("200 OK", [])
    return rows()
def ask(name, app, path):
    environ = {"PATH_INFO": path}
    setup_testing_defaults(environ)
    answer = app(environ, lambda *_, **__: None)
    length = len(b"".join(answer))
    answer.close()
    spans = memory.get_finished_spans()
    server = next(span for span in spans if span.kind.name == "SERVER")
    s = (server.end_time - server.start_time) / 1e9
    print("%s: %d bytes, server span %s, %d traces" % (name, length, "of 0.3 s" if s >= 0.3 else "of less than 0.1 s" if s < 0.1 else s,
        len({span.context.trace_id for span in spans})))
    memory.clear()
ask("WSGI", OpenTelemetryMiddleware(bare), "/")
ask("Flask", app, "/plain")
ask("Flask, stream_with_context()", app, "/context")
PY
seen=$(PYTHONPATH=py python3 run.py)
printf '%s\n' "$seen"
[ "$seen" = 'WSGI: 9 bytes, server span of 0.3 s, 1 traces
Flask: 9 bytes, server span of less than 0.1 s, 4 traces
Flask, stream_with_context(): 9 bytes, server span of less than 0.1 s, 4 traces' ]
