// SPDX-License-Identifier: Apache-2.0

// Four functions that compute in one helper: -f makes one of them dearer.
// ../../../testdata/pprof/ORIGIN.md tells how it was profiled.
package main

import (
	"flag"
	"os"
	"runtime/pprof"
	"time"
)

var sink uint64

//go:noinline
func spin(n int) {
	x := sink + 1
	for i := 0; i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink = x
}

//go:noinline
func decode(k int) { spin(30 * k) }

//go:noinline
func applyRules(k int, f float64) { spin(int(float64(19*k) * f)) }

//go:noinline
func render(k int) { spin(28 * k) }

//go:noinline
func store(k int) { spin(23 * k) }

//go:noinline
func serve(f float64) {
	const k = 1000
	decode(k)
	applyRules(k, f)
	render(k)
	store(k)
}

func main() {
	out := flag.String("o", "cpu.pb.gz", "")
	f := flag.Float64("f", 1, "")
	n := flag.Int("n", 0, "")
	d := flag.Duration("d", 0, "")
	flag.Parse()
	w, _ := os.Create(*out)
	pprof.StartCPUProfile(w)
	start := time.Now()
	for i := 0; (*n > 0 && i < *n) || (*d > 0 && time.Since(start) < *d); i++ {
		serve(*f)
	}
	pprof.StopCPUProfile()
	w.Close()
}
