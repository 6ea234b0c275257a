#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    pprof, github.com/google/pprof v0.0.0-20261105003125-4bf881d7fb0b (Go), read by
#          callgrind_annotate of Valgrind (tried: 3.19.0)
# Source:  "calls=0" in printCallgrind() of internal/report/report.go of pprof;
#          $curr_call_counter in callgrind_annotate
# Guess:   (met on the way, no guess written) what pprof writes for Callgrind's tools has
#          the same functions there, with the same costs of their own.
# Seen:    pprof does not know how often a function is called and writes 0, and after 0 calls
#          callgrind_annotate takes what a call cost for the caller's own: of 1 s in
#          main > parse > read, of which all is in read, each has 1 s, 3 s in all. With "calls=1" in
#          the same file it is right.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
command -v callgrind_annotate >/dev/null || { echo "callgrind_annotate of Valgrind is not there" >&2; exit 1; }
callgrind_annotate --version || true
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
	for i, name := range []string{"read", "parse", "main"} {
		id := uint64(i + 1)
		function := &profile.Function{ID: id, Name: name, Filename: "a.go"}
		made.Function = append(made.Function, function)
		made.Location = append(made.Location, &profile.Location{ID: id, Line: []profile.Line{{Function: function, Line: int64(10 * id)}}})
	}
	made.Sample = []*profile.Sample{{Location: made.Location, Value: []int64{1000000000}}}
	file, _ := os.Create("profile")
	made.Write(file)
	file.Close()
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b 2>/dev/null
go build -o pprof github.com/google/pprof
go run .
./pprof -callgrind -output written profile >/dev/null 2>&1
sed 's/^calls=0 /calls=1 /' written >once
costs() { callgrind_annotate --show-percs=no "$1" | awk -v of="$1" '/PROGRAM TOTALS|a\.go:[a-z]/ { sub(".*:", "", $2); print of ", " $2 ": " $1 }' | sort; }
grep -h '^events' written
seen=$(costs written; costs once)
printf '%s\n' "$seen"
[ "$seen" = 'written, PROGRAM: 3
written, main: 1
written, parse: 1
written, read: 1
once, PROGRAM: 1
once, read: 1' ]
