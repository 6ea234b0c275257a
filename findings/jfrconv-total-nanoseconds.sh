#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    tools.profiler:jfr-converter 4.5 (Maven), the converter of async-profiler, on
#          a recording of the JDK itself (tried: 17)
# Source:  JfrToPprof.java and JfrConverter.java in src/converter/one/convert of
#          async-profiler; "--total" of docs/ConverterUsage.md
# Guess:   with --total, CPU samples in pprof are times: samples by 10 or 20 ms, the
#          period that the recording holds (jdk.ExecutionSample#period).
# Seen:    the unit is nanoseconds, but each sample is worth 1: seconds of work are a few
#          hundred nanoseconds. The period is read of recordings of async-profiler only.
#          (And where a frame has no line, it gets line 65535.)
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
java -version 2>&1 | sed 1q
mvn -q dependency:copy -Dartifact=tools.profiler:jfr-converter:4.5 -DoutputDirectory=. >/dev/null
cat >Work.java <<'JAVA'
public class Work {
  static volatile long sum;
  static long spin(long n) { long s = 0; for (long i = 0; i < n; i++) s += i % 7; return s; }
  public static void main(String[] args) {
    long end = System.nanoTime() + 4_000_000_000L;
    while (System.nanoTime() < end) sum += spin(1_000_000);
  }
}
JAVA
java -XX:StartFlightRecording=filename=work.jfr,settings=profile Work.java >/dev/null 2>&1
events=$(jfr summary work.jfr | awk '$1 == "jdk.ExecutionSample" { print $2 }')
java -jar jfr-converter-4.5.jar --total -o pprof work.jfr work.pprof >/dev/null
cat >Sum.java <<'JAVA'
import java.nio.file.*;
import java.util.*;
public class Sum {
  static byte[] bytes; static int at;
  static long number() { long n = 0; for (int s = 0; ; s += 7) { byte b = bytes[at++]; n |= (long) (b & 127) << s; if (b >= 0) return n; } }
  public static void main(String[] args) throws Exception {
    bytes = Files.readAllBytes(Path.of("work.pprof"));
    if (bytes[0] == 0x1f) bytes = new java.util.zip.GZIPInputStream(new java.io.ByteArrayInputStream(bytes)).readAllBytes();
    List<String> strings = new ArrayList<>();
    long unit = 0, sum = 0;
    while (at < bytes.length) {
      long key = number();
      if ((key & 7) == 0) { number(); continue; }
      int end = (int) number(); end += at;
      if (key >> 3 == 6) strings.add(new String(bytes, at, end - at));
      while ((key >> 3 == 1 || key >> 3 == 2) && at < end) {
        long inner = number();
        if ((inner & 7) == 0) { long n = number(); if (key >> 3 == 1 && inner >> 3 == 2) unit = n; if (key >> 3 == 2 && inner >> 3 == 2) sum += n; continue; }
        int stop = (int) number(); stop += at;
        while (key >> 3 == 2 && inner >> 3 == 2 && at < stop) sum += number();
        at = stop;
      }
      at = end;
    }
    System.out.println(sum + " " + strings.get((int) unit));
  }
}
JAVA
seen=$(java Sum.java)
echo "$events samples in the recording, in pprof: $seen"
# Samples in native code are added to them.
[ "$events" -ge 5 ] && [ "${seen#* }" = nanoseconds ] && [ "${seen% *}" -ge "$events" ] && [ "${seen% *}" -lt 10000 ]
