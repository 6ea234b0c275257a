#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the answers of recorded cases away, one after the other.

usage: answers.py TRACEFIND [--all | --tenth] [--seed NUMBER] [CASE...]

Each case of testdata (a *.har.gz) is replayed whole, and then with one of its
answers

  replaced  something else in its place: a refusal, what a proxy says, nothing
            (REPLACED)
  another   the right form with other contents: what the server said to another
            question of the case, or of a case recorded for another tenant
  lost      the connection was cut
  late      it did not come in time
  cut       its body ends 1 to 100 bytes early
  damaged   a byte of its body is another one

A run must end by itself, in time, with a status of the manual, and when it has
no answer with one line of error. Whatever was cut or damaged within what can
still be read may be believed, and so may other contents that do not say what they
are about. Otherwise the answer is that of the whole case,
or it has a line that tells what is missing, which the whole one has not, and
ends with 4 under --strict; "nothing found" is none, where not all was seen.

Without --all a few answers of each case, drawn by the seed, and those of KEPT;
with --tenth every tenth trial of all but the largest cases, from number $TENTH
(0 to 9) on.
A trial can be had again by its number: answers.py TRACEFIND --seed NUMBER CASE.
Output is TAP, a line a case.
"""
import argparse
import base64
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import figures  # noqa: E402
from tap import Tap  # noqa: E402

TESTDATA = Path(os.environ.get("TESTDATA", HERE.parent.parent / "testdata"))
LIMIT_S = 60
PARALLEL = 2
SEED = 1
# Answers of a case that are tried without --all, and the most of a case's
# bytes then: the largest take a second each.
SHARE, SHARE_BYTES = 2, 3 << 20
# Under sanitizers a run takes ten times as long.
SHARE_SANITIZED = 1
PAGE = "<html><head><title>%s</title></head><body>%s</body></html>\n"
TEXT, HTML, JSON = "text/plain", "text/html", "application/json"
# (status, type, body) of what comes in the place of an answer.
REPLACED = {
    "refused": (500, TEXT, "broken\n"),
    "bad": (400, TEXT, "bad request\n"),
    "missing": (404, TEXT, "nothing here\n"),
    "nginx": (404, HTML, PAGE % ("404 Not Found", "<hr>nginx")),
    "gone": (410, TEXT, "gone\n"),
    "large": (413, HTML, PAGE % ("413 Request Entity Too Large", "")),
    "unfit": (422, JSON, '{"status":"error","error":"cannot"}'),
    "limited": (429, TEXT, "slow down\n"),
    "unknown": (501, TEXT, "not implemented\n"),
    "signin": (200, HTML, PAGE % ("Sign in", "<form></form>")),
    "empty": (200, "", ""),
    "object": (200, JSON, "{}"),
}
DAMAGED, CUT = "damaged", "cut"
TWICE, TENANT = "twice", "tenant"
KINDS = (*REPLACED, "lost", "late", CUT, DAMAGED, TWICE, TENANT)
# What is asked of whatever listens where servers are by default: another
# program may, and say what it likes.
# A trace by its id.
OF_ONE = re.compile(r"/traces?/ID$")
BUSY = ("refused", "limited")
PROBE = re.compile(r"/api/echo$|/api/v3/services$|/buildinfo$")
# Where an object without fields is how the API says "nothing".
OBJECT_IS_EMPTY = re.compile(
    r"/querier\.v1\.QuerierService/|/api/v3/operations|"
    r"/v1/ID/traces$")
CUT_MOST = 100
# Trials that once failed: (case, answer, kind, bytes).
KEPT = [
    # Ended by SIGSEGV: a linked trace, and those of usual waits.
    ("queue-linked", 4, CUT, 1), ("queue-linked", 19, CUT, 30),
    ("queue-linked-jaeger", 18, CUT, 100),
    # Another verdict without a word: other traces, profiles, metrics.
    ("queue-linked", 11, "missing", 0), ("queue-linked", 11, "signin", 0),
    ("queue-linked", 11, "empty", 0), ("n-plus-one", 8, "object", 0),
    ("slo-spent", 28, "nginx", 0), ("slo-spent", 93, "unfit", 0),
    ("queue-linked", 11, "refused", 0), ("n-plus-one", 8, "lost", 0),
    ("slo-spent", 93, "refused", 0), ("slo-spent", 28, "lost", 0),
    ("when-version", 0, "late", 0),
    # One of each command, so that none goes untried.
    ("alert", 3, "refused", 0), ("check-version", 5, "lost", 0),
    ("cost-regression", 20, "late", 0), ("leak-auth", 10, "refused", 0),
    ("when-function", 5, "lost", 0), ("slo-kept", 15, "late", 0),
    # Fewer snapshots than there were, of an answer that broke off.
    ("pyroscope-1.21-gauge", 4, CUT, 51),
    # Lost after a route that an older server lacks: values of all snapshots.
    ("pyroscope-1.21-gauge", 4, "lost", 0),
]
# Without the answer other questions were asked, which the case does not hold.
BEYOND = "not in the case"
# Tells what is not answered, and of nothing else.
TELLER = "doctor"
NONE, NOT_WHOLE, USAGE = 5, 4, 2
# 2: what is asked is not asked of the kind of server that seems to be there.
STATUSES = {0, USAGE, 3, 4, 5, 6, 7, 10}
# What is told of something that is missing.
TOLD = re.compile(r"no answer|query for .* failed: |not all queries were answered|not be read|cut off|"
                  r"not answered|answer(s|ed) (\d{3}|with (type|something other))|has no such path|"
                  r"an HTML page|limits requests|timed out|cut the connection|damaged|ends "
                  r"early|the text ends|not known|could not|cannot|not whole|incomplete|not read|"
                  r"\w+ is missing \(\d{3}\)")
# How a request went, in the list of all.
ANSWERED = re.compile(r'"(status|bytes)": *(null|\d+),?')
FAILURES = {
    "lost": "GET: the server cut the connection in the middle of its answer",
    "late": "GET: timed out after 30 s",
}


class Case:
    """A recorded run. texts: its entries as they stand in the file."""

    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(TESTDATA)).removesuffix(".har.gz")
        self.har = json.loads(gzip.decompress(path.read_bytes()))
        self.entries = self.har["log"].pop("entries")
        self.texts = [json.dumps(entry) for entry in self.entries]
        self.args = self.har["log"]["_tracefind"].get("args", [])
        self.head = json.dumps(self.har).removesuffix("}}")
        self.size = sum(map(len, self.texts))
        self.whole = None

    def text(self, at, entry):
        texts = [*self.texts]
        texts[at] = json.dumps(entry)
        return f'{self.head}, "entries": [{",".join(texts)}]}}}}'

    def can(self, at, kind):
        response = self.entries[at]["response"]
        if kind == "object" and OBJECT_IS_EMPTY.search(self.route(at)) or \
                kind in REPLACED and kind not in BUSY and \
                PROBE.search(self.route(at)):
            return False
        if kind in (TWICE, TENANT):
            return bool(self.others(at, kind))
        return kind not in (CUT, DAMAGED) or (
            response["status"] == 200 and len(body_of(response)) > 1)

    def route(self, at):
        return route_of(self.entries[at])

    def others(self, at, kind):
        """What else was answered to the same kind of question."""
        own = self.entries[at]["response"]
        if kind == TENANT:
            return [other for name, other in ANOTHERS.get(self.route(at), ())
                    if name != self.name]
        return [entry["response"] for entry in self.entries
                if route_of(entry) == self.route(at) and
                entry["response"]["status"] == 200 and
                entry["response"]["content"] != own["content"]]


class Trial:
    def __init__(self, case, at, kind, number):
        self.case, self.at, self.kind, self.number = case, at, kind, number
        self.is_readable = kind in FAILURES or kind in REPLACED

    def __str__(self):
        url = self.case.entries[self.at]["request"]["url"].split("?")[0]
        return (f"{self.case.name}, answer {self.at} {self.kind}"
                f" ({self.number}): {url}")

    def text(self):
        entry = json.loads(self.case.texts[self.at])
        response = entry["response"]
        body = body_of(response)
        if self.kind in REPLACED:
            status, mime, body = REPLACED[self.kind]
            response["status"] = status
            response["content"]["mimeType"] = mime
            set_body(response, body.encode())
        elif self.kind in (TWICE, TENANT):
            others = self.case.others(self.at, self.kind)
            entry["response"] = others[self.number % len(others)]
        elif self.kind in FAILURES:
            response["status"] = 0
            set_body(response, b"")
            entry["_tracefind"]["error"] = {
                "code": "network", "message": FAILURES[self.kind]}
        elif self.kind == CUT:
            set_body(response, body[:-min(self.number, len(body) - 1)])
        else:
            at = random.Random(self.number).randrange(len(body))
            set_body(response, body[:at] + bytes([body[at] ^ 1 + self.number %
                                                  255]) + body[at + 1:])
        return self.case.text(self.at, entry)


# Answers of other cases: [(case, response)] by route.
ANOTHERS = {}
ANOTHERS_MOST = 5


def route_of(entry):
    """Where a request goes, but for what it names."""
    path = entry["request"]["url"].split("?")[0].split("/", 3)[-1]
    return re.sub(r"[0-9a-f]{16,}|projects/[^/]*", "ID", "/" + path)


def gather_others(paths):
    for path in paths:
        case = Case(path)
        for entry in case.entries:
            known = ANOTHERS.setdefault(route_of(entry), [])
            if entry["response"]["status"] == 200 and \
                    len(known) < ANOTHERS_MOST and \
                    all(name != case.name for name, _ in known):
                known.append((case.name, entry["response"]))


def body_of(response):
    content = response["content"]
    text = content.get("text", "")
    if content.get("encoding") == "base64":
        return base64.b64decode(text)
    return text.encode()


def set_body(response, body):
    response["content"] = {
        "size": len(body), "encoding": "base64",
        "mimeType": response["content"].get("mimeType", ""),
        "text": base64.b64encode(body).decode()}


class Outcome:
    def __init__(self, process, name):
        self.status = process.returncode
        self.stdout, self.stderr = (
            ANSWERED.sub("", text.decode("utf-8", "backslashreplace").replace(
                name, "CASE")) for text in (process.stdout, process.stderr))

    def lines(self):
        return {*self.stdout.splitlines(), *self.stderr.splitlines()}


def environment():
    env = {"PATH": os.environ.get("PATH", ""), "TZ": "UTC",
           "LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
           "GCE_METADATA_HOST": "127.0.0.1:1"}
    return {**env, **{name: os.environ[name] for name in
                      ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE")
                      if name in os.environ}}


def replay(program, path, folder, *more):
    """None: it did not end in time."""
    try:
        process = subprocess.run(
            [program, "--replay", path, *more], cwd=folder, env=environment(),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return None
    return Outcome(process, path)


def judge_end(outcome):
    """What is wrong with how a run ended, or None."""
    if outcome is None:
        return f"no end within {LIMIT_S} s"
    if "Sanitizer" in outcome.stderr or "runtime error" in outcome.stderr:
        return outcome.stderr[-800:]
    # Of doctor 1 is another server's clock, which it names.
    if outcome.status not in STATUSES and not (
            outcome.status == 1 and
            re.match(r"\d+ checks? failed", outcome.stdout)):
        return f"status {outcome.status}: {outcome.stderr[-300:]}"
    if not outcome.stdout and outcome.status not in (0, 10) and \
            not outcome.stderr.startswith("tracefind: "):
        return f"status {outcome.status} without a word"
    return None


def judge_gap(trial, outcome, is_strict):
    """The same of what is said without an answer."""
    whole = trial.case.whole
    if outcome.status == whole.status and outcome.stdout == whole.stdout:
        return None
    if BEYOND in outcome.stderr or BEYOND in outcome.stdout:
        return None
    if not outcome.stdout and outcome.status not in (0, 10, NONE):
        return None
    more = outcome.lines() - whole.lines()
    if not any(TOLD.search(line) for line in more):
        return f"another answer without a word: {sorted(more)[:5]}"
    if outcome.status in (0, 10):
        strict = is_strict()
        if strict is None or strict.status not in (NOT_WHOLE, USAGE):
            return f"--strict ends with {strict and strict.status}"
    return None


def is_checked(trial):
    """Whether what came cannot have been taken for whole: JSON that is cut."""
    if trial.case.args[:1] == [TELLER]:
        return False
    if trial.is_readable:
        return True
    # Of what is asked for by name the answer tells whose it is; most others
    # hold no more than their figures.
    if trial.kind in (TWICE, TENANT):
        return bool(OF_ONE.search(trial.case.route(trial.at)))
    body = body_of(trial.case.entries[trial.at]["response"]).strip()
    return trial.kind == CUT and body[:1] in (b"{", b"[") and \
        trial.number > 2


def judge(program, trial, folder):
    path = os.path.join(folder, "case.har")
    Path(path).write_text(trial.text(), encoding="utf-8")
    outcome = replay(program, path, folder)
    wrong = judge_end(outcome)
    if not wrong and is_checked(trial):
        wrong = judge_gap(trial, outcome, lambda: replay(
            program, path, folder, "--strict"))
    return wrong


def trials_of(case, which, seed):
    draw = random.Random(f"{seed} {case.name}")
    every = [(at, kind) for at in range(len(case.entries)) for kind in KINDS
             if case.can(at, kind)]
    if which == "tenth":
        draw.shuffle(every)
        every = every[int(os.environ.get("TENTH", 0))::10]
    elif which != "all":
        share = SHARE_SANITIZED if "ASAN_OPTIONS" in os.environ else SHARE
        every = draw.sample(every, min(share, len(every)))
    if which != "all" and case.size > SHARE_BYTES:
        every = []
    found = [Trial(case, at, kind, draw.randint(1, CUT_MOST))
             for at, kind in every]
    return found + [Trial(case, at, kind, number)
                    for name, at, kind, number in KEPT
                    if case.name == f"cases/{name}"]


def try_case(program, path, which, seed):
    """(name, trials, what is wrong)"""
    case, wrong = Case(path), []
    trials = trials_of(case, which, seed)
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        case.whole = replay(program, str(path), folder) if trials else None
        if trials and (not case.whole or
                       case.whole.status not in STATUSES - {USAGE}):
            # What it was recorded with is not at hand, as a file, or the
            # server took it for a wrong question.
            trials = []
        for trial in trials:
            fault = judge(program, trial, folder)
            if fault:
                wrong.append(f"{trial}\n  {fault}")
    return case.name, len(trials), wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", dest="which", action="store_const", const="all")
    parser.add_argument("--tenth", dest="which", action="store_const",
                        const="tenth")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_intermixed_args()
    program = str(Path(options.program).resolve())
    paths = [path for path in sorted(TESTDATA.rglob("*.har.gz"))
             if not options.cases or
             path.name.removesuffix(".har.gz") in options.cases]
    gather_others(sorted(TESTDATA.rglob("*.har.gz")))
    tap, tried, failed = Tap(), 0, 0
    with ThreadPoolExecutor(PARALLEL) as pool:
        for name, count, wrong in pool.map(
                lambda path: try_case(program, path, options.which,
                                      options.seed), paths):
            tried, failed = tried + count, failed + len(wrong)
            tap.check(not wrong, f"{name}: {count} answers taken away",
                      "\n".join(wrong))
    figures.record("answers", tried, failed, seed=options.seed)
    tap.note(f"{tried} trials, {failed} failed")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
