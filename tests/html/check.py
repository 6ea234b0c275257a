#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes pages of cases and holds them to what they promise.

usage: check.py TRACEFIND

Strict HTML by html5lib and tidy, where they are installed. Without them, too:
a policy that lets in just the scripts and styles that are there, nothing that
loads, links out or runs by an attribute, ids that are unique and found by what
refers to them, headings without gaps, tables whose rows are of one width, the
same bytes from the same input, a size that can be mailed.
"""
import base64
import gzip
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap, lack  # noqa: E402

try:
    import html5lib
except ImportError:
    html5lib = None

TRACE = "bc3c20d5b1e18038e8dba50f99cc6d1d"
VOID = {"meta", "link", "br", "img", "input", "hr", "wbr"}
ELEMENTS = set("""a b body button canvas circle code dd details div dl dt figure
footer h1 h2 h3 head header html input kbd label li line main meta nav ol option
output p path pattern pre rect script section select span strong style summary svg g
table tbody td text th thead title tr ul wbr""".split())
LOADS = {"src", "srcset", "data", "action", "formaction", "poster",
         "background", "xlink:href", "ping", "style"}
SIZE_MAX = 400_000
OWN_MAX = 150_000  # of it, scripts and styles
CANARY = "\"'><script>canary()</script><img src=x onerror=canary()>"


class Bad(Exception):
    pass


class Page(HTMLParser):
    """What of a page its checks ask for."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.refs = [], [], []
        self.texts = {"script": [], "style": []}
        self.headings, self.policy, self.rows = [], None, []
        self.feed(text)
        self.close()
        if self.open:
            raise Bad(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        self.begin(tag, dict(attrs))
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_startendtag(self, tag, attrs):
        self.begin(tag, dict(attrs))

    def begin(self, tag, attrs):
        if tag not in ELEMENTS:
            raise Bad(f"element {tag}")
        for name, value in attrs.items():
            if name in LOADS or name.startswith("on"):
                raise Bad(f"{tag} {name}={value!r}")
        if "href" in attrs and not attrs["href"].startswith("#") and (
                not attrs["href"].startswith("https://")
                or attrs.get("rel") != "noreferrer"):
            raise Bad(f"a link to {attrs['href']!r}")
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.refs += [attrs[name].lstrip("#") for name in
                      ("href", "aria-labelledby", "for", "aria-controls",
                       "aria-describedby") if name in attrs
                      and not attrs[name].startswith("https:")]
        if tag in ("h1", "h2", "h3"):
            self.headings.append(int(tag[1]))
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            raise Bad(f"</{tag}> within {self.open[-1:]}")
        self.open.pop()

    def handle_data(self, data):
        tag, attrs = self.open[-1] if self.open else ("", {})
        if tag == "style" or (tag == "script" and "type" not in attrs):
            self.texts[tag].append(data)


def check_policy(page):
    want = {}
    if not page.policy:
        raise Bad("no policy")
    for part in page.policy.split(";"):
        name, *values = part.split()
        want[name] = values
    for name in ("default-src", "base-uri", "form-action"):
        if want.get(name) != ["'none'"]:
            raise Bad(f"{name} is {want.get(name)}")
    for tag, name in (("script", "script-src"), ("style", "style-src")):
        found = ["'sha256-" + base64.b64encode(hashlib.sha256(
            text.encode()).digest()).decode() + "'"
            for text in page.texts[tag]]
        if found != want.get(name, []):
            raise Bad(f"{name} lets in {want.get(name)}, there is {found}")
    if not page.texts["style"]:
        raise Bad("no style")


def check_structure(page):
    for i in page.ids:
        if page.ids.count(i) > 1:
            raise Bad(f"id {i} twice")
    for ref in page.refs:
        if ref not in page.ids:
            raise Bad(f"nothing has the id {ref}")
    last = 0
    for heading in page.headings:
        if heading > last + 1:
            raise Bad(f"h{heading} after h{last}")
        last = heading
    if page.headings.count(1) != 1:
        raise Bad("not one h1")


def check_html5lib(text):
    html5lib.HTMLParser(strict=True).parse(text)


def check_tidy(path):
    done = subprocess.run(
        ["tidy", "-e", "-q", "--show-warnings", "yes", "--drop-empty-elements",
         "no", "--mute", "PROPRIETARY_ATTRIBUTE", str(path)],
        capture_output=True, text=True, check=False)
    if done.returncode > 1 or done.stderr.strip():
        raise Bad(done.stderr.strip()[:300])


class Test(Tap):
    def __init__(self, program, folder):
        super().__init__()
        self.program, self.folder = str(Path(program).resolve()), Path(folder)
        self.data = Path(os.environ["TESTDATA"])

    def run_program(self, *args, status=0):
        done = subprocess.run(
            [self.program, *args], check=False, cwd=self.folder,
            capture_output=True, text=True,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
        if done.returncode != status:
            raise Bad(f"{args}: status {done.returncode}: {done.stderr}")
        return done.stdout

    def write(self, name, *args, **kwargs):
        path = self.folder / name
        self.run_program(*args, "-o", f"html={path}", **kwargs)
        return path

    def page(self, name, *args, **kwargs):
        path = self.write(f"{name}.html", *args, **kwargs)
        text = path.read_text(encoding="utf-8")
        again = self.write(f"{name}-again.html", *args, **kwargs)
        page = None

        def parse():
            nonlocal page
            page = Page(text)

        def same():
            if path.read_bytes() != again.read_bytes():
                raise Bad("other bytes the second time")

        def size():
            if len(text.encode()) > SIZE_MAX:
                raise Bad(f"{len(text.encode())} bytes")
            own = sum(len(t) for texts in page.texts.values() for t in texts)
            if own > OWN_MAX:
                raise Bad(f"{own} bytes of scripts and styles")

        self.attempt(f"{name}: elements and attributes", parse)
        self.attempt(f"{name}: policy", check_policy, page)
        self.attempt(f"{name}: structure", check_structure, page)
        self.attempt(f"{name}: the same twice", same)
        self.attempt(f"{name}: size", size)
        if html5lib:
            self.attempt(f"{name}: html5lib", check_html5lib, text)
        else:
            self.skip(f"{name}: html5lib", lack("html5lib"))
        if shutil.which("tidy"):
            self.attempt(f"{name}: tidy", check_tidy, path)
        else:
            self.skip(f"{name}: tidy", lack("tidy"))

    def beside(self, *args):
        """Other formats are the same with a page beside them."""
        for name in ("table", "json", "csv", "markdown"):
            if args[0] == "show" and name == "csv":
                continue
            alone = self.run_program(*args, "-o", name)
            both = self.run_program(*args, "-o", name, "-o",
                                    f"html={self.folder}/beside.html")
            if alone != both or not alone:
                raise Bad(f"{name} is another one")

    def again(self, *args):
        """The page's command gives the same page."""
        text = self.write("first.html", *args).read_text(encoding="utf-8")
        command = unescape(re.search(r"<dt>again</dt><dd><pre><code>(.*?)</code>", text)[1])
        words = shlex.split(command)
        if words[0] != "tracefind":
            raise Bad(command)
        if self.write("second.html", *words[1:]).read_text(
                encoding="utf-8") != text:
            raise Bad(f"{command} gives another page")

    def links(self, case, options, *wanted):
        """Where trace and profile can be looked at elsewhere."""
        text = self.write("links.html", "slow", "--replay", self.case(case),
                          *options).read_text(encoding="utf-8")
        found = [unescape(link) for link in re.findall(
            r'href="([^"]*)">open the (?:trace|profile)<', text)]
        if found != list(wanted):
            raise Bad(f"links to {found}")

    def case(self, name):
        return str(self.data / "cases" / name)

    def embedded(self, size, is_held):
        """A page holds a case of 12 MiB, not more."""
        with gzip.open(self.case("n-plus-one.har.gz")) as file:
            har = json.load(file)
        entry = json.loads(json.dumps(har["log"]["entries"][0]))
        noise = random.Random(1).randbytes(size)
        entry["request"]["url"] += "/noise"
        entry["response"]["content"] = {
            "size": size, "mimeType": "application/octet-stream",
            "encoding": "base64", "text": base64.b64encode(noise).decode()}
        har["log"]["entries"].append(entry)
        path = self.folder / "large.har"
        path.write_text(json.dumps(har), encoding="utf-8")
        page = self.folder / "large.html"
        self.run_program("slow", TRACE, "--replay", str(path), "-o",
                         f"html={page}", "--embed-case")
        if ('<script id="case"' in page.read_text("utf-8")) != is_held:
            raise Bad(f"with {size} bytes more it is held: {not is_held}")

    def recorded(self, path):
        """The page of a recorded case can be mailed; some have no page."""
        page = self.folder / "recorded.html"
        page.unlink(missing_ok=True)
        subprocess.run([self.program, "--replay", path, "-o", f"html={page}"],
                       check=False, capture_output=True, timeout=60,
                       env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
        if page.exists() and page.stat().st_size > SIZE_MAX:
            raise Bad(f"{page.stat().st_size} bytes")

    def folded(self, name, *stacks):
        path = self.folder / name
        path.write_text("".join(f"{s}\n" for s in stacks), encoding="utf-8")
        return str(path)

    def run(self):
        loop = ["--replay", self.case("n-plus-one.har.gz")]
        name = CANARY.replace(";", ":")
        before = self.folded("before.folded", "main;a 400", "main;b 600",
                             f"main;{name};x 10")
        after = self.folded(f"after-{name.replace('/', '')}.folded",
                            "main;a 900", "main;c 100", f"main;{name};x 500")
        self.page("slow", "slow", TRACE, *loop)
        self.page("slow-why", "slow", TRACE, *loop, "--why", "-n", "0")
        self.page("slow-source", "slow", TRACE, *loop, "--source-url",
                  "https://git.acme.test/a/{path}?at=main#L{line}")
        self.attempt("links: none", self.links, "n-plus-one.har.gz", [])
        self.attempt("links: of patterns", self.links, "n-plus-one.har.gz",
                     ["--trace-link", "https://g.test/{trace_id}?a",
                      "--profile-link",
                      "http://g.test/?q={type}{selector}&f={from_ms}-{to_ms}"],
                     f"https://g.test/{TRACE}?a",
                     "http://g.test/?q=process_cpu%3Acpu%3Ananoseconds%3Acpu"
                     "%3Ananoseconds%7Bservice_name%3D%22user-db%22%7D"
                     "&f=1795255783403-1795256268920")
        self.attempt("links: of Jaeger", self.links, "n-plus-one-jaeger.har.gz",
                     [], f"http://localhost:16686/trace/{TRACE}")
        self.attempt("links: of Cloud Trace", self.links, "cloud-trace.har.gz",
                     [], "https://console.cloud.google.com/traces/list"
                     f"?project=my-project&tid=0877e2bc118ffe1755e6395c96e1df2a")
        self.page("show", "show", TRACE, *loop)
        self.page("show-span", "show", TRACE, *loop, "--span",
                  "0b08ccd438311c4f")
        self.page("show-events", "show", str(self.data / "otlp" / "a.json"),
                  "--events")
        trace = str(self.data / "otlp" / "a.json")
        self.page("no-profile", "slow", trace, "--profiles-url",
                  f"file:{trace}", status=7)
        self.page("diff", "diff", before, after)
        self.page("profile", "profile", after)
        self.page("when", "when", "--service", "pricing-w1-a", "--from",
                  "2026-11-25T12:00:00Z", "--to", "2026-11-25T17:50:00Z",
                  "--replay", self.case("when-version.har.gz"))
        self.page("slo", "slo", "--replay", self.case("slo-spent.har.gz"),
                  status=10)
        self.page("leak", "leak", "--replay", self.case("leak-leaky.har.gz"),
                  status=10)
        for args in (["slow", TRACE, *loop], ["show", TRACE, *loop],
                     ["diff", before, after, "-n", "1"], ["profile", after]):
            self.attempt(f"{args[0]}: beside other formats", self.beside, *args)
        for args in (["slow", TRACE, *loop, "-n", "3"],
                     ["show", TRACE, *loop, "--collapse", "auth", "-n", "7"],
                     ["diff", before, after, "--sort", "self"]):
            self.attempt(f"{args[0]}: its command again", self.again, *args)
        for path in sorted((self.data / "cases").glob("*.har.gz")):
            self.attempt(f"{path.name}: size", self.recorded, path)
        mib = 1 << 20
        self.attempt("a case of 12 MiB is held", self.embedded, 11 * mib, True)
        self.attempt("a larger one is not", self.embedded, 12 * mib, False)
        return self.end()


def main():
    with tempfile.TemporaryDirectory() as folder:
        return Test(sys.argv[1], folder).run()


if __name__ == "__main__":
    sys.exit(main())
