#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers whose TLS is wrong: nothing is sent to them, and the error says what
is wrong. Output is TAP.

usage: tls.py TRACEFIND

Every run has a token. The server may hear it where all is right or the user
says --insecure, and nowhere else.
"""
import re
import sys
import tempfile
from pathlib import Path
from ssl import TLSVersion

sys.dont_write_bytecode = True
import authority
import wire
from authority import AGO, AHEAD, FAR_AHEAD, LONG_AGO, context
from tap import lack, skip_all
from trial import (GOOD, TESTDATA, UNREACHABLE, USAGE, environment, run, told,
                   try_all)

TOKEN = "canary-token-2c77"
# As OpenSSL, GnuTLS and curl put it.
UNTRUSTED = "unable to get local issuer|self.signed|self signed|unknown"


class Trial:
    """tls: the server's context, None for plain http, or a function for a
    server that is none; args: of the run; words: one of which the error has,
    parted by |."""

    def __init__(self, title, tls, args=(), status=UNREACHABLE, words="",
                 url="https://"):
        self.title, self.tls, self.args = title, tls, list(args)
        self.status, self.words, self.url = status, words, url


def raw(data):
    """A server that answers a hello with these bytes."""
    return lambda link: link.send(data)


class Files:
    """All that is signed, once."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.root = authority.Authority(folder)
        self.other = authority.Authority(folder, "other")
        self.good = self.root.issue("server")
        self.client = self.root.issue("client")
        self.stranger = self.other.issue("stranger")
        self.ca = [f"--cacert={self.root.cert}"]
        self.empty = self.folder / "empty"
        self.empty.touch()
        self.text = self.folder / "text"
        self.text.write_text("no certificate\n")

    def pair(self, pair):
        return [f"--cert={pair[0]}", f"--key={pair[1]}"]


def names(files):
    issue = files.root.issue
    for title, alt in {
            "another name": "DNS:other.example",
            "another address": "IP:127.0.0.2",
            "the address as a name": "DNS:127.0.0.1",
            "a pattern for the address": "DNS:*.0.0.1",
            "a name with the right one before it":
                "DNS:127.0.0.1.evil.example"}.items():
        yield Trial(f"certificate of {title}", context(issue(
            title.replace(" ", "-"), alt)), files.ca,
            words="target host name.*put a name.*-url")
    yield Trial("certificate of a common name alone",
                context(issue("127.0.0.1", "DNS:other.example")), files.ca,
                words="target host name.*put a name.*-url")


def times(files):
    issue = files.root.issue
    yield Trial("expired", context(issue("expired", start=LONG_AGO, end=AGO)),
                files.ca, words="expired.*clock")
    yield Trial("not yet valid", context(issue(
        "early", start=AHEAD, end=FAR_AHEAD)), files.ca,
        words="not yet valid.*clock")


def signers(files):
    issue = files.root.issue
    yield Trial("unknown authority", context(files.stranger), files.ca,
                words=UNTRUSTED)
    yield Trial("authority not named", context(files.good), words=UNTRUSTED)
    alone = files.root.self_signed("alone", f"subjectAltName={authority.HERE}")
    yield Trial("self-signed", context(alone), files.ca, words=UNTRUSTED)
    leaf = issue("leaf", more="basicConstraints=critical,CA:FALSE")
    forged = issue("forged", signer=leaf)
    yield Trial("signed by a server's certificate",
                context(forged, chain=[leaf[0]]), files.ca,
                words="invalid CA|certificate|unable")
    yield Trial("for clients only", context(issue(
        "purpose", more="extendedKeyUsage=clientAuth")), files.ca,
        words="purpose")
    old = authority.Authority(files.folder, "old", md="sha1")
    yield Trial("signed with SHA-1", context(
        old.issue("sha1"), chain=[old.cert]), [f"--cacert={old.cert}"],
        words="too weak|alert|digest")


def versions(files):
    for version in (TLSVersion.TLSv1, TLSVersion.TLSv1_1):
        yield Trial(f"{version.name} only",
                    context(files.good, version=version), files.ca,
                    words="protocol|version")
    yield Trial("plain http that waits for more", None,
                [*files.ca, "--timeout=1s"], words="timed out")
    yield Trial("TLS on a port of plain http", context(files.good),
                url="http://", words="https")
    hello = b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03"
    for title, data in {
            "closed at once": b"", "half a hello": hello,
            "NULs": bytes(400), "an alert": b"\x15\x03\x03\x00\x02\x02\x28",
            "plain http": b"HTTP/1.1 400 Bad Request\r\n\r\n",
            "a record of 64 KiB": b"\x16\x03\x03\xff\xff" + bytes(65535),
            "the hello it got": b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00",
            }.items():
        yield Trial(f"in place of a handshake: {title}", raw(data), files.ca,
                    words="https|TLS|connection")


def clients(files):
    root, pair = files.root, files.pair
    asks = context(files.good, clients=root.cert)
    yield Trial("client certificate missing", asks, files.ca,
                words="client certificate|certificate required")
    yield Trial("client certificate of another authority", asks,
                files.ca + pair(files.stranger),
                words="client certificate|unknown ca")
    yield Trial("client certificate expired", asks, files.ca + pair(
        root.issue("late", start=LONG_AGO, end=AGO)),
        words="client certificate|expired")
    for title, args in {
            "key of another certificate": [f"--cert={files.client[0]}",
                                           f"--key={files.stranger[1]}"],
            "client certificate that is none": [f"--cert={files.text}",
                                                f"--key={files.client[1]}"],
            "client certificate that is not there":
                [f"--cert={files.folder}/absent", f"--key={files.client[1]}"],
            "key that is empty": [f"--cert={files.client[0]}",
                                  f"--key={files.empty}"]}.items():
        yield Trial(title, asks, files.ca + args, USAGE,
                    "certificate|key|--cert")
    for title, path in {"is none": files.text, "is empty": files.empty,
                        "is not there": files.folder / "absent",
                        "is a folder": files.folder}.items():
        yield Trial(f"authority's file {title}", context(files.good),
                    [f"--cacert={path}"], USAGE, "certificate|cacert")
    yield Trial("good", context(files.good), files.ca, GOOD)
    yield Trial("good, with a client certificate", asks,
                files.ca + pair(files.client), GOOD)
    yield Trial("good, TLS 1.2", context(
        files.good, version=TLSVersion.TLSv1_2), files.ca, GOOD)
    yield Trial("wrong, but --insecure", context(files.stranger),
                ["--insecure"], GOOD)


class Place:
    def __init__(self, program, files):
        self.program, self.files = program, files
        self.recorded = wire.Recorded(TESTDATA / "cases/n-plus-one.har.gz")
        self.token = files.folder / "token"
        self.token.write_text(TOKEN + "\n")

    def judge(self, trial):
        answer = wire.good(self.recorded)
        tls = trial.tls
        if callable(tls):
            server = wire.Wire(answer, greet=tls)
        else:
            server = wire.Wire(answer, tls)
        with server:
            outcome = run(self.program, server.host, [
                "show", "bc3c20d5b1e18038e8dba50f99cc6d1d", "--retry=0",
                f"--traces-url=tempo+{trial.url}{server.host}",
                f"--token-file={self.token}",
                *([] if "--timeout=1s" in trial.args else ["--timeout=5s"]),
                *trial.args],
                environment(self.recorded.now))
        return self.complaint(trial, outcome, server)

    @staticmethod
    def complaint(trial, outcome, server):
        if outcome.status != trial.status:
            return f"status {outcome.status}: {outcome.stderr[:300]}"
        heard = b"".join(server.heard)
        if (TOKEN.encode() in heard) != (trial.status == GOOD):
            return f"heard {heard[:200]}"
        if trial.status == GOOD:
            return None if "bc3c20d5" in outcome.stdout else "no answer"
        if TOKEN in outcome.stderr:
            return "told the token"
        if not re.search(trial.words, outcome.stderr):
            return f"no reason: {outcome.stderr}"
        return told(outcome)


def main():
    program = str(Path(sys.argv[1]).resolve())
    if authority.is_missing():
        return skip_all(lack("openssl"))
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        files = Files(folder)
        trials = [(trial.title, trial) for family in (
            names, times, signers, versions, clients)
            for trial in family(files)]
        return try_all("tls", trials, Place(program, files).judge)


if __name__ == "__main__":
    sys.exit(main())
