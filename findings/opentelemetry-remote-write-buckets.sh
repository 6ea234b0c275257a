#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    opentelemetry-exporter-prometheus-remote-write 0.66b1 (PyPI), with
#          opentelemetry-sdk 1.45.2
# Source:  _parse_histogram_data_point() in opentelemetry/exporter/prometheus_remote_write/
#          __init__.py of opentelemetry-python-contrib; "Histogram" in Prometheus' "Metric types"
# Guess:   a histogram arrives as Prometheus has them: NAME_bucket, where each le has all that
#          is up to it, and +Inf as many as NAME_count.
# Seen:    each le has its own bucket alone, and the series is NAME itself: histogram_quantile()
#          finds no NAME_bucket, and what there is falls where it has to rise, to 0 of 100 at
#          +Inf. Where a bound is 0, as the first is if nobody chose bounds, the series has no
#          le at all.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-exporter-prometheus-remote-write==0.66b1 opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.py <<'PY'
import http.server, threading
import snappy
from opentelemetry.exporter.prometheus_remote_write import PrometheusRemoteWriteMetricsExporter
from opentelemetry.exporter.prometheus_remote_write.gen.remote_pb2 import WriteRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View

class Prometheus(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = WriteRequest.FromString(snappy.decompress(self.rfile.read(int(self.headers["content-length"]))))
        for series in request.timeseries:
            labels = {label.name: label.value for label in series.labels}
            print(labels["__name__"], "le", labels.get("le"), *(sample.value for sample in series.samples))
        self.send_response(204)
        self.end_headers()
    def log_message(self, *_):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Prometheus)
threading.Thread(target=server.serve_forever, daemon=True).start()
exporter = PrometheusRemoteWriteMetricsExporter(endpoint="http://127.0.0.1:%d/api/v1/write" % server.server_port)
views = [View(instrument_name="seconds", aggregation=ExplicitBucketHistogramAggregation((0, 10, 50, 100)))]
provider = MeterProvider([PeriodicExportingMetricReader(exporter, 3_600_000)], views=views)
seconds = provider.get_meter("m").create_histogram("seconds")
for i in range(1, 101):
    seconds.record(i)
provider.shutdown()
server.shutdown()
PY
seen=$(PYTHONPATH=py python3 run.py)
printf '%s\n' "$seen"
[ "$seen" = 'seconds le None 0.0
seconds le 10 10.0
seconds le 50 40.0
seconds le 100 50.0
seconds le +Inf 0.0
seconds_sum le None 5050.0
seconds_count le None 100.0' ]
