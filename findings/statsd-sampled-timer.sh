#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    statsd 0.9.0 (npm)
# Source:  lib/process_metrics.js, and timer_counters in stats.js, of statsd/statsd;
#          "Timing" in docs/metric_types.md
# Guess:   of a timer that a client sends one time in ten ("|ms|@0.1"), both the count and
#          the sum are multiplied by ten, so that sum / count is the mean.
# Seen:    only the count is: ten packets of 100 ms are count 100 and sum 1000. A rate
#          made of count is right, the time spent (sum) is a tenth, and sum / count says
#          10 ms. count_90, too, is 9 packets, while count has 100 requests.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund --no-optional statsd@0.9.0 >/dev/null 2>&1
cat >print.js <<'JS'
exports.init = (start, config, events) => {
  let told = false;
  events.on('flush', (time, metrics) => {
    const t = metrics.timer_data.t;
    if (told || !t || !t.count) return;
    told = true;
    console.log(`count ${t.count}, sum ${t.sum}, mean ${t.mean}, count_90 ${t.count_90}`);
    process.exit(0);
  });
  const socket = require('dgram').createSocket('udp4');
  setTimeout(() => { for (let i = 0; i < 10; i++) socket.send('t:100|ms|@0.1', config.port, '127.0.0.1'); }, 300);
  return true;
};
JS
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >config.js <<JS
{address: '127.0.0.1', port: $port, mgmt_address: '127.0.0.1', mgmt_port: $port,
 flushInterval: 2000, backends: ['$tmp/print.js']}
JS
seen=$(timeout 30 node node_modules/statsd/stats.js config.js | grep '^count')
printf '%s\n' "$seen"
[ "$seen" = 'count 100, sum 1000, mean 100, count_90 9' ]
