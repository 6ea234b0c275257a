#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    prom-client 15.1.3 (npm); prometheus/client_golang 1.23.2 (Go) beside it
# Source:  lib/timeWindowQuantiles.js and lib/summary.js of prom-client; "Summary" in
#          Prometheus' "Exposition formats": a quantile without values is NaN
# Guess:   where maxAgeSeconds went by without a request, the quantiles of a Summary are
#          NaN or left out, as in Go.
# Seen:    0: a service that nobody asks has a median of 0 s, which no average, alert or
#          picture tells from a fast one.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund prom-client@15.1.3 >/dev/null
cat >run.js <<'JS'
const {Summary} = require('prom-client')
const s = new Summary({name: 't', help: 't', percentiles: [0.5], maxAgeSeconds: 1, ageBuckets: 2})
s.observe(5)
const show = async when => console.log('JavaScript,', when + ':', (await s.get()).values[0].value)
show('at once').then(() => setTimeout(() => show('3 s later'), 3000))
JS
cat >main.go <<'GO'
package main

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

func main() {
	s := prometheus.NewSummary(prometheus.SummaryOpts{Name: "t", Objectives: map[float64]float64{0.5: 0.01}, MaxAge: time.Second, AgeBuckets: 2})
	s.Observe(5)
	show := func(when string) {
		var m dto.Metric
		s.Write(&m)
		fmt.Println("Go, "+when+":", m.Summary.Quantile[0].GetValue())
	}
	show("at once")
	time.Sleep(3 * time.Second)
	show("3 s later")
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/prometheus/client_golang@v1.23.2 >/dev/null 2>&1
go get . >/dev/null 2>&1
seen=$(node run.js; go run .)
printf '%s\n' "$seen"
[ "$seen" = 'JavaScript, at once: 5
JavaScript, 3 s later: 0
Go, at once: 5
Go, 3 s later: NaN' ]
