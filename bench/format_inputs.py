# SPDX-License-Identifier: Apache-2.0
"""Inputs of the younger formats, of any size, for bench/formats.py: the same
bytes each time. make(name, path, size_bytes) writes about so many bytes."""
import json
import random
from pathlib import Path

T0_US = 1_763_812_336_000_000
HERE = Path(__file__).resolve().parent.parent
SERVICES = [f"shop-{n}" for n in range(12)]
ROUTES = [f"/api/v1/items/{n}/details" for n in range(40)]


def dense(value):
    return json.dumps(value, separators=(",", ":"))


def listed(file, size, items, front="", back=""):
    """Items with commas between them until the file is large enough."""
    file.write(front)
    written = 0
    for item in items:
        text = (",\n" if written else "") + item
        file.write(text)
        written += len(text)
        if written >= size:
            break
    file.write(back)


def chrome(file, size):
    def events(rng):
        for n in range(10**9):
            yield dense({
                "pid": 4000 + n % 4, "tid": 7000 + n // 50 % 16,
                "ts": 500_000_000 + n * 11, "ph": "X", "cat": "devtools.timeline",
                "name": f"Task{rng.randrange(300)}", "dur": rng.randrange(1, 40),
                "args": {"data": {"url": ROUTES[n % 40], "line": n % 900,
                                  "frame": "9D1CF5D1E2A08F0B"}}})
    listed(file, size, events(random.Random(1)), '{"traceEvents":[\n', "\n]}\n")


def call_tree(rng, count):
    """(parent, name) of each node, callers first, up to 60 deep."""
    nodes, depths = [(None, 0)], [0]
    while len(nodes) < count:
        parent = rng.randrange(max(0, len(nodes) - 60), len(nodes))
        if depths[parent] == 60:
            parent = 0
        nodes.append((parent, rng.randrange(4_000)))
        depths.append(depths[parent] + 1)
    return nodes


def v8(file, size):
    rng = random.Random(2)
    count = size // 700
    tree = call_tree(rng, count)
    children = [[] for _ in tree]
    for n, (parent, _) in enumerate(tree):
        if parent is not None:
            children[parent].append(n + 1)
    nodes = [{"id": n + 1, "callFrame": {
        "functionName": f"handle{name}" if n else "(root)",
        "scriptId": str(name % 300),
        "url": f"file:///srv/app/node_modules/pkg{name % 300}/lib/index.js",
        "lineNumber": name % 900, "columnNumber": name % 70},
        "hitCount": rng.randrange(30), "children": children[n],
        "positionTicks": [{"line": name % 900 + 1, "ticks": 3}]}
        for n, (_, name) in enumerate(tree)]
    samples = [rng.randrange(1, count + 1) for _ in range(
        min((size - count * 300) // 11, 4_900_000))]  # LIMIT_SAMPLES
    deltas = [rng.randrange(90, 1400) for _ in samples]
    file.write(dense({"nodes": nodes, "startTime": 0, "endTime": sum(deltas),
                      "samples": samples, "timeDeltas": deltas}))


def firefox(file, size):
    rng = random.Random(3)
    threads = []
    for number in range(4):
        count = size // 4 // 32
        tree = call_tree(rng, min(count // 3, 40_000))
        strings = [f"mozilla::dom::Element{n}::Update(nsIFrame*, int)"
                   for n in range(4_000)]
        samples = [rng.randrange(len(tree)) for _ in range(count)]
        columns = range(4_000)
        threads.append({
            "name": f"Thread{number}", "pid": "1", "tid": number,
            "samples": {"stack": samples, "length": count, "weight": None,
                        "weightType": "samples",
                        "timeDeltas": [1.0078125] * count,
                        "threadCPUDelta": [rng.randrange(900_000, 1_100_000)
                                           for _ in samples]},
            "stackTable": {"frame": [name for _, name in tree],
                           "prefix": [parent for parent, _ in tree],
                           "category": [0] * len(tree),
                           "length": len(tree)},
            "frameTable": {"func": list(columns), "line": [None] * 4_000,
                           "address": [-1] * 4_000, "length": 4_000},
            "funcTable": {"name": list(columns), "fileName": [None] * 4_000,
                          "resource": [-1] * 4_000, "length": 4_000},
            "resourceTable": {"lib": [], "length": 0},
            "stringArray": strings})
    file.write(dense({"meta": {"version": 32, "interval": 1,
                               "preprocessedProfileVersion": 55},
                      "libs": [], "threads": threads}))


def xray(file, size):
    """A document a line, as SDKs send them; ten subsegments each."""
    rng, written, n = random.Random(4), 0, 0
    while written < size:
        start = T0_US / 1e6 + n * 0.003
        trace = f"1-{0x6921a3f0 + n // 500:08x}-{n // 5:024x}"
        text = dense({
            "name": SERVICES[n % 12], "id": f"{n * 16 + 1:016x}",
            "trace_id": trace, "start_time": start, "end_time": start + 0.25,
            **({"parent_id": f"{(n - n % 5) * 16 + 1:016x}"} if n % 5 else {}),
            "http": {"request": {"method": "GET",
                                 "url": "https://shop.example" + ROUTES[n % 40],
                                 "client_ip": "192.0.2.7"},
                     "response": {"status": 200, "content_length": 1423}},
            "aws": {"account_id": "123456789012",
                    "ecs": {"container": SERVICES[n % 12]}},
            "annotations": {"tenant": f"t{rng.randrange(90)}"},
            "subsegments": [{
                "id": f"{n * 16 + 2 + i:016x}", "name": "orders-db",
                "start_time": start + i * 0.02, "namespace": "remote",
                "end_time": start + i * 0.02 + 0.01,
                "sql": {"sanitized_query": "SELECT a, b FROM t WHERE id = ?",
                        "database_type": "PostgreSQL"}} for i in range(10)],
        }) + "\n"
        file.write(text)
        written += len(text)
        n += 1


def span_tags(n, rng):
    return {"http.method": "GET", "http.url": ROUTES[n % 40],
            "http.status_code": "200", "tenant": f"t{rng.randrange(90)}",
            "component": "net/http"}


def datadog(file, size):
    """The list of lists of spans that tracers send, five spans a trace."""
    def traces(rng):
        for n in range(10**9):
            start = (T0_US + n * 3_000) * 1_000
            yield dense([{
                "trace_id": 2**40 + n, "span_id": n * 8 + i + 1,
                "parent_id": n * 8 + 1 if i else 0, "name": "http.request",
                "service": SERVICES[(n + i) % 12],
                "resource": "GET " + ROUTES[(n + i) % 40], "type": "web",
                "start": start + i * 1_000_000, "error": 0,
                "duration": rng.randrange(1_000_000, 90_000_000),
                "meta": {**span_tags(n, rng), "env": "prod",
                         "_dd.p.tid": "6921a3f000000000",
                         "span.kind": "server"},
                "metrics": {"_sampling_priority_v1": 1, "process_id": 41}}
                for i in range(5)])
    listed(file, size, traces(random.Random(5)), "[", "]\n")


def zipkin(file, size):
    def spans(rng):
        for n in range(10**9):
            root = n - n % 5
            service = {"serviceName": SERVICES[n % 12], "ipv4": "192.0.2.7"}
            yield dense({
                "traceId": f"{0x6921a3f0:016x}{root + 1:016x}",
                "id": f"{n + 1:016x}", "name": "get " + ROUTES[n % 40],
                **({"parentId": f"{root + 1:016x}"} if n % 5 else {}),
                "kind": "SERVER", "timestamp": T0_US + n * 600,
                "duration": rng.randrange(900, 90_000),
                "localEndpoint": service, "tags": span_tags(n, rng)})
    listed(file, size, spans(random.Random(6)), "[", "]\n")


def cloud_trace(file, size):
    """Answers of Cloud Trace v1, a trace each."""
    def traces(rng):
        for n in range(10**9):
            at = f"2025-11-22T11:{n // 60 % 60:02}:{n % 60:02}."
            yield dense({"projectId": "shop", "traceId": f"{n + 1:032x}",
                         "spans": [{
                             "spanId": str(n * 8 + i + 1),
                             **({"parentSpanId": str(n * 8 + 1)} if i else {}),
                             "kind": "RPC_SERVER", "name": ROUTES[(n + i) % 40],
                             "startTime": at + "100000000Z",
                             "endTime": at + f"{rng.randrange(2, 10)}00000000Z",
                             "labels": {"g.co/r/k8s_container/pod_name":
                                        SERVICES[(n + i) % 12],
                                        "service.name": SERVICES[(n + i) % 12],
                                        **span_tags(n, rng)}}
                             for i in range(5)]})
    listed(file, size, traces(random.Random(7)), '{"traces":[', "]}\n")


def speedscope(file, size):
    rng = random.Random(8)
    samples, weights = [], []
    stacks = [[rng.randrange(4_000) for _ in range(rng.randrange(10, 40))]
              for _ in range(20_000)]
    for _ in range(size // 115):
        samples.append(stacks[rng.randrange(len(stacks))])
        weights.append(rng.randrange(1, 2_000))
    file.write(dense({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": f"shop.handlers.handle{n}",
                               "file": f"/srv/app/mod{n % 300}.py", "line": n}
                              for n in range(4_000)]},
        "profiles": [{"type": "sampled", "name": "t", "unit": "microseconds",
                      "startValue": 0, "endValue": sum(weights),
                      "samples": samples, "weights": weights}]}))


def perf(file, size):
    rng, written, n = random.Random(9), 0, 0
    stacks = []
    for _ in range(5_000):
        stacks.append("".join(
            f"\t    {0x55d0c0000000 + f * 64:x} shop::handle{f}(int, char const*)"
            f"+0x{f % 90:x} (/srv/app/bin/shop)\n"
            for f in (rng.randrange(4_000) for _ in range(rng.randrange(10, 40)))))
    while written < size:
        text = (f"shop {4000 + n % 4} {n // 1000 + 50}.{n % 1000:03}000: "
                "   1000000 cpu-clock:ppp: \n"
                + stacks[rng.randrange(len(stacks))] + "\n")
        file.write(text)
        written += len(text)
        n += 1


def jfr(path, size):
    """Recordings one behind the other are a recording."""
    import gzip
    one = gzip.decompress((HERE / "testdata/jfr/work.jfr.gz").read_bytes())
    path.write_bytes(one * max(1, round(size / len(one))))


ENDINGS = {"chrome": ".json", "v8": ".cpuprofile", "firefox": ".json",
           "xray": ".jsonl", "datadog": ".json", "zipkin": ".json",
           "cloud_trace": ".json", "speedscope": ".json", "perf": ".txt",
           "jfr": ".jfr"}


def make(name, folder, size):
    path = Path(folder) / f"{name}-{size // 1_000_000}{ENDINGS[name]}"
    if path.exists():
        return path
    part = path.with_name("part-" + path.name)
    if name == "jfr":
        jfr(part, size)
    else:
        with open(part, "w", encoding="utf-8") as file:
            globals()[name](file, size)
    part.rename(path)
    return path
