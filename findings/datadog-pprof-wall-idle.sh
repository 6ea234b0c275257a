#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    @datadog/pprof 5.20.0 (npm), whose profiles dd-trace and Pyroscope's client
#          for Node send; pprof 5.0.0 (npm), which it comes from
# Source:  serializeTimeProfile() in src/profile-serializer.ts of @datadog/pprof
# Guess:   a profile of type "wall", in nanoseconds, is about as long as the time that
#          went by, whichever of the two wrote it.
# Seen:    @datadog/pprof leaves out all samples of a waiting process: of 3 s, 2.5 of
#          them waits, the "wall" of its file is below 1 s. pprof keeps "(idle)", and
#          with it the 3 s.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @datadog/pprof@5.20.0 pprof@5.0.0 >/dev/null 2>&1
cat >run.js <<'JS'
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
async function serve() {
  for (let i = 0; i < 10; i++) {
    for (const end = Date.now() + 50; Date.now() < end;);
    await sleep(250);
  }
}
function told(profile) {
  const text = index => (profile.stringTable.strings || profile.stringTable)[Number(index)];
  const at = profile.sampleType.findIndex(type => text(type.type) === 'wall');
  const seconds = {nanoseconds: 1e9, microseconds: 1e6}[text(profile.sampleType[at].unit)];
  return profile.sample.reduce((sum, sample) => sum + Number(sample.value[at]), 0) / seconds;
}
(async () => {
  const datadog = require('@datadog/pprof').time;
  datadog.start({durationMillis: 60000, intervalMicros: 10000});
  await serve();
  const waitsLeftOut = told(datadog.stop());
  const stop = require('pprof').time.start(10000);
  await serve();
  const all = told(stop());
  console.log(`of 3 s, 2.5 of them waits: @datadog/pprof ${waitsLeftOut.toFixed(1)} s, pprof ${all.toFixed(1)} s`);
  process.exit(waitsLeftOut < 1 && all > 2.5 ? 0 : 1);
})();
JS
node run.js
