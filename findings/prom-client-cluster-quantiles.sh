#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    prom-client 15.1.3 (npm)
# Source:  aggregators.sum in lib/metricAggregators.js, AggregatorRegistry.aggregate() in
#          lib/cluster.js; "Usage with Node.js's cluster module" in its README: metrics of
#          one's own are summed across workers
# Guess:   the quantiles of a Summary, which have no sum, are left out or averaged where
#          four workers of a cluster become one page.
# Seen:    they are added up like counters: four workers with a median of 1 s each have a
#          median of 4 s together, of which no request took more than 1 s, and each worker
#          that is started makes the service look slower.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund prom-client@15.1.3 >/dev/null
cat >run.js <<'JS'
const cluster = require('cluster');
const {AggregatorRegistry, Summary} = require('prom-client');
if (cluster.isPrimary) {
  const registry = new AggregatorRegistry();
  let ready = 0;
  for (let i = 0; i < 4; i++) cluster.fork();
  cluster.on('message', async (worker, message) => {
    if (message !== 'ready' || ++ready < 4) return;
    console.log((await registry.clusterMetrics()).split('\n').filter(line => line.startsWith('seconds')).join('\n'));
    cluster.disconnect();
  });
} else {
  new AggregatorRegistry();
  const seconds = new Summary({name: 'seconds', help: 'of a request', percentiles: [0.5]});
  for (let i = 0; i < 10; i++) seconds.observe(1);
  process.send('ready');
}
JS
seen=$(node run.js)
printf '%s\n' "$seen"
[ "$seen" = 'seconds{quantile="0.5"} 4
seconds_sum 40
seconds_count 40' ]
