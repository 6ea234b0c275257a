#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    go tool trace -pprof=sync, the version that is there (tried: Go 1.26.8)
# Source:  makeComputePprofFunc() in cmd/trace/pprof.go of Go's sources
# Guess:   a goroutine that waits for a second and still does when the trace ends has its
#          second, as one that was woken before.
# Seen:    a wait counts only if it both begins and ends within the trace, with nothing said of
#          the others: who was stuck all along, or is at the end, is not there. Of three
#          waits of a second each there is one.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
go version
cat >main.go <<'GO'
package main

import (
	"os"
	"runtime/trace"
	"time"
)

//go:noinline
func beganBefore(c chan int) { <-c }

//go:noinline
func woken(c chan int) { <-c }

//go:noinline
func stillWaiting(c chan int) { <-c }

func main() {
	a, b, c := make(chan int), make(chan int), make(chan int)
	go beganBefore(a)
	time.Sleep(100 * time.Millisecond)
	file, _ := os.Create("trace")
	trace.Start(file)
	go woken(b)
	go stillWaiting(c)
	time.Sleep(time.Second)
	close(a)
	close(b)
	time.Sleep(100 * time.Millisecond)
	trace.Stop()
	file.Close()
	close(c)
}
GO
go mod init finding >/dev/null 2>&1
go run .
go tool trace -pprof=sync trace >sync
go tool pprof -top -unit=ms -nodefraction=0 sync >top 2>/dev/null
seen=$(for name in beganBefore woken stillWaiting; do
	awk -v name="main.$name" '$6 == name { cum = $4 } END { print name, (cum + 0 >= 900 ? "a second" : cum + 0) }' top
done)
printf '%s\n' "$seen"
[ "$seen" = 'main.beganBefore 0
main.woken a second
main.stillWaiting 0' ]
