#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    Bun 1.4.5 (npm), `bun --cpu-prof`; Node's .cpuprofile beside it
# Source:  the Chrome DevTools Protocol, type Profiler.Profile: "timeDeltas"
# Guess:   none was written: met while a profile of it was read. As in Node's file a wait
#          is samples of "(idle)", which readers of the format leave out.
# Seen:    Bun has no node for what is no function and writes no sample while nothing
#          runs. The sample before the wait lasts until the next one: of 1 s of work and
#          1 s of sleep the functions have 2 s, those of Node's file 1.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund bun@1.4.5 >/dev/null 2>&1
cat >work.js <<'JS'
function burn(ms) {
  for (const end = Date.now() + ms; Date.now() < end;);
}
burn(500);
setTimeout(() => burn(500), 1000);
JS
cat >told.js <<'JS'
const fs = require('fs');
function functions(file) {
  const profile = JSON.parse(fs.readFileSync(file));
  const nodes = new Map(profile.nodes.map(node => [node.id, node.callFrame.functionName]));
  let sum = 0;
  profile.samples.forEach((id, i) => {
    const until = profile.timeDeltas[i + 1] || 0;
    if (nodes.get(id) !== '(idle)')
      sum += until;
  });
  return [sum / 1e6, [...nodes.values()].includes('(idle)')];
}
const [bun, bunIdle] = functions('bun.cpuprofile');
const [node, nodeIdle] = functions('node.cpuprofile');
console.log(`of 1 s of work and 1 s of sleep: Bun ${bun.toFixed(1)} s of functions` +
            ` (idle ${bunIdle ? 'told' : 'not told'}), Node ${node.toFixed(1)} s` +
            ` (idle ${nodeIdle ? 'told' : 'not told'})`);
process.exit(bun > 1.8 && !bunIdle && node < 1.5 && nodeIdle ? 0 : 1);
JS
./node_modules/.bin/bun --cpu-prof --cpu-prof-name bun.cpuprofile work.js
node --cpu-prof --cpu-prof-name node.cpuprofile work.js
node told.js
