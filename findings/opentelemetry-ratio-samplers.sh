#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    opentelemetry-sdk 1.45.2 (PyPI), @opentelemetry/sdk-trace-base 2.12.1 (npm)
# Source:  TraceIdRatioBased in opentelemetry/sdk/trace/sampling.py of
#          opentelemetry-python; TraceIdRatioBasedSampler.ts of opentelemetry-js
# Guess:   TraceIdRatioBased decides by the trace id alone, so that two services with
#          the same ratio keep the same traces, in whatever language they are written.
# Seen:    Python takes the lower 64 bits of the id, JavaScript the exclusive or of
#          its four words. Of 10,000 ids and a ratio of 1 in 10, each keeps about
#          1,000, and both keep about 100: as if each had thrown dice of its own. Nine
#          of ten traces that one keeps lack the spans of the other.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/api@1.9.0 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py opentelemetry-sdk==1.45.2 2>/dev/null
cat >run.py <<'PY'
import random
from opentelemetry.sdk.trace.sampling import Decision, TraceIdRatioBased
random.seed(20)
sampler = TraceIdRatioBased(0.1)
for _ in range(10000):
    trace_id = random.getrandbits(128)
    kept = sampler.should_sample(None, trace_id, "s").decision is Decision.RECORD_AND_SAMPLE
    print("%032x %d" % (trace_id, kept))
PY
cat >run.js <<'JS'
const {SamplingDecision, TraceIdRatioBasedSampler} = require('@opentelemetry/sdk-trace-base');
const sampler = new TraceIdRatioBasedSampler(0.1);
let python = 0, javascript = 0, both = 0;
for (const line of require('fs').readFileSync('python', 'utf8').trim().split('\n')) {
  const [id, kept] = line.split(' ');
  const here = sampler.shouldSample(undefined, id).decision === SamplingDecision.RECORD_AND_SAMPLED;
  python += kept === '1';
  javascript += here;
  both += here && kept === '1';
}
console.log(`of 10000: Python keeps ${python}, JavaScript ${javascript}, both ${both}`);
process.exit(python > 900 && javascript > 900 && both < 150 ? 0 : 1);
JS
PYTHONPATH=py python3 run.py >python
node run.js
