// SPDX-License-Identifier: Apache-2.0

// Package load runs a handler under a steady load and takes the profiles that
// Cloud Profiler's agent takes of a Go program.
package load

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"
)

const profileTime = 10 * time.Second

// Run calls serve every interval, each time on a goroutine of its own, and
// writes COUNT profiles of each type into FOLDER. Usage: PROGRAM FOLDER COUNT
func Run(serve func(), interval time.Duration) {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: %s FOLDER COUNT", os.Args[0]))
	}
	count, err := strconv.Atoi(os.Args[2])
	fail(err)
	runtime.SetMutexProfileFraction(1)
	go func() {
		for range time.Tick(interval) {
			go serve()
		}
	}()
	time.Sleep(time.Second)
	for n := 0; n < count; n++ {
		record(os.Args[1], n)
	}
}

// Totals since the start are written before and after: the difference is what
// the ten seconds allocated, and waited for locks.
func record(folder string, n int) {
	write(folder, n, "allocs-before", "allocs")
	write(folder, n, "mutex-before", "mutex")
	file := create(folder, n, "CPU")
	fail(pprof.StartCPUProfile(file))
	time.Sleep(profileTime)
	pprof.StopCPUProfile()
	fail(file.Close())
	write(folder, n, "THREADS", "goroutine")
	runtime.GC()
	write(folder, n, "HEAP", "heap")
	write(folder, n, "allocs-after", "allocs")
	write(folder, n, "mutex-after", "mutex")
}

func create(folder string, n int, kind string) *os.File {
	file, err := os.Create(filepath.Join(folder, fmt.Sprintf("%03d-%s.pb.gz", n, kind)))
	fail(err)
	return file
}

func write(folder string, n int, kind, profile string) {
	file := create(folder, n, kind)
	fail(pprof.Lookup(profile).WriteTo(file, 0))
	fail(file.Close())
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
