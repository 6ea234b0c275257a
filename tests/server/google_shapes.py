#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Google's JSON may hold: messages, JSON names and types.

The tables were written by hand from the published protobuf definitions
(google/devtools/cloudtrace/v1/trace.proto, cloudprofiler/v2/profiler.proto,
google/rpc/status.proto and error_details.proto, google/iam/credentials/v1)
and from the documented answers of the token endpoints, which have no proto.
JSON follows proto3: 64-bit integers are decimal strings, bytes are base64,
times RFC 3339 with Z, durations seconds with "s", empty fields are absent.

check(message, value) raises ShapeError, with the path of the field that does
not fit. google.py checks every answer before it is sent.
"""
import base64
import binascii
import re

TIME = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T"
                  r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d"
                  r"(\.(\d{3}|\d{6}|\d{9}))?Z")
DURATION = re.compile(r"(0|[1-9]\d*)(\.(\d{3}|\d{6}|\d{9}))?s")
UINT64 = re.compile(r"0|[1-9]\d{0,19}")
PROJECT = re.compile(r"[a-z][-a-z0-9:.]{4,61}[a-z0-9]")
TARGET = re.compile(r"[a-z0-9]([-a-z0-9_.]{0,253}[a-z0-9])?")
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
SECONDS_MAX = 315576000000  # of google.protobuf.Duration

# A field's type: the name of a scalar or of a message, "?" before it when it
# may be absent, then "[]" for a list or "{}" for a map from strings.
MESSAGES = {
    "Trace": {"projectId": "project", "traceId": "trace_id",
              "spans": "?TraceSpan[]"},
    "TraceSpan": {"spanId": "span_id", "kind": "?SpanKind", "name": "?string",
                  "startTime": "timestamp", "endTime": "timestamp",
                  "parentSpanId": "?fixed64", "labels": "?string{}"},
    "ListTracesResponse": {"traces": "?Trace[]", "nextPageToken": "?string"},
    "Profile": {"name": "profile_name", "profileType": "ProfileType",
                "deployment": "Deployment", "duration": "duration",
                "profileBytes": "?bytes", "labels": "?string{}",
                "startTime": "timestamp"},
    "Deployment": {"projectId": "project", "target": "target",
                   "labels": "?string{}"},
    "ListProfilesResponse": {"profiles": "?Profile[]",
                             "nextPageToken": "?string",
                             "skippedProfiles": "?int32"},
    # HTTP's envelope around google.rpc.Status.
    "ErrorBody": {"error": "Error"},
    "Error": {"code": "int32", "message": "string", "status": "CodeName",
              "details": "?Any[]"},
    "google.rpc.ErrorInfo": {"reason": "reason", "domain": "string",
                             "metadata": "?string{}"},
    "google.rpc.RetryInfo": {"retryDelay": "duration"},
    "google.rpc.QuotaFailure": {"violations": "Violation[]"},
    "Violation": {"subject": "?string", "description": "?string",
                  "apiService": "?string", "quotaMetric": "?string",
                  "quotaId": "?string", "quotaDimensions": "?string{}",
                  "quotaValue": "?fixed64"},
    "google.rpc.BadRequest": {"fieldViolations": "FieldViolation[]"},
    "FieldViolation": {"field": "?string", "description": "?string",
                       "reason": "?string"},
    "google.rpc.Help": {"links": "Link[]"},
    "Link": {"description": "?string", "url": "?string"},
    "google.rpc.LocalizedMessage": {"locale": "string", "message": "string"},
    "GenerateAccessTokenResponse": {"accessToken": "string",
                                    "expireTime": "timestamp"},
    # OAuth 2.0: RFC 6749 sections 5.1 and 5.2, RFC 8693 section 2.2.1.
    "TokenAnswer": {"access_token": "string", "expires_in": "int32",
                    "token_type": "string", "scope": "?string",
                    "id_token": "?string"},
    "ExchangeAnswer": {"access_token": "string", "expires_in": "?int32",
                       "token_type": "string", "issued_token_type": "string"},
    "TokenError": {"error": "oauth_error", "error_description": "?string",
                   "error_uri": "?string", "error_subtype": "?string"},
}
ENUMS = {
    "SpanKind": ("RPC_SERVER", "RPC_CLIENT"),  # 0 is absent
    "ProfileType": ("CPU", "WALL", "HEAP", "THREADS", "CONTENTION",
                    "PEAK_HEAP", "HEAP_ALLOC"),
    "CodeName": ("CANCELLED", "UNKNOWN", "INVALID_ARGUMENT",
                 "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
                 "PERMISSION_DENIED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED",
                 "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
                 "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"),
    "oauth_error": ("invalid_request", "invalid_client", "invalid_grant",
                    "unauthorized_client", "unsupported_grant_type",
                    "invalid_scope", "invalid_target"),
}
TYPE_URL = "type.googleapis.com/"


class ShapeError(Exception):
    """An answer that the definitions do not allow."""


def is_int32(value):
    return (isinstance(value, int) and not isinstance(value, bool) and
            -2**31 <= value < 2**31)


def is_fixed64(value):
    return bool(UINT64.fullmatch(value)) and int(value) < 2**64


def is_bytes(value):
    try:
        return bool(value) and bool(base64.b64decode(value, validate=True))
    except binascii.Error:
        return False


def is_duration(value):
    return (bool(DURATION.fullmatch(value)) and
            int(value.rstrip("s").split(".")[0]) <= SECONDS_MAX)


def is_profile_name(value):
    parts = value.split("/")
    return (len(parts) == 4 and parts[0] == "projects" and
            bool(PROJECT.fullmatch(parts[1])) and parts[2] == "profiles" and
            bool(re.fullmatch(r"[A-Za-z0-9_-]+", parts[3])))


# Scalars whose JSON form is a string.
TEXTS = {
    "string": lambda value: True,
    "fixed64": is_fixed64,
    "span_id": lambda value: is_fixed64(value) and value != "0",
    "bytes": is_bytes,
    "timestamp": lambda value: bool(TIME.fullmatch(value)),
    "duration": is_duration,
    "trace_id": lambda value: bool(re.fullmatch("[0-9a-f]{32}", value)),
    "project": lambda value: bool(PROJECT.fullmatch(value)),
    "target": lambda value: bool(TARGET.fullmatch(value)),
    "profile_name": is_profile_name,
    "reason": lambda value: bool(re.fullmatch("[A-Z][A-Z0-9_]+[A-Z0-9]",
                                              value)),
}


def check(message, value, path="", partial=False):
    """partial: of an answer cut by `fields`, any field may be absent."""
    path = path or message
    if message == "Any":
        url = value.get("@type", "") if isinstance(value, dict) else ""
        if not url.startswith(TYPE_URL):
            raise ShapeError(f"{path}.@type: {url!r}")
        rest = {k: v for k, v in value.items() if k != "@type"}
        return check(url[len(TYPE_URL):], rest, path, partial)
    if message in ENUMS:
        if value not in ENUMS[message]:
            raise ShapeError(f"{path}: {value!r} is no {message}")
    elif message == "int32":
        if not is_int32(value):
            raise ShapeError(f"{path}: {value!r} is no int32")
    elif message in TEXTS:
        if not isinstance(value, str) or not TEXTS[message](value):
            raise ShapeError(f"{path}: {value!r:.60} is no {message}")
    else:
        check_message(message, value, path, partial)
    return None


def check_message(message, value, path, partial):
    fields = MESSAGES.get(message)
    if fields is None:
        raise ShapeError(f"{path}: unknown message {message}")
    if not isinstance(value, dict):
        raise ShapeError(f"{path}: not an object")
    for name in value:
        if name not in fields:
            raise ShapeError(f"{path}.{name}: no such field of {message}")
    for name, kind in fields.items():
        if name in value:
            check_field(kind.lstrip("?"), value[name], f"{path}.{name}",
                        partial)
        elif not kind.startswith("?") and not partial:
            raise ShapeError(f"{path}.{name}: missing")
    if message == "Deployment" and "labels" in value:
        check_labels(value["labels"], path)


def check_labels(labels, path):
    """The limits that profiler.proto sets on a deployment's labels."""
    size = 0
    for name, text in labels.items():
        size += len(name.encode()) + len(text.encode())
        if not LABEL.fullmatch(name) or len(text.encode()) > 512:
            raise ShapeError(f"{path}.labels[{name!r}]: not allowed")
    if size > 1024:
        raise ShapeError(f"{path}.labels: {size} bytes, more than 1024")


def check_field(kind, value, path, partial):
    if kind.endswith("[]"):
        if not isinstance(value, list) or not value:
            raise ShapeError(f"{path}: not a list with elements")
        for index, one in enumerate(value):
            check(kind[:-2], one, f"{path}[{index}]", partial)
    elif kind.endswith("{}"):
        if not isinstance(value, dict) or not value:
            raise ShapeError(f"{path}: not a map with entries")
        for key, one in value.items():
            check(kind[:-2], one, f"{path}[{key!r}]", partial)
    else:
        check(kind, value, path, partial)
