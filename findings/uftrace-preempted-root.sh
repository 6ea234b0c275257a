#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    uftrace (tried: 0.13 of Debian 12), which is to be installed
# Source:  linux:schedule in `uftrace dump --flame-graph`, cmds/dump.c of uftrace
# Guess:   none was written down, it was met on the way; one expects that folded stacks
#          of `uftrace dump --flame-graph` begin with main, and that what is below main
#          adds up to what `uftrace report` tells of it.
# Seen:    once a thread was taken off its CPU by another one, all stacks lack main: most
#          of the time is of roots called nap and work, while report, graph and replay
#          of the same recording have it below main. Without the events of the scheduler
#          (--no-sched) nothing is lost.
set -eu
tmp=$(mktemp -d)
busy=
trap 'kill $busy 2>/dev/null || true; rm -rf "$tmp"' EXIT
cd "$tmp"
uftrace --version
cat >work.c <<'C'
#include <unistd.h>
static volatile long sum;
__attribute__((noinline)) static void nap(void) { usleep(10000); }
__attribute__((noinline)) static void work(void)
{
    for (int i = 0; i < 20000000; i++) sum += i;
}
int main(void)
{
    for (int i = 0; i < 20; i++) { work(); nap(); }
    return 0;
}
C
cc -O1 -pg work.c -o work
# Something to share the CPU with.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$cpu" timeout 100 sh -c 'while :; do :; done' &
busy=$!
below_main() { # in percent of all time
    uftrace dump -d "$1" --flame-graph |
        awk '{ all += $NF } /^main/ { below += $NF } END { printf "%d", 100 * below / all }'
}
taskset -c "$cpu" uftrace record --no-pager -d events ./work
taskset -c "$cpu" uftrace record --no-pager --no-sched -d plain ./work
uftrace report --no-pager -d events -f total,self,call
with=$(below_main events)
without=$(below_main plain)
echo "below main: $with % of the folded stacks, without events of the scheduler $without %"
[ "$with" -lt 90 ]
[ "$without" -ge 99 ]
