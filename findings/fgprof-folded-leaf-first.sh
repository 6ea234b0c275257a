#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    fgprof, github.com/felixge/fgprof v0.9.5 (Go)
# Source:  FormatFolded in fgprof.go; flamegraph.pl: "stack samples ... root first"
# Guess:   none was written: met while such a file was read. A folded stack begins with
#          the root, as all that read the format take it.
# Seen:    it begins with the leaf: each line ends in runtime.goexit, which has all the
#          time in whatever reads it, and a flame graph of it stands on its head.
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
	"time"

	"github.com/felixge/fgprof"
)

//go:noinline
func leaf() { time.Sleep(300 * time.Millisecond) }

func main() {
	stop := fgprof.Start(os.Stdout, fgprof.FormatFolded)
	leaf()
	stop()
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/felixge/fgprof@v0.9.5 2>/dev/null
seen=$(go run . | grep 'main\.leaf')
printf '%s\n' "$seen"
[ -z "${seen##*main.leaf;main.main;runtime.main;runtime.goexit *}" ]
