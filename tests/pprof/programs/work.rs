// SPDX-License-Identifier: Apache-2.0
//
// Something for pprof-rs to look at: generics, a trait object, a closure,
// recursion, allocation. Writes work.pb. ../../../testdata/pprof/ORIGIN.md
// tells how it was built.
use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use pprof::protos::Message;

trait Shape {
    fn area(&self, x: u64) -> u64;
}

struct Square(u64);
struct Circle {
    radius: u64,
}

#[inline(never)]
fn mix(mut x: u64) -> u64 {
    for _ in 0..400 {
        x = (x ^ (x >> 13)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    x
}

impl Shape for Square {
    #[inline(never)]
    fn area(&self, x: u64) -> u64 {
        mix(self.0 ^ x)
    }
}

impl Shape for Circle {
    #[inline(never)]
    fn area(&self, x: u64) -> u64 {
        mix(self.radius.wrapping_add(x)) / 7
    }
}

#[inline(never)]
fn largest<T: Ord + Clone, F: Fn(&T) -> u64>(items: &[T], key: F) -> Option<T> {
    let mut sorted = items.to_vec();
    sorted.sort_by_key(|item| key(item));
    sorted.last().cloned()
}

#[inline(never)]
fn print(items: &[u64]) -> usize {
    let mut rows: BTreeMap<String, u64> = BTreeMap::new();
    for item in items {
        rows.insert(format!("{:x}", item % 9999), *item);
    }
    rows.len()
}

#[inline(never)]
fn walk(depth: u64) -> u64 {
    if depth == 0 {
        0
    } else {
        walk(depth - 1).wrapping_add(mix(depth) & 1)
    }
}

fn main() {
    let guard = pprof::ProfilerGuardBuilder::default()
        .frequency(199)
        .blocklist(&["libc", "libgcc", "pthread", "vdso"])
        .build()
        .unwrap();
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(3)), Box::new(Circle { radius: 4 })];
    let end = Instant::now() + Duration::from_secs(3);
    let mut kept = 0u64;

    while Instant::now() < end {
        let areas: Vec<u64> = (0..2000).map(|i| shapes[i % 2].area(i as u64)).collect();
        kept = kept.wrapping_add(largest(&areas, |x| x.rotate_left(3)).unwrap_or(0));
        kept = kept.wrapping_add(print(&areas) as u64 + walk(40));
    }
    let profile = guard.report().build().unwrap().pprof().unwrap();
    let mut file = std::fs::File::create("work.pb").unwrap();
    file.write_all(&profile.write_to_bytes().unwrap()).unwrap();
    std::process::exit((kept == 1) as i32);
}
