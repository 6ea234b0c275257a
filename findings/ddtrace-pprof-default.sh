#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tool:    ddtrace 4.16.0 (PyPI), and go tool pprof, the version that is there (tried:
#          Go 1.26.8)
# Source:  DD_PROFILING_OUTPUT_PPROF in ddtrace's configuration;
#          ddtrace/internal/datadog/profiling/dd_wrapper/src/profile.cpp; "default_sample_type"
#          in pprof's profile.proto: without it, the last type is meant
# Guess:   pprof reads the file, and shows CPU time.
# Seen:    it does not read it, since it is packed by zstd, which its name does not say.
#          Unpacked, none of 19 types is named as the one to show, and the last of them
#          is what GPUs did: pprof shows nothing, of a second of CPU.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
go version
python3 -m pip install -q --disable-pip-version-check --no-compile --target py ddtrace==4.16.0 zstandard==0.25.0 2>/dev/null
cat >work.py <<'PY'
import time
def spin():
    end = time.process_time() + 1
    while time.process_time() < end:
        sum(range(1000))
spin()
PY
TMPDIR="$tmp" DD_PROFILING_OUTPUT_PPROF="$tmp/out" DD_TRACE_ENABLED=false DD_INSTRUMENTATION_TELEMETRY_ENABLED=false \
  PYTHONPATH=py python3 -m ddtrace.commands.ddtrace_run --profiling python3 work.py >log 2>&1
file=$(ls out*.pprof)
packed=$(go tool pprof -top "$file" 2>&1 | grep -o 'unrecognized profile format' || true)
PYTHONPATH=py python3 -c '
import sys, zstandard
with open(sys.argv[1], "rb") as f, open("plain", "wb") as out:
    zstandard.ZstdDecompressor().copy_stream(f, out)' "$file"
shown=$(go tool pprof -top plain 2>/dev/null | sed -n 's/^Type: //p')
rows=$(go tool pprof -top plain 2>/dev/null | awk 'f; /flat%/ { f = 1 }' | wc -l)
cpu=$(go tool pprof -top -sample_index=cpu-time plain 2>/dev/null | grep -c " spin$" || true)
types=$(go tool pprof -raw plain 2>/dev/null | sed -n '/^Samples:/{n;p;}' | wc -w)
echo "as it is: $packed; unpacked, of $types types shown: $shown, in $rows rows; in cpu-time: $cpu row of spin"
[ "$packed" = 'unrecognized profile format' ] && [ "$rows" = 0 ] && [ "$cpu" = 1 ]
case $shown in gpu*) ;; *) exit 1 ;; esac
