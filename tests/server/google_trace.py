# SPDX-License-Identifier: Apache-2.0
"""Cloud Trace v1 as far as it can be read: one trace, lists of traces.

What a filter may say follows google/devtools/cloudtrace/v1/trace.proto and
the manual's page on trace filters: terms are ANDed, "+" asks for an exact
match instead of a prefix, "^" for a label of the root span, a value that is
not [a-zA-Z0-9./_][a-zA-Z0-9./_-]* stands in double quotes.
"""
import re
from datetime import datetime, timezone

from google_errors import bad_request, quota_exceeded, refuse

SERVICE = "cloudtrace.googleapis.com"
GET = "google.devtools.cloudtrace.v1.TraceService.GetTrace"
LIST = "google.devtools.cloudtrace.v1.TraceService.ListTraces"
PARAMETERS = {"view", "pageSize", "pageToken", "startTime", "endTime",
              "filter", "orderBy"}
VIEWS = ("VIEW_TYPE_UNSPECIFIED", "MINIMAL", "ROOTSPAN", "COMPLETE")
PAGE, PAGE_COMPLETE = 1000, 100
SPANS_MAX = 10000  # that one answer holds
GET_UNITS, LIST_UNITS = 1, 25  # of the quota's 300 a minute
TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?"
                  r"(Z|[+-]\d\d:\d\d)")
TERM = re.compile(
    r'\s*(?P<exact>\+?)(?P<root>\^?)'
    r'(?:(?P<key>"(?:[^"\\]|\\["\\])+"|[a-zA-Z0-9./_][a-zA-Z0-9./_-]*):)?'
    r'(?P<value>"(?:[^"\\]|\\["\\])*"|[a-zA-Z0-9./_][a-zA-Z0-9./_-]*)'
    r'(?=\s|$)')
LATENCY = re.compile(r"(\d+)(ns|ms|s)?")
UNIT_NS = {"ns": 1, "ms": 10**6, "s": 10**9, None: 10**6}


def time_ns(text):
    """Nanoseconds since the epoch of an RFC 3339 time, or None."""
    found = TIME.fullmatch(text)
    if not found:
        return None
    zone = "+00:00" if found[3] == "Z" else found[3]
    try:
        moment = datetime.fromisoformat(found[1] + zone)
    except ValueError:
        return None
    delta = moment - datetime(1970, 1, 1, tzinfo=timezone.utc)
    whole = delta.days * 86400 + delta.seconds
    return whole * 10**9 + int((found[2] or "0").ljust(9, "0"))


def unquoted(text):
    if not text.startswith('"'):
        return text
    return re.sub(r'\\(["\\])', r"\1", text[1:-1])


def is_root(span, ids):
    parent = span.get("parentSpanId", "0")
    return parent == "0" or parent not in ids


class Trace:
    """A trace and what lists ask of it."""

    def __init__(self, data):
        self.data = data
        spans = data.get("spans", [])
        ids = {span["spanId"] for span in spans}
        self.roots = [s for s in spans if is_root(s, ids)]
        first = min(spans, key=lambda s: time_ns(s["startTime"]), default=None)
        root = self.roots[0] if self.roots else first
        self.name = root.get("name", "") if root else ""
        self.start_ns = time_ns(first["startTime"]) if first else 0
        self.duration_ns = (time_ns(root["endTime"]) -
                            time_ns(root["startTime"])) if root else 0
        self.root_start_ns = time_ns(root["startTime"]) if root else 0

    def view(self, view):
        brief = {"projectId": self.data["projectId"],
                 "traceId": self.data["traceId"]}
        spans = {"COMPLETE": self.data.get("spans", []),
                 "ROOTSPAN": self.roots}.get(view, [])
        if spans:
            brief["spans"] = spans[:SPANS_MAX]
        return brief


def fits(text, wanted, exact):
    return text == wanted if exact else text.startswith(wanted)


def term_test(found):
    """A function of a Trace for one term of a filter."""
    exact = bool(found["exact"])
    value = unquoted(found["value"])
    key = found["key"] and unquoted(found["key"])
    if key in (None, "root"):
        return lambda t: any(fits(s.get("name", ""), value, exact)
                             for s in t.roots)
    if key == "span":
        return lambda t: any(fits(s.get("name", ""), value, exact)
                             for s in t.data.get("spans", []))
    if key == "latency":
        latency = LATENCY.fullmatch(value)
        if not latency or exact:
            raise ValueError(value)
        least_ns = int(latency[1]) * UNIT_NS[latency[2]]
        return lambda t: t.duration_ns >= least_ns
    if key == "label":
        return lambda t: any(value in s.get("labels", {})
                             for s in t.data.get("spans", []))
    key = {"method": "/http/method", "url": "/http/url"}.get(key, key)

    def has(t):
        spans = t.roots if found["root"] else t.data.get("spans", [])
        return any(key in s.get("labels", {}) and
                   fits(s["labels"][key], value, exact) for s in spans)
    return has


def filter_tests(text):
    tests, at = [], 0
    while text[at:].strip():
        found = TERM.match(text, at)
        try:
            if not found:
                raise ValueError(text[at:])
            tests.append(term_test(found))
        except ValueError:
            raise bad_request("Invalid filter: could not parse the term at "
                              f"{text[at:].strip()!r}.", "filter") from None
        at = found.end()
    return tests


def sort_key(text):
    """Order of a list, and whether it descends. Google does not say what the
    order is without one: here it is by id, that is by chance."""
    field, _, way = text.partition(" ")
    keys = {"": lambda t: t.data["traceId"],
            "trace_id": lambda t: t.data["traceId"],
            "name": lambda t: (t.name, t.data["traceId"]),
            "duration": lambda t: (t.duration_ns, t.data["traceId"]),
            "start": lambda t: (t.root_start_ns, t.data["traceId"])}
    if field not in keys or way not in ("", "desc"):
        raise bad_request(f"Invalid order_by: {text!r}.", "order_by")
    return keys[field], way == "desc"


class Traces:
    def __init__(self, settings, traces, project, pager):
        self.settings = settings
        self.project = project
        self.pager = pager
        self.traces = {t["traceId"]: Trace(t) for t in traces}
        self.units_left = settings.get("read_units")

    def spend(self, units):
        if self.units_left is None:
            return
        if self.units_left < units:
            raise quota_exceeded(SERVICE, self.project, "Read units",
                                 "ReadUnitsPerMinutePerProject", "min",
                                 self.settings.get("retry_after"))
        self.units_left -= units

    def get(self, trace_id, _query):
        self.spend(GET_UNITS)
        if not re.fullmatch("[0-9a-f]{32}", trace_id):
            raise bad_request(f"Invalid trace_id: {trace_id!r}.", "trace_id")
        trace = self.traces.get(trace_id)
        if trace is None:
            raise refuse(404, "Requested entity was not found.")
        return trace.view("COMPLETE")

    def list(self, query):
        self.spend(LIST_UNITS)
        view = query.get("view", "MINIMAL")
        if view not in VIEWS:
            raise bad_request(
                "Invalid value at 'view' (type.googleapis.com/google.devtools."
                f'cloudtrace.v1.ListTracesRequest.ViewType), "{view}"', "view")
        bounds = []
        for name in ("startTime", "endTime"):
            bounds.append(time_ns(query[name]) if name in query else None)
            if name in query and bounds[-1] is None:
                raise bad_request(
                    f"Invalid value at '{name}' (type.googleapis.com/google."
                    f'protobuf.Timestamp), "{query[name]}"', name)
        if None not in bounds and bounds[0] > bounds[1]:
            raise bad_request("The start time is later than the end time.")
        tests = filter_tests(query.get("filter", ""))
        key, is_descending = sort_key(query.get("orderBy", ""))
        found = [t for t in self.traces.values() if
                 (bounds[0] is None or t.start_ns >= bounds[0]) and
                 (bounds[1] is None or t.start_ns <= bounds[1]) and
                 all(test(t) for test in tests)]
        found.sort(key=key, reverse=is_descending)
        page, token = self.pager.page(
            found, query, PAGE_COMPLETE if view == "COMPLETE" else PAGE)
        answer = {}
        if page:
            answer["traces"] = [t.view(view) for t in page]
        if token:
            answer["nextPageToken"] = token
        return answer
