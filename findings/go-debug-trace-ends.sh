#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    go build -debug-trace, the version that is there (tried: Go 1.26.8)
# Source:  cmd/go/internal/trace in Go's sources: a goroutine takes over the number of
#          its parent's thread; "Duration Events" of the Trace Event Format: ends close
#          what began last on their thread
# Guess:   (met on the way, no guess written) begins and ends of a thread are nested.
# Seen:    one end in some closes another event than the one that it names, since
#          goroutines share a thread's number: who pairs by the order, as the format
#          says, has packages with times of others.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
go version
cat >main.go <<'GO'
package main

import "fmt"

func main() { fmt.Println() }
GO
go mod init finding >/dev/null 2>&1
GOCACHE="$tmp/cache" GOFLAGS=-p=4 go build -debug-trace=trace.json .
cat >pair.py <<'PY'
import json
def paired(by_name):
    open_spans, spans, others = {}, {}, 0
    for e in json.load(open("trace.json")):
        stack = open_spans.setdefault(e.get("tid"), [])
        if e["ph"] == "B":
            stack.append((e["name"], e["ts"]))
        elif e["ph"] == "E" and stack:
            others += stack[-1][0] != e["name"]
            at = len(stack) - 1
            while by_name and at and stack[at][0] != e["name"]:
                at -= 1
            name, start = stack.pop(at)
            spans.setdefault(name, []).append(round(e["ts"] - start))
    return spans, others
ordered, others = paired(False)
named, _ = paired(True)
ends = sum(map(len, named.values()))
wrong = sum(sorted(ordered.get(n, [])) != sorted(t) for n, t in named.items())
print("%d of %d ends close another event; %d of %d names have other times by order" % (others, ends, wrong, len(named)))
assert others > ends / 100 and wrong
PY
python3 pair.py
