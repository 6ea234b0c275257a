#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    Node.js, the version that is there (tried: 20.20)
# Source:  "Trace events" of its manual; src/tracing/agent.cc and, in V8, the category
#          disabled-by-default-v8.cpu_profiler of src/profiler/cpu-profiler.cc
# Guess:   (met on the way, no guess written) with the category of V8's profiler, with
#          which Chrome's traces have samples of functions, those of Node have, too.
# Seen:    the category is taken without a word, and named in the file by nobody: there
#          is no sample in it. node --cpu-prof records them.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
node --version
cat >work.js <<'JS'
function spin() { const end = Date.now() + 1000; let s = 0; while (Date.now() < end) s += s % 7; return s }
spin()
JS
node --trace-event-categories v8,disabled-by-default-v8.cpu_profiler work.js
node --cpu-prof --cpu-prof-name work.cpuprofile work.js
seen=$(node -e "
const {traceEvents} = JSON.parse(require('fs').readFileSync('node_trace.1.log'))
const {samples} = JSON.parse(require('fs').readFileSync('work.cpuprofile'))
const kind = e => e.ph == 'M' ? 'metadata' : e.name.startsWith('Profile') ? 'samples' : 'spans'
const count = {metadata: 0, samples: 0, spans: 0}
for (const e of traceEvents) count[kind(e)]++
console.log('trace events: ' + (count.spans ? 'spans, ' : '') + count.samples + ' of samples; --cpu-prof: ' + (samples.length > 100 ? 'hundreds' : samples.length))")
echo "$seen"
[ "$seen" = 'trace events: spans, 0 of samples; --cpu-prof: hundreds' ]
