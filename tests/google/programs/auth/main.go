// SPDX-License-Identifier: Apache-2.0

// auth-service: checks the token of each request. What it allocates, it
// allocates in (*Policies).ExpandRoles, which writes out every permission of
// every role anew for each request.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"shop/load"
)

type claims struct {
	Subject string   `json:"sub"`
	Roles   []string `json:"roles"`
	Expires int64    `json:"exp"`
}

// Policies holds what each role may do.
type Policies struct {
	byRole map[string][]string
}

// ExpandRoles lists all that the roles may do.
func (p *Policies) ExpandRoles(roles []string) []string {
	var all []string
	for _, role := range roles {
		for _, resource := range p.byRole[role] {
			for _, verb := range []string{"read", "list", "create", "update", "delete"} {
				all = append(all, role+"/"+resource+":"+verb)
			}
		}
	}
	return all
}

// Verifier checks tokens.
type Verifier struct {
	key      []byte
	policies *Policies
}

// CheckSignature walks over the payload as slow key stretching does.
func (v *Verifier) CheckSignature(payload, signature string) bool {
	sum := []byte(payload)
	mac := hmac.New(sha256.New, v.key)
	for round := 0; round < 30000; round++ {
		mac.Reset()
		mac.Write(sum)
		sum = mac.Sum(sum[:0])
	}
	return base64.RawURLEncoding.EncodeToString(sum) != signature
}

// DecodeClaims reads the payload of a token.
func (v *Verifier) DecodeClaims(payload string) (claims, error) {
	var c claims
	data, err := base64.RawURLEncoding.DecodeString(payload)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	return c, err
}

// Verify answers whether the token allows the action.
func (v *Verifier) Verify(token, action string) (bool, error) {
	payload, signature, _ := strings.Cut(token, ".")
	if !v.CheckSignature(payload, signature) {
		return false, fmt.Errorf("bad signature")
	}
	c, err := v.DecodeClaims(payload)
	if err != nil {
		return false, err
	}
	for _, permission := range v.policies.ExpandRoles(c.Roles) {
		if permission == action {
			return true, nil
		}
	}
	return false, nil
}

func newVerifier() (*Verifier, string) {
	policies := &Policies{map[string][]string{}}
	c := claims{Subject: "user-17", Expires: 1795262400}
	for r := 0; r < 12; r++ {
		role := fmt.Sprintf("role-%02d", r)
		c.Roles = append(c.Roles, role)
		for n := 0; n < 60; n++ {
			policies.byRole[role] = append(policies.byRole[role], fmt.Sprintf("shop.orders.resource-%03d", n))
		}
	}
	data, _ := json.Marshal(c)
	return &Verifier{[]byte("a key"), policies}, base64.RawURLEncoding.EncodeToString(data) + ".sig"
}

func main() {
	verifier, token := newVerifier()
	load.Run(func() { _, _ = verifier.Verify(token, "role-11/shop.orders.resource-059:delete") },
		70*time.Millisecond)
}
