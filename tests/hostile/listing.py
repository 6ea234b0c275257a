# SPDX-License-Identifier: Apache-2.0
"""A Tempo and a Pyroscope whose lists have a row for each of some texts: as a
service, an operation and a value of a tag."""
import json

import wire

NOW = "2026-11-21T12:00:00Z"
NOW_MS = 1795262400000
TYPE = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"


def label(name, value):
    return {"name": name, "value": value}


def found(number, text):
    """A trace that a search found."""
    start = str((NOW_MS - 1800_000 + number) * 10**6)
    attributes = [{"key": "service.name", "value": {"stringValue": text}},
                  {"key": "status", "value": {"stringValue": "error"}}]
    return {"traceID": "%032x" % number, "rootServiceName": text, "rootTraceName": text,
            "startTimeUnixNano": start, "durationMs": 30,
            "spanSets": [{"matched": 1, "spans": [{
                "spanID": "%016x" % number, "name": text, "startTimeUnixNano": start,
                "durationNanos": "30000017", "attributes": attributes}]}],
            "serviceStats": {text: {"spanCount": 2, "errorCount": 1}}}


def series(number, text):
    """The processor's time of a service."""
    return {"labels": [label("service_name", text)],
            "points": [{"value": 1e9 * number, "timestamp": str(NOW_MS - 600_001)}]}


class Listing(wire.Wire):
    """The servers, while it is entered; texts may be set at any time."""

    def __init__(self):
        super().__init__(self.reply)
        self.texts = []

    def reply(self, link, request):
        body = json.dumps(self.body(request.path.split("?")[0])).encode()
        status = 404 if body == b"null" else 200
        link.send(wire.Answer(status, "application/json", body).whole())
        return True

    def body(self, path):
        numbered = list(enumerate((t for t in self.texts if t), 1))
        if path == "/api/echo":
            return "echo"
        if path == "/api/search":
            return {"traces": [found(*pair) for pair in numbered]}
        if path.startswith("/api/v2/search/tag/"):
            return {"tagValues": [{"type": "string", "value": text} for _, text in numbered]}
        if path == "/api/v2/search/tags":
            return {"scopes": [{"name": "span", "tags": [text for _, text in numbered]}]}
        if path.endswith("/Series"):
            return {"labelsSet": [{"labels": [label("__profile_type__", TYPE), label("service_name", text)]}
                                  for _, text in numbered]}
        if path.endswith("/SelectSeries"):
            return {"series": [series(*pair) for pair in numbered]}
        return None
