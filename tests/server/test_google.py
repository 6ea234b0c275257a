#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scripted Google itself: what it answers, what it refuses, and that the
tables of shapes can fail. Output is TAP.

usage: test_google.py TESTDATA
"""
import base64
import copy
import gzip
import hashlib
import json
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlencode

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import google_auth  # noqa: E402
import google_shapes  # noqa: E402
from google import Google  # noqa: E402
from server import Request  # noqa: E402
from tap import run_checks  # noqa: E402

TESTDATA = Path(sys.argv[1])
NOW = "2026-11-21T12:00:00Z"
NOW_S = 1795262400
ROBOT = "reader@shop-prod.iam.gserviceaccount.com"
TRACES, PROFILES = "/v1/projects/shop-prod/traces", \
    "/v2/projects/shop-prod/profiles"
CLOUD = google_auth.CLOUD
READ = google_auth.AUTH + "trace.readonly"


def span(number, parent, name, start_s, ms, **labels):
    data = {"spanId": str(2**63 + number), "name": name,
            "startTime": f"2026-11-21T11:00:{start_s:02}.000000001Z",
            "endTime": f"2026-11-21T11:00:{start_s:02}.{ms:03}000001Z"}
    if parent:
        data["parentSpanId"] = str(2**63 + parent)
    if labels:
        data["labels"] = {k.replace("__", "/"): v for k, v in labels.items()}
    return data


def trace(number, start_s, ms):
    return {"traceId": f"{number:032x}", "spans": [
        span(1, 0, "/checkout", start_s, ms, __http__method="GET"),
        span(2, 1, "/auth check", start_s, ms // 2,
             **{"service.name": "auth-service"})]}


def profile(number, kind="CPU"):
    return {"profileType": kind, "folded": f"main;work{number} 12\n",
            "startTime": f"2026-11-21T11:{number:02}:00Z",
            "deployment": {"target": "auth-service",
                           "labels": {"version": "1.0.0"}}}


def play(**config):
    config.setdefault("now", NOW)
    return Google(config, str(TESTDATA))


def ask(google, path, method="GET", body="", **headers):
    """Status and the answer, parsed when it is JSON."""
    names = {k.replace("_", "-").lower(): v for k, v in headers.items()}
    reply = google.answer(Request(method, path, names, b"", body.encode()))
    if reply is None:
        return 404, None
    text = reply.get("text", "")
    is_json = "json" in reply.get("headers", {}).get("Content-Type", "")
    return reply.get("status", 200), json.loads(text) if is_json else text


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r}, not {wanted!r}")


def refused(answer, status, word, reason=None):
    code, body = answer
    equal(code, status)
    error = body["error"]
    text = error if isinstance(error, str) else error["message"]
    if word not in text + str(body.get("error_description", "")):
        raise AssertionError(f"{word!r} is not in {body}")
    if reason:
        equal(error["details"][0]["reason"], reason)


def lists(google, **query):
    return ask(google, TRACES + "?" + urlencode(query))


def ids(answer):
    equal(answer[0], 200)
    return [int(t["traceId"], 16) for t in answer[1].get("traces", [])]


def check_views():
    google = play(traces=[trace(n, n, 100 * n) for n in (1, 2, 3)])
    equal(lists(google)[1]["traces"][0],
          {"projectId": "shop-prod", "traceId": f"{1:032x}"})
    root = lists(google, view="ROOTSPAN")[1]["traces"][0]["spans"]
    equal([s["name"] for s in root], ["/checkout"])
    whole = lists(google, view="COMPLETE")[1]["traces"][0]["spans"]
    equal(whole[1]["parentSpanId"], str(2**63 + 1))
    equal(ask(google, f"{TRACES}/{2:032x}")[1]["spans"][0]["name"],
          "/checkout")
    refused(ask(google, f"{TRACES}/{9:032x}"), 404, "not found")
    refused(ask(google, f"{TRACES}/xyz"), 400, "trace_id")
    refused(lists(google, view="FULL"), 400, "ViewType")


def check_filters():
    google = play(traces=[trace(n, n, 100 * n) for n in (1, 2, 3)])
    for text, wanted in (
            ("latency:200ms", [2, 3]), ("latency:200000000ns", [2, 3]),
            ("latency:201", [3]), ("latency:1s", []),
            ("root:/check", [1, 2, 3]), ("+root:/check", []),
            ("+/checkout", [1, 2, 3]), ('+span:"/auth check"', [1, 2, 3]),
            ("root:/auth", []), ("span:/auth latency:300ms", [3]),
            ("method:GET", [1, 2, 3]), ("method:POST", []),
            ("+service.name:auth-service", [1, 2, 3]),
            ("+^service.name:auth-service", []),
            ("label:service.name", [1, 2, 3]), ("label:service", []),
            ("service.name:auth", [1, 2, 3]),
            ("+service.name:auth", [])):
        equal((text, ids(lists(google, filter=text))), (text, wanted))
    for text in ("span:/auth check:x:", 'root:"open', "latency:fast",
                 "root:a=b", "(root:/a)", "root:"):
        refused(lists(google, filter=text), 400, "filter")


def check_orders():
    google = play(traces=[trace(n, 9 - n, 100 * n) for n in (1, 2, 3)])
    equal(ids(lists(google, orderBy="duration desc")), [3, 2, 1])
    equal(ids(lists(google, orderBy="start")), [3, 2, 1])
    equal(ids(lists(google, orderBy="start desc")), [1, 2, 3])
    refused(lists(google, orderBy="latency"), 400, "order_by")
    refused(lists(google, orderBy="start down"), 400, "order_by")
    equal(ids(lists(google, startTime="2026-11-21T11:00:07Z",
                    endTime="2026-11-21T13:00:08+02:00")), [2])
    refused(lists(google, startTime="yesterday"), 400, "startTime")
    refused(lists(google, startTime="2026-11-21T13:00:00Z",
                  endTime="2026-11-21T12:00:00Z"), 400, "later")
    refused(lists(google, since="1h"), 400, '"since"')
    refused(lists(google, pageSize="ten"), 400, "page_size")


def check_pages():
    google = play(traces=[trace(n, n, 100) for n in range(1, 8)],
                  trace={"page": [2, 0, 3], "last_empty": True})
    pages, token = [], ""
    while True:
        query = {"pageSize": 100, "view": "ROOTSPAN"}
        if token:
            query["pageToken"] = token
        answer = lists(google, **query)
        pages.append(ids(answer))
        token = answer[1].get("nextPageToken")
        if not token:
            break
        refused(lists(google, pageSize=99, view="ROOTSPAN", pageToken=token),
                400, "page_token")
    equal(pages, [[1, 2], [], [3, 4, 5], [6, 7], []])
    refused(lists(google, pageToken="bm9uZQ=="), 400, "page_token")
    many = play(traces=[trace(n, 1, 100) for n in range(1, 1002)])
    equal(len(ids(lists(many, pageSize=5000))), 1000)
    equal(len(ids(lists(many, pageSize=5000, view="COMPLETE"))), 100)


def check_fields():
    google = play(profiles=[profile(n) for n in range(5)],
                  profiler={"skipped": 2})
    whole = ask(google, PROFILES)[1]
    equal(len(whole["profiles"]), 5)
    equal(whole["skippedProfiles"], 2)
    data = gzip.decompress(base64.b64decode(
        whole["profiles"][0]["profileBytes"]))
    equal(b"main" in data, True)
    fields = "nextPageToken,profiles(name,deployment/target)"
    brief = ask(google, PROFILES + "?pageSize=2&fields=" + quote(fields))[1]
    equal([sorted(p) for p in brief["profiles"]], [["deployment", "name"]] * 2)
    equal(brief["profiles"][0]["deployment"], {"target": "auth-service"})
    equal("skippedProfiles" in brief, False)
    token = "&pageToken=" + quote(brief["nextPageToken"])
    equal(ask(google, PROFILES + "?pageSize=2" + token)[0], 200)
    for bad in ("profiles(nome)", "profiles(name", "name", "profiles/", ""):
        refused(ask(google, PROFILES + "?fields=" + quote(bad)), 400,
                "fields")
    bound = play(profiles=[profile(n) for n in range(5)],
                 profiler={"fields_bound": True})
    brief = ask(bound, PROFILES + "?pageSize=2&fields=" + quote(fields))[1]
    token = "&pageToken=" + quote(brief["nextPageToken"])
    refused(ask(bound, PROFILES + "?pageSize=2" + token), 400, "page_token")


def check_quotas():
    google = play(profiles=[profile(1)], profiler={"daily_quota": 2},
                  trace={"read_units": 26, "retry_after": 7},
                  traces=[trace(1, 1, 100)])
    equal([ask(google, PROFILES)[0] for _ in range(2)], [200, 200])
    refused(ask(google, PROFILES), 429, "per d", "RATE_LIMIT_EXCEEDED")
    equal([lists(google)[0], ask(google, f"{TRACES}/{1:032x}")[0]],
          [200, 200])
    refused(lists(google), 429, "Read units")
    reply = google.answer(Request("GET", TRACES, {}, b"", b""))
    equal(reply["headers"]["Retry-After"], "7")


def check_ceilings():
    google = play(big_trace={"traceId": "b" * 32, "spans": 10001,
                             "startTime": "2026-11-21T11:00:00Z"},
                  profiler={"retention": {
                      "profiles": 2500, "end": NOW, "folded": "main;work 9",
                      "versions": ["1.0.0", "1.1.0"]}})
    equal(len(ask(google, f"{TRACES}/{'b' * 32}")[1]["spans"]), 10000)
    seen, token = set(), ""
    for size in (1000, 1000, 500):
        answer = ask(google, PROFILES + token)[1]
        equal(len(answer["profiles"]), size)
        seen |= {p["name"] for p in answer["profiles"]}
        if size == 1000:
            token = "?pageToken=" + quote(answer["nextPageToken"])
    equal((len(seen), "nextPageToken" in answer), (2500, False))
    last = answer["profiles"][-1]
    equal((last["startTime"], last["deployment"]["labels"]["version"]),
          ("2026-11-19T18:20:00Z", "1.0.0"))


def check_routes():
    google = play(traces=[trace(1, 1, 100)], prefix="/proxy")
    equal(ask(google, TRACES)[0], 404)
    equal(ask(google, "/proxy" + TRACES)[0], 200)
    equal(ask(google, "/proxy" + TRACES, "POST")[0], 404)
    equal(ask(google, "/proxy/v2/projects/shop-prod/traces")[0], 404)
    equal(ask(google, "/proxy/api/echo")[1], None)
    refused(ask(google, "/proxy/v1/projects/other-one/traces"), 403,
            "other-one", "CONSUMER_INVALID")


def check_faults():
    google = play(profiles=[profile(1)], faults=[
        {"on": "profiles", "error": "unavailable", "retry_after": 1},
        {"on": "profiles", "from": 2, "times": 2, "error": "api_disabled"}])
    equal([ask(google, PROFILES)[0] for _ in range(4)], [503, 403, 403, 200])
    for name, status in (("internal", 500), ("rate", 429), ("expired", 401),
                         ("daily_quota", 429), ("scope", 403),
                         ("billing", 403), ("permission", 403),
                         ("project", 403), ("quota_project", 403),
                         ("not_found", 404)):
        fault = {"on": "traces", "error": name}
        equal((name, lists(play(faults=[fault]))[0]), (name, status))


# Tokens

def private_key():
    lines = (TESTDATA / "google/keys/robot.key.pem").read_text().splitlines()
    (_, outer), = google_auth.der_items(base64.b64decode(
        "".join(line for line in lines if not line.startswith("---"))))
    (_, inner), = google_auth.der_items(list(google_auth.der_items(outer))
                                        [2][1])
    numbers = [int.from_bytes(content, "big")
               for _, content in google_auth.der_items(inner)]
    return numbers[1], numbers[3]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(claims, head=None):
    n, d = private_key()
    text = ".".join(base64url(json.dumps(part).encode()) for part in (
        {"alg": "RS256", "typ": "JWT", "kid": "k1", **(head or {})}, claims))
    size = (n.bit_length() + 7) // 8
    tail = google_auth.SHA256_INFO + hashlib.sha256(text.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (size - len(tail) - 3) + b"\x00" + tail
    number = pow(int.from_bytes(padded, "big"), d, n)
    return f"{text}.{base64url(number.to_bytes(size, 'big'))}"


def robot(**more):
    return play(traces=[trace(1, 1, 100)], auth={"service_accounts": {
        ROBOT: {"public_key_file": "google/keys/robot.pub.pem",
                "key_id": "k1"}}, **more})


def post(google, path, **form):
    return ask(google, path, "POST", urlencode(form),
               Content_Type="application/x-www-form-urlencoded")


def claims(**changed):
    return {"iss": ROBOT, "scope": CLOUD, "aud": "http://127.0.0.1:1/token",
            "iat": NOW_S, "exp": NOW_S + 3600, **changed}


def assertion(google, jwt):
    return post(google, "/token", grant_type=google_auth.JWT_GRANT,
                assertion=jwt)


def check_key_files():
    google = robot(uses=2)
    status, body = assertion(google, signed(claims()))
    equal((status, body["expires_in"]), (200, 3599))
    bearer = "Bearer " + body["access_token"]
    equal([ask(google, TRACES, Authorization=bearer)[0] for _ in range(3)],
          [200, 200, 401])
    for text, word in (
            (signed(claims(iss="who@shop")), "account not found"),
            (signed(claims(), {"kid": "k2"}), "Signature"),
            (signed(claims(), {"alg": "HS256"}), "RS256"),
            (signed(claims())[:-6] + "AAAAAA", "Signature"),
            (signed(claims(aud="https://other/")), "audience"),
            (signed(claims(iat=NOW_S + 900, exp=NOW_S + 1000)), "timeframe"),
            (signed(claims(iat=NOW_S - 4000, exp=NOW_S - 400)), "timeframe"),
            (signed(claims(exp=NOW_S + 3601)), "timeframe"),
            (signed(claims(scope="")), "scope"),
            (signed(claims(scope="https://x/y")), "scope"),
            ("a.b", "JWT")):
        refused(assertion(google, text), 400, word)
    refused(post(google, "/token", grant_type="password"), 400, "grant_type")
    refused(ask(google, "/token", "POST", "{}", Content_Type="text/plain"),
            400, "content type")


def check_tokens():
    google = robot(tokens={"short": {"expires_in": 0}, "good": {},
                           "narrow": {"scopes": [READ]}})
    refused(ask(google, TRACES), 401, "missing", "CREDENTIALS_MISSING")
    for header in ("Bearer", "Bearer nothing", "Basic good", "Bearer a b"):
        refused(ask(google, TRACES, Authorization=header), 401, "invalid")
    refused(ask(google, TRACES, Authorization="Bearer short"), 401, "invalid",
            "ACCESS_TOKEN_EXPIRED")
    equal(ask(google, TRACES, Authorization="Bearer good")[0], 200)
    equal(ask(google, TRACES, Authorization="Bearer narrow")[0], 200)
    refused(ask(google, PROFILES, Authorization="Bearer narrow"), 403,
            "scopes", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")


def check_self_signed():
    google = robot()
    own = {"iss": ROBOT, "sub": ROBOT, "iat": NOW_S, "exp": NOW_S + 3600}
    bearer = "Bearer " + signed({**own,
                                 "aud": "https://cloudtrace.googleapis.com/"})
    equal(ask(google, TRACES, Authorization=bearer)[0], 200)
    equal(ask(google, PROFILES, Authorization=bearer)[0], 401)
    scoped = "Bearer " + signed({**own, "scope": CLOUD})
    equal(ask(google, PROFILES, Authorization=scoped)[0], 200)
    late = "Bearer " + signed({**own, "scope": CLOUD, "exp": NOW_S})
    equal(ask(google, PROFILES, Authorization=late)[0], 401)


def check_users():
    user = {"client_id": "id", "client_secret": "hush"}
    google = robot(users={"1//r": user, "1//old": {**user, "revoked": True}},
                   quota_projects=["shop-prod", "billing-1"])
    form = {"grant_type": "refresh_token", **user}
    status, body = post(google, "/token", refresh_token="1//r", **form)
    equal((status, body["scope"]), (200, CLOUD))
    bearer = "Bearer " + body["access_token"]
    refused(ask(google, TRACES, Authorization=bearer), 403, "quota project")
    equal(ask(google, TRACES, Authorization=bearer,
              X_Goog_User_Project="billing-1")[0], 200)
    refused(ask(google, TRACES, Authorization=bearer,
                X_Goog_User_Project="others-1"), 403, "others-1",
            "USER_PROJECT_DENIED")
    refused(post(google, "/token", refresh_token="1//old", **form), 400,
            "expired or revoked")
    form["client_secret"] = "shout"
    refused(post(google, "/token", refresh_token="1//r", **form), 401,
            "invalid_client")


def check_federation():
    google = robot(exchange={"audience": "//iam/pool", "subject_token": "jwt",
                             "subject_token_type": "urn:jwt"},
                   impersonated=[ROBOT], subject_token_path="/mine",
                   subject_token_field="value",
                   subject_headers={"Metadata": "True"})
    equal(ask(google, "/mine")[0], 403)
    equal(ask(google, "/mine", Metadata="True")[1], {"value": "jwt"})
    form = {"grant_type": google_auth.EXCHANGE_GRANT, "scope": CLOUD,
            "requested_token_type": google_auth.ACCESS_TOKEN_TYPE,
            "audience": "//iam/pool", "subject_token": "jwt",
            "subject_token_type": "urn:jwt"}
    bearer = "Bearer " + post(google, "/v1/token", **form)[1]["access_token"]
    refused(post(google, "/v1/token", **{**form, "audience": "//x"}), 400,
            "audience")
    refused(post(google, "/v1/token", **{**form, "subject_token": "x"}), 400,
            "rejected")
    refused(post(google, "/v1/token", **{**form, "scope": ""}), 400, "scope")
    path = f"/v1/projects/-/serviceAccounts/{ROBOT}:generateAccessToken"
    body = json.dumps({"scope": [READ], "lifetime": "600s"})
    status, answer = ask(google, path, "POST", body, Authorization=bearer)
    equal((status, answer["expireTime"]), (200, "2026-11-21T12:59:59Z"))
    equal(ask(google, TRACES,
              Authorization="Bearer " + answer["accessToken"])[0], 200)
    other = path.replace("reader", "writer")
    refused(ask(google, other, "POST", body, Authorization=bearer), 403,
            "getAccessToken")
    long = json.dumps({"scope": [READ], "lifetime": "7200s"})
    refused(ask(google, path, "POST", long, Authorization=bearer), 400,
            "3600s")
    refused(ask(google, path, "POST", body), 401, "missing")


def check_metadata():
    google = robot(metadata={"email": ROBOT})
    base = "/computeMetadata/v1/"
    token = base + "instance/service-accounts/default/token"
    equal(ask(google, token)[0], 403)
    answer = ask(google, token + "?scopes=" + quote(CLOUD),
                 Metadata_Flavor="Google")[1]
    equal(ask(google, TRACES,
              Authorization="Bearer " + answer["access_token"])[0], 200)
    equal(ask(google, base + "project/project-id",
              Metadata_Flavor="Google")[1], "shop-prod")
    equal(ask(robot(), token, Metadata_Flavor="Google")[0], 404)


# Shapes

GOOD_SPAN = {"spanId": "2205310701640571284", "name": "/a",
             "startTime": "2026-11-21T11:00:00Z",
             "endTime": "2026-11-21T11:00:00.123456789Z"}
GOOD_PROFILE = {"name": "projects/shop-prod/profiles/a-_9", "profileType":
                "HEAP_ALLOC", "deployment": {"projectId": "shop-prod",
                                             "target": "a.b"},
                "duration": "9.980s", "startTime": "2026-11-21T11:00:00Z",
                "profileBytes": "H4sI"}


def check_shapes():
    google_shapes.check("TraceSpan", GOOD_SPAN)
    google_shapes.check("Profile", GOOD_PROFILE)
    wrong = [("TraceSpan", GOOD_SPAN, change) for change in (
        {"spanId": 5}, {"spanId": "0"}, {"spanId": "00f067aa0ba902b7"},
        {"spanId": str(2**64)}, {"kind": "SERVER"}, {"kind": 1},
        {"startTime": "2026-11-21T11:00:00.12Z"}, {"attributes": {}},
        {"startTime": "2026-11-21T11:00:00+00:00"}, {"labels": {"a": 1}},
        {"endTime": None}, {"labels": {}}, {"name": None})]
    wrong += [("Profile", GOOD_PROFILE, change) for change in (
        {"name": "a"}, {"profileType": "cpu"}, {"duration": "10"},
        {"duration": "9.98s"}, {"profileBytes": "?"}, {"start_time": "x"},
        {"deployment": {"projectId": "shop-prod", "target": "A"}},
        {"deployment": {"projectId": "shop-prod", "target": "a",
                        "labels": {"Version": "1"}}})]
    for message, good, change in wrong:
        value = {**copy.deepcopy(good), **change}
        try:
            google_shapes.check(message, value)
        except google_shapes.ShapeError:
            continue
        raise AssertionError(f"passed: {change}")
    for name in ("startTime", "spanId", "endTime"):
        value = {k: v for k, v in GOOD_SPAN.items() if k != name}
        try:
            google_shapes.check("TraceSpan", value)
        except google_shapes.ShapeError:
            google_shapes.check("TraceSpan", value, partial=True)
            continue
        raise AssertionError(f"passed without {name}")


def check_wrong_answer():
    """A stub whose data are wrong says so instead of answering."""
    broken = trace(1, 1, 100)
    broken["spans"][0]["kind"] = "SERVER"
    google = play(traces=[broken])
    equal(ask(google, f"{TRACES}/{1:032x}")[0], 599)


def check_data():
    """Every data file in the tree."""
    for path in sorted((TESTDATA / "google").rglob("*.json.gz")):
        data = json.loads(gzip.decompress(path.read_bytes()))
        message = "ListTracesResponse"
        if path.name.startswith("profiles"):
            message = "ListProfilesResponse"
            for one in data["profiles"]:
                plain = one.pop("pprof").encode("latin-1")
                one["profileBytes"] = base64.b64encode(plain).decode()
        google_shapes.check(message, data, path.parent.name)


def check_speed():
    """40,000 profiles without bytes within the time that cases have."""
    google = play(profiler={"retention": {"profiles": 40000, "end": NOW,
                                          "folded": "main;work 9"}})
    begun, token, count = time.monotonic(), "", 0
    fields = quote("nextPageToken,profiles(name,profileType,startTime)")
    while token is not None:
        answer = ask(google, f"{PROFILES}?fields={fields}{token}")[1]
        count += len(answer["profiles"])
        token = answer.get("nextPageToken")
        token = token and "&pageToken=" + quote(token)
    equal(count, 40000)
    print(f"# 40,000 profiles took {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
