#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    benchstat of golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da (Go)
# Source:  benchmath/sample.go, Compare() of AssumeNothing in benchmath/nonparam.go
# Guess:   three runs before and three after, ten times as slow and far from one
#          another, are a change (+882 %).
# Seen:    "~ (p=0.100 n=3)": of the 20 ways to split six runs into two halves, two are
#          as far apart, so that no distance whatever between three and three comes
#          below 0.05. With a fourth run of each the same change shows.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
cat >go.mod <<'GO'
module finding
go 1.24
GO
cat >tools.go <<'GO'
//go:build tools

package tools

import _ "golang.org/x/perf/cmd/benchstat"
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da 2>/dev/null
go build -o benchstat golang.org/x/perf/cmd/benchstat
for runs in 3 4; do
  for run in $(seq $runs); do
    echo "BenchmarkCart 100 10$run ns/op" >>old$runs
    echo "BenchmarkCart 100 100$run ns/op" >>new$runs
  done
done
seen=$(for runs in 3 4; do ./benchstat old$runs new$runs 2>/dev/null | grep -o '[^ ]* (p=.*)'; done)
printf '%s\n' "$seen"
[ "$seen" = '~ (p=0.100 n=3)
+878.05% (p=0.029 n=4)' ]
