#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    github.com/google/pprof v0.0.0-20261105003125-4bf881d7fb0b (Go), on what
#          runtime/pprof writes with debug=1 (tried: Go 1.26)
# Source:  parseGoCount() in profile/legacy_profile.go of pprof; printCountProfile() in
#          runtime/pprof/pprof.go of Go
# Guess:   the text of debug=1, in which a person reads functions and labels of each
#          stack, has them still when pprof reads it.
# Seen:    both stand in lines that begin with "#", which pprof passes over as comments:
#          stacks are bare addresses, and goroutines with a label are those without.
#          (The binary form of the same moment has both.)
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
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

func wait() { time.Sleep(time.Minute) }

func main() {
	pprof.Do(context.Background(), pprof.Labels("tenant", "a"), func(context.Context) { go wait() })
	time.Sleep(50 * time.Millisecond)
	for debug := 1; debug >= 0; debug-- {
		var written bytes.Buffer
		pprof.Lookup("goroutine").WriteTo(&written, debug)
		if debug == 1 {
			os.WriteFile("goroutines.txt", written.Bytes(), 0o600)
			fmt.Println("text: tenant", strings.Contains(written.String(), `"tenant":"a"`),
				"main.wait", strings.Contains(written.String(), "main.wait"))
		}
		read, err := profile.Parse(&written)
		if err != nil {
			panic(err)
		}
		labels := 0
		for _, sample := range read.Sample {
			labels += len(sample.Label)
		}
		fmt.Println("read with debug", debug, "labels", labels, "functions", len(read.Function) > 0)
	}
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b 2>/dev/null
seen=$(go run .)
printf '%s\n' "$seen"
[ "$seen" = 'text: tenant true main.wait true
read with debug 1 labels 0 functions false
read with debug 0 labels 1 functions true' ]
