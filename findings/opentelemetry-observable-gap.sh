#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    go.opentelemetry.io/otel/sdk/metric v1.47.0 (Go), opentelemetry-sdk 1.45.2 (PyPI)
# Source:  delta() of precomputedSum in sdk/metric/internal/aggregate/sum.go of
#          opentelemetry-go; collect() of _SumAggregation in opentelemetry/sdk/metrics/
#          _internal/aggregation.py
# Guess:   an observable counter of 100, which one collection does not find and the next
#          finds at 150, is a delta of 100 and one of 50.
# Seen:    in Python it is. In Go the 100 from before the gap are counted again: 100 and 150, for
#          a counter that has never been more than 160. (Java's SDK 1.68.0 does as Go,
#          JavaScript's 2.12.1 as Python.) A disk, a queue or a process that cannot be read once
#          is enough.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.py <<'PY'
from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider, ObservableCounter
from opentelemetry.sdk.metrics.export import AggregationTemporality, InMemoryMetricReader

reader = InMemoryMetricReader({ObservableCounter: AggregationTemporality.DELTA})
read = 0
observe = lambda _: [Observation(read)] if read else []
MeterProvider([reader]).get_meter("m").create_observable_counter("bytes", [observe])
deltas = []
for read in (100, 0, 150, 160):
    data = reader.get_metrics_data()
    if data:
        deltas += [point.value for point in data.resource_metrics[0].scope_metrics[0].metrics[0].data.data_points]
print("Python:", deltas, "of", read)
PY
cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

func main() {
	reader := sdk.NewManualReader(sdk.WithTemporalitySelector(func(sdk.InstrumentKind) metricdata.Temporality {
		return metricdata.DeltaTemporality
	}))
	meter := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("m")
	var read int64
	meter.Int64ObservableCounter("bytes", metric.WithInt64Callback(func(_ context.Context, result metric.Int64Observer) error {
		if read > 0 {
			result.Observe(read)
		}
		return nil
	}))
	var deltas []int64
	for _, read = range []int64{100, 0, 150, 160} {
		var data metricdata.ResourceMetrics
		reader.Collect(context.Background(), &data)
		for _, scope := range data.ScopeMetrics {
			for _, point := range scope.Metrics[0].Data.(metricdata.Sum[int64]).DataPoints {
				deltas = append(deltas, point.Value)
			}
		}
	}
	fmt.Println("Go:", deltas, "of", read)
}
GO
go mod init finding >/dev/null 2>&1
go get go.opentelemetry.io/otel/sdk/metric@v1.47.0 >/dev/null 2>&1
go get . >/dev/null 2>&1
seen=$(PYTHONPATH=py python3 run.py; go run .)
printf '%s\n' "$seen"
[ "$seen" = 'Python: [100, 50, 10] of 160
Go: [100 150 10] of 160' ]
