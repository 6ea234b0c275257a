#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names that would be queries of their own, if they came into queries as they
are. Output is TAP.

usage: queries.py TRACEFIND [--all]

A run with a harmless name shows what is asked: which paths, parameters, headers
and queries, the texts in them left out. A run with a hostile one must ask the
same, with the name as one text, or as part of one in the place where the
harmless one is part of it. Names come from the command line, and from traces
that hold them.
"""
import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import wire
from literals import Bad, is_query, parts, taken_apart, terms
from trial import GOOD, TESTDATA, USAGE, environment, run, try_all, told

NOW = "2026-11-21T10:00:00Z"
# Like the others it is no label: those are written without quotes.
HARMLESS = "v.harmless-w"
VALUES = [
    '"', "\\", '\\"', "\\\\", '"} || {', '"} || {} || {name="', "})",
    "}) or vector(1)", '"}) or vector(1) or ({a="', "'", "`", "` || `",
    "' or '1'='1", "\n", "\r", "\r\nX-Evil: 1", "\r\n\r\nGET /evil HTTP/1.1",
    "\t", "%22", "%2f..", "%00", "%0d%0a", "../", "/../../api/echo", "/", "//",
    "?", "?a=b", "#", "&", "&limit=1", "&q={}", ";", "=", "+", " ", "a b", "{",
    "}", "(", ")", "[", "]", "$(id)", "${x}", "{{.}}", "\\x22", "\\u0022",
    "\\n", "\\Q", "\\E", ".*", "(?i)", "|", "^", "$", '=~".*"', ',b="c', "/*",
    "--", "\u00e9", "\u6ce8\u6587", "\u202e", "\u2028", "\U0001f600", "\x7f",
    "\x01", "\x1b[31m", "x" * 3000, '"' * 500, "\\" * 501]
ONLY_IN_TRACES = ["\0", '\0"} || {']
WINDOW = ["--from=2026-11-21T09:00:00Z", "--to=2026-11-21T09:30:00Z"]
TEMPO, JAEGER = "--traces-url=tempo+{}", "--traces-url=jaeger+{}"
CLOUD = "--traces-url=gcp+{}/projects/shop-prod"
PYROSCOPE, PARCA = "--profiles-url=pyroscope+{}", "--profiles-url=parca+{}"
CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"


def span(number, parent, name, start, end, service, more):
    times = [1795252000_000_000_000 + ms * 1_000_000 for ms in (start, end)]
    attributes = [{"key": key, "value": {"stringValue": value}}
                  for key, value in {"service.name": service, **more}.items()]
    return {"resource": {"attributes": attributes}, "scopeSpans": [{"spans": [{
        "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
        "spanId": f"{number:016x}", "name": name, "kind": 2,
        **({"parentSpanId": f"{parent:016x}"} if parent else {}),
        "startTimeUnixNano": str(times[0]), "endTimeUnixNano": str(times[1]),
        "attributes": [{"key": "pyroscope.profile.id",
                        "value": {"stringValue": f"{number:016x}"}}]}]}]}


def trace(service="pricing", name="POST /quote", **more):
    more = {key.replace("_", "."): value for key, value in more.items()}
    return json.dumps({"resourceSpans": [
        span(1, 0, "GET /cart", 0, 220, "web", {}),
        span(2, 1, name, 5, 210, service, more)]})


class Slot:
    """make(value) gives the arguments; given(value) what stands on standard
    input, a trace; server(value) is asked."""

    def __init__(self, title, make, url, given=None, server=None):
        self.title, self.make, self.url, self.given = title, make, url, given
        self.server = server or Server


def cloud_slots():
    """What goes into filters, and what a server says that goes back to it."""
    for option in ("service", "name"):
        yield Slot(f"search --{option}, cloud", lambda v, o=option: [
            "search", f"--{o}={v}", "--min-duration=250ms", *WINDOW], [CLOUD])
        yield Slot(f"search --{option} --errors, cloud", lambda v, o=option: [
            "search", f"--{o}={v}", "--errors", *WINDOW], [CLOUD])
        yield Slot(f"slow --{option}, cloud", lambda v, o=option: [
            "slow", *["--service=web"] * (o == "name"), f"--{o}={v}",
            *WINDOW], [CLOUD])
    yield Slot("page token, cloud", lambda v: ["search", *WINDOW], [CLOUD],
               server=Paged)
    yield Slot("trace id, cloud", lambda v: ["show", v], [CLOUD])


def slots():
    yield from cloud_slots()
    for title, url in (("tempo", TEMPO), ("jaeger", JAEGER)):
        yield Slot(f"search --service, {title}", lambda v: [
            "search", f"--service={v}", *WINDOW], [url])
        yield Slot(f"search --name, {title}", lambda v: [
            "search", "--service=web", f"--name={v}", *WINDOW], [url])
        yield Slot(f"search --tags, {title}", lambda v: [
            "search", "--tags", "--service=web", *WINDOW, "--", v], [url])
    for title, url in (("pyroscope", PYROSCOPE), ("parca", PARCA)):
        for command in ("profile", "types", "services"):
            yield Slot(f"{command} --service, {title}", lambda v, c=command: [
                c, f"--service={v}", *WINDOW], [url])
        for other, traces in (("tempo", TEMPO), ("jaeger", JAEGER)):
            for what in ("service", "name"):
                yield Slot(f"{what} of a trace, {other}, {title}",
                           lambda v: ["slow", "-"], [traces, url],
                           lambda v, what=what: trace(**{what: v}))
        yield Slot(f"--map, {title}", lambda v: [
            "slow", "-", f"--map=host.name={v}", "--scope=instance"],
            [TEMPO, url], lambda v: trace(host_name="h1"))
        yield Slot(f"diff --span, {title}", lambda v: [
            "diff", "--service=cart", f"--span={v}", "--baseline-span=" +
            "1" * 16, *WINDOW], [url])
    for what in ("k8s_pod_name", "host_name", "service_instance_id"):
        yield Slot(f"{what} of a trace",
                   lambda v: ["slow", "-", "--scope=instance"],
                   [TEMPO, PYROSCOPE],
                   lambda v, what=what: trace(**{what: v}))
    yield Slot("--baseline version", lambda v: [
        "diff", "--service=cart", f"--baseline=version={v}", *WINDOW],
        [PYROSCOPE])
    yield Slot("--type", lambda v: [
        "profile", "--service=cart", f"--type={v}:a:b:c:d", *WINDOW],
        [PYROSCOPE])
    yield Slot("--tenant-id", lambda v: [
        "search", f"--tenant-id={v}", "--service=web", *WINDOW], [TEMPO])
    yield Slot("--header", lambda v: [
        "search", f"--header=X-Tenant: {v}", "--service=web", *WINDOW],
        [TEMPO])
    yield Slot("trace id, tempo", lambda v: ["show", v], [TEMPO])
    yield Slot("trace id, jaeger", lambda v: ["show", v], [JAEGER])
    yield Slot("path of an address", lambda v: [
        "show", "https://h/trace/" + v], [TEMPO])


class Server:
    """Answers everything with something that has the name in it."""

    def __init__(self, value):
        self.value = value

    def __call__(self, link, request):
        body, kind = self.body(request), "application/json"
        if isinstance(body, bytes):
            kind = "application/proto"
        else:
            body = json.dumps(body).encode()
        status = 404 if body == b"null" else 200
        link.send(wire.Answer(status, kind, body).whole())
        return True

    def body(self, request):
        path, value = request.path.split("?")[0], self.value
        if path == "/api/echo":
            return "echo"
        if path.endswith("/LabelValues"):
            return {"names": [value, "cart"]}
        if path.endswith("/Series"):
            return {"labelsSet": [{"labels": [
                {"name": "service_name", "value": name},
                {"name": "pod", "value": other}, {"name": "version",
                                                  "value": other},
                {"name": "__profile_type__", "value": CPU}]}
                for name in (value, "cart", "pricing")
                for other in (value, "other")]}
        if path.endswith("/SelectMergeProfile"):
            return (TESTDATA / "answers/pyroscope/merge-profile-proto/body.pb"
                    ).read_bytes()
        if path.endswith("/SelectSeries"):
            return {"series": []}
        if path == "/api/search":
            return {"traces": []}
        # None: another label is asked for.
        if path.startswith("/v1/projects/"):
            return {}
        if path.startswith("/api/v2/search/tag/"):
            return {"tagValues": [{"type": "string", "value": value}]}
        if path == "/api/v3/services":
            return {"services": [value, "web"]}
        if path == "/api/v3/operations":
            return {"operations": [{"name": value, "spanKind": "server"}]}
        if path.startswith("/api/profiles/"):
            return self.parca(path.removeprefix("/api/profiles/"))
        return None

    def parca(self, path):
        folder = TESTDATA / "parca"
        for name, file in (("types", "types"), ("labels", "labels"),
                           ("query", "merge"), ("query_range", "series")):
            if path == name:
                return json.loads((folder / f"{file}.json").read_text())
        return {"labelValues": [self.value, "cart"]}


class Paged(Server):
    """The first answer has nothing but the name as the token of the next."""

    def body(self, request):
        return ({} if "pageToken=" in request.target else
                {"nextPageToken": self.value})


def said(requests, own, texts=()):
    """What was asked: (where, skeleton, literals) of each part. The name
    itself is no query, however it looks, nor is what is a text with a harmless
    one."""
    for request in requests:
        for where, data in parts(request):
            text = data.decode("utf-8", "surrogateescape")
            is_text = data == own or (where, data.replace(
                own, HARMLESS.encode())) in texts
            if where == "filter":
                yield (where, *terms(text))
            elif where in ("value", "body") and not is_text and is_query(text):
                yield (where, *taken_apart(text))
            else:
                yield where, '""', [data]


def matches(pattern, value):
    """Whether a regular expression of RE2 takes value, and nothing else that
    is like it. What Python has not is put in its words."""
    text = pattern.decode("utf-8", "surrogateescape")
    try:
        found = re.compile(text)
    except re.error:
        return False
    return bool(found.fullmatch(value) and not found.fullmatch(value + "x") and
                not found.fullmatch("x") and not found.fullmatch(""))


class Place:
    def __init__(self, program):
        self.program = program
        self.known = {}

    def ask(self, slot, value):
        token = {"TRACEFIND_TOKEN": "a-token"} if CLOUD in slot.url else {}
        with wire.Wire(slot.server(value)) as server:
            outcome = run(self.program, server.host, [
                *slot.make(value), *[url.format(server.url)
                                     for url in slot.url],
                *["--profiles-url=http://127.0.0.1:1"]
                * (len(slot.url) < 2 and slot.url[0] in (TEMPO, JAEGER, CLOUD)),
                "--retry=0", "--timeout=10s"], environment(NOW, **token),
                stdin=slot.given(value).encode() if slot.given else b"")
        return outcome, server

    def learn(self, slot):
        """What a harmless name asks: places and skeletons, and the texts with
        the name taken out."""
        _, server = self.ask(slot, HARMLESS)
        shapes, texts = set(), set()
        for where, skeleton, literals in said(server.requests,
                                              HARMLESS.encode()):
            shapes.add((where, skeleton))
            texts.update((where, text) for text in literals)
        self.known[slot.title] = len(server.requests), shapes, texts

    def judge(self, job):
        slot, value = job
        count, shapes, texts = self.known[slot.title]
        outcome, server = self.ask(slot, value)
        if outcome.status < 0 or server.troubles:
            return f"status {outcome.status}, {server.troubles}"
        if outcome.status == USAGE and server.requests:
            return f"refused, but asked: {outcome.stderr}"
        if outcome.status != GOOD and not server.requests:
            return told(outcome)
        own = value.encode("utf-8", "surrogateescape")
        try:
            found = list(said(server.requests, own, texts))
        except (Bad, ValueError) as error:
            return f"{type(error).__name__}: {error}"
        return self.complaint(value, own, found, shapes, texts)

    @staticmethod
    def complaint(value, own, found, shapes, texts):
        for where, skeleton, literals in found:
            if (where, skeleton) not in shapes:
                return f"another question: {where} {skeleton[:300]}"
            for text in literals:
                if text == own or (where, text) in texts:
                    continue
                harmless = [t for w, t in texts if w == where and
                            HARMLESS.encode() in t]
                if any(t.replace(HARMLESS.encode(), own) == text
                       for t in harmless):
                    continue
                # Names are also looked for without what is before a slash.
                if not matches(text, value.rsplit("/", 1)[-1]):
                    return f"another text: {where} {text[:300]}"
        if not any(own in text for _, _, literals in found
                   for text in literals):
            return "SKIP not asked"
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    place = Place(str(Path(options.program).resolve()))
    trials = []
    for number, slot in enumerate(slots()):
        place.learn(slot)
        values = VALUES + ONLY_IN_TRACES * (
            HARMLESS not in " ".join(slot.make(HARMLESS)))
        for index, value in enumerate(values):
            if options.all or (index - number) % 12 == 0:
                trials.append((f"{slot.title}: {value[:30]!r}",
                               (slot, f"v{value}w")))
    return try_all("queries", trials, place.judge)


if __name__ == "__main__":
    sys.exit(main())
