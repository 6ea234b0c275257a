#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    async-profiler 4.5 (tools.profiler:async-profiler, Maven), and jfr, the JDK's
#          that is there (tried: 17)
# Source:  "wall clock" in docs/ProfilingModes.md and src/wallClock.cpp of async-profiler
# Guess:   events of type profiler.WallClockSample are its samples: a thread that sleeps
#          has as many as one that works, one each 10 ms.
# Seen:    as long as a thread does not move, one event stands for many samples, in a
#          member `samples`: who counts events, as `jfr summary` does, has far less of
#          threads that sleep than of one that works.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
java -version 2>&1 | sed 1q
mvn -q dependency:copy -Dartifact=tools.profiler:async-profiler:4.5 -DoutputDirectory=. >/dev/null
case $(uname -m) in aarch64) arch=linux-arm64 ;; *) arch=linux-x64 ;; esac
python3 -c 'import sys, zipfile; zipfile.ZipFile("async-profiler-4.5.jar").extract(sys.argv[1])' $arch/libasyncProfiler.so
cat >Work.java <<'JAVA'
public class Work {
  static volatile long sum;
  static void nap() { try { Thread.sleep(4000); } catch (InterruptedException e) { } }
  static void spin() { long end = System.nanoTime() + 4_000_000_000L; while (System.nanoTime() < end) sum++; }
  public static void main(String[] args) throws Exception {
    Thread[] naps = new Thread[3];
    for (int i = 0; i < naps.length; i++) { naps[i] = new Thread(Work::nap); naps[i].start(); }
    spin();
    for (Thread t : naps) t.join();
  }
}
JAVA
javac Work.java
java -agentpath:"$tmp/$arch/libasyncProfiler.so=start,event=itimer,wall=10ms,jfr,file=work.jfr" Work >/dev/null
jfr print --json --stack-depth 32 --events profiler.WallClockSample work.jfr >events.json
python3 - <<'PY'
import json
count = {"nap": [0, 0], "spin": [0, 0]}
for event in json.load(open("events.json"))["recording"]["events"]:
    values = event["values"]
    frames = (values["stackTrace"] or {"frames": []})["frames"]
    for name in {f["method"]["name"] for f in frames} & set(count):
        count[name][0] += 1
        count[name][1] += values["samples"]
for name, threads in ("nap", 3), ("spin", 1):
    print("%s, %d threads: %d events, %d samples" % (name, threads, *count[name]))
(nap_events, naps), (spin_events, spins) = count["nap"], count["spin"]
assert naps > 3 * nap_events, "events of sleepers stand for few samples now"
assert spins == spin_events > 0
PY
