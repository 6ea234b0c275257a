// SPDX-License-Identifier: Apache-2.0

// Package shop answers an order as a small service does: it reads JSON, looks
// things up, computes, sorts, signs and writes JSON.
package shop

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"sort"
	"strings"
)

type item struct {
	Name  string  `json:"name"`
	Price float64 `json:"price"`
	Count int     `json:"count"`
}

type order struct {
	User  string `json:"user"`
	Items []item `json:"items"`
}

type answer struct {
	Total float64 `json:"total"`
	Route int     `json:"route"`
	Items []item  `json:"items"`
	Sign  string  `json:"sign"`
}

// Effort of the functions whose slowdown is to be found, in rounds.
type effort struct {
	discount, route, score int
}

var code = regexp.MustCompile(`^[a-z]+-[0-9]+$`)

//go:noinline
func discount(items []item, rounds int) float64 {
	sum := 0.0
	for n := 0; n < rounds; n++ {
		for _, it := range items {
			sum += it.Price * float64(it.Count+n%7) / (1 + sum*1e-9)
		}
	}
	return sum
}

//go:noinline
func route(user string, rounds int) int {
	at := uint32(2166136261)
	for n := 0; n < rounds; n++ {
		for i := 0; i < len(user); i++ {
			at = (at ^ uint32(user[i])) * 16777619
		}
	}
	return int(at % 64)
}

//go:noinline
func score(items []item, rounds int) float64 {
	best := 0.0
	for n := 0; n < rounds; n++ {
		for i := range items {
			rank := items[i].Price*float64(n%13) - float64(i*items[i].Count)
			if rank > best {
				best = rank
			}
		}
	}
	return best
}

func valid(items []item) int {
	count := 0
	for _, it := range items {
		if code.MatchString(it.Name) {
			count++
		}
	}
	return count
}

func sign(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func groups(items []item) map[string]int {
	by := map[string]int{}
	for _, it := range items {
		by[strings.ToUpper(it.Name[:3])] += it.Count
	}
	return by
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

// handle answers one order.
func handle(text []byte, e effort) int {
	var o order
	if json.Unmarshal(text, &o) != nil {
		return 0
	}
	sort.Slice(o.Items, func(i, j int) bool {
		return o.Items[i].Price < o.Items[j].Price
	})
	a := answer{
		Total: discount(o.Items[10:], e.discount) + score(o.Items, e.score),
		Route: route(o.User, e.route) + valid(o.Items) + len(groups(o.Items)),
		Items: o.Items,
		Sign:  sign(text),
	}
	out, _ := json.Marshal(a)
	return pack(out)
}
