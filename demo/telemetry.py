# SPDX-License-Identifier: Apache-2.0
"""What the four services have in common: traces, metrics and profiles, with the
SDKs as their guides tell, and a server.

OTEL_EXPORTER_OTLP_ENDPOINT  where traces go, as the SDK reads it
PYROSCOPE_SERVER_ADDRESS     where profiles go
PORT                         where the service listens
"""
import os
import platform
import signal
import sys

# Spans and metrics by today's names of attributes; read when instrumentations
# are loaded.
os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "http,database")

import prometheus_client
import pyroscope
from flask import Flask, Response
from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import \
    OTLPSpanExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.instrumentation.flask import FlaskInstrumentor
from opentelemetry.instrumentation.requests import RequestsInstrumentor
from opentelemetry.instrumentation.sqlite3 import SQLite3Instrumentor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from pyroscope.otel import PyroscopeSpanProcessor
from werkzeug.serving import WSGIRequestHandler, make_server

import faults

# Paths that are no requests of users.
QUIET = "health,metrics"
# A sample of memory for so many bytes: sessions are small.
HEAP_SAMPLE_BYTES = 64 * 1024


class Service:
    """A Flask application with its telemetry, and the fault that it has."""

    def __init__(self, program, port):
        self.name = f"{program}-service"
        self.fault = faults.chosen(program)
        self.version = (faults.NEW_VERSION if self.fault == "new_version"
                        else faults.VERSION)
        self.port = int(os.environ.get("PORT", port))
        self.instance = f"{platform.node()}-{os.getpid()}"
        self.start_traces_and_metrics()
        self.start_profiles()
        self.tracer = trace.get_tracer(self.name, self.version)
        self.app = Flask(self.name)
        FlaskInstrumentor().instrument_app(self.app, excluded_urls=QUIET)
        self.app.add_url_rule("/health", view_func=self.health)
        self.app.add_url_rule("/metrics", view_func=self.metrics)

    def start_traces_and_metrics(self):
        resource = Resource.create({
            "service.name": self.name, "service.version": self.version,
            "service.instance.id": self.instance})
        provider = TracerProvider(resource=resource)
        provider.add_span_processor(PyroscopeSpanProcessor())
        provider.add_span_processor(BatchSpanProcessor(
            OTLPSpanExporter(), schedule_delay_millis=1000))
        trace.set_tracer_provider(provider)
        metrics.set_meter_provider(MeterProvider(
            resource=resource, metric_readers=[PrometheusMetricReader()]))
        RequestsInstrumentor().instrument()
        SQLite3Instrumentor().instrument()

    def start_profiles(self):
        # gil_only would leave out what runs with the interpreter's lock
        # released: queries of SQLite, hashes of large inputs.
        pyroscope.configure(
            application_name=self.name,
            server_address=os.environ.get("PYROSCOPE_SERVER_ADDRESS",
                                          "http://localhost:4040"),
            oncpu=True, gil_only=False,
            mem_enabled=True, mem_heap_sample_size=HEAP_SAMPLE_BYTES,
            tags={"version": self.version, "pod": self.instance})

    def health(self):
        return {"status": "healthy", "service": self.name}

    @staticmethod
    def metrics():
        return Response(prometheus_client.generate_latest(),
                        content_type=prometheus_client.CONTENT_TYPE_LATEST)

    def run(self):
        """Serves until it is stopped, and sends what it has by then."""
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        try:
            make_server(os.environ.get("HOST", "127.0.0.1"), self.port,
                        self.app, threaded=True,
                        request_handler=Handler).serve_forever()
        finally:
            pyroscope.shutdown()


class Handler(WSGIRequestHandler):
    """Says nothing about requests: traces do."""

    def log_request(self, *_):
        pass
