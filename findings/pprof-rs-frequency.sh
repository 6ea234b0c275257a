#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    pprof 0.15.0 (crates.io), on a kernel with 250 ticks a second
# Source:  src/timer.rs and pprof() in src/report.rs of pprof-rs: setitimer() with
#          ITIMER_PROF, each signal one by the frequency that was asked for; setitimer(2)
# Guess:   a thread that works for a second has a second in the profile, at 1,000 Hz as at 100.
# Seen:    the kernel looks at this timer once a tick, so that there are some 250 samples, each
#          of which is written as a millisecond: 0.3 s of 1 s, in a file that says nothing of
#          it. At 100 Hz there is the second.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cargo init -q --name finding --vcs none .
cargo add -q pprof@=0.15.0 --no-default-features --features prost-codec
cat >src/main.rs <<'RS'
fn cpu() -> f64 {
    let line = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    line.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn work() -> f64 {
    let begin = cpu();
    let mut x = 1u64;
    while cpu() - begin < 1.0 {
        for _ in 0..1_000_000 {
            x = std::hint::black_box(x.wrapping_mul(31));
        }
    }
    cpu() - begin
}

fn main() {
    for frequency in [100, 1000] {
        let guard = pprof::ProfilerGuard::new(frequency).unwrap();
        let took = work();
        let profile = guard.report().build().unwrap().pprof().unwrap();
        let named = |index: i64| profile.string_table[index as usize].as_str();
        let sum = profile.sample.iter().map(|sample| sample.value[1]).sum::<i64>();
        let part = sum as f64 / 1e9 / took;
        let told = if part > 0.8 { "nearly all" } else if part < 0.5 { "less than half" } else { "more than half" };
        println!("{frequency} Hz: {told} of the CPU time, in {} of {}", named(profile.sample_type[1].unit), named(profile.sample_type[1].ty));
    }
}
RS
CARGO_TARGET_DIR=target CARGO_PROFILE_DEV_DEBUG=0 cargo build -q 2>/dev/null
seen=$(./target/debug/finding)
printf '%s\n' "$seen"
[ "$seen" = '100 Hz: nearly all of the CPU time, in nanoseconds of cpu
1000 Hz: less than half of the CPU time, in nanoseconds of cpu' ]
