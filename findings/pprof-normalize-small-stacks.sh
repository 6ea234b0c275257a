#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    pprof, github.com/google/pprof v0.0.0-20261105003125-4bf881d7fb0b (Go)
# Source:  Normalize() in profile/merge.go, ScaleN() in profile/profile.go;
#          "-normalize" in doc/README.md of pprof
# Guess:   -normalize scales a profile to the total of its base, so that the values of
#          a difference add up to 0, but for a rounding here and there.
# Seen:    each sample is rounded by itself, and those that round to 0 are thrown away:
#          of 1,000 stacks with one sample each nothing is left beside a base of 400
#          (a difference of -400), and all of them beside a base of 600 (+400).
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

func cpu(stacks int, each int64) *profile.Profile {
	made := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:     1,
	}
	for i := 1; i <= stacks; i++ {
		function := &profile.Function{ID: uint64(i), Name: fmt.Sprint("f", i)}
		location := &profile.Location{ID: uint64(i), Line: []profile.Line{{Function: function}}}
		made.Function = append(made.Function, function)
		made.Location = append(made.Location, location)
		made.Sample = append(made.Sample, &profile.Sample{Location: []*profile.Location{location}, Value: []int64{each}})
	}
	return made
}

func main() {
	if len(os.Args) > 1 {
		file, _ := os.Open(os.Args[1])
		read, _ := profile.Parse(file)
		sum := int64(0)
		for _, sample := range read.Sample {
			sum += sample.Value[0]
		}
		fmt.Println(len(read.Sample), "samples, sum", sum)
		return
	}
	for name, made := range map[string]*profile.Profile{"many": cpu(1000, 1), "base400": cpu(1, 400), "base600": cpu(1, 600)} {
		file, _ := os.Create(name)
		made.Write(file)
		file.Close()
	}
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b 2>/dev/null
go build -o pprof github.com/google/pprof
go build -o make .
./make
seen=$(for base in base400 base600; do
  ./pprof -normalize -proto -output difference -diff_base=$base many >/dev/null 2>&1
  echo "$base: $(./make difference)"
done)
printf '%s\n' "$seen"
[ "$seen" = 'base400: 1 samples, sum -400
base600: 1001 samples, sum 400' ]
