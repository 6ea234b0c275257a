#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    tracing-flame 0.2.0 (crates.io), with tracing-subscriber 0.3
# Source:  LAST_EVENT and START in tracing-flame/src/lib.rs of tokio-rs/tracing
# Guess:   folded stacks have the time of each thread: ten threads, one after the other,
#          each in a span for 0.1 s of its life, add up to one second.
# Seen:    a thread's first span also tells the time from the start of the program to
#          that span, spent in the thread alone: about 5.5 s, more than four fifths of
#          them from before the threads were there. The later one starts, the wider it is.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cargo init -q --name finding --vcs none .
cargo add -q tracing@0.1 tracing-flame@=0.2.0
cargo add -q tracing-subscriber@0.3 --no-default-features --features registry,std
cat >src/main.rs <<'RS'
use tracing_subscriber::prelude::*;

fn main() {
    let (layer, guard) = tracing_flame::FlameLayer::with_file("folded").unwrap();
    tracing_subscriber::registry().with(layer).init();
    for _ in 0..10 {
        let job = || {
            let _span = tracing::info_span!("job").entered();
            std::thread::sleep(std::time::Duration::from_millis(100));
        };
        std::thread::spawn(job).join().unwrap();
    }
    guard.flush().unwrap();
}
RS
CARGO_TARGET_DIR=target CARGO_PROFILE_DEV_DEBUG=0 cargo build -q 2>/dev/null
./target/debug/finding
cat folded
awk '/finding::job/ { jobs += $NF; next } { alone += $NF }
	END { printf "in the span %.1f s, in threads alone %.1f s\n", jobs / 1e9, alone / 1e9
	      exit !(jobs < 2e9 && alone > 4e9 && alone > 3 * jobs) }' folded
