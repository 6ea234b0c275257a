#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    hdrhistogram 0.10.8 (PyPI), hdr-histogram-js 3.0.1 (npm),
#          org.hdrhistogram:HdrHistogram 2.2.2 (Maven)
# Source:  get_count_at_percentile() in hdrh/histogram.py of HdrHistogram_py;
#          getValueAtPercentile() in AbstractHistogram.java of HdrHistogram
# Guess:   the ports read each other's files, so the 90th percentile of one encoded
#          histogram is the same in all of them.
# Seen:    of 16 values, Java and JavaScript go up to the next whole rank (14.4 to 15),
#          Python rounds to the nearest (14): the same file has a p90 of 15 or of 14.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
npm install --silent --no-audit --no-fund hdr-histogram-js@3.0.1 >/dev/null
python3 -m pip install -q --disable-pip-version-check --target py hdrhistogram==0.10.8 2>/dev/null
mvn -q dependency:copy -Dartifact=org.hdrhistogram:HdrHistogram:2.2.2 -DoutputDirectory=. >/dev/null
cat >make.js <<'JS'
const hdr = require('hdr-histogram-js');
const histogram = hdr.build({numberOfSignificantValueDigits: 3});
for (let i = 1; i <= 16; i++) histogram.recordValue(i);
require('fs').writeFileSync('encoded', hdr.encodeIntoCompressedBase64(histogram));
console.log('JavaScript', histogram.totalCount, histogram.getValueAtPercentile(90));
JS
cat >read.py <<'PY'
from hdrh.histogram import HdrHistogram
histogram = HdrHistogram.decode(open("encoded").read())
print("Python", histogram.get_total_count(), histogram.get_value_at_percentile(90))
PY
cat >Read.java <<'JAVA'
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.Base64;
import org.HdrHistogram.Histogram;
public class Read {
  public static void main(String[] args) throws Exception {
    byte[] bytes = Base64.getDecoder().decode(Files.readString(Path.of("encoded")));
    Histogram histogram = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
    System.out.println("Java " + histogram.getTotalCount() + " " + histogram.getValueAtPercentile(90));
  }
}
JAVA
seen=$(node make.js; PYTHONPATH=py python3 read.py; java -cp HdrHistogram-2.2.2.jar Read.java)
printf '%s\n' "$seen"
[ "$seen" = 'JavaScript 16 15
Python 16 14
Java 16 15' ]
