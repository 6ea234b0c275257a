// SPDX-License-Identifier: Apache-2.0

// Pushes its own CPU profiles to the address given for four seconds.
package main

import (
	"math"
	"os"
	"time"

	"github.com/grafana/pyroscope-go"
)

var sink float64

//go:noinline
func inner(n int) (s float64) {
	for i := 0; i < n; i++ {
		s += math.Sin(float64(i))
	}
	return s
}

//go:noinline
func outer() {
	for i := 0; i < 3; i++ {
		sink += inner(20000)
	}
}

func main() {
	p, err := pyroscope.Start(pyroscope.Config{
		ApplicationName: "shop.cart",
		ServerAddress:   os.Args[1],
		UploadRate:      3 * time.Second,
		Tags:            map[string]string{"region": "eu"},
		ProfileTypes:    []pyroscope.ProfileType{pyroscope.ProfileCPU},
	})
	if err != nil {
		panic(err)
	}
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); {
		outer()
	}
	p.Stop()
}
