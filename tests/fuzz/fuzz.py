#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starting inputs of the fuzz targets, and their runs.

fuzz.py targets                      names, one a line
fuzz.py replay PROGRAM TARGET [CUTS] the target over its inputs (TAP)
fuzz.py search PROGRAM TARGET SECONDS FOLDER
                                     libFuzzer from these inputs; what it
                                     finds stays in FOLDER

Inputs are the real answers and files in testdata, unpacked, and all that once
made a target fail (testdata/fuzz/TARGET).
"""
import glob
import gzip
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTDATA = os.path.join(HERE, "..", "..", "testdata")

# Target: (dictionary or None, [(pattern under testdata, bytes put in front)]).
# The bytes in front choose within a target, as its .c says.
TARGETS = {
    "otlp_json": ("json", [("otlp/*.json", b""), ("otlp/*.jsonl", b""), ("tempo/trace-*json/*", b""),
                           ("jaeger/trace-*-v3/*", b"")]),
    "otlp_pb": (None, [("otlp/*.pb", b""), ("tempo/trace-*-v1-pb/*", b"")]),
    "tempo_pb": (None, [("tempo/trace-*-v2-pb/*", b"")]),
    "jaeger_json": ("json", [("jaeger/trace-*legacy*/*", b"")]),
    "zipkin_json": ("json", [("otlp/zipkin*.json", b"")]),
    "cloud_trace_json": ("json", [("google/*.json", b""), ("google/recipe/traces.json.gz", b"")]),
    "pprof": (None, [("pprof/*.pb.gz", b""), ("pyroscope/*merge-profile*/*.pb", b"")]),
    "pprof_generic": (None, [("pprof/*.pb.gz", b""), ("pyroscope/*merge-profile*/*.pb", b"")]),
    "folded": (None, [("folded/*", b""), ("golden/*.folded", b"")]),
    "speedscope": ("json", []),
    "perf_script": ("perf", [("perf/*.txt.gz", b"")]),
    "pyroscope_tree": (None, [("pyroscope/*tree*/*.pb", b"")]),
    "flamegraph_json": ("json", [("pyroscope/*flamegraph*json/*", b""), ("pyroscope/render-*/*", b"")]),
    "searches": ("json", [("tempo/search-*/*.json", b"0"), ("tempo/search-*/*.pb", b"1"),
                          ("jaeger/summaries*/*", b"2"), ("jaeger/traces-search*/*", b"3"),
                          ("jaeger/trace-*/*", b"3"), ("google/recipe/traces.json.gz", b"4"),
                          ("tempo/metrics-*/*", b"5"), ("jaeger/summaries*/*", b"5")]),
    "cloud_profiles": ("json", []),
    "answers": ("json", [("answers/pyroscope/*json/body*", b"00"), ("parca/*.json", b"01"),
                         ("answers/pyroscope/*error*/body*", b"10"), ("pyroscope/diff-json/*", b"00")]),
    "json": ("json", [("json/recorded/*.json*", b""), ("tempo/search-*/*.json", b"")]),
    "gzip": (None, [("pprof/drop-frames.pb.gz", b""), ("answers/**/*.gz", b""), ("raw", b"")]),
    "demangle": ("demangle", []),
    "escape": ("escape", [("json/recorded/*odd*", b"")]),
    "words": ("words", []),
    "files": (None, [("grafana/*.yaml", b"2"), ("google/recipe/accounts.json", b"3")]),
    "har": ("json", [("cases/refused.har", b""), ("servers/tempo-3-bad*.har.gz", b"")]),
    "render": (None, [("otlp/b.json", b"\x02"), ("folded/*", b"\x01"), ("folded/*", b"\x05"),
                      ("pprof/drop-frames.pb.gz", b"\x1d"), ("folded/py-spy.folded", b"\x00\x40\x10")]),
}
# Larger ones make a search slow and find nothing that these do not.
MAX_BYTES = 256 * 1024


def content(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data


def inputs(target):
    """Pairs of a name and bytes."""
    for pattern, front in TARGETS[target][1]:
        for path in sorted(glob.glob(os.path.join(TESTDATA, pattern), recursive=True)):
            if os.path.isfile(path) and not path.endswith(".md"):
                is_packed = target == "gzip"
                with open(path, "rb") as file:
                    data = file.read() if is_packed else content(path)
                if len(data) <= MAX_BYTES:
                    yield os.path.relpath(path, TESTDATA).replace("/", "_"), front + data
    for path in sorted(glob.glob(os.path.join(TESTDATA, "fuzz", target, "*"))):
        with open(path, "rb") as file:
            yield "kept_" + os.path.basename(path), file.read()


def write_inputs(target, folder):
    os.makedirs(folder, exist_ok=True)
    paths = []
    for number, (name, data) in enumerate(inputs(target)):
        paths.append(os.path.join(folder, f"{number:03d}-{name}"))
        with open(paths[-1], "wb") as file:
            file.write(data)
    return paths


def replay(program, target, cuts="40"):
    with tempfile.TemporaryDirectory() as folder:
        paths = write_inputs(target, folder)
        if not paths:
            sys.exit(f"no inputs for {target}")
        return subprocess.run([os.path.abspath(program), cuts, *paths], cwd=folder).returncode


def search(program, target, seconds, folder):
    dictionary = TARGETS[target][0]
    corpus = os.path.join(folder, target)
    starting = os.path.join(folder, target + "-starting")
    write_inputs(target, starting)
    os.makedirs(corpus, exist_ok=True)
    options = [f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=3000", "-print_final_stats=1",
               f"-artifact_prefix={folder}/{target}-", "-max_len=65536"]
    if dictionary:
        options.append("-dict=" + os.path.join(HERE, dictionary + ".dict"))
    return subprocess.run([os.path.abspath(program), *options, corpus, starting]).returncode


def main(args):
    if args == ["targets"]:
        print("\n".join(TARGETS))
        return 0
    commands = {"replay": replay, "search": search}
    if len(args) < 3 or args[0] not in commands or args[2] not in TARGETS:
        sys.exit(__doc__)
    return commands[args[0]](*args[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
