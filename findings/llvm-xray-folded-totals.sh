#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    llvm-xray of LLVM 14 (Debian 12: clang-14, libclang-rt-14-dev and llvm-14),
#          which are to be installed
# Source:  tools/llvm-xray/xray-stacks.cpp of LLVM; "-stack-format=flame" of
#          `llvm-xray stack --help`: output suitable for flamegraph tools
# Guess:   each folded line has the time in its last function itself, as folded stacks
#          have it, so that all lines add up to the time of main.
# Seen:    each has the time of the function with all that it calls: a program of 0.1 s,
#          all of it five calls below main, adds up to 0.6 s, and main, which does
#          nothing, is as wide by itself as the one that waits. Lines end in ";", too:
#          each stack gets a last frame without a name.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >deep.c <<'C'
#include <time.h>
#define TRACED __attribute__((xray_always_instrument, noinline))
TRACED void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 100000000}, 0); __asm__ volatile(""); }
TRACED void four(void) { nap(); __asm__ volatile(""); }
TRACED void three(void) { four(); __asm__ volatile(""); }
TRACED void two(void) { three(); __asm__ volatile(""); }
TRACED void one(void) { two(); __asm__ volatile(""); }
TRACED int main(void) { one(); return 0; }
C
clang-14 -O1 -fxray-instrument deep.c -o deep
XRAY_OPTIONS="patch_premain=true xray_mode=xray-basic xray_logfile_base=log" ./deep 2>/dev/null
llvm-xray-14 stack log* -instr_map=deep -all-stacks -stack-format=flame -aggregate-threads -aggregation-type=time >folded
cat folded
awk '{ sum += $NF; if ($1 == "main;") main = $NF }
	/ $/ || !/; [0-9]+$/ { bad = 1 }
	END { printf "main %.1f s, sum of all lines %.1f s\n", main / 1e9, sum / 1e9
	      exit bad || NR != 6 || sum < 5.5 * main }' folded
