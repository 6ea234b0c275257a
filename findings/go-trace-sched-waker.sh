#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    go tool trace -pprof=sched, the version that is there (tried: Go 1.26.8)
# Source:  makeComputePprofFunc() in cmd/trace/pprof.go of Go's sources, which takes the stack of
#          the event that makes a goroutine runnable
# Guess:   (met on the way, no guess written) the profile of scheduler latency has the functions
#          that wait for a CPU.
# Seen:    it has those that woke them: a worker that waits for a CPU before each of 30 jobs has
#          none of that, and the function that handed them over has it, and never waited.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
go version
cat >main.go <<'GO'
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

//go:noinline
func worker(jobs chan int) {
	for range jobs {
	}
}

//go:noinline
func handOver(jobs chan int) { jobs <- 1 }

//go:noinline
func hog() {
	for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
	}
}

func main() {
	runtime.GOMAXPROCS(1)
	jobs := make(chan int)
	go worker(jobs)
	time.Sleep(50 * time.Millisecond)
	file, _ := os.Create("trace")
	trace.Start(file)
	for range 30 {
		handOver(jobs)
		hog()
	}
	trace.Stop()
	file.Close()
}
GO
go mod init finding >/dev/null 2>&1
go run .
go tool trace -pprof=sched trace >sched
go tool pprof -top -unit=ms -nodefraction=0 sched >top 2>/dev/null
seen=$(for name in handOver worker; do
	awk -v name="main.$name" '$6 == name { cum = $5 + 0 } END { print name, (cum > 50 ? "more than half" : cum < 5 ? "less than 5 %" : cum) }' top
done)
printf '%s\n' "$seen"
[ "$seen" = 'main.handOver more than half
main.worker less than 5 %' ]
