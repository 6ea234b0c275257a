#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    opentelemetry-instrumentation-sqlite3 0.66b1 (PyPI), the sqlite3 of Python that is
#          there (tried: 3.11)
# Source:  TracedCursorProxy and TracedConnectionProxy in opentelemetry/instrumentation/dbapi/
#          __init__.py; "execute()" of sqlite3.Connection in Python's documentation
# Guess:   a query that takes a second has a span of a second, and Connection.execute(), the
#          short form, has a span as Cursor.execute() has.
# Seen:    the span ends before SQLite has worked, which it does as rows are fetched: less than
#          1 % of a query's time is in it. Of the short form there is no span at all.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.1 opentelemetry-instrumentation-sqlite3==0.66b1 2>/dev/null
cat >run.py <<'PY'
import time
from opentelemetry import trace
from opentelemetry.instrumentation.sqlite3 import SQLite3Instrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
memory = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(memory))
trace.set_tracer_provider(provider)
SQLite3Instrumentor().instrument()
import sqlite3
connection = sqlite3.connect(":memory:")
query = """WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 2000000)
    SELECT n FROM numbers WHERE n % 500000 = 1"""
for name, one in ("Cursor", connection.cursor()), ("Connection", connection):
    begin = time.perf_counter_ns()
    rows = one.execute(query).fetchall()
    took = time.perf_counter_ns() - begin
    spans = memory.get_finished_spans()
    part = sum(span.end_time - span.start_time for span in spans) / took
    print("%s: %d rows, %d spans, %s of the time" % (name, len(rows), len(spans), "less than 1 %" if part < 0.01 else "%.0f %%" % (100 * part)))
    memory.clear()
PY
seen=$(PYTHONPATH=py python3 run.py)
printf '%s\n' "$seen"
[ "$seen" = 'Cursor: 4 rows, 1 spans, less than 1 % of the time
Connection: 4 rows, 0 spans, less than 1 % of the time' ]
