#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    LuaJIT 2.1.0-beta3 of 2022-03-20 (Debian 12: luajit, libluajit-5.1-2 and
#          libluajit-5.1-common 2.1.0~beta3+git20220320+dfsg-4.1+deb12u1)
# Source:  jit/p.lua and ext_profiler.html of LuaJIT: -jp=G, "raw output for graphical
#          tools"; main() in src/luajit.c
# Guess:   the folded stacks of -jp=G begin with the script or with "main", and two
#          runs of one script have the same stacks.
# Seen:    they begin with the address of a C function of the interpreter, which is
#          another one in each run: two runs have not one stack in common, and a flame
#          graph of their difference says that all went and all came.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
version=2.1.0~beta3+git20220320+dfsg-4.1+deb12u1
apt-get -qq download luajit=$version libluajit-5.1-2=$version libluajit-5.1-common=$version 2>/dev/null
for package in *.deb; do dpkg-deb -x "$package" root; done
LD_LIBRARY_PATH=$(echo "$tmp"/root/usr/lib/*-linux-gnu*)
LUA_PATH="$tmp/root/usr/share/luajit-2.1.0-beta3/?.lua;;"
export LD_LIBRARY_PATH LUA_PATH
cat >work.lua <<'LUA'
local function leaf() local s = 0 for i = 1, 3e6 do s = s + i % 7 end return s end
local from = os.clock()
while os.clock() - from < 0.5 do leaf() end
LUA
for run in 1 2; do
  root/usr/bin/luajit -jp=G work.lua | sed 's/ [0-9]*$//' | sort -u >stacks$run
done
echo 'first run:'; cat stacks1
echo 'second run:'; cat stacks2
echo "in common: $(comm -12 stacks1 stacks2 | wc -l), without the root: $(
  for run in 1 2; do sed 's/^[^;]*;//' stacks$run | sort -u >bare$run; done; comm -12 bare1 bare2 | wc -l)"
grep -q '^@0x[0-9a-f]*;' stacks1
[ "$(comm -12 stacks1 stacks2 | wc -l)" = 0 ] && [ "$(comm -12 bare1 bare2 | wc -l)" -ge 1 ]
