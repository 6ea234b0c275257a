#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `export` copies, held against the project that it comes from: a scripted
Google Cloud (testdata/google/recipe) on one side, on the other a receiver that
unpacks and reads what it gets by itself. Output is TAP.

usage: exported.py TRACEFIND
"""
import gzip
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name)
                for name in ("", "google", "server")]
import pprof_read  # noqa: E402
from google_trace import time_ns  # noqa: E402
from scripted import TESTS, Server, check, report  # noqa: E402

TESTDATA = TESTS.parent / "testdata"
RECIPE = TESTDATA / "google" / "recipe"
NOW = "2026-11-21T11:30:00Z"
LIMIT_S = 60
WINDOW = ("--since", "90m")
# The trace that docs/google-cloud.md looks at.
CHOSEN = "7d1c3a5be94f4c62a0f1b7d2e8c94a03"
# Traces that are under way at once, and may be sent a second time by who was
# interrupted.
AT_ONCE = 8
SLOW = ("--from", "2026-11-21T11:16:13Z", "--to", "2026-11-21T11:26:13Z")


def unpacked(name):
    return json.loads(gzip.decompress((RECIPE / name).read_bytes()))


# ---- the other side ----

def message(data):
    """Field number -> values; pprof_read's reader with fixed64 beside."""
    found, at = {}, 0
    while at < len(data):
        key, at = pprof_read.varint(data, at)
        if key & 7 == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif key & 7 == 2:
            size, at = pprof_read.varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            check(key & 7 == 0, f"wire type {key & 7}")
            value, at = pprof_read.varint(data, at)
        found.setdefault(key >> 3, []).append(value)
    return found


def attributes(pairs):
    """KeyValue: key 1, AnyValue 2, in which a string is 1, a number 3."""
    found = {}
    for pair in map(message, pairs):
        value = message(pair[2][0])
        found[pair[1][0].decode()] = \
            value[1][0].decode() if 1 in value else value[3][0]
    return found


def spans_of(body):
    """(trace id, span id, parent, name, start, end), attributes, service."""
    for group in map(message, message(body).get(1, [])):
        resource = attributes(message(group[1][0]).get(1, []))
        for scope in map(message, group[2]):
            for span in map(message, scope[2]):
                yield ((span[1][0].hex(), int.from_bytes(span[2][0], "big"),
                        int.from_bytes(span.get(4, [b""])[0], "big"),
                        span[5][0].decode(), span[7][0], span[8][0]),
                       attributes(span.get(9, [])),
                       resource.get("service.name"))


class Receiver:
    """Takes OTLP and Pyroscope's pushes; what is wrong with them is kept."""

    def __init__(self, headers=None, delay_s=0, answer=b""):
        self.spans, self.requests, self.wrong = [], [], []
        self.bodies = []
        self.profiles, self.otlp_profiles = [], []
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                time.sleep(delay_s)
                with outer.lock:
                    outer.take(self.path, self.headers, body, headers or {})
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def take(self, path, given, body, headers):
        wanted = {"Content-Encoding": "gzip", "Authorization": None, **headers}
        self.wrong += [f"{name}: {given[name]!r}, not {value!r}"
                       for name, value in wanted.items()
                       if given[name] != value]
        plain = gzip.decompress(body)
        self.requests.append(path)
        if path == "/v1/traces":
            if given["Content-Type"] != "application/x-protobuf":
                self.wrong.append(given["Content-Type"])
            self.spans += list(spans_of(plain))
            self.bodies.append(plain)
        elif path == "/v1development/profiles":
            if given["Content-Type"] != "application/x-protobuf":
                self.wrong.append(given["Content-Type"])
            self.otlp_profiles.append(plain)
        elif path == "/push.v1.PusherService/Push":
            if given["Content-Type"] != "application/proto":
                self.wrong.append(given["Content-Type"])
            for series in map(message, message(plain)[1]):
                labels = {m[1][0].decode(): m[2][0].decode()
                          for m in map(message, series[1])}
                for sample in map(message, series[2]):
                    self.profiles.append((labels, sample[1][0]))
        else:
            self.wrong.append(path)

    def traces(self):
        return {span[0][0] for span in self.spans}

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


# ---- runs ----

def google():
    return Server({"google": {"data": "google/recipe",
                              "auth": {"required": False}}},
                  "--root", TESTDATA, now=NOW)


def environment(folder, **more):
    return {"HOME": folder, "TRACEFIND_NOW": NOW, "LC_ALL": "C.UTF-8",
            "TZ": "UTC", **{k: v for k, v in os.environ.items()
                            if k in ("ASAN_OPTIONS", "UBSAN_OPTIONS")},
            **more}


def run(program, folder, *words, status=0, **more):
    done = subprocess.run([program, *words], cwd=folder, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT_S, env=environment(folder, **more))
    check(done.returncode == status,
          f"{words}: {done.returncode}: {done.stderr}")
    return done.stdout


def source(server):
    return ("--traces-url", f"gcp+{server.url}/projects/shop-prod")


def export(program, folder, server, *words, **more):
    return run(program, folder, "export", *source(server), *WINDOW,
               "--rate", "100000", *words, **more)


# ---- checks ----

def wanted_spans():
    for trace in unpacked("traces.json.gz")["traces"]:
        for span in trace["spans"]:
            yield (trace["traceId"], int(span["spanId"]),
                   int(span.get("parentSpanId", 0)), span["name"],
                   time_ns(span["startTime"]), time_ns(span["endTime"]))


def check_spans_come_over(program, folder):
    """All spans of all traces, once, as the project has them."""
    with google() as server, Receiver() as receiver:
        answer = json.loads(export(program, folder, server, "-o", "json",
                                   "--to-traces", f"otlp+{receiver.url}"))
    check(not receiver.wrong, receiver.wrong[:3])
    check(sorted(s[0] for s in receiver.spans) == sorted(wanted_spans()),
          "the spans are others")
    traces = answer["traces"]
    check((traces["found"], traces["sent"], traces["spans"]) ==
          (190, 190, len(receiver.spans)), traces)
    services = Counter(s[2] for s in receiver.spans)
    check(set(services) == {"frontend-service", "api-gateway-service",
                            "auth-service", "data-service"}, services)
    codes = {s[1].get("http.status_code") or
             s[1].get("http.response.status_code") for s in receiver.spans}
    check(codes - {None} and all(isinstance(c, int) for c in codes - {None}),
          f"codes are no numbers: {codes}")


def check_intakes(program, folder):
    """Those with a key of their own kind: it is in its header, in no other and
    nowhere else; the address may have the route; all spans come over."""
    for kind, header, route in (("newrelic", "api-key", ""),
                                ("datadog", "dd-api-key", "/v1/traces")):
        key = f"key-of-{kind}"
        Path(folder, "key").write_text(key + "\n", encoding="ascii")
        with google() as server, Receiver({header: key}) as receiver:
            words = ("--to-traces", f"{kind}+{receiver.url}{route}",
                     "--to-token-file", "key", "-v", "-o", f"json={kind}.json")
            done = subprocess.run(
                [program, "export", *source(server), *WINDOW, "--rate",
                 "100000", *words], cwd=folder, env=environment(folder),
                stdin=subprocess.DEVNULL, capture_output=True,
                timeout=LIMIT_S)
        check(done.returncode == 0, done.stderr)
        check(not receiver.wrong, receiver.wrong[:3])
        check(set(receiver.requests) == {"/v1/traces"}, receiver.requests[:3])
        check(sorted(s[0] for s in receiver.spans) == sorted(wanted_spans()),
              f"{kind}: the spans are others")
        told = done.stdout + done.stderr + \
            Path(folder, f"{kind}.json").read_bytes() + \
            b"".join(p.read_bytes() for p in Path(folder).rglob("export-*"))
        check(key.encode() not in told, f"{kind}: the key is told")


def findings_of(body):
    """(name of its span, kind, text) of events that are findings."""
    for group in map(message, message(body).get(1, [])):
        for scope in map(message, group[2]):
            for span in map(message, scope[2]):
                for event in map(message, span.get(11, [])):
                    if event[2] != [b"tracefind.finding"]:
                        continue
                    check(event[1] == span[7], "it is not of the span's time")
                    about = attributes(event[3])
                    yield (span[5][0].decode(), about["tracefind.finding.kind"],
                           about["tracefind.finding.text"])


def check_findings(program, folder):
    """With --findings what `show` says of a trace is an event of its span; all
    else is as without."""
    trace = str(TESTDATA / "otlp" / "b.json")
    sent = []
    for more in ((), ("--findings",)):
        with Receiver({"api-key": "k"}) as receiver:
            answer = json.loads(run(
                program, folder, "export", trace, "--to-traces",
                f"newrelic+{receiver.url}", "-o", "json", *more,
                TRACEFIND_TO_TOKEN="k"))
        check(not receiver.wrong, receiver.wrong[:3])
        sent.append((receiver.spans, [f for body in receiver.bodies
                                      for f in findings_of(body)]))
        check(answer["traces"]["findings"] == len(sent[-1][1]), answer)
    check(sent[0][0] == sent[1][0] and not sent[0][1], "the spans are others")
    shown = json.loads(run(program, folder, "show", trace, "-o", "json"))
    check([f[1:] for f in sent[1][1]] ==
          [(f["kind"], f["text"]) for f in shown["findings"]] != [],
          f"{sent[1][1]}, not {shown['findings']}")
    check(sent[1][1][0][0] == "UserRepository.findByEmail", sent[1][1])


def check_nothing_twice(program, folder):
    with google() as server, Receiver() as receiver:
        words = ("--to-traces", f"otlp+{receiver.url}", "--to-profiles",
                 f"pyroscope+{receiver.url}", "-o", "json")
        export(program, folder, server, *words)
        count = len(receiver.requests)
        answer = json.loads(export(program, folder, server, *words))
        check(count > 500 and len(receiver.requests) == count,
              f"{count} requests, then {len(receiver.requests)}")
        for kind in ("traces", "profiles"):
            check(answer[kind]["sent"] == 0 and
                  answer[kind]["sent_before"] == answer[kind]["found"] > 100,
                  answer[kind])


def check_two_at_once(program, folder):
    """The second says so and sends nothing; afterwards all of it was sent once."""
    with google() as server, Receiver(delay_s=0.05) as receiver:
        words = ("--to-traces", f"otlp+{receiver.url}")
        with subprocess.Popen(
                [program, "export", *source(server), *WINDOW, "--rate",
                 "100000", *words], cwd=folder, env=environment(folder),
                stdout=subprocess.DEVNULL) as first:
            deadline = time.monotonic() + LIMIT_S
            while not receiver.requests and time.monotonic() < deadline:
                time.sleep(0.01)
            export(program, folder, server, *words, status=4)
            check(first.wait(LIMIT_S) == 0, first.returncode)
    check(len(receiver.requests) == len(receiver.traces()) == 190,
          f"{len(receiver.requests)} requests")
    left = [str(p) for p in Path(folder).rglob("*")
            if p.name.endswith((".lock", ".tmp"))]
    check(not left, left)


def check_all_refused(program, folder):
    """By an answer of success that rejects each span: nothing was exported, and
    all of it is offered again."""
    rejects_all = b"\x0a\x08\x08\x80\x01\x12\x03bad"
    with google() as server, Receiver(answer=rejects_all) as receiver:
        words = ("--to-traces", f"otlp+{receiver.url}", "-o", "json")
        for again in range(2):
            traces = json.loads(export(program, folder, server, *words,
                                       status=7))["traces"]
            check((traces["sent"], traces["refused"], traces["spans"]) ==
                  (0, 190, 0), traces)
            check(len(receiver.requests) == 190 * (again + 1),
                  len(receiver.requests))


def check_interrupted_goes_on(program, folder):
    """Who was stopped begins where he was, but for what was under way."""
    with google() as server, Receiver(delay_s=0.02) as receiver:
        words = ("--to-traces", f"otlp+{receiver.url}")
        first = subprocess.Popen(
            [program, "export", *source(server), *WINDOW, "--rate", "100000",
             *words], cwd=folder, env=environment(folder),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + LIMIT_S
        while len(receiver.requests) < 40 and time.monotonic() < deadline:
            time.sleep(0.01)
        first.send_signal(signal.SIGINT)
        check(first.wait(LIMIT_S) == 130, first.returncode)
        time.sleep(0.2)  # what was on its way
        before = len(receiver.requests)
        check(before < 150, f"{before} of 190 were sent before the signal")
        export(program, folder, server, *words)
    check(len(receiver.traces()) == 190, len(receiver.traces()))
    check(len(receiver.requests) - 190 <= AT_ONCE,
          f"{len(receiver.requests)} requests for 190 traces")
    return f"{before} before the signal, {len(receiver.requests)} in all"


def check_profiles_come_over(program, folder):
    """Their bytes and labels, whatever order they come in."""
    with google() as server, Receiver() as receiver:
        export(program, folder, server,
               "--to-profiles", f"pyroscope+{receiver.url}")
    check(not receiver.wrong, receiver.wrong[:3])
    wanted = Counter()
    for profile in unpacked("profiles.json.gz")["profiles"]:
        deployment = profile["deployment"]
        labels = {"service_name": deployment["target"],
                  **{k.replace(".", "_"): v
                     for k, v in deployment["labels"].items()}}
        wanted[(tuple(sorted(labels.items())),
                profile["pprof"].encode("latin-1"))] += 1
    found = Counter()
    for labels, data in receiver.profiles:
        kind = labels.pop("__name__")
        check(kind in ("process_cpu", "wall", "memory", "goroutine", "mutex"),
              kind)
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        found[(tuple(sorted(labels.items())), data)] += 1
    check(found == wanted, f"{sum(found.values())} of {sum(wanted.values())}")


def functions(program, folder, *words):
    answer = json.loads(run(program, folder, "profile", "-o", "json",
                            "-n", "0", *words))
    return {(f["name"], f["line"]): f["self_value"]
            for f in answer["functions"]}


def check_files_come_over(program, folder):
    """A file of all traces, to a receiver, once."""
    with google() as server, Receiver() as receiver:
        export(program, folder, server, "--to-traces", "all.otlp")
        words = ("export", "all.otlp", "--to-traces", f"otlp+{receiver.url}",
                 "-o", "json")
        answer = json.loads(run(program, folder, *words))
        again = json.loads(run(program, folder, *words))
    check(not receiver.wrong, receiver.wrong[:3])
    check(sorted(s[0] for s in receiver.spans) == sorted(wanted_spans()),
          "the spans are others")
    check((answer["traces"]["sent"], again["traces"]["sent"],
           again["traces"]["sent_before"]) == (190, 0, 190), again["traces"])


def about(body):
    """The attributes of the only resource, the texts of the dictionary."""
    parts = message(body)
    check(len(parts[1]) == 1 and len(parts[2]) == 1, parts.keys())
    resource = message(parts[1][0])[1][0]
    return (attributes(message(resource)[1]),
            [t.decode() for t in message(parts[2][0])[5]])


def check_profiles_as_otlp(program, folder):
    """Read back they are what the profiles themselves are."""
    with google() as server, Receiver() as receiver:
        for to in ("profiles", f"otlp+{receiver.url}/v1development/profiles"):
            export(program, folder, server, "--to-profiles", to)
    check(not receiver.wrong, receiver.wrong[:3])
    count = len(unpacked("profiles.json.gz")["profiles"])
    check(len(receiver.otlp_profiles) == count, len(receiver.otlp_profiles))
    files = sorted(map(str, Path(folder, "profiles").glob(
        "data-service-process_cpu-*.pb.gz")))
    copies = []
    for number, body in enumerate(receiver.otlp_profiles):
        labels, texts = about(body)
        check({"service.name", "version", "language"} <= set(labels), labels)
        if labels["service.name"] == "data-service" and "cpu" in texts:
            copies.append(f"{number}.otlp")
            Path(folder, copies[-1]).write_bytes(body)
    check(len(copies) == len(files) > 5, f"{len(copies)}, {len(files)} files")
    check(functions(program, folder, *copies) ==
          functions(program, folder, *files), "functions or values are others")


def check_same_verdict_from_files(program, folder):
    """The span that is to blame and the functions that took the time, from the
    project and from the files of an export."""
    with google() as server:
        export(program, folder, server, "--to-traces", "all.otlp",
               "--to-profiles", "profiles")
        there = json.loads(run(program, folder, "slow", CHOSEN,
                               *source(server), "-o", "json"))
        base = functions(program, folder, "--service", "data-service", *SLOW,
                         "--profiles-url",
                         f"gcp+{server.url}/projects/shop-prod")
    files = [p for p in sorted(Path(folder, "profiles").glob(
                 "data-service-process_cpu-*.pb.gz"))
             if "2026-11-21T111613Z" < p.name[len("data-service-process_cpu-"):]
             < "2026-11-21T112613Z"]
    here = json.loads(run(program, folder, "slow", CHOSEN,
                          "--traces-url", "file:all.otlp", "--profiles-url",
                          f"file:{files[-1]}", "-o", "json"))
    for key in ("span_id", "service", "name", "start", "duration_ns",
                "self_ns", "critical_ns", "path"):
        check(here["span"][key] == there["span"][key],
              f"{key}: {here['span'][key]}, not {there['span'][key]}")
    most = max(here["functions"], key=lambda f: f["self_value"])
    check(there["functions"][0]["name"] == most["name"] == "match_discounts",
          most)
    copied = functions(program, folder, *map(str, files))
    check(len(files) > 5 and copied == base,
          f"{len(files)} files: {len(copied)} functions, not {len(base)}, or "
          "other values")


def check_headers_of_receivers(program, folder):
    """As the manual has them for New Relic and Datadog: from the environment,
    and the token of the source stays where it is."""
    for name in ("api-key", "dd-api-key"):
        with google() as server, Receiver({name: "k3yk3y"}) as receiver:
            run(program, folder, "export", *source(server), "--since", "10m",
                "--rate", "100000", "--to-traces",
                f"otlp+{receiver.url}/v1/traces", TRACEFIND_TOKEN="abc123",
                TRACEFIND_TO_HEADER=f"{name}: k3yk3y")
            check(not receiver.wrong, receiver.wrong[:3])
            check(receiver.requests, "nothing came")


if __name__ == "__main__":
    sys.exit(report(globals()))
