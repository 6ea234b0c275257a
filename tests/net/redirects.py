#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that sends the program elsewhere: nobody there hears anything,
whatever the login. Output is TAP.

usage: redirects.py TRACEFIND [--all]

The login is a token, a name with a password or a client certificate, each with
a header of the user's own. The run must fail, name the place without what is
secret in it, and have asked the first server alone, a few times at most.
"""
import argparse
import base64
import socket
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

sys.dont_write_bytecode = True
import authority
import wire
from tap import lack
from trial import TESTDATA, environment, run, try_all, told

TOKEN = "canary/token+7f3a9c/own"
PASSWORD = "canary%password?51b0d2"
HEADER = "canary:header 88e1f4"
THEIRS = "theirs-5d21"  # a secret of whoever wrote the Location
REQUESTS = 6  # a first question in all its forms


class Trial:
    """location: of the redirect, with {first}, {second} and their ports
    {one}, {two} filled in; lines: other headers; https: the first server's;
    place: how the error names it, when it is not the location itself."""

    def __init__(self, title, location, status=302, lines=(), https=False,
                 place=None):
        self.title, self.status, self.https = title, status, https
        self.place = location if place is None else place
        self.lines = [f"Location: {location}"] if location is not None else []
        self.lines += lines


# Where the second server listens, and other names of that.
SECOND = ("127.0.0.1", "127.0.0.2")
NAMES = (*SECOND, "localhost", "2130706433")

# What is secret, a name, or no text is not told; nor is all of what is long.
PLACES = {
    "a name before it": "http://127.0.0.1:{two}/",
    "a login in it": "http://127.0.0.1:{two}/?token=[redacted]",
    "blanks around it": "http://127.0.0.1:{two}/",
    "controls": "http://127.0.0.1:{two}/%01%1B[31m",
    "nothing": "an unnamed place",
    "a login page": "http://127.0.0.1:{two}/login?from=x (a login)",
}
PLACE_BYTES = 200


def trials():
    """Cases by what they say; statuses and methods are added below."""
    for title, location in {
            "another port": "http://127.0.0.1:{two}/api",
            "another name": "http://localhost:{two}/api",
            "another address": "http://127.0.0.2:{two}/api",
            "a number for an address": "http://2130706433:{two}/",
            "no scheme": "//127.0.0.1:{two}/api",
            "backslashes": "\\\\127.0.0.1:{two}\\api",
            "a name before it": "http://{first}@127.0.0.1:{two}/",
            "a login in it":
                f"http://user:{THEIRS}@127.0.0.1:{{two}}/?token={THEIRS}",
            "capitals": "HTTP://127.0.0.1:{two}/",
            "blanks around it": "  http://127.0.0.1:{two}/  ",
            "controls": "http://127.0.0.1:{two}/\x01\x1b[31m",
            "very long": "http://127.0.0.1:{two}/" + "a" * 50000,
            "itself": "http://{first}/api/echo",
            "itself, relative": "/api/v2/traces/1",
            "relative": "other",
            "a query": "?again=1",
            "nothing": "",
            "a login page": "http://127.0.0.1:{two}/login?from=x"}.items():
        yield Trial(title, location, place=PLACES.get(title))
    for scheme in ("file:///etc/hostname", "ftp://127.0.0.1:{two}/",
                   "gopher://127.0.0.1:{two}/_x", "dict://127.0.0.1:{two}/d",
                   "telnet://127.0.0.1:{two}", "ldap://127.0.0.1:{two}/",
                   "smb://127.0.0.1:{two}/x", "data:text/plain,x",
                   "javascript:alert(1)", "unix:/run/x.sock"):
        yield Trial(scheme.split(":")[0], scheme)
    for status in (300, 301, 303, 304, 305, 306, 307, 308):
        yield Trial(f"status {status}", "http://127.0.0.1:{two}/", status)
    yield Trial("https to http", "http://127.0.0.1:{two}/", https=True)
    yield Trial("https to another port", "https://127.0.0.1:{two}/",
                307, https=True)
    second = "127.0.0.1:{two}"
    for title, status, line in (
            ("refresh", 404, f"Refresh: 0; url=http://{second}/"),
            ("another service", 503, f'Alt-Svc: http/1.1="{second}"; ma=9'),
            ("a place to look", 404, f"Content-Location: http://{second}/"),
            ("a place to send to", 201, f"Location: http://{second}/"),
            ("a preload", 404, f"Link: <http://{second}/>; rel=preload"),
            ("Digest asked for", 401, 'WWW-Authenticate: Digest realm="r", '
             f'nonce="n", domain="http://{second}/"'),
            ("Negotiate asked for", 401, "WWW-Authenticate: Negotiate"),
            ("NTLM asked for", 401, "WWW-Authenticate: NTLM"),
            ("a proxy's login asked for", 407, "Proxy-Authenticate: Basic "
             'realm="r"')):
        yield Trial(title, None, status, [line])


def spellings(secret):
    yield secret
    yield quote(secret, safe="")
    for part in (secret.encode(), f"ann:{secret}".encode()):
        yield base64.b64encode(part).decode().rstrip("=")[:-1]


class Place:
    """The two servers, the files, and the runs against them."""

    def __init__(self, program, folder, is_all):
        self.program, self.is_all = program, is_all
        self.folder = Path(folder)
        for name, text in (("token", TOKEN), ("password", PASSWORD)):
            (self.folder / name).write_text(text + "\n")
        self.root = self.pair = self.client = None
        if not authority.is_missing():
            self.root = authority.Authority(folder)
            self.pair = self.root.issue("server")
            self.client = self.root.issue("client")
        self.recorded = wire.Recorded(
            TESTDATA / "cases/pyroscope-1.21-gauge.har.gz")

    def sides(self):
        yield "GET", "--traces-url=tempo+", ["show", "a" * 32]
        yield "POST", "--profiles-url=pyroscope+", self.recorded.args

    def logins(self):
        own = ["-H", f"X-Own: {HEADER}"]
        pair = base64.b64encode(f"ann:{PASSWORD}".encode()).decode()
        yield "token", False, [
            *own, f"--token-file={self.folder}/token"], f"Bearer {TOKEN}"
        yield "password", False, [
            *own, "--username=ann",
            f"--password-file={self.folder}/password"], f"Basic {pair}"
        if self.client:
            yield "certificate", True, [
                *own, f"--cert={self.client[0]}",
                f"--key={self.client[1]}"], ""

    def all_trials(self):
        for number, trial in enumerate(trials()):
            choices = [(trial, side, login) for side in self.sides()
                       for login in self.logins()
                       if login[1] or not trial.https or self.pair]
            for index, (_, side, login) in enumerate(choices):
                if self.is_all or index == number % len(choices):
                    yield (f"{trial.title}: {side[0]}, {login[0]}",
                           (trial, side, login))

    def judge(self, job):
        trial, (_, url, args), (_, is_https, login, sent) = job
        is_https = is_https or trial.https
        if is_https and not self.pair:
            return f"SKIP {lack('openssl')}"
        heard = []
        second = wire.Wire(lambda link, request: heard.append(request),
                           also=SECOND[1:])
        tls = authority.context(self.pair, self.root.cert) if is_https else None
        with second, wire.Wire(None, tls and authority.context(
                self.pair)) as first:
            names = {"first": first.host, "one": first.port,
                     "two": second.port}
            first.answer = lambda link, request: link.send(
                wire.Answer(0, "text/plain", b"").head(
                    *[line.format(**names) for line in trial.lines],
                    "Set-Cookie: a=b; path=/", "Content-Length: 0",
                    status=f"{trial.status} Go")) or True
            more = [f"--cacert={self.root.cert}"] if is_https else []
            outcome = run(self.program, first.host, [
                *args, url + first.url, "--timeout=5s", "--retry=1",
                *login, *more], environment(self.recorded.now))
            place = trial.place and trial.place.format(**names).replace(
                first.host, "HOST")[:PLACE_BYTES]
            named = (f"HOST answers {trial.status} and redirects to {place};"
                     if place else "")
            if named not in outcome.stderr:
                return f"not {named!r}: {outcome.stderr}"
            return self.complaint(outcome, first, second, sent)

    @staticmethod
    def complaint(outcome, first, second, sent):
        if second.connections:
            return f"the second server was asked: {second.heard}"
        if not first.requests:
            return f"nothing was asked: {outcome.stderr}"
        if len(first.requests) > REQUESTS:
            return f"asked {len(first.requests)} times"
        asked = first.heard[0].decode("latin-1")
        if HEADER not in asked or sent not in asked:
            return "the first server did not get the login"
        if any("cookie" in request.headers for request in first.requests):
            return "a cookie was kept"
        if outcome.status == 0:
            return f"status 0: {outcome.stdout[:200]}"
        if what := told(outcome):
            return what
        for secret in (TOKEN, PASSWORD, HEADER):
            if any(form in outcome.stderr for form in spellings(secret)):
                return f"told a secret: {outcome.stderr}"
        if THEIRS in outcome.stderr:
            return f"told theirs: {outcome.stderr}"
        return None


def heard_at(name):
    """What is wrong with a second server that would not hear who goes to it by
    this name: nothing could be followed there."""
    with wire.Wire(lambda link, request: False, also=SECOND[1:]) as second:
        with socket.create_connection((name, second.port), 5) as sock:
            sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
            sock.recv(1)
        return None if second.requests else "heard nothing"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        place = Place(program, folder, options.all)
        for name in NAMES:
            if wrong := heard_at(name):
                raise SystemExit(f"the second server at {name}: {wrong}")
        return try_all("redirects", list(place.all_trials()), place.judge)


if __name__ == "__main__":
    sys.exit(main())
