// SPDX-License-Identifier: Apache-2.0

// Quotes answers requests with a CPU profile on: four callers share one helper,
// beside JSON, sorting, texts, patterns, signatures and packing.
//
//	quotes OUT.pb.gz REQUESTS PERCENT
//
// PERCENT: what the helper takes when insure calls it, 100 as ever.
package main

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
)

type line struct {
	Name  string  `json:"name"`
	Price float64 `json:"price"`
	Count int     `json:"count"`
}

type quote struct {
	User  string  `json:"user"`
	Lines []line  `json:"lines"`
	Marks [4]uint `json:"marks"`
	Sum   float64 `json:"sum"`
}

// curve is the shared helper.
//
//go:noinline
func curve(seed uint, steps int) uint {
	at := seed | 1
	for i := 0; i < steps; i++ {
		at = at*6364136223846793005 + 1442695040888963407
		at ^= at >> 29
	}
	return at
}

// own is work of a caller by itself.
func own(lines []line, rounds int) uint {
	sum := uint(0)
	for n := 0; n < rounds; n++ {
		for i := range lines {
			sum = sum*31 + uint(lines[i].Count+n)
		}
	}
	return sum
}

//go:noinline
func insure(lines []line, percent int) uint {
	return curve(own(lines, 153), 10850*percent/100)
}

//go:noinline
func ship(lines []line) uint { return curve(own(lines, 60), 8000) }

//go:noinline
func tax(lines []line) uint { return curve(own(lines, 50), 5000) }

//go:noinline
func rebate(lines []line) uint { return curve(own(lines, 40), 3000) }

var name = regexp.MustCompile(`^[a-z]+-[0-9]+$`)

func valid(lines []line) int {
	count := 0
	for _, l := range lines {
		if name.MatchString(l.Name) {
			count++
		}
	}
	return count
}

func group(lines []line) map[string]int {
	by := map[string]int{}
	for _, l := range lines {
		by[strings.ToUpper(l.Name[:4])] += l.Count
	}
	return by
}

func total(lines []line) float64 {
	sum := 0.0
	for _, l := range lines {
		sum += l.Price * float64(l.Count)
	}
	return sum
}

func label(lines []line) string {
	var out strings.Builder
	for _, l := range lines[:12] {
		fmt.Fprintf(&out, "%s x %d: %.2f\n", l.Name, l.Count, l.Price)
	}
	return out.String()
}

var packed bytes.Buffer
var packer, _ = flate.NewWriter(&packed, flate.BestSpeed)

func pack(text []byte) int {
	packed.Reset()
	packer.Reset(&packed)
	packer.Write(text)
	packer.Close()
	return packed.Len()
}

func handle(text []byte, percent int) int {
	var q quote
	if json.Unmarshal(text, &q) != nil {
		return 0
	}
	sort.Slice(q.Lines, func(i, j int) bool {
		return q.Lines[i].Price < q.Lines[j].Price
	})
	q.Marks = [4]uint{insure(q.Lines, percent), ship(q.Lines),
		tax(q.Lines), rebate(q.Lines)}
	q.Sum = total(q.Lines)
	out, _ := json.Marshal(q)
	sum := sha256.Sum256(append(out, label(q.Lines)...))
	return pack(out) + int(sum[0]) + valid(q.Lines) + len(group(q.Lines))
}

func main() {
	requests, err1 := strconv.Atoi(os.Args[2])
	percent, err2 := strconv.Atoi(os.Args[3])
	out, err3 := os.Create(os.Args[1])
	if err1 != nil || err2 != nil || err3 != nil {
		fmt.Fprintln(os.Stderr, "usage: quotes OUT.pb.gz REQUESTS PERCENT")
		os.Exit(2)
	}
	q := quote{User: "somebody"}
	for i := 0; i < 40; i++ {
		q.Lines = append(q.Lines, line{fmt.Sprintf("item-%d", i*7%40),
			float64(i * 31 % 40), i})
	}
	text, _ := json.Marshal(q)
	sink := 0
	pprof.StartCPUProfile(out)
	for i := 0; i < requests; i++ {
		sink += handle(text, percent)
	}
	pprof.StopCPUProfile()
	out.Close()
	if sink == 0 {
		os.Exit(1)
	}
}
