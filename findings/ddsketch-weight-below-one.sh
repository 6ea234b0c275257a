#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    ddsketch 3.0.1 (PyPI), @datadog/sketches-js 2.1.1 (npm)
# Source:  get_quantile_value() in ddsketch/ddsketch.py of sketches-py;
#          getValueAtQuantile() in ddsketch/DDSketch.ts of sketches-js
# Guess:   weights may be fractions, so of a sketch that holds nothing but 10 with a
#          weight of 0.5, the median is 10, within the promised 1 %.
# Seen:    the rank asked for is q * (count - 1), which is below 0 while the weights
#          add up to less than 1, and a rank below 0 is looked for among the negative
#          values, of which there are none: Python answers -0.99, JavaScript 0.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund @datadog/sketches-js@2.1.1 protobufjs@7.5.4 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py ddsketch==3.0.1 2>/dev/null
cat >run.py <<'PY'
from ddsketch import DDSketch
for weights in ([0.5], [0.5, 0.5]):
    sketch = DDSketch(0.01)
    for weight in weights:
        sketch.add(10, weight)
    print("Python", sum(weights), " ".join("%.2f" % sketch.get_quantile_value(q) for q in (0, 0.5, 0.99)))
PY
cat >run.js <<'JS'
const {DDSketch} = require('@datadog/sketches-js');
for (const weights of [[0.5], [0.5, 0.5]]) {
  const sketch = new DDSketch({relativeAccuracy: 0.01});
  for (const weight of weights) sketch.accept(10, weight);
  console.log('JavaScript', sketch.count.toFixed(1),
    [0, 0.5, 0.99].map((q) => sketch.getValueAtQuantile(q).toFixed(2)).join(' '));
}
JS
seen=$(PYTHONPATH=py python3 run.py; node run.js)
printf '%s\n' "$seen"
[ "$seen" = 'Python 0.5 10.07 -0.99 -0.99
Python 1.0 10.07 10.07 10.07
JavaScript 0.5 10.07 0.00 0.00
JavaScript 1.0 10.07 10.07 10.07' ]
