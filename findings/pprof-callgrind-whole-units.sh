#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    pprof, github.com/google/pprof v0.0.0-20261105003125-4bf881d7fb0b (Go)
# Source:  printCallgrind() and selectOutputUnit() in internal/report/report.go of pprof
# Guess:   -callgrind writes the values of a profile in its own unit, or in one so small
#          that nothing is lost.
# Seen:    in the unit in which the smallest reads well, cut to whole numbers: of ten functions
#          with 1.9 MB each there is 1 MB each, 10 of 18. (With -unit=b they are whole.)
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
	"fmt"
	"os"

	"github.com/google/pprof/profile"
)

func main() {
	made := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "inuse_space", Unit: "bytes"}},
		PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"},
		Period:     524288,
	}
	for i := 1; i <= 10; i++ {
		function := &profile.Function{ID: uint64(i), Name: fmt.Sprint("f", i), Filename: "a.go"}
		location := &profile.Location{ID: uint64(i), Line: []profile.Line{{Function: function, Line: int64(i)}}}
		made.Function = append(made.Function, function)
		made.Location = append(made.Location, location)
		made.Sample = append(made.Sample, &profile.Sample{Location: []*profile.Location{location}, Value: []int64{1900000}})
	}
	file, _ := os.Create("heap")
	made.Write(file)
	file.Close()
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b 2>/dev/null
go build -o pprof github.com/google/pprof
go run .
sum() { ./pprof -callgrind "$@" -output out heap >/dev/null 2>&1; awk '/^events/ { unit = $2 } /^[0-9*+-]/ { sum += $NF } END { print sum, unit }' out; }
seen=$(./pprof -top heap 2>/dev/null | sed -n 's/.* of \(.*\) total$/top: \1/p'; echo "callgrind: $(sum)"; echo "callgrind -unit=b: $(sum -unit=b)")
printf '%s\n' "$seen"
[ "$seen" = 'top: 18.12MB
callgrind: 10 inuse_space(MB)
callgrind -unit=b: 19000000 inuse_space(b)' ]
