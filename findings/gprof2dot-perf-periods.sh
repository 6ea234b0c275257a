#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    gprof2dot 2025.4.14 (PyPI), inferno 0.12.8 (crates.io)
# Source:  class PerfParser in gprof2dot.py; src/collapse/perf.rs of inferno;
#          perf-script(1), field "period"
# Guess:   both read the text of `perf script` and weigh a sample by its period, which
#          `perf record` varies by itself unless it is told a fixed one.
# Seen:    inferno does (slow has 90 %), gprof2dot counts every sample as one and does
#          not look at the period (slow has 50 %).
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py gprof2dot==2025.4.14 2>/dev/null
cargo init -q --name finding --vcs none .
cargo add -q inferno@=0.12.8 --no-default-features
cat >src/main.rs <<'RS'
use inferno::collapse::{perf, Collapse};
fn main() {
    let mut folder = perf::Folder::from(perf::Options::default());
    folder.collapse(std::io::stdin().lock(), std::io::stdout()).unwrap();
}
RS
printf 'prog 100 %s: %s cycles:\n\t401000 %s+0x10 (/usr/bin/prog)\n\t401100 main+0x10 (/usr/bin/prog)\n\n' \
  10.000000 1000000 fast 10.010000 9000000 slow >perf.txt
CARGO_TARGET_DIR=target CARGO_PROFILE_DEV_DEBUG=0 cargo build -q 2>/dev/null
seen=$(echo 'inferno:'; ./target/debug/finding <perf.txt
  echo 'gprof2dot:'
  PYTHONPATH=py python3 py/gprof2dot.py -f perf perf.txt | sed -n 's/.*label="prog\\n\(fast\|slow\)\\n\([0-9.]*%\).*/\1 \2/p')
printf '%s\n' "$seen"
[ "$seen" = 'inferno:
prog;main;fast 1000000
prog;main;slow 9000000
gprof2dot:
fast 50.00%
slow 50.00%' ]
