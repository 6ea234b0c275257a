#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes testdata/google/recipe: a project of four services on Google Cloud,
traced and profiled, in which two things are known to be wrong.

usage: make_recipe.py traces FOLDER             the same for the same SEED
       make_recipe.py profiles FOLDER RECORDED  from real recordings
       make_recipe.py record RECORDED           runs programs/ (8 minutes)

The story, on 21 November 2026 from 10:10 to 11:26 (times UTC):
- frontend-service -> api-gateway-service -> auth-service, data-service
- data-service 1.1.0 replaces 1.0.0 at 11:00; its match_discounts became slow,
  requests take about 400 ms instead of 60
- the gateway computes little: its span waits for data-service
- auth-service allocates in (*Policies).ExpandRoles, all the time

What is real: each profile was taken of a running program (programs/), of Go
by runtime/pprof, of Python by a sampler of ours. Only its place in time comes
from the story: the nth recording of ten seconds is the nth profile of a type.
Traces are drawn by a random generator with a fixed start. Standard library
only; record needs Go.
"""
import base64
import gzip
import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "server"))
import google_pprof
import google_shapes
import pprof_read
from google_profiler import name_of, stamp
from google_trace import time_ns

PROJECT, NUMBER = "shop-prod", "764210398127"
SEED = 11
BEGIN_NS = time_ns("2026-11-21T10:10:00Z")
ROLLOUT_NS = time_ns("2026-11-21T11:00:00Z")
MS, SECOND, MINUTE = 10**6, 10**9, 60 * 10**9
TRACES, TRACE_EVERY_NS = 190, 24 * SECOND
MINUTES, RECORDINGS = 72, 36
ZONE, CLUSTER = "europe-west1-b", "shop"
# The trace that the manual looks at, by its number.
CHOSEN, CHOSEN_ID = 178, "7d1c3a5be94f4c62a0f1b7d2e8c94a03"


# Traces

def otel(service, version, pod, **more):
    """Labels as OpenTelemetry's exporter for Google Cloud writes them."""
    return {"g.co/agent": "opentelemetry-go 1.40.0; google-cloud-trace-"
                          "exporter 1.30.0",
            "g.co/r/k8s_container/cluster_name": CLUSTER,
            "g.co/r/k8s_container/container_name": service,
            "g.co/r/k8s_container/location": ZONE,
            "g.co/r/k8s_container/namespace_name": "prod",
            "g.co/r/k8s_container/pod_name": pod,
            "service.name": service, "service.version": version,
            **{k.replace("__", "."): v for k, v in more.items()}}


def opencensus(service, version, **more):
    """Labels as OpenCensus writes them on Cloud Run."""
    return {"/component": "http", "g.co/agent": "opencensus-python [0.11.4]",
            "g.co/r/cloud_run_revision/configuration_name": service,
            "g.co/r/cloud_run_revision/location": "europe-west1",
            "g.co/r/cloud_run_revision/revision_name":
                f"{service}-00012-{version.replace('.', '')}",
            "g.co/r/cloud_run_revision/service_name": service,
            **{"/" + k.replace("__", "/"): v for k, v in more.items()}}


class Draw:
    """Durations and ids of one trace."""

    def __init__(self, number):
        self.random = random.Random(f"{SEED}/{number}")
        self.spans = []

    def ns(self, typical_ms):
        """Lognormal: most near the typical, a few far above."""
        return int(typical_ms * MS * self.random.lognormvariate(0, 0.12))

    def span(self, parent, kind, name, start_ns, end_ns, labels):
        span = {"spanId": str(self.random.randrange(2**60, 2**64))}
        if kind:
            span["kind"] = kind
        span["name"] = name
        span["startTime"], span["endTime"] = stamp(start_ns), stamp(end_ns)
        if parent:
            span["parentSpanId"] = parent
        span["labels"] = dict(sorted(labels.items()))
        self.spans.append(span)
        return span["spanId"]


def data_spans(draw, parent, start_ns, version):
    """data-service's span, which ends when it returns."""
    query_ns = draw.ns(9)
    work_ns = draw.ns(48 if version == "1.0.0" else 395)
    end_ns = start_ns + query_ns + work_ns
    pod = "data-service-5c9f7b66d4-" + ("x2k8p" if version == "1.0.0"
                                        else "m7w4q")
    own = otel("data-service", version, pod)
    span = draw.span(parent, "RPC_SERVER", "GET /orders/{user}", start_ns,
                     end_ns, {**own, "/http/method": "GET",
                              "/http/route": "/orders/{user}",
                              "/http/status_code": "200"})
    draw.span(span, "RPC_CLIENT", "SELECT orders", start_ns + MS // 2,
              start_ns + query_ns,
              {**own, "db.system": "postgresql", "db.statement":
               "SELECT row FROM orders WHERE user_id = $1"})
    return end_ns


def auth_spans(draw, parent, start_ns):
    own = otel("auth-service", "1.0.0", "auth-service-7d44c8f9b-9hj2c",
               rpc__system="grpc", rpc__service="auth.Auth",
               rpc__method="Verify", rpc__grpc__status_code="0")
    end_ns = start_ns + draw.ns(27)
    draw.span(parent, "RPC_SERVER", "auth.Auth/Verify", start_ns, end_ns, own)
    return end_ns


def gateway_spans(draw, parent, start_ns, version):
    own = otel("api-gateway-service", "1.0.0",
               "api-gateway-service-6b8d5-tz4vn")
    children = []
    auth_ns = start_ns + draw.ns(2)
    end_ns = draw_call(draw, children, "auth.Auth/Verify", auth_ns,
                       lambda id_, at: auth_spans(draw, id_, at),
                       {**own, "rpc.system": "grpc", "rpc.method": "Verify",
                        "rpc.service": "auth.Auth"})
    end_ns = draw_call(draw, children, "GET /orders/{user}",
                       end_ns + draw.ns(1),
                       lambda id_, at: data_spans(draw, id_, at, version),
                       {**own, "/http/method": "GET", "/http/status_code":
                        "200", "/http/url":
                        "http://data-service/orders/u-5512",
                        "peer.service": "data-service"})
    end_ns += draw.ns(5)
    span = draw.span(parent, "RPC_SERVER", "GET /api/orders", start_ns,
                     end_ns, {**own, "/http/method": "GET", "/http/route":
                              "/api/orders", "/http/status_code": "200"})
    for child in children:
        child["parentSpanId"] = span
    return end_ns


def draw_call(draw, children, name, start_ns, serve, labels):
    """A client's span around what the other side does."""
    span = draw.span("1", "RPC_CLIENT", name, start_ns, start_ns, labels)
    client = draw.spans[-1]
    end_ns = serve(span, start_ns + MS // 2) + MS // 2
    client["endTime"] = stamp(end_ns)
    children.append(client)
    return end_ns


def trace(number):
    draw = Draw(number)
    start_ns = BEGIN_NS + number * TRACE_EVERY_NS + draw.ns(900)
    version = "1.0.0" if start_ns < ROLLOUT_NS else "1.1.0"
    trace_id = hashlib.sha256(f"{SEED}/{number}".encode()).hexdigest()[:32]
    if number == CHOSEN:
        trace_id = CHOSEN_ID
    own = opencensus("frontend-service", "1.0.0")
    front_ns = start_ns + draw.ns(3)
    call_ns = gateway_spans(draw, "1", front_ns + MS, version) + MS
    end_ns = call_ns + draw.ns(14)
    gateway = next(s for s in draw.spans if s["name"] == "GET /api/orders")
    root = draw.span(None, "RPC_SERVER", "/orders", start_ns, end_ns,
                     {**own, "/http/method": "GET", "/http/route": "/orders",
                      "/http/host": "shop.example", "/http/status_code":
                      "200", "/http/url": "https://shop.example/orders"})
    gateway["parentSpanId"] = draw.span(
        root, "RPC_CLIENT", "Sent.api-gateway", front_ns, call_ns,
        {**own, "/http/method": "GET", "/http/status_code": "200",
         "/http/url": "http://api-gateway-service/api/orders"})
    draw.spans.sort(key=lambda s: (time_ns(s["startTime"]),
                                   -time_ns(s["endTime"])))
    return {"projectId": PROJECT, "traceId": trace_id, "spans": draw.spans}


# Profiles

def recorded(folder, service, version, kind, number):
    """A profile without its time, as plain bytes; None when there is none."""
    base = Path(folder, f"{number:03}-{kind}.pb.gz")
    if kind in ("CPU", "HEAP", "THREADS") and base.exists():
        return gzip.decompress(base.read_bytes())
    if kind in ("HEAP_ALLOC", "CONTENTION"):
        name = {"HEAP_ALLOC": "allocs", "CONTENTION": "mutex"}[kind]
        parts = [pprof_read.stacks(gzip.decompress(
            Path(folder, f"{number:03}-{name}-{when}.pb.gz").read_bytes()))
            for when in ("before", "after")]
        width = len(google_pprof.KINDS[kind][0])
        samples = pprof_read.difference(*parts, width)
        return google_pprof.compose(samples, google_pprof.KINDS[kind], 1,
                                    10 * SECOND) \
            if samples else None
    data = json.loads(Path(folder, f"{number:03}.json").read_text())
    period = google_pprof.KINDS[kind][2]
    samples = [([frame.replace(":None", ":0") for frame in stack],
                [count, count * period]) for stack, count in data[kind]]
    return google_pprof.compose(samples, google_pprof.KINDS[kind], 1,
                                data["duration_ns"])


# Service: folder of recordings by version, types, and how many minutes lie
# between two profiles of a type.
SERVICES = {
    "frontend-service": ({"1.0.0": "frontend"}, {"CPU": 2, "WALL": 2},
                         {"language": "python", "region": "europe-west1"}),
    "api-gateway-service": ({"1.0.0": "gateway"},
                            {"CPU": 2, "HEAP": 6, "HEAP_ALLOC": 4,
                             "THREADS": 12, "CONTENTION": 12},
                            {"language": "go", "zone": ZONE}),
    "auth-service": ({"1.0.0": "auth"},
                     {"CPU": 2, "HEAP": 4, "HEAP_ALLOC": 2},
                     {"language": "go", "zone": ZONE}),
    "data-service": ({"1.0.0": "data10", "1.1.0": "data11"},
                     {"CPU": 1, "WALL": 2},
                     {"language": "python", "zone": ZONE}),
}


def profiles_of(service, recordings):
    folders, kinds, labels = SERVICES[service]
    first_ns = BEGIN_NS + 4 * MINUTE
    for turn, (kind, every) in enumerate(kinds.items()):
        used = dict.fromkeys(folders, 0)
        for minute in range(0, MINUTES, every):
            start_ns = first_ns + minute * MINUTE + turn * 11 * SECOND
            version = max(v for v in folders
                          if v == "1.0.0" or start_ns >= ROLLOUT_NS)
            number, used[version] = used[version], used[version] + 1
            plain = recorded(Path(recordings, folders[version]), service,
                             version, kind, number)
            if plain is None:
                continue
            plain = pprof_read.with_time(plain, start_ns)
            yield {"name": name_of(PROJECT, service, kind, minute),
                   "profileType": kind,
                   "deployment": {"projectId": PROJECT, "target": service,
                                  "labels": {**labels, "version": version}},
                   "duration": "10s", "startTime": stamp(start_ns),
                   "pprof": plain}


# Files

def write_packed(path, value):
    """Without name and time, so that the same data make the same file."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    Path(path).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def make_traces(folder):
    traces = {"traces": [trace(n) for n in range(TRACES)]}
    google_shapes.check("ListTracesResponse", traces)
    write_packed(Path(folder, "traces.json.gz"), traces)


def make_profiles(folder, recordings):
    profiles = []
    for service in SERVICES:
        for profile in profiles_of(service, recordings):
            plain = profile.pop("pprof")
            google_shapes.check("Profile", {
                **profile, "profileBytes": base64.b64encode(plain).decode()})
            profiles.append({**profile, "pprof": plain.decode("latin-1")})
    write_packed(Path(folder, "profiles.json.gz"), {"profiles": profiles})
    print(len(profiles), "profiles")


def record(recordings):
    programs = HERE / "programs"
    binaries = Path(recordings, "bin").resolve()
    binaries.mkdir(parents=True, exist_ok=True)
    subprocess.run(["go", "build", "-trimpath", "-o", f"{binaries}/",
                    "./auth", "./gateway"], cwd=programs, check=True,
                   env={**os.environ, "CGO_ENABLED": "0"})
    python = [sys.executable, "-B"]
    commands = {
        "auth": [binaries / "auth"], "gateway": [binaries / "gateway"],
        "frontend": [*python, programs / "python/frontend_service.py"],
        "data10": [*python, programs / "python/data_service.py", "1.0.0"],
        "data11": [*python, programs / "python/data_service.py", "1.1.0"]}
    counts = {"data10": 46, "data11": 26}
    running = []
    for name, command in commands.items():
        folder = Path(recordings, name).resolve()
        folder.mkdir(exist_ok=True)
        running.append(subprocess.Popen(
            [*command, folder, str(counts.get(name, RECORDINGS))]))
    sys.exit(max(process.wait() for process in running))


def main():
    if sys.argv[1:2] == ["traces"] and len(sys.argv) == 3:
        make_traces(sys.argv[2])
    elif sys.argv[1:2] == ["profiles"] and len(sys.argv) == 4:
        make_profiles(*sys.argv[2:])
    elif sys.argv[1:2] == ["record"] and len(sys.argv) == 3:
        record(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
