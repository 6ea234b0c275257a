// SPDX-License-Identifier: Apache-2.0

// Goroutines that nothing can wake: twelve that send, four that wait.
// ../../../testdata/pprof/ORIGIN.md tells how it was profiled.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type order struct{ id int }

func charge(done chan order, id int) { done <- order{id} }

func placeOrder(id int) {
	done := make(chan order)
	go charge(done, id)
}

func awaitStock() {
	var wg sync.WaitGroup
	wg.Add(1)
	wg.Wait()
}

func main() {
	for i := 0; i < 12; i++ {
		placeOrder(i)
	}
	for i := 0; i < 4; i++ {
		go awaitStock()
	}
	time.Sleep(200 * time.Millisecond)
	runtime.GC()
	f, _ := os.Create(os.Args[1])
	p := pprof.Lookup("goroutineleak")
	if p == nil {
		panic("no goroutineleak")
	}
	if err := p.WriteTo(f, 0); err != nil {
		panic(err)
	}
	f.Close()
	g, _ := os.Create(os.Args[2])
	pprof.Lookup("goroutine").WriteTo(g, 0)
	g.Close()
}
