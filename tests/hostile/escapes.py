#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts that steer a terminal, in every field that a stranger fills.

usage: escapes.py TRACEFIND [--all]

Traces and profiles of all formats hold each of them in every text; answers of
the servers of tests/cli hold them behind every text of theirs; so do names of
files and values of options. Nothing that comes out on standard output or error
may hold a control character of its own making: lines and colours of the program
itself aside. Without --all a share of the servers, and all texts at once in
place of one by one. TAP, a line a kind.
"""
import argparse
import base64
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "cli"), str(HERE.parent / "safety")]
import figures  # noqa: E402
import making  # noqa: E402
import run as cli  # noqa: E402
from making import MS, START_NS, TRACE, Pprof, data, number  # noqa: E402

LIMIT_S = 60
PARALLEL = 2
SHARE = 15  # of the servers, without --all
PIECES = 6  # of all texts, one behind the other
SHOWN = 5
ARGUMENT_BYTES = 120000  # of a script; Linux has 128 KiB

# Bytes that are no UTF-8 are written as Python's surrogates.
RAW = {byte: chr(0xDC00 + byte) for byte in range(0x80, 0x100)}
STEERING = [0xAD, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F),
            *range(0x2060, 0x2065), *range(0x2066, 0x2070), 0xFEFF, 0xFFF9, 0xFFFA,
            0xFFFB, 0xE0001, 0xE0041, 0xE007F]
SEQUENCES = [
    "\x1b[31m", "\x1b[2J\x1b[H", "\x1b[8m", "\x1b[6n", "\x1b[5i", "\x1b[?1049h",
    "\x1b[m", "\x1b[1m", "\x1b]8;;http://x\x1b\\t\x1b]8;;\x1b\\", "\x1b]52;c;eA==\x07",
    "\x1b]0;title\x07", "\x1bP$q\"p\x1b\\", "\x1b_x\x1b\\", "\x1b^x\x1b\\", "\x1bX\x1b\\",
    "\x1bc", "\x1b(0", "\x1b#8", "\x9b31m", "\x9d52;c;eA==\x9c", "\x90q\x9c",
    RAW[0x9B] + "31m", RAW[0x9D] + "0;t" + RAW[0x9C], "\r\x1b[K", "\b\b\b", "\r\n", "\n\n",
    "%s%n", "\x0e\x0f", "\u202egnp.exe", "\u2067x\u2069",
]
DAMAGED = ["\xff", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xed\xb0\x80",
           "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98"]
PAYLOADS = ([chr(code) for code in [*range(0x20), *range(0x7F, 0xA0)]] +
            [RAW[byte] for byte in range(0x80, 0xA0)] + [chr(code) for code in STEERING] +
            SEQUENCES + ["".join(RAW[ord(c)] for c in text) for text in DAMAGED])
OWN_COLOUR = re.compile(
    r"\x1b\[(?:|1|2|3[0-6]|9[2-6]|38;5;\d+|38;5;16;48;5;\d+|38;2;17;17;17;48;2;\d+;\d+;\d+|30;\d+)m")
# A line end or a colour where a text of theirs was. What a span failed with may
# have lines of its own, which are set in.
BROKEN = re.compile(r"pre\d*[\t\r\x1b\n]+(?! {8})[^\n]{0,12}post")
COLOURED = ("table", "term", "markdown")
MACHINE = ("json", "chrome", "speedscope")
BIDI = {0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def marked(payload, i=0):
    return f"pre{i}{payload}post"


def encoded(text):
    return text.encode("utf-8", "surrogateescape")


# ---- inputs: one item for each text ----

def trace_spans(texts):
    spans, groups = [], []
    for i, text in enumerate(texts, 1):
        attrs = {k: text for k in (
            "db.statement", "db.system", "http.route", "http.method", "rpc.service", "peer.service",
            "code.function", "exception.message", "messaging.destination", "warning", text)}
        one = making.span(
            i, 0 if i == 1 else 1, text, START_NS + i, START_NS + (i + 1) * MS, attrs,
            status={"code": 2, "message": text}, traceState=text,
            events=[{"timeUnixNano": str(START_NS + i), "name": name, "attributes": making.attributes({
                "exception.type": text, "exception.message": text, "exception.stacktrace": text, text: text})}
                for name in (text, "exception")],
            links=[{"traceId": TRACE, "spanId": "%016x" % i, "attributes": making.attributes({text: text})}])
        spans.append(one)
        groups.append(making.group(text, [one], {text: text, "host.name": text, "service.version": text,
                                                 "k8s.pod.name": text}))
    return groups


def otlp_json(texts):
    return encoded(making.otlp(trace_spans(texts)))


def pb_attrs(field, pairs):
    return b"".join(data(field, data(1, encoded(p["key"])) + data(2, data(1, encoded(
        p["value"]["stringValue"])))) for p in pairs)


def otlp_pb(texts):
    out = b""
    for g in trace_spans(texts):
        s = g["scopeSpans"][0]["spans"][0]
        body = data(1, bytes.fromhex(TRACE)) + data(2, bytes.fromhex(s["spanId"])) + \
            data(4, bytes.fromhex(s["parentSpanId"])) + data(5, encoded(s["name"])) + number(6, 2) + \
            b"\x39" + int(s["startTimeUnixNano"]).to_bytes(8, "little") + \
            b"\x41" + int(s["endTimeUnixNano"]).to_bytes(8, "little") + pb_attrs(9, s["attributes"])
        for e in s["events"]:
            body += data(11, data(2, encoded(e["name"])) + pb_attrs(3, e["attributes"]))
        body += data(15, data(2, encoded(s["status"]["message"])) + number(3, 2))
        out += data(1, data(1, pb_attrs(1, g["resource"]["attributes"])) + data(2, data(2, body)))
    return out


def jaeger_json(texts):
    spans, processes = [], {}
    for i, text in enumerate(texts, 1):
        tags = [{"key": k, "type": "string", "value": text} for k in ("error", "db.statement", text)]
        spans.append({"traceID": TRACE, "spanID": "%016x" % i, "operationName": text, "startTime": 1764000000000000 + i,
                      "duration": 1000 * i, "processID": "p%d" % i, "tags": tags, "warnings": [text],
                      "references": [] if i == 1 else [{"refType": "CHILD_OF", "traceID": TRACE,
                                                        "spanID": "%016x" % 1}],
                      "logs": [{"timestamp": 1764000000000000, "fields": tags}]})
        processes["p%d" % i] = {"serviceName": text, "tags": tags}
    return encoded(json.dumps({"data": [{"traceID": TRACE, "spans": spans, "processes": processes,
                                         "warnings": [texts[0]]}]}, ensure_ascii=False))


def zipkin_json(texts):
    return encoded(json.dumps([
        {"traceId": TRACE, "id": "%016x" % i, "name": text, "timestamp": 1764000000000000, "duration": 1000,
         "kind": "SERVER", "localEndpoint": {"serviceName": text}, "remoteEndpoint": {"serviceName": text},
         "tags": {"error": text, "db.statement": text, text: text},
         "annotations": [{"timestamp": 1764000000000000, "value": text}],
         **({"parentId": "%016x" % 1} if i > 1 else {})} for i, text in enumerate(texts, 1)],
        ensure_ascii=False))


def cloud_trace_json(texts):
    return encoded(json.dumps({"projectId": texts[0], "traceId": TRACE, "spans": [
        {"spanId": str(i), "kind": "RPC_SERVER", "name": text, "startTime": "2026-11-21T11:00:00.000000Z",
         "endTime": "2026-11-21T11:00:00.100000Z", **({"parentSpanId": "1"} if i > 1 else {}),
         "labels": {"/component": text, "/http/path": text, "g.co/gae/app/module": text, "/error/message": text,
                    "service.name": text, text: text}} for i, text in enumerate(texts, 1)]}, ensure_ascii=False))


def chrome_json(texts):
    return encoded(json.dumps([event for i, text in enumerate(texts, 1) for event in (
        {"ph": "M", "name": "process_name", "pid": text, "args": {"name": text}},
        {"ph": "M", "name": "thread_name", "pid": text, "tid": text, "args": {"name": text}},
        {"ph": "X", "name": text, "cat": text, "pid": text, "tid": text, "ts": 1764000000000000, "dur": 1000 * i,
         "args": {text: text, "error": text, "db.statement": [text]}})], ensure_ascii=False))


def datadog_json(texts):
    return encoded(json.dumps([[{
        "trace_id": int(TRACE[16:], 16), "span_id": i, "parent_id": 0 if i == 1 else 1, "service": text, "name": text,
        "resource": text, "type": text, "start": 1764000000000000000, "duration": 1000000 * i, "error": 1,
        "meta": {"_dd.p.tid": TRACE[:16], "error.message": text, "version": text, "db.statement": text, text: text},
        "metrics": {text: 1}} for i, text in enumerate(texts, 1)]], ensure_ascii=False))


def xray_json(texts):
    trace = "1-%s-%s" % (TRACE[:8], TRACE[8:])
    return encoded("".join(json.dumps({
        "id": "%016x" % i, "name": text, "trace_id": trace, "start_time": 1764000000.0, "end_time": 1764000000.5 + i,
        "user": text, "annotations": {text: text}, "metadata": {text: {text: [text]}}, "fault": True,
        "cause": {"exceptions": [{"type": text, "message": text, "stack": [{"path": text, "label": text}]}]},
        "subsegments": [{"id": "%016x" % (100 + i), "name": text, "start_time": 1764000000.0, "namespace": "aws",
                         "end_time": 1764000000.1, "aws": {"operation": text}, "sql": {"sanitized_query": text}}],
        **({"parent_id": "%016x" % 1} if i > 1 else {})}, ensure_ascii=False) + "\n"
        for i, text in enumerate(texts, 1)))


def pprof(texts):
    text_of = encoded
    p = Pprof()
    here = p.mapping(text_of(texts[0]), text_of(texts[0]))
    ids = [p.location(text_of(t), text_of(t), 7, here) for t in texts]
    for i, text in zip(ids, texts):
        p.sample([i, ids[0]], 1000000, labels=[(text_of(text), text_of(text)), ("thread", text_of(text))])
        p.comment(text_of(text))
    p.parts.append(number(15, p.text(text_of(texts[0]))))
    return p.bytes()


def pprof_types(texts):
    p = Pprof([(encoded(t), encoded(t)) for t in texts[:60]])
    p.sample([p.location("main")], *[1] * len(texts[:60]))
    p.parts.append(data(11, number(1, p.text(encoded(texts[0]))) + number(2, p.text(encoded(texts[0])))))
    return p.bytes()


def folded(texts):
    return b"".join(b"main;" + encoded(t).replace(b"\n", b"") + b" 10\n" for t in texts)


def perf(texts):
    return b"".join(
        b"%s 1/2 [000] 33690.8%05d:  10101010 cpu-clock: \n\t  1332 %s+0x22 (%s)\n\n" %
        (t, i, t, t) for i, t in enumerate(encoded(t).replace(b"\n", b"") for t in texts))


def speedscope(texts):
    return encoded(json.dumps({
        "$schema": "https://www.speedscope.app/file-format-schema.json", "name": texts[0], "exporter": texts[0],
        "shared": {"frames": [{"name": t, "file": t, "line": 1} for t in texts]},
        "profiles": [{"type": "sampled", "name": t, "unit": "nanoseconds", "startValue": 0, "endValue": 10,
                      "samples": [[i]], "weights": [10]} for i, t in enumerate(texts)]}, ensure_ascii=False))


TRACES = {"otlp.json": otlp_json, "otlp.pb": otlp_pb, "jaeger.json": jaeger_json, "zipkin.json": zipkin_json,
          "cloud.json": cloud_trace_json, "xray.json": xray_json, "datadog.json": datadog_json,
          "chrome.json": chrome_json}
PROFILES = {"cpu.pb": pprof, "types.pb": pprof_types, "x.folded": folded, "perf.txt": perf,
            "x.speedscope.json": speedscope}
# No such file has control characters: with one it is taken for something else.
TEXT_ONLY = ("x.folded", "perf.txt")
SPAN = "%016x" % 1
TRACE_RUNS = ["show {}", "show {} --events", "show {} --errors", f"show {{}} --span {SPAN}", "show {} -o markdown",
              "show {} -o json --events", "show {} -o chrome", "show {} -o svg", "show {} -o html", "slow {}",
              "slow {} -o json", "slow {} -o markdown --strict", f"slow {{}} --span {SPAN} --why",
              "slow {} --profiles-url file:{profile}", "slow {} --profiles-url file:{profile} -o html",
              "show {} --service nosuch", "slow {} --name nosuch", "doctor {} --profiles-url file:{profile}",
              "profile {}", "convert {} -o json", "convert {} -o folded"]
PROFILE_RUNS = ["profile {}", "profile {} -n 0", "profile {} -o term", "profile {} -o json -n 0",
                "profile {} -o csv -n 0", "profile {} -o markdown -n 0", "profile {} -o folded", "profile {} -o dot",
                "profile {} -o speedscope", "profile {} -o svg", "profile {} -o html", "profile {} --granularity line",
                "profile {} --granularity file", "profile {} --type nosuch", "profile {} --peek pre",
                "profile {} --list pre", "profile {} --tags", "profile {} --tree", "profile {} --focus nosuch",
                "diff {} {}", "diff {base} {}", "diff {} {base}", "diff {base} {} -o markdown -n 0",
                "diff {base} {} -o term", "diff {base} {} -o csv -n 0", "diff {base} {} -o difffolded",
                "diff {base} {} -o html", "show {}", "types --profiles-url file:{}",
                "convert {} -o csv", "convert {} -o chrome"]


# ---- what comes out ----

def is_control(c, form):
    """Some join the letters of a script; a terminal shows no JSON."""
    category = unicodedata.category(c)
    if category == "Cf":
        return form not in MACHINE or ord(c) in BIDI
    return c != "\n" and category in ("Cc", "Zl", "Zp", "Cs")


def complaint(out, words):
    """out: bytes of either stream."""
    try:
        text = out.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"no UTF-8: {out[max(0, error.start - 20):error.end + 20]!r}"
    form = words[words.index("-o") + 1] if "-o" in words else "table"
    if form == "csv":
        text = text.replace("\r\n", "\n")
    broken = BROKEN.search(text)
    if broken and form not in ("folded", "html"):
        return f"broken: {broken[0]!r}"
    if "always" in words:
        text = OWN_COLOUR.sub("", text)
    for at, c in enumerate(text):
        if not 0x20 <= ord(c) < 0x7F and is_control(c, form) and not (
                c == "\t" and form in ("svg", "html", "dot")):
            return f"U+{ord(c):04X} in {text[max(0, at - 20):at + 20]!r}"
    return None


class Trials:
    def __init__(self, program):
        self.program = program
        self.tried = self.failed = self.kinds_failed = self.kinds = 0
        self.reached = set()  # numbers of the texts that came out

    def start(self, words, folder, env=None):
        done = subprocess.run([self.program, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT_S, env=env or {**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8",
                                                           "TRACEFIND_NOW": cli.NOW})
        self.reached.update(re.findall(rb"pre(\d+)", done.stdout + done.stderr))
        wrong = complaint(done.stdout, words) or complaint(done.stderr, [w for w in words if w != "-o"])
        if done.returncode < 0 or done.returncode > 10:
            wrong = f"status {done.returncode}: {done.stderr[-300:]!r}"
        return wrong

    def kind(self, name, results, wanted):
        """results: (what was run, what is wrong); wanted: how many of the texts
        must have come out somewhere."""
        bad, tried = [], 0
        if len(self.reached) < wanted:
            bad.append(f"{len(self.reached)} of {wanted} texts came out")
        self.reached = set()
        for what, wrong in results:
            tried += 1
            if wrong:
                bad.append(f"{what}: {wrong}")
        self.tried += tried
        self.failed += len(bad)
        self.kinds += 1
        self.kinds_failed += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {self.kinds} - {name}, {tried} runs")
        for line in bad[:SHOWN]:
            print("#   " + line.replace("\n", "\\n"))
        sys.stdout.flush()


def file_runs(trials, folder, texts, names):
    """Every command and format, with and without colours."""
    base, profile = folder / "base.folded", folder / "profile.pb"
    base.write_bytes(b"main;other 1000\n")
    profile.write_bytes(pprof(texts))
    lines = []
    for name in names:
        path = folder / name
        path.write_bytes({**TRACES, **PROFILES}[name](texts))
        for run in TRACE_RUNS if name in TRACES else PROFILE_RUNS:
            words = [w.replace("{base}", str(base)).replace("{profile}", str(profile)).replace("{}", str(path))
                     for w in run.split()]
            lines.append(words)
            if "-o" not in words or words[words.index("-o") + 1] in COLOURED:
                lines.append([*words, "--color", "always"])
    with ThreadPoolExecutor(PARALLEL) as pool:
        return list(zip([" ".join(words) for words in lines],
                        pool.map(lambda words: trials.start(words, folder), lines)))


def files(trials, folder, is_all):
    for name in [*TRACES, *PROFILES]:
        texts = [marked(p, i) for i, p in enumerate(PAYLOADS) if name not in TEXT_ONLY or
                 not re.search("[\0-\x1f\x7f-\x9f\udc80-\udcff]", p)]
        results = file_runs(trials, folder, texts, [name])
        if is_all:
            for i, payload in enumerate(PAYLOADS):
                results += file_runs(trials, folder, [marked(payload, i)], [name])
        trials.kind(f"files: {name}", results, 10 if name == "types.pb" else len(texts) * 9 // 10)


# ---- servers ----

def mutated(value, text):
    """The same answer with the text behind every text but those of digits, of
    which ids and times are made."""
    if isinstance(value, dict):
        return {k: mutated(v, text) for k, v in value.items()}
    if isinstance(value, list):
        return [mutated(v, text) for v in value]
    if isinstance(value, str) and not re.fullmatch(r"[0-9a-fA-F.:TZ+-]*|[A-Za-z0-9+/]{11}=", value):
        return value + text
    return value


def mutate_reply(reply, text):
    if not isinstance(reply, dict):
        return reply
    reply = copy.copy(reply)
    if "{" in json.dumps(reply.get("json", "")).replace("{\"", "").replace("{}", ""):
        text = text.encode("utf-8", "replace").decode()
        reply["json"] = mutated(reply["json"], text)
    elif "json" in reply and "content_length" not in reply and "cut" not in reply:
        changed = json.dumps(mutated(reply.pop("json"), text), ensure_ascii=False)
        reply["base64"] = base64.b64encode(encoded(changed)).decode()
        reply["headers"] = {"Content-Type": "application/json", **reply.get("headers", {})}
    elif "text" in reply and reply["text"] and "cut" not in reply:
        changed = encoded(reply.pop("text") + text)
        reply["base64"] = base64.b64encode(changed).decode()
    return reply


def mutated_script(script, text):
    script = copy.deepcopy(script)
    for route in script.get("routes", []):
        if "reply" in route:
            route["reply"] = mutate_reply(route["reply"], text)
        if "replies" in route:
            route["replies"] = [mutate_reply(r, text) for r in route["replies"]]
    for name in ("default", "first"):
        if name in script:
            script[name] = mutate_reply(script[name], text)
    return script


def serve(trials, case, texts):
    """[(what, wrong)] of the command of a case at its server, changed."""
    results = []
    with tempfile.TemporaryDirectory(prefix="tracefind-") as tmp:
        tmp = os.path.realpath(tmp)
        script = json.loads(case.server)
        for text in texts:
            changed = json.dumps(mutated_script(script, text))
            while len(changed) > ARGUMENT_BYTES and text:
                text = text[:text.rindex("pre")]
                changed = json.dumps(mutated_script(script, text))
            if not text:
                continue
            names = cli.names_for(tmp)
            with cli.served(case.served_by(changed), names):
                cli.furnish(case, names, tmp)
                words = cli.words_of(case.command, names)
                env = cli.environment(case, names, tmp)
                for more in ([], ["--color", "always"]):
                    if more and "--color" in words:
                        continue
                    results.append((f"{case.name} {' '.join(more)}", trials.start([*words, *more], tmp, env)))
    return results


def has_texts(case):
    """Whether its server's answers are its script's: Google's are played."""
    script = json.loads(case.server)
    return mutated_script(script, "x") != script


def servers(trials, is_all):
    cases = [c for c in cli.cases.all_cases() if c.server is not None and c.before is None and
             "delay_ms" not in c.server]
    # Not those whose wait is their point, nor those that speak another language.
    cases = [c for c in cases if not re.search(r"tls|slow-loris|timeout|retry|stall|silent", c.name) and has_texts(c)]
    mix = [marked(p, i) for i, p in enumerate(PAYLOADS) if p not in ("\r\n", "\n\n")]
    step = 1 if is_all else max(1, len(cases) // SHARE)
    count = PIECES if is_all else 1
    work = []
    for number_, case in enumerate(cases[::step]):
        turn = number_ * 13 % len(mix)
        mixed = mix[turn:] + mix[:turn]
        size = len(mixed) // PIECES
        work.append((case, ["".join(mixed[i * size:(i + 1) * size]) for i in range(count)]))
    with ThreadPoolExecutor(PARALLEL) as pool:
        done = list(pool.map(lambda w: serve(trials, *w), work))
    trials.kind(f"answers of {len(work)} servers", [r for results in done for r in results], min(len(work), len(PAYLOADS) * 9 // 10))


# ---- arguments ----

def arguments(trials, folder, is_all):
    """Names of files, and values of options that are refused."""
    results = []
    whole = folder / "whole.folded"
    whole.write_bytes(b"main;other 1000\n")
    for i, payload in enumerate(PAYLOADS):
        if not is_all and i % 16 or "\0" in payload:  # which ends an argument
            continue
        text = encoded(marked(payload, i)).replace(b"/", b"")
        path = os.path.join(os.fsencode(str(folder)), text)
        with open(path, "wb") as file:
            file.write(b"main;other 1000\n")
        for words in ([b"profile", path], [b"profile", path + b"-none"], [b"show", path], [b"slow", text],
                      [b"profile", os.fsencode(str(whole)), b"--type", text], [text], [b"show", b"--" + text],
                      [b"services", b"--profiles-url", text], [b"slow", b"--service", text, b"--since", text],
                      [b"profile", os.fsencode(str(whole)), b"--focus", b"(" + text]):
            for more in ([], [b"--color", b"always"]):
                wrong = trials.start([os.fsdecode(w) for w in [*words, *more]], folder)
                results.append((repr(words), wrong))
        os.unlink(path)
    trials.kind("arguments", results, len(PAYLOADS) // 20)


def overlooked():
    """Each text as it is would be seen."""
    for i, payload in enumerate(PAYLOADS):
        seen = complaint(encoded(f"x {marked(payload, i)} y"), ["show", "--color", "always"])
        yield repr(payload), None if seen or payload == "%s%n" else "overlooked"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    trials = Trials(str(Path(options.program).resolve()))
    print(f"1..{len(TRACES) + len(PROFILES) + 3}", flush=True)
    trials.kind("the check itself", overlooked(), 0)
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        files(trials, Path(folder), options.all)
        servers(trials, options.all)
        arguments(trials, Path(folder), options.all)
    print(f"# {trials.tried} runs, {trials.failed} failed")
    figures.record("terminal", trials.tried, trials.failed, payloads=len(PAYLOADS))
    return 1 if trials.kinds_failed else 0


if __name__ == "__main__":
    sys.exit(main())
