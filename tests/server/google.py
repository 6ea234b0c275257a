#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scripted Google Cloud: Cloud Trace, Cloud Profiler, and the places that
hand out tokens. Python 3 standard library only.

    google.py [--data FOLDER] [--config JSON] [--port N] [--log FILE]

serves until its standard input closes. In a case of tests/cli it plays when
the script has an object "google" beside "routes" (routes come first):

    {"google": {"data": "google/recipe", "auth": {"required": false}}}

tracefind reaches it as gcp+http://{host}/projects/PROJECT. All APIs stand on
the one port:

    GET  /v1/projects/P/traces/ID          GET /v1/projects/P/traces
    GET  /v2/projects/P/profiles
    POST /token                            key files and users' files
    POST /v1/token                         exchange of foreign tokens (STS)
    POST /v1/projects/-/serviceAccounts/EMAIL:generateAccessToken
    GET  /computeMetadata/v1/...           GCE_METADATA_HOST={host}

It refuses what Google refuses, in Google's shapes: wrong paths, methods and
parameters (400, with the name), bad filters, fields and orders, page tokens
used with other parameters, tokens that are missing, dead or too narrow, users
without a quota project, other projects. Each answer is checked against
google_shapes.py before it is sent; a wrong one becomes a 599.

The object "google", all optional:
  project    "shop-prod", or what the data's project.json says
  data       folder below testdata: project.json, traces.json.gz (a
             ListTracesResponse, view COMPLETE), profiles.json.gz (a
             ListProfilesResponse whose profiles have, instead of
             profileBytes, "pprof": the bytes of a profile as characters up to
             U+00FF, which packs well), accounts.json (settings for "auth")
  traces     [Trace...], as JSON of the API, beside the data's
  big_trace  {"traceId", "spans": N, "startTime"}: a root and N - 1 children
  profiles   [Profile...] beside the data's; instead of profileBytes "file"
             (a .pb.gz below testdata) or "folded" ("a;b 12\\n": root first, 12
             samples); name, duration and deployment.projectId may be absent
  prefix     "/proxy" before all paths
  now        the clock that iat, exp and expireTime are held against: RFC 3339
             or "system"; default $TRACEFIND_NOW (run.py sets it to the
             case's), else the system's
  auth       {"required": true|false; default true when auth is given
              "tokens": {"TEXT": {"kind": "user|service", "scopes": [...],
                                  "expires_in": S, "uses": N}}
              "service_accounts": {"EMAIL": {"public_key_file": PATH below
                                   testdata, "key_id": "..."}}
              "users": {"REFRESH TOKEN": {"client_id", "client_secret",
                                          "revoked", "scopes"}}
              "exchange": {"audience", "subject_token", "subject_token_type"}
              "impersonated": ["EMAIL"...]
              "metadata": {"scopes", "project", "email", "no_account"}
              "subject_token_path", "subject_token_field", "subject_headers":
                 GET of a workload's own token, plain or in a JSON field
              "token_path": "/token"   "audience": exact aud of assertions
              "expires_in": S said, "dies_after_s": S or "uses": N meant, of
                 the tokens it gives out
              "quota_projects": [...]  "quota_project_required": true}
  trace, profiler   {"page": N or [N, M...]: sizes of its pages, whatever is
              asked for (the last size goes on; 0 is an empty page with a
              token); "last_empty": true: a last page without anything;
              "fields_bound": true: a page token holds only with the fields
              it was given with}
             trace: "read_units": N of quota (get 1, list 25), "retry_after"
             profiler: "skipped": N, "daily_quota": N lists,
              "retention": {"profiles": 40000, "end": TIME, "every": "60s",
              "targets", "types", "versions" (oldest first), "folded",
              "order": "newest|chance"}
             both: "delay_ms" before each answer
  faults     [{"on": "get|traces|profiles|token|metadata|exchange|
               impersonate", "from": 1, "times": 1, and either "error": a name
               of google_errors.named() or "reply": one of server.py;
               "retry_after": S}]: the from-th request and times - 1 after it
"""
import argparse
import base64
import gzip
import json
import os
import sys
import time
from urllib.parse import parse_qsl, unquote, urlsplit

import google_errors
import google_pprof
import google_profiler
import google_shapes
import google_trace
from google_auth import Authority
from google_errors import Refusal, bad_request, no_project, reply, \
    unknown_parameter

SYSTEM_PARAMETERS = {"fields", "alt", "prettyPrint", "quotaUser", "$.xgafv"}
SHAPES = {"get": "Trace", "traces": "ListTracesResponse",
          "profiles": "ListProfilesResponse"}
PLACES = {"token": "token", "generateAccessToken": "impersonate"}
# Settings of what has less left after each request.
SPENT = {"daily_quota", "read_units"}
PROJECT = "shop-prod"
BASE_SPAN_ID = 2205310701640571284


class Pager:
    """Cuts lists into pages; a token holds for one request alone."""

    def __init__(self, settings):
        sizes = settings.get("page")
        self.sizes = [sizes] if isinstance(sizes, int) else sizes
        self.last_empty = settings.get("last_empty")
        self.fields_bound = settings.get("fields_bound")

    def token(self, at, number, query):
        bound = {k: v for k, v in query.items() if k != "pageToken" and
                 (k != "fields" or self.fields_bound)}
        text = json.dumps([at, number, sorted(bound.items())])
        return base64.urlsafe_b64encode(text.encode()).decode()

    def place(self, query):
        """Where the page begins, and its number."""
        token = query.get("pageToken", "")
        if not token:
            return 0, 0
        try:
            at, number, _ = json.loads(base64.urlsafe_b64decode(token))
            is_good = token == self.token(at, number, query)
        except ValueError:
            is_good = False
        if not is_good:
            raise bad_request("Invalid page_token: it does not belong to a "
                              "request with these parameters.", "page_token")
        return at, number

    def page(self, items, query, most):
        """The elements, and the token of the next page or None."""
        asked = query.get("pageSize", "0")
        if not asked.lstrip("-").isdigit() or not -2**31 <= int(asked) < 2**31:
            raise bad_request("Invalid value at 'page_size' (TYPE_INT32), "
                              f'"{asked}"', "page_size")
        if int(asked) < 0:
            raise bad_request("Invalid page_size: it is negative.",
                              "page_size")
        at, number = self.place(query)
        size = min(int(asked) or most, most)
        if self.sizes:
            size = self.sizes[min(number, len(self.sizes) - 1)]
        end = min(at + size, len(items))
        is_over = end >= len(items) and not (self.last_empty and end > at)
        token = None if is_over else self.token(end, number + 1, query)
        return items[at:end], token


# Partial answers: "a,b/c,d(e,f)" and "*".

def parse_fields(text):
    """A tree of names; None where all below a name is wanted."""
    tree, rest = fields_list(text)
    if rest:
        raise ValueError(rest)
    return tree


def fields_list(text):
    tree = {}
    while True:
        name, text = fields_name(text)
        below = None
        if text.startswith("/"):
            one, text = fields_single(text[1:])
            below = one
        elif text.startswith("("):
            below, text = fields_list(text[1:])
            if not text.startswith(")"):
                raise ValueError(text)
            text = text[1:]
        if below is None or tree.get(name, {}) is None:
            tree[name] = None
        else:
            tree[name] = {**tree.get(name, {}), **below}
        if not text.startswith(","):
            return tree, text
        text = text[1:]


def fields_single(text):
    name, text = fields_name(text)
    if text.startswith("/"):
        below, text = fields_single(text[1:])
        return {name: below}, text
    if text.startswith("("):
        below, text = fields_list(text[1:])
        if not text.startswith(")"):
            raise ValueError(text)
        return {name: below}, text[1:]
    return {name: None}, text


def fields_name(text):
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] in "_*"):
        end += 1
    if not end:
        raise ValueError(text)
    return text[:end], text[end:]


def check_fields(tree, message, path=""):
    fields = google_shapes.MESSAGES.get(message, {})
    for name, below in tree.items():
        where = f"{path}.{name}" if path else name
        if name != "*" and name not in fields:
            raise ValueError(where)
        if below is not None and name != "*":
            kind = fields[name].strip("?[]{}")
            check_fields(below, kind, where)


def cut(value, tree):
    if tree is None:
        return value
    if isinstance(value, list):
        return [one for one in (cut(one, tree) for one in value) if one]
    if not isinstance(value, dict):
        return value
    out = {}
    for name, one in value.items():
        below = tree.get(name, tree.get("*", False))
        if below is not False:
            part = cut(one, below)
            if part not in ({}, []):
                out[name] = part
    return out


class Google:
    """Answers requests of server.py's form with replies of its form."""

    def __init__(self, config, root, now=None):
        self.root = root
        self.config = config
        self.folder = os.path.join(root, config["data"]) \
            if config.get("data") else None
        about = self.load("project.json", {})
        self.project = config.get("project", about.get("project", PROJECT))
        self.faults = [{"left": f.get("times", 1), **f}
                       for f in config.get("faults", [])]
        self.calls = {}
        self.answers = {}
        self.begun = time.monotonic()
        self.started_s = self.clock_start(now)
        auth = {**self.load("accounts.json", {}), **config.get("auth", {})}
        auth.setdefault("required", bool(config.get("auth")))
        self.authority = Authority(auth, self.clock, self.project,
                                   lambda p: self.read(p).decode())
        trace = config.get("trace", {})
        self.traces = google_trace.Traces(trace, self.all_traces(),
                                          self.project, Pager(trace))
        profiler = config.get("profiler", {})
        profiles = self.all_profiles()
        self.profiles = google_profiler.Profiles(profiler, profiles,
                                                 self.project, Pager(profiler))

    # Data

    def read(self, path):
        with open(os.path.join(self.root, path), "rb") as file:
            return file.read()

    def load(self, name, default):
        path = os.path.join(self.folder, name) if self.folder else ""
        if not os.path.isfile(path):
            return default
        with (gzip.open if name.endswith(".gz") else open)(path, "rb") as file:
            return json.load(file)

    def all_traces(self):
        traces = self.load("traces.json.gz", {}).get("traces", [])
        traces = traces + self.config.get("traces", [])
        big = self.config.get("big_trace")
        if big:
            traces.append(big_trace(big, self.project))
        for trace in traces:
            trace.setdefault("projectId", self.project)
        return traces

    def all_profiles(self):
        """By name, that is in an order that means nothing."""
        profiles = self.load("profiles.json.gz", {}).get("profiles", [])
        for profile in profiles:
            plain = profile.pop("pprof").encode("latin-1")
            profile["profileBytes"] = base64.b64encode(
                google_pprof.packed_gzip(plain)).decode()
        profiles += [google_profiler.with_bytes(p, self.project, self.read)
                     for p in self.config.get("profiles", [])]
        return sorted(profiles, key=lambda p: p["name"])

    def clock_start(self, now):
        text = self.config.get("now") or now or \
            os.environ.get("TRACEFIND_NOW") or "system"
        return time.time() if text == "system" else \
            google_trace.time_ns(text) / 1e9

    def clock(self):
        return self.started_s + time.monotonic() - self.begun

    # Requests

    def answer(self, request):
        """A reply, or None when the path is nothing of Google's."""
        prefix = self.config.get("prefix", "")
        if not request.path.startswith(prefix + "/"):
            return None
        try:
            return self.packed(request, self.route(request, prefix))
        except Refusal as refusal:
            google_shapes.check(refusal.shape, refusal.body)
            return self.packed(request, reply(refusal.status, refusal.body,
                                              refusal.headers))
        except google_shapes.ShapeError as error:
            return {"status": 599, "reason": "Stub is wrong",
                    "text": f"wrong shape: {error}\n"}

    def packed(self, request, answer):
        accepts = request.headers.get("accept-encoding", "")
        if answer and "gzip" in accepts and "text" in answer and \
                self.config.get("gzip", True):
            return {**answer, "gzip": True}
        return answer

    def route(self, request, prefix):
        path = urlsplit(request.path).path[len(prefix):]
        parts = path.split("/")
        place = None
        if parts[1:3] == ["v1", "projects"] and parts[4:5] == ["traces"]:
            place = {5: "traces", 6: "get"}.get(len(parts))
        elif parts[1:3] == ["v2", "projects"] and parts[4:] == ["profiles"]:
            place = "profiles"
        if place is None or request.method != "GET":
            return self.token_answer(request, path)
        service, method = {
            "traces": (google_trace.SERVICE, google_trace.LIST),
            "get": (google_trace.SERVICE, google_trace.GET),
            "profiles": (google_profiler.SERVICE, google_profiler.LIST),
        }[place]
        self.authority.check(request, service, method)
        fault = self.fault(place, service)
        if fault:
            return fault
        project = unquote(parts[3])
        if project != self.project:
            raise no_project(service, project)
        return self.read_answer(place, parts[-1], request)

    def read_answer(self, place, last, request):
        """Made once for each address, unless reading uses something up:
        thousands of runs ask for the same."""
        side = "profiler" if place == "profiles" else "trace"
        settings = self.config.get(side, {})
        if SPENT & settings.keys():
            return self.new_answer(place, last, request, settings)
        key = place, request.path
        if key not in self.answers:
            self.answers[key] = self.new_answer(place, last, request, settings)
        return self.answers[key]

    def new_answer(self, place, last, request, settings):
        query = self.query(place, request)
        tree = None
        if "fields" in query:
            tree = self.fields(query["fields"], SHAPES[place])
        if place == "get":
            answer = self.traces.get(last, query)
        else:
            side = self.traces if place == "traces" else self.profiles
            answer = side.list(query)
        if tree is not None:
            answer = cut(answer, tree)
        google_shapes.check(SHAPES[place], answer, partial=tree is not None)
        return {**reply(200, answer),
                "delay_ms": settings.get("delay_ms", 0)}

    def query(self, place, request):
        known = {"get": set(), "traces": google_trace.PARAMETERS,
                 "profiles": google_profiler.PARAMETERS}[place]
        query = {}
        pairs = parse_qsl(urlsplit(request.path).query, True)
        for name, value in pairs:
            if name not in known | SYSTEM_PARAMETERS:
                raise unknown_parameter(name)
            if name in query:
                raise bad_request(f"Invalid value: {name} is repeated.", name)
            query[name] = value
        if query.get("alt", "json") != "json":
            raise bad_request("Invalid alt.", "alt")
        return query

    def fields(self, text, message):
        try:
            tree = parse_fields(text)
            check_fields(tree, message)
        except ValueError as error:
            raise bad_request("Error expanding 'fields' parameter. Cannot "
                              f"find matching fields for path '{error}'.",
                              "fields") from None
        return tree

    def token_answer(self, request, path):
        last = path.rpartition("/")[2].rpartition(":")[2]
        place = {"/v1/token": "exchange"}.get(path) or PLACES.get(last)
        if path.startswith("/computeMetadata/"):
            place = "metadata"
        fault = self.fault(place, "iamcredentials.googleapis.com")
        if fault:
            return fault
        answer = self.authority.answer(request)
        if answer is None and path.startswith(("/v1/", "/v2/")):
            return {"status": 404, "reason": "Not Found",
                    "headers": {"Content-Type": "text/html; charset=UTF-8"},
                    "text": "<!DOCTYPE html>\n<html lang=en>\n<title>Error "
                            "404 (Not Found)!!1</title>\n"}
        if answer and answer.get("status") == 200 and \
                place in ("token", "exchange", "impersonate", "metadata"):
            shape = {"exchange": "ExchangeAnswer", "impersonate":
                     "GenerateAccessTokenResponse"}.get(place, "TokenAnswer")
            google_shapes.check(shape, json.loads(answer["text"]))
        return answer

    def fault(self, place, service):
        self.calls[place] = self.calls.get(place, 0) + 1
        for fault in self.faults:
            if fault["on"] != place or fault["left"] <= 0 or \
                    self.calls[place] < fault.get("from", 1):
                continue
            fault["left"] -= 1
            if "reply" in fault:
                return fault["reply"]
            raise google_errors.named(fault["error"], service, self.project,
                                      fault.get("retry_after"))
        return None


def big_trace(rule, project):
    """As many spans as asked for, one after another below a root."""
    start_ns = google_trace.time_ns(rule["startTime"])
    stamp = google_profiler.stamp
    spans = []
    for n in range(rule["spans"]):
        begin_ns = start_ns + max(n - 1, 0) * 10**6
        end_ns = start_ns + rule["spans"] * 10**6 if n == 0 else \
            begin_ns + 10**6
        span = {"spanId": str(BASE_SPAN_ID + n), "kind": "RPC_SERVER",
                "name": "/big" if n == 0 else "/step",
                "startTime": stamp(begin_ns), "endTime": stamp(end_ns),
                "labels": {"service.name": "big-service"}}
        if n:
            span["parentSpanId"] = str(BASE_SPAN_ID)
            span["kind"] = "RPC_CLIENT"
        spans.append(span)
    return {"projectId": project, "traceId": rule["traceId"], "spans": spans}


def main():
    import server
    parser = argparse.ArgumentParser(description="a Google Cloud for tests")
    parser.add_argument("--data", help="folder of a project's data")
    parser.add_argument("--config", default="{}", help="the object as JSON")
    parser.add_argument("--root", default=os.environ.get("TESTDATA", "."))
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log")
    args = parser.parse_args()
    config = json.loads(args.config)
    if args.data:
        config["data"] = os.path.abspath(args.data)
    script = server.Script({"google": config}, args.root, args.log)
    listener = server.listen(script, None, args.port)
    print(listener.getsockname()[1], flush=True)
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
