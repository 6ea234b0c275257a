#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    pprof, github.com/google/pprof v0.0.0-20261105003125-4bf881d7fb0b (Go)
# Source:  combineProfiles() in internal/driver/fetch.go, CompatibilizeSampleTypes()
#          in profile/merge.go
# Guess:   files with different types of values cannot be added up, and
#          `pprof -top a b` says so, as profile.Merge() does.
# Seen:    the command first leaves out the types that not all files have, without a
#          word, and then shows another type: a heap profile of 1 MB in use becomes one
#          of 200 MB allocated when a second file lacks inuse_space.
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

func heap(name, second string, bytes int64) *profile.Profile {
	function := &profile.Function{ID: 1, Name: "main.load"}
	location := &profile.Location{ID: 1, Line: []profile.Line{{Function: function}}}
	made := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "alloc_space", Unit: "bytes"}, {Type: second, Unit: "bytes"}},
		PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"},
		Period:     1,
		Function:   []*profile.Function{function},
		Location:   []*profile.Location{location},
		Sample:     []*profile.Sample{{Location: []*profile.Location{location}, Value: []int64{100 << 20, bytes}}},
	}
	file, _ := os.Create(name)
	made.Write(file)
	file.Close()
	return made
}

func main() {
	one, other := heap("one.pb.gz", "inuse_space", 1<<20), heap("other.pb.gz", "freed_space", 99<<20)
	_, err := profile.Merge([]*profile.Profile{one, other})
	fmt.Println("Merge refuses:", err != nil)
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b 2>/dev/null
go build -o pprof github.com/google/pprof
top() { ./pprof -top "$@" 2>/dev/null | sed -n '/^Type/p; s/.* 100% of \(.*\) total/\1/p'; }
seen=$(go run .; echo 'one file:'; top one.pb.gz; echo 'two files:'; top one.pb.gz other.pb.gz)
printf '%s\n' "$seen"
[ "$seen" = 'Merge refuses: true
one file:
Type: inuse_space
1MB
two files:
Type: alloc_space
200MB' ]
