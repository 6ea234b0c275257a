#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    inferno 0.12.8 (crates.io)
# Source:  parse_nsamples() in src/flamegraph/merge.rs of inferno
# Guess:   weights with a fraction are rounded once they are added up: a hundred lines
#          of 0.9 of one stack are 90.
# Seen:    each line loses its fraction first, and lines of less than 1 are worth
#          nothing: those 90 vanish from the picture beside one line of 10.9, whose
#          stack is then all of it. (One line in the log says that fractions are cut.)
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cargo init -q --name finding --vcs none .
cargo add -q inferno@=0.12.8 --no-default-features
cat >src/main.rs <<'RS'
use inferno::flamegraph::{from_reader, Options};
fn main() {
    from_reader(&mut Options::default(), std::io::stdin().lock(), std::io::stdout().lock()).unwrap();
}
RS
for i in $(seq 100); do echo 'main;often 0.9'; done >stacks
echo 'main;once 10.9' >>stacks
CARGO_TARGET_DIR=target CARGO_PROFILE_DEV_DEBUG=0 cargo build -q 2>/dev/null
seen=$(./target/debug/finding <stacks | grep -o '<title>[^<]*' | sed 's/<title>//')
printf '%s\n' "$seen"
[ "$(printf '%s\n' "$seen" | sort)" = 'all (10 samples, 100%)
main (10 samples, 100.00%)
once (10 samples, 100.00%)' ]
