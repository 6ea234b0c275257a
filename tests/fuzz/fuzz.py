#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starting inputs of the fuzz targets, and their runs.

fuzz.py targets                      names, one a line
fuzz.py replay PROGRAM TARGET [CUTS] the target over its inputs (TAP)
fuzz.py search PROGRAM TARGET SECONDS FOLDER
                                     libFuzzer from these inputs; what it
                                     finds stays in FOLDER, and what it cost
                                     is added to FOLDER/spent.json
fuzz.py all PROGRAMS FOLDER [MINUTES]
                                     the target that had least, again and
                                     again, until each had GOAL_S or the
                                     minutes are over; its figures are those
                                     of docs/safety.md. PROGRAMS: the folder
                                     of fuzz-TARGET. Goes on where it ended.

Inputs are the real answers and files in testdata, unpacked, and all that once
made a target fail (testdata/fuzz/TARGET).
"""
import glob
import gzip
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(HERE, "..", "safety")]
import figures  # noqa: E402
import spent  # noqa: E402

TESTDATA = os.path.join(HERE, "..", "..", "testdata")

PPROF = ("protobuf", [("pprof/*.pb.gz", b""), ("pyroscope/*merge-profile*/*.pb", b"")])

# Target: (dictionaries, [(pattern under testdata, bytes put in front)]). The
# bytes in front choose within a target, as its .c says.
TARGETS = {
    "otlp_json": ("json", [("otlp/*.json", b""), ("otlp/*.jsonl", b""), ("tempo/trace-*json/*", b""),
                           ("jaeger/trace-*-v3/*", b"")]),
    "otlp_pb": ("protobuf", [("otlp/*.pb", b""), ("tempo/trace-*-v1-pb/*", b"")]),
    "tempo_pb": ("protobuf", [("tempo/trace-*-v2-pb/*", b"")]),
    "jaeger_json": ("json", [("jaeger/trace-*legacy*/*", b"")]),
    "zipkin_json": ("json", [("otlp/zipkin*.json", b"")]),
    "chrome_spans": ("json", [("chrome/*.json", b""), ("v8/*.trace.json", b"")]),
    "datadog_json": ("json", [("datadog/*.json", b"")]),
    "xray_json": ("json", [("xray/*.json", b""), ("xray/*.txt", b"")]),
    "cloud_trace_json": ("json", [("google/*.json", b""), ("google/recipe/traces.json.gz", b"")]),
    "pprof": PPROF,
    "pprof_generic": PPROF,
    "pprof_packed": PPROF,
    "folded": ("folded", [("folded/*", b""), ("golden/*.folded", b"")]),
    "speedscope": ("json", []),
    "perf_script": ("perf", [("perf/*.txt.gz", b"")]),
    "callgrind": ("perf", [("callgrind/*.out", b"")]),
    "firefox_profile": ("json", [("firefox/*.json", b"")]),
    "otlp_profiles": ("protobuf", [("otlp-profiles/*.pb", b"")]),
    "otlp_profiles_json":
        ("json", [("otlp-profiles/example.json", b"")]),
    "pushed": ("protobuf", [("pushed/*.pb", b""), ("pushed/*.json", b""), ("pushed/*.form", b"")]),
    "jfr": ("jfr", [("jfr/*.jfr.gz", b"")]),
    "chrome_trace": ("json", [("v8/*.trace.json", b"")]),
    "v8_profile": ("json", [("v8/*profile", b"")]),
    "pyroscope_tree": ("protobuf", [("pyroscope/*tree*/*.pb", b"")]),
    "flamegraph_json": ("json", [("pyroscope/*flamegraph*json/*", b""), ("pyroscope/render-*/*", b"")]),
    "searches": ("json", [("tempo/search-*/*.json", b"0"), ("tempo/search-*/*.pb", b"1"),
                          ("jaeger/summaries*/*", b"2"), ("jaeger/traces-search*/*", b"3"),
                          ("jaeger/trace-*/*", b"3"), ("google/recipe/traces.json.gz", b"4"),
                          ("tempo/metrics-*/*", b"5"), ("jaeger/summaries*/*", b"5")]),
    "cloud_profiles": ("json", []),
    "answers": ("json", [("answers/pyroscope/*json/body*", b"00"), ("parca/*.json", b"01"),
                         ("answers/pyroscope/*error*/body*", b"10"), ("pyroscope/diff-json/*", b"00")]),
    "json": ("json", [("json/recorded/*.json*", b""), ("tempo/search-*/*.json", b"")]),
    "gzip": ("gzip", [("pprof/drop-frames.pb.gz", b""), ("answers/**/*.gz", b""), ("raw", b"")]),
    "demangle": ("demangle", []),
    "escape": ("escape", [("json/recorded/*odd*", b"")]),
    "words": ("words", []),
    "files": ("files json", [("grafana/*.yaml", b"2"), ("google/recipe/accounts.json", b"3")]),
    "har": ("json", [("cases/refused.har", b""), ("servers/tempo-3-bad*.har.gz", b"")]),
    "cases": ("json", [("cases/*.har*", b"\x00"), ("servers/*.har.gz", b"\x00"), ("cases/*services*", b"\x02"),
                       ("servers/*tags*", b"\x02"), ("cases/search-*", b"\x04"), ("cases/search-*", b"\x03")]),
    "render": ("folded json protobuf escape", [("otlp/b.json", b"\x02"), ("folded/*", b"\x01"), ("folded/*", b"\x05"),
                      ("pprof/drop-frames.pb.gz", b"\x1d"), ("folded/py-spy.folded", b"\x00\x40\x10")]),
}
# Larger ones make a search slow and find nothing that these do not.
MAX_BYTES = 256 * 1024
# Processor time that a target must have had.
GOAL_S = 20 * 60
# How long a target runs before the one that then had least comes next.
TURN_S = 120
LIMITS = ["-timeout=20", "-rss_limit_mb=3000"]
# libFuzzer's names of inputs that it ended at; a slow unit only took long.
BROKEN = "crash leak oom timeout".split()
# libFuzzer's status when it is told to end.
INTERRUPTED = 72


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


def write_dictionary(target, path):
    """All of its dictionaries in one, as libFuzzer reads no second."""
    with open(path, "w") as file:
        for name in TARGETS[target][0].split():
            with open(os.path.join(HERE, name + ".dict")) as part:
                file.write(part.read())


def replay(program, target, cuts="40"):
    with tempfile.TemporaryDirectory() as folder:
        paths = write_inputs(target, folder)
        if not paths:
            sys.exit(f"no inputs for {target}")
        return subprocess.run([os.path.abspath(program), cuts, *paths], cwd=folder).returncode


class Search:
    """Runs of libFuzzer that end early, with their sums, when this program is told to."""

    def __init__(self, folder):
        self.folder, self.running, self.is_ended = folder, {}, False
        os.makedirs(folder, exist_ok=True)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.end)

    def end(self, *_):
        self.is_ended = True
        for child in list(self.running.values()):
            child.terminate()

    def run(self, program, target, seconds, log):
        """Returns the exit status; what libFuzzer says goes to log as it says it."""
        dictionary = os.path.join(self.folder, target + ".dict")
        corpus = os.path.join(self.folder, target)
        starting = os.path.join(self.folder, target + "-starting")
        write_inputs(target, starting)
        os.makedirs(corpus, exist_ok=True)
        write_dictionary(target, dictionary)
        options = [f"-max_total_time={seconds}", *LIMITS, "-print_final_stats=1", "-max_len=65536",
                   f"-artifact_prefix={self.folder}/{target}-", "-dict=" + dictionary]
        child = subprocess.Popen([os.path.abspath(program), *options, corpus, starting],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE)
        self.running[target] = child
        if self.is_ended:
            child.terminate()
        executions = 0
        with child.stderr as lines:
            for line in lines:
                log.write(line)
                log.flush()
                number = re.match(rb"stat::number_of_executed_units: (\d+)", line)
                executions = int(number[1]) if number else executions
        _, status, cost = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        del self.running[target]
        spent.add(self.folder, target, cpu_s=cost.ru_utime + cost.ru_stime, executions=executions,
                  crashes=int(child.returncode not in (0, INTERRUPTED)))
        return child.returncode


def search(program, target, seconds, folder):
    status = Search(folder).run(program, target, seconds, sys.stderr.buffer)
    one = spent.of(folder, target)
    print(f"{target}: {one['cpu_s'] / 60:.1f} min of processor time in all, {one['executions']:,} inputs")
    return status


def broken(program, target, folder):
    """The inputs that once ended the target and still do."""
    paths = [path for kind in BROKEN for path in sorted(glob.glob(os.path.join(folder, f"{target}-{kind}-*")))]
    return [path for path in paths
            if subprocess.run([os.path.abspath(program), *LIMITS, path], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode]


class Turns:
    """Which target comes next, for as many searches at once as there are processors."""

    def __init__(self, programs, folder, end_s):
        self.programs, self.folder, self.end_s = programs, folder, end_s
        self.search, self.lock = Search(folder), threading.Lock()
        self.left = set(TARGETS)

    def program(self, target):
        return os.path.join(self.programs, "fuzz-" + target)

    def next(self):
        """A target that no other search has, or None: nothing is left to do."""
        with self.lock:
            every = spent.read(self.folder)
            had = {name: every.get(name, spent.NOTHING)["cpu_s"] for name in sorted(self.left)}
            needy = [name for name in had if had[name] < GOAL_S]
            if not needy or self.search.is_ended or time.monotonic() >= self.end_s:
                return None
            target = min(needy, key=had.get)
            self.left.remove(target)
            return target

    def take(self, target):
        seconds = max(1, int(min(TURN_S, self.end_s - time.monotonic())))
        with open(os.path.join(self.folder, target + ".log"), "wb") as log:
            status = self.search.run(self.program(target), target, seconds, log)
        one = spent.of(self.folder, target)
        print(f"{target}: {one['cpu_s'] / 60:.1f} of {GOAL_S // 60} min, {one['executions']:,} inputs",
              flush=True)
        if status and broken(self.program(target), target, self.folder):
            # It would end at the same input again.
            print(f"{target}: broken, see {log.name}", flush=True)
            return
        with self.lock:
            self.left.add(target)

    def work(self):
        while target := self.next():
            self.take(target)


def search_all(programs, folder, minutes="inf"):
    turns = Turns(programs, folder, time.monotonic() + 60 * float(minutes))
    workers = [threading.Thread(target=turns.work) for _ in range(os.cpu_count() or 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    every = {name: spent.of(folder, name) for name in TARGETS}
    failed = [name for name in TARGETS if broken(turns.program(name), name, folder)]
    enough = [name for name, one in every.items() if one["cpu_s"] >= GOAL_S and name not in failed]
    total = {key: sum(one[key] for one in every.values()) for key in spent.NOTHING}
    figures.record("fuzz", len(enough), len(failed), targets=len(TARGETS),
                   minutes=int(total["cpu_s"] // 60), inputs=total["executions"])
    print(f"{len(enough)} of {len(TARGETS)} targets had {GOAL_S // 60} min, {len(failed)} are broken"
          + "".join(f" {name}" for name in failed))
    return int(bool(failed))


def main(args):
    if args == ["targets"]:
        print("\n".join(TARGETS))
        return 0
    if args[:1] == ["all"] and len(args) in (3, 4):
        return search_all(*args[1:])
    commands = {"replay": replay, "search": search}
    if len(args) < 3 or args[0] not in commands or args[2] not in TARGETS:
        sys.exit(__doc__)
    return commands[args[0]](*args[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
