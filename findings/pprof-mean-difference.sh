#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    pprof, github.com/google/pprof v0.0.0-20261105003125-4bf881d7fb0b (Go)
# Source:  sampleFormat() in internal/driver/driver.go, SampleMeanDivisor in
#          internal/report/report.go; "-mean" and "-diff_base" of `pprof -help`
# Guess:   -mean with -diff_base is the difference of two means: a lock that was waited
#          for 10 times for 10 ms each, then 9 times for 20 ms each, has +10 ms.
# Seen:    the difference of the delays is divided by the difference of the counts:
#          80 ms by -1 is -80 ms, a gain where each wait takes twice as long. With 10
#          waits on both sides nothing is divided (+100 ms), with 11 it is +120 ms.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
cat >go.mod <<'GO'
module finding
go 1.24
GO
cat >main.go <<'GO'
package main

import (
	"os"

	"github.com/google/pprof/profile"
)

func contention(name string, waits, each int64) {
	function := &profile.Function{ID: 1, Name: "lock"}
	location := &profile.Location{ID: 1, Line: []profile.Line{{Function: function}}}
	made := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}},
		Sample:     []*profile.Sample{{Location: []*profile.Location{location}, Value: []int64{waits, waits * each}}},
		Location:   []*profile.Location{location},
		Function:   []*profile.Function{function},
	}
	file, _ := os.Create(name)
	made.Write(file)
	file.Close()
}

func main() {
	contention("base", 10, 10e6)
	contention("nine", 9, 20e6)
	contention("ten", 10, 20e6)
	contention("eleven", 11, 20e6)
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b 2>/dev/null
go run .
go build -o pprof github.com/google/pprof
mean() {
	./pprof -mean -sample_index=delay -top "$@" 2>/dev/null | awk '$NF == "lock" { print $1 }'
}
seen=$(for name in nine ten eleven; do
	echo "$name: $(mean base) before, $(mean $name) after, difference $(mean -diff_base base $name)"
done)
printf '%s\n' "$seen"
[ "$seen" = 'nine: 10ms before, 20ms after, difference -80ms
ten: 10ms before, 20ms after, difference 100ms
eleven: 10ms before, 20ms after, difference 120ms' ]
