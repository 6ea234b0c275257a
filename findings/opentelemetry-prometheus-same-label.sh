#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    @opentelemetry/exporter-prometheus 0.223.0 (npm), opentelemetry-exporter-prometheus
#          0.66b2 (PyPI), read by Prometheus' expfmt v0.73.1 (Go)
# Source:  stringify() and sanitizePrometheusMetricName() in PrometheusSerializer.ts;
#          _collect_data_points() in opentelemetry/exporter/prometheus/__init__.py; "Metric
#          Attributes" in specification/compatibility/prometheus_and_openmetrics.md
# Guess:   attributes that become one label, such as user.id and user_id, are one with
#          both values, "1;2", as specified.
# Seen:    Python has the later value alone. JavaScript writes the label twice, for which
#          expfmt refuses the page: one point with two such attributes is enough to lose
#          all metrics of the process.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/exporter-prometheus@0.223.0 @opentelemetry/sdk-metrics@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-exporter-prometheus==0.66b2 opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.js <<'JS'
const {MeterProvider} = require('@opentelemetry/sdk-metrics');
const {PrometheusExporter, PrometheusSerializer} = require('@opentelemetry/exporter-prometheus');
const reader = new PrometheusExporter({preventServerStart: true});
const meter = new MeterProvider({readers: [reader]}).getMeter('m');
const page = async () => new PrometheusSerializer().serialize((await reader.collect()).resourceMetrics);
(async () => {
  meter.createCounter('requests').add(100);
  require('fs').writeFileSync('before', await page());
  meter.createCounter('logins').add(1, {'user.id': '1', user_id: '2'});
  require('fs').writeFileSync('after', await page());
})();
JS
cat >run.py <<'PY'
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import REGISTRY, generate_latest
meter = MeterProvider([PrometheusMetricReader()]).get_meter("m")
meter.create_counter("logins").add(1, {"user.id": "1", "user_id": "2"})
labels = next(line for line in generate_latest(REGISTRY).decode().split("\n") if line.startswith("logins_total{"))
print("Python:", *[label for label in labels[13:].split("}")[0].split(",") if label.startswith("user")])
PY
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func main() {
	for _, name := range os.Args[1:] {
		page, _ := os.Open(name)
		parser := expfmt.NewTextParser(model.UTF8Validation)
		_, err := parser.TextToMetricFamilies(page)
		fmt.Println("JavaScript,", name+":", err)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/prometheus/common@v0.73.1 >/dev/null 2>&1
go get . >/dev/null 2>&1
node run.js
seen=$(PYTHONPATH=py python3 run.py; go run . before after)
printf '%s\n' "$seen"
[ "$seen" = 'Python: user_id="2"
JavaScript, before: <nil>
JavaScript, after: text format parsing error in line 9: duplicate label names for metric "logins_total"' ]
