#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    pprof-format 2.3.2 (npm), the reader and writer of the profilers for Node;
#          github.com/google/pprof v0.0.0-20261105003125-4bf881d7fb0b (Go)
# Source:  decodeBigNumber() in dist/esm/index.js of pprof-format;
#          "repeated int64 value" of Sample in proto/profile.proto of pprof
# Guess:   a negative value, as a difference of two profiles has it, is negative again
#          when what was written is read.
# Seen:    it is written right (pprof reads -5), but read back without its sign, as
#          18446744073709551611: a difference that went through pprof-format has grown
#          by 16 exabytes.
set -eu
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund pprof-format@2.3.2 >/dev/null
cat >run.mjs <<'JS'
import {writeFileSync} from 'fs';
import {Function, Line, Location, Profile, Sample, StringTable, ValueType} from 'pprof-format';
const strings = new StringTable();
const profile = new Profile({stringTable: strings,
  sampleType: [new ValueType({type: strings.dedup('space'), unit: strings.dedup('bytes')})],
  sample: [new Sample({locationId: [1], value: [-5]})],
  location: [new Location({id: 1, line: [new Line({functionId: 1})]})],
  function: [new Function({id: 1, name: strings.dedup('f')})]});
const bytes = profile.encode();
writeFileSync('difference.pb', bytes);
console.log('pprof-format', String(Profile.decode(bytes).sample[0].value[0]));
JS
cat >go.mod <<'GO'
module finding
go 1.24
GO
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/google/pprof/profile"
)

func main() {
	file, _ := os.Open("difference.pb")
	read, err := profile.Parse(file)
	fmt.Println("pprof", read.Sample[0].Value[0], err)
}
GO
export GOMODCACHE="$tmp/modules" GOFLAGS=-mod=mod
go get github.com/google/pprof@v0.0.0-20261105003125-4bf881d7fb0b 2>/dev/null
seen=$(node run.mjs; go run .)
printf '%s\n' "$seen"
[ "$seen" = 'pprof-format 18446744073709551611
pprof -5 <nil>' ]
