#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts that mean to be code, markup or a row of their own, in every field of
traces and profiles, and in every name that servers list.

usage: injection.py TRACEFIND [--all]

Every output has to be read by a parser of its format as what it is: the texts
come back as texts where the format keeps them, and nothing else is there. Pages
and pictures are opened in a headless Chromium where there is one, without the
policy that would stop a script, and used: nothing may run or be asked for.
Without --all pages hold all texts at once, with it each one alone, too. What is
bad on purpose comes first, and must be seen. An output whose parser is missing
is told as skipped, and counts as nothing. TAP, a line an output.
"""
import argparse
import csv
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(TESTS)] + [str(TESTS / name) for name in ("cli", "safety", "html", "net")]
import check as pages  # noqa: E402
import escapes  # noqa: E402
import figures  # noqa: E402
import listing  # noqa: E402
from chromium import Browser, find_chromium  # noqa: E402
from payloads import PAYLOADS, RUN  # noqa: E402
from tap import lack  # noqa: E402

LIMIT_S = 60
SHOWN = 5
TEXTS = sorted(set(PAYLOADS))
# Of a page of Markdown; whatever else it holds is of a text's making.
MARKDOWN_TAGS = set("p strong em ul ol li table thead tbody tr th td code pre h1 h2 h3 br hr".split())
SVG_TAGS = set("svg g rect text title tspan style script path desc defs a input foreignObject "
               "clipPath use line form pattern".split())

# Runs in a page: everything that a person may touch is touched.
USE = """
(text => {
  const all = s => Array.from(document.querySelectorAll(s));
  all('details').forEach(e => e.open = true);
  all('input[type=search],input[type=text],input:not([type])').forEach(e => {
    e.focus(); e.value = text;
    e.dispatchEvent(new Event('input', {bubbles: true}));
    e.dispatchEvent(new Event('change', {bubbles: true})); });
  all('select').forEach(e => Array.from(e.options).forEach(o => {
    e.value = o.value; e.dispatchEvent(new Event('change', {bubbles: true})); }));
  const parts = all('a,button,summary,th,tr,g,canvas,[tabindex],li').slice(0, 2000);
  for (const type of ['mouseover', 'mousemove', 'pointermove', 'focus', 'click'])
    parts.forEach(e => e.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true})));
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight', 'Enter', 'Escape', '/'])
    all('canvas,svg').forEach(e => e.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})));
  return new Promise(done => setTimeout(() => done(window.canary || 0), 30));
})(%s)
"""
ODD = "document.querySelectorAll('img,image,iframe,object,embed,base,video,form[action],a[href^=java]').length"


def plain(text):
    """As a table shows it: what a terminal would obey is spelled out."""
    return "".join(escapes_of(c) for c in text)


def escapes_of(c):
    if c in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[c]
    if escapes.is_control(c, "table"):
        return f"\\x{ord(c):02x}" if ord(c) < 0x80 else f"\\u{ord(c):04x}"
    return c


# ---- parsers: what is wrong, or nothing ----

class Missing(Exception):
    """What an output would be read with."""


def need(program):
    if not shutil.which(program):
        raise Missing(lack(program))


def texts_missing(found, texts):
    missing = [t for t in texts if t not in found]
    return f"{len(missing)} texts are others: {missing[:3]}" if missing else None


def all_strings(value):
    if isinstance(value, dict):
        for v in value.values():
            yield from all_strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from all_strings(v)
    elif isinstance(value, str):
        yield value


def named(text):
    """A name in a folded line or a file of folded stacks is trimmed."""
    return text.strip()


def read_json(out, texts):
    return texts_missing(set(all_strings(json.loads(out))), texts)


def read_csv(out, texts):
    rows = list(csv.reader(io.StringIO(out, newline=""), strict=True))
    if len({len(row) for row in rows}) != 1:
        return f"rows of {sorted({len(row) for row in rows})} fields"
    for row in rows:
        for field in row:
            if field[:1] in tuple("=+-@\t\r") and not re.fullmatch(r"[+-]?[\d.e+-]+", field):
                return f"a formula: {field!r}"
    found = {f for row in rows for f in row}
    return texts_missing(found | {f.removeprefix("'") for f in found}, [plain(t) for t in texts])


def read_dot(out, texts):
    need("dot")
    done = subprocess.run(["dot", "-Tplain"], input=out.encode(), capture_output=True, timeout=LIMIT_S)
    if done.returncode or done.stderr:
        return f"dot: {done.stderr.decode()[:300]}"
    # The legend stands within a line; a colour of it is a node of its own.
    wanted = {"legend", *re.findall(r"^(N\d+|colour\d+) \[", out, re.M)}
    found = re.findall(r"^node (\S+)", done.stdout.decode(), re.M)
    return None if sorted(found) == sorted(wanted) else f"{len(found)} nodes for {len(wanted)}"


def read_svg(out, texts):
    root = ET.fromstring(out)
    tags = {e.tag.rpartition("}")[2] for e in root.iter()} - SVG_TAGS
    if tags:
        return f"elements {tags}"
    for e in root.iter():
        for name, value in e.attrib.items():
            if name.startswith("on") or "javascript:" in value or "://" in value:
                return f"attribute {name}={value!r}"
    scripts = sum(e.tag.endswith("}script") for e in root.iter())
    return None if scripts <= 1 else f"{scripts} scripts"


def read_html(out, texts):
    page = pages.Page(out)
    pages.check_policy(page)
    pages.check_structure(page)
    return None


def read_html5lib(out, texts):
    if not pages.html5lib:
        raise Missing(lack("html5lib"))
    pages.check_html5lib(out)
    return None


def read_markdown(out, texts):
    """texts: of which each is a code of its own, as names of a table are."""
    need("cmark-gfm")
    done = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough"],
                          input=out.encode(), capture_output=True, timeout=LIMIT_S, check=True)
    page = done.stdout.decode()
    for tag, rest in re.findall(r"<(/?[a-zA-Z][^\s/>]*|[!?])([^>]*)>", page):
        if tag.lstrip("/") not in MARKDOWN_TAGS or (rest.strip(" /") and not re.match(
                r' align="\w+"| start="\d+"', rest)):
            return f"markup <{tag}{rest}>"
    found = {html.unescape(code) for code in re.findall("<td[^>]*><code>([^<]*)</code></td>", page)}
    return texts_missing(found, [plain(t) for t in texts])


def read_folded(out, texts):
    for line in out.splitlines():
        if not re.fullmatch(r".*\S \d+( \d+)?", line):
            return f"line {line!r}"
    return None


def read_table(out, texts):
    return escapes.complaint(out.encode(), [])


READERS = {"json": read_json, "chrome": read_json, "speedscope": read_json, "csv": read_csv, "dot": read_dot,
           "svg": read_svg, "html": read_html, "markdown": read_markdown, "folded": read_folded,
           "difffolded": read_folded, "table": read_table, "html5lib": read_html5lib}
TRACE_RUNS = ["show {}", "show {} --events -o json", "show {} -o chrome", "show {} -o svg", "show {} --events -o html",
              "show {} -o markdown", "slow {} --profiles-url file:{profile} -o html",
              "slow {} --profiles-url file:{profile} -o markdown", "slow {} --profiles-url file:{profile} -o svg"]
PROFILE_RUNS = ["profile {profile} -n 0 -o " + f for f in (
    "json", "csv", "speedscope", "folded", "dot", "svg", "html", "markdown")] + [
    "diff {base} {profile} -n 0 -o " + f for f in ("json", "csv", "difffolded", "svg", "html", "markdown", "dot")]
# Names that servers list: services, operations, tags and their values.
LIST_RUNS = [f"{command} -n 0 -o {form}" for forms, commands in (
    ("csv markdown json table", ("search --all --traces-url tempo+{url}", "services --profiles-url pyroscope+{url}")),
    ("json table", ("search --tags --traces-url tempo+{url}", "search --tags http.route --traces-url tempo+{url}")))
             for command in commands for form in forms.split()]
# What each parser has to refuse.
BAD = {"json": "{}", "csv": "a,b\r\n=1,2\r\n", "dot": 'digraph {\nN1 [label="a"];\nx; y; z\n}',
       "svg": '<svg xmlns="http://www.w3.org/2000/svg"><image href="x"/></svg>', "html": "<h1>a</h1><p>b</p>",
       "html5lib": "<p></b>", "markdown": "a <b>b</b>", "folded": "main\n", "table": "a\x1b[31m"}
# Pages, and what has to be seen when they are opened.
POLICY = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
BAD_PAGES = [("html", f"{POLICY}<script>{RUN}</script>", "1 ran"),
             ("html", f"<button onclick='{RUN}'>x</button>", "1 ran"),
             ("html", "<img alt=x>", "elements that are not ours"),
             ("html", "<link rel=stylesheet href=http://127.0.0.1:1/x>", "asked for"),
             ("html", "<script>throw 1</script>", "errors"),
             ("svg", f'<svg xmlns="http://www.w3.org/2000/svg"><script>{RUN}</script></svg>', "1 ran")]
# Those that say every text; the others have room for some.
WHOLE = {"show {} --events -o json", "profile {profile} -n 0 -o json", "profile {profile} -n 0 -o csv",
         "profile {profile} -n 0 -o speedscope", "diff {base} {profile} -n 0 -o csv",
         *(run for run in LIST_RUNS if re.search(r"(search --all|services) .* (csv|json)|http.route .* json|"
                                                 "services .* markdown", run))}


class Trials:
    def __init__(self, program, folder, browser, server=None):
        self.program, self.folder, self.browser, self.server = program, folder, browser, server
        self.results = {}  # name of the output: [complaints]
        self.skipped = {}  # name of the output: what is missing
        self.tried = 0

    def inputs(self, texts):
        base, profile, trace = (self.folder / n for n in ("base.pb", "profile.pb", "trace.json"))
        base.write_bytes(escapes.pprof(["other", *texts[::2]]))
        profile.write_bytes(escapes.pprof(texts))
        trace.write_bytes(escapes.otlp_json(texts))
        self.server.texts = texts
        return {"{base}": str(base), "{profile}": str(profile), "{}": str(trace), "{url}": self.server.url}

    def run(self, words):
        done = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, timeout=LIMIT_S,
                              env={**os.environ, "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                                   "TRACEFIND_NOW": listing.NOW})
        if done.returncode not in (0, 5):
            return None, f"status {done.returncode}: {done.stderr[:300]!r}"
        return done.stdout.decode("utf-8"), None

    def note(self, name, texts, wrong):
        self.tried += len(texts)
        self.results.setdefault(name, [])
        if wrong:
            self.results[name].append(wrong)

    def read(self, name, form, out, texts, wanted):
        try:
            wrong = READERS[form](out, wanted)
        except Missing as missing:
            self.skipped[name] = str(missing)
            return
        except Exception as error:  # whatever a parser raises
            wrong = f"{type(error).__name__} {error}"
        self.note(name, texts, wrong)

    def opened(self, name, form, out, texts):
        if self.browser:
            self.note(name, texts, self.open(form, out, texts[0]))
        else:
            self.skipped[name] = lack("chromium")

    def overlooked(self):
        """What is bad on purpose, and was not seen."""
        control = Trials(self.program, self.folder, self.browser)
        for form, out in BAD.items():
            control.read(form, form, out, [form], ["text"])
        for number, (form, out, _) in enumerate(BAD_PAGES):
            control.opened(number, form, out, ["x"])
        self.skipped.update({f"a bad one of {name}" if name in BAD else "bad pages, opened": missing
                             for name, missing in control.skipped.items()})
        for name, found in control.results.items():
            words = "" if name in BAD else BAD_PAGES[name][2]
            title = f"a bad one of {name}" if name in BAD else "bad pages, opened"
            self.results.setdefault(title, [])
            if not found or words not in found[0]:
                self.results[title].append(f"{words or 'a complaint'}: overlooked, found {found}")

    def open(self, form, text, payload):
        """What is wrong when it is opened and used."""
        path = self.folder / f"open.{form}"
        path.write_text(re.sub(r'<meta http-equiv="?Content-Security-Policy"?[^>]*>', "", text), encoding="utf-8")
        self.browser.open(path)
        ran = self.browser.js(USE % json.dumps(payload))
        if ran:
            return f"{ran} ran"
        if self.browser.js(ODD):
            return "elements that are not ours"
        asked = [r["request"]["url"] for r in self.browser.of("Network.requestWillBeSent")
                 if r["request"]["url"] != path.as_uri()]
        errors = self.browser.of("Runtime.exceptionThrown")
        return f"asked for {asked}" if asked else f"errors {errors}"[:600] if errors else None

    def texts(self, texts):
        names = self.inputs(texts)
        for run in TRACE_RUNS + PROFILE_RUNS + LIST_RUNS:
            words = [w for w in run.split()]
            for name, value in names.items():
                words = [w.replace(name, value) for w in words]
            form = words[words.index("-o") + 1] if "-o" in words else "table"
            out, wrong = self.run(words)
            if wrong:
                self.note(run, texts, wrong)
                continue
            self.read(run, form, out, texts, [t for t in texts if t] if run in WHOLE else [])
            if form == "html":
                self.read(run + ", html5lib", "html5lib", out, texts, [])
            if form in ("svg", "html"):
                self.opened(run + ", opened", form, out, texts)

    def reread(self, texts):
        """Folded stacks and speedscope's files hold as many values as before."""
        names = self.inputs(texts)
        for form in ("folded", "speedscope"):
            path = str(self.folder / f"again.{form}")
            self.run(["profile", names["{profile}"], "-o", f"{form}={path}"])
            totals = [json.loads(self.run(["profile", p, "-o", "json", "-n", "0"])[0])["profile"]
                      for p in (names["{profile}"], path)]
            values = [sum(f["self_value"] for f in json.loads(self.run(
                ["profile", p, "-o", "json", "-n", "0"])[0])["functions"]) for p in (names["{profile}"], path)]
            self.note(f"{form}, read again", texts, None if values[0] == values[1] and totals[0] else
                      f"{values[1]} instead of {values[0]}")

    def report(self):
        for name, missing in self.skipped.items():
            self.results.setdefault(f"{name} # SKIP {missing}", [])
        print(f"1..{len(self.results)}")
        for i, (name, wrong) in enumerate(self.results.items(), 1):
            print(f"{'not ok' if wrong else 'ok'} {i} - {name}")
            for line in wrong[:SHOWN]:
                print("#   " + str(line).replace("\n", "\\n"))
        failed = sum(map(len, self.results.values()))
        print(f"# {len(TEXTS)} texts, {self.tried} times in an output, {failed} failed")
        missing = sorted(set(self.skipped.values()))
        figures.record("injection", self.tried, failed, payloads=len(TEXTS), skipped=len(self.skipped),
                       **({"because": missing} if missing else {}))
        return failed == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    chromium = find_chromium() if shutil.which("bash") else None
    with tempfile.TemporaryDirectory(prefix="tracefind-", ignore_cleanup_errors=True) as folder, \
            listing.Listing() as server:
        browser = Browser(chromium, f"{folder}/browser") if chromium else None
        trials = Trials(str(Path(options.program).resolve()), Path(folder), browser, server)
        try:
            trials.overlooked()
            trials.texts(TEXTS)
            trials.reread(TEXTS)
            for text in TEXTS if options.all else []:
                trials.texts([text])
        finally:
            if browser:
                browser.close()
    return 0 if trials.report() else 1


if __name__ == "__main__":
    sys.exit(main())
