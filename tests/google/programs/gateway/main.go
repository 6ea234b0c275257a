// SPDX-License-Identifier: Apache-2.0

// api-gateway-service: asks auth-service and data-service, and joins their
// answers. It computes little: its requests wait.
package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"shop/load"
)

type order struct {
	ID    int               `json:"id"`
	Items []string          `json:"items"`
	Notes map[string]string `json:"notes"`
}

// Pool hands out connections to the services behind.
type Pool struct {
	mutex sync.Mutex
	used  map[string]int
}

// Take counts a use, which takes its time.
func (p *Pool) Take(service string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.used[service]++
	time.Sleep(time.Millisecond)
}

// Gateway answers the requests of the frontend.
type Gateway struct {
	pool   *Pool
	orders []order
}

// Call stands for a request to another service: it waits.
func (g *Gateway) Call(service string, wait time.Duration) {
	g.pool.Take(service)
	time.Sleep(wait)
}

// EncodeOrders writes the answer.
func (g *Gateway) EncodeOrders(w io.Writer) error {
	packer := gzip.NewWriter(w)
	if err := json.NewEncoder(packer).Encode(g.orders); err != nil {
		return err
	}
	return packer.Close()
}

// ServeOrders handles GET /api/orders.
func (g *Gateway) ServeOrders() {
	g.Call("auth-service", 30*time.Millisecond)
	g.Call("data-service", 60*time.Millisecond)
	_ = g.EncodeOrders(io.Discard)
}

func main() {
	gateway := &Gateway{pool: &Pool{used: map[string]int{}}}
	for n := 0; n < 120; n++ {
		o := order{ID: n, Notes: map[string]string{}}
		for i := 0; i < 8; i++ {
			o.Items = append(o.Items, fmt.Sprintf("item-%d-%d", n, i))
			o.Notes[fmt.Sprintf("note-%d", i)] = fmt.Sprintf("text of %d", n*i)
		}
		gateway.orders = append(gateway.orders, o)
	}
	load.Run(gateway.ServeOrders, 50*time.Millisecond)
}
