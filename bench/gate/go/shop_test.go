// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// As often as Linux' clock ticks on most machines: 100 a second, the default,
// needs runs that are two and a half times as long.
const samplesPerSecond = 250

func init() {
	runtime.SetCPUProfileRate(samplesPerSecond)
}

// Percent of the usual effort, from the environment.
func percent(name string) int {
	n, err := strconv.Atoi(os.Getenv("GATE_" + name))
	if err != nil {
		return 100
	}
	return n
}

var sink int

func BenchmarkOrder(b *testing.B) {
	e := effort{
		discount: percent("DISCOUNT") / 5,
		route:    7 * percent("ROUTE") / 5,
		score:    6 * percent("SCORE") / 5,
	}
	o := order{User: "somebody-with-a-name"}
	for i := 0; i < 40; i++ {
		o.Items = append(o.Items, item{fmt.Sprintf("abc-%d", i*7%40), float64(i * 31 % 40), i})
	}
	text, _ := json.Marshal(o)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink += handle(text, e)
	}
}
