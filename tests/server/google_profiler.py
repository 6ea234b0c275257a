# SPDX-License-Identifier: Apache-2.0
"""Cloud Profiler v2 as far as it can be read: the list of profiles."""
import base64
import hashlib
from datetime import datetime, timedelta, timezone

import google_pprof
from google_errors import quota_exceeded
from google_trace import time_ns

SERVICE = "cloudprofiler.googleapis.com"
LIST = "google.devtools.cloudprofiler.v2.ExportService.ListProfiles"
PARAMETERS = {"pageSize", "pageToken"}
PAGE = 1000
STRIDE = 7919  # a prime, so that every place is met once


def stamp(ns):
    """RFC 3339 with 0, 3, 6 or 9 digits of a second, as JSON has it."""
    whole, rest = divmod(ns, 10**9)
    text = (datetime(1970, 1, 1, tzinfo=timezone.utc) +
            timedelta(seconds=whole)).strftime("%Y-%m-%dT%H:%M:%S")
    digits = f"{rest:09}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f"{text}.{digits}Z" if digits else text + "Z"


def duration_ns(text):
    whole, _, rest = text.rstrip("s").partition(".")
    return int(whole) * 10**9 + int(rest.ljust(9, "0") or 0)


def name_of(project, *parts):
    """Opaque, without an order, the same in every run."""
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return (f"projects/{project}/profiles/" +
            base64.urlsafe_b64encode(digest[:24]).decode())


class Retention:
    """Many profiles that take no room: made when a page asks for them, the
    newest first, or in an order that means nothing."""

    def __init__(self, rule, project):
        self.rule = rule
        self.project = project
        self.count = rule["profiles"]
        self.end_ns = time_ns(rule["end"])
        self.step_ns = duration_ns(rule.get("every", "60s"))
        self.targets = rule.get("targets", ["busy-service"])
        self.types = rule.get("types", ["CPU"])
        self.versions = rule.get("versions", ["1.0.0"])
        self.bytes = {}

    def __len__(self):
        return self.count

    def __getitem__(self, wanted):
        if isinstance(wanted, slice):
            return [self[n] for n in range(*wanted.indices(self.count))]
        if self.rule.get("order") == "chance":
            wanted = wanted * STRIDE % self.count
        slot, turn = divmod(wanted, len(self.targets) * len(self.types))
        target = self.targets[turn % len(self.targets)]
        kind = self.types[turn // len(self.targets)]
        share = slot * len(self.targets) * len(self.types) / self.count
        version = self.versions[-1 - int(share * len(self.versions))]
        start_ns = self.end_ns - (slot + 1) * self.step_ns
        return {"name": name_of(self.project, wanted), "profileType": kind,
                "deployment": {"projectId": self.project, "target": target,
                               "labels": {"version": version,
                                          "language": "go",
                                          "zone": "europe-west1-b"}},
                "duration": "10s", "startTime": stamp(start_ns),
                "profileBytes": self.content(target, kind, version)}

    def content(self, target, kind, version):
        """The same for all: they differ only where the list does."""
        key = target, kind, version
        if key not in self.bytes:
            plain = google_pprof.folded(
                self.rule["folded"], google_pprof.shape_of(kind, "go"),
                self.end_ns, 10 * 10**9)
            self.bytes[key] = base64.b64encode(
                google_pprof.packed_gzip(plain)).decode()
        return self.bytes[key]


class Profiles:
    def __init__(self, settings, profiles, project, pager):
        self.settings = settings
        self.project = project
        self.pager = pager
        self.profiles = profiles
        if settings.get("retention"):
            self.profiles = Retention(settings["retention"], project)
        self.calls_left = settings.get("daily_quota")

    def list(self, query):
        if self.calls_left is not None:
            if self.calls_left <= 0:
                raise quota_exceeded(
                    SERVICE, self.project, "List profiles requests",
                    "ListProfilesRequestsPerDayPerProject", "d")
            self.calls_left -= 1
        page, token = self.pager.page(self.profiles, query, PAGE)
        answer = {}
        if page:
            answer["profiles"] = page
        if token:
            answer["nextPageToken"] = token
        if self.settings.get("skipped"):
            answer["skippedProfiles"] = self.settings["skipped"]
        return answer


def with_bytes(profile, project, read_bytes):
    """A profile of a case, whose bytes may come from a file or from folded
    stacks, as the API answers it."""
    profile = dict(profile)
    file, text = profile.pop("file", None), profile.pop("folded", None)
    profile.setdefault("duration", "10s")
    deployment = dict(profile.get("deployment", {}))
    profile["deployment"] = {"projectId": project, **deployment}
    profile.setdefault("name", name_of(
        project, profile["profileType"], profile["startTime"],
        profile["deployment"]["target"], profile["deployment"].get("labels")))
    if file is not None:
        data = read_bytes(file)
    elif text is not None:
        data = google_pprof.packed_gzip(google_pprof.folded(
            text, google_pprof.shape_of(
                profile["profileType"],
                deployment.get("labels", {}).get("language")),
            time_ns(profile["startTime"]), duration_ns(profile["duration"])))
    else:
        return profile
    profile["profileBytes"] = base64.b64encode(data).decode()
    return profile
