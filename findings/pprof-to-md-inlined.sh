#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    pprof-to-md 0.2.0 (npm), beside pprof, github.com/google/pprof
#          v0.0.0-20261105003125-4bf881d7fb0b (Go)
# Source:  aggregateFunctionStats() and buildCallTree() in dist/analyzer.js of pprof-to-md;
#          "message Location" in proto/profile.proto of pprof
# Guess:   where a function was inlined, its place has two lines, of which the first, as
#          profile.proto says, was called by the second and has the time itself.
# Seen:    each line has it, so that functions add up to 200 %, and the tree is upside down
#          there: parse, which calls read, hangs below it. Go's profiles are full of such
#          places.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund pprof-to-md@0.2.0 >/dev/null 2>&1
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

func main() {
	made := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:     10000000,
	}
	lines := []profile.Line{}
	for i, name := range []string{"read", "parse", "main"} {
		function := &profile.Function{ID: uint64(i + 1), Name: name, Filename: "a.go"}
		made.Function = append(made.Function, function)
		lines = append(lines, profile.Line{Function: function, Line: int64(i + 1)})
	}
	made.Location = []*profile.Location{{ID: 1, Line: lines[:2]}, {ID: 2, Line: lines[2:]}}
	made.Sample = []*profile.Sample{{Location: made.Location, Value: []int64{1000000000}}}
	file, _ := os.Create("cpu.pb.gz")
	made.Write(file)
	file.Close()
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b 2>/dev/null
go build -o pprof github.com/google/pprof
go run .
seen=$(echo "pprof, from the leaf:" $(./pprof -traces cpu.pb.gz 2>/dev/null | sed -n 's/ (inline)$//; s/^ .* \([a-z]*\)$/\1/p')
  node node_modules/pprof-to-md/dist/cli.js --format=detailed cpu.pb.gz >md
  echo "pprof-to-md, from the root:" $(sed -n 's/^.*─ \[.*\] \([a-z]*\) @.*/\1/p' md)
  sed -n 's/^### `\([a-z]*\)` @.*/\1/p; s/^.*(\(.*%\) self).*/\1/p' md | paste -d ' ' - -)
printf '%s\n' "$seen"
[ "$seen" = 'pprof, from the leaf: read parse main
pprof-to-md, from the root: main read parse
read 100.0%
parse 100.0%' ]
