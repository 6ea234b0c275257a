#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens pages of cases in a headless Chromium and uses them as a person does.

usage: pages.py TRACEFIND

Skipped where there is no Chromium (tests/chromium.py).
"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import AFTER, BEFORE, CANARIES, TRACE, Page, main  # noqa: E402

# Runs in the page: what a person sees of it.
LOOK = """
window.rows = () => Array.from(document.querySelectorAll('#table tbody tr'))
  .filter(r => r.offsetHeight);
window.names = () => rows().map(r =>
  r.cells[0].firstElementChild.textContent);
window.head = name => Array.from(document.querySelectorAll('#table thead th'))
  .find(h => h.textContent === name);
window.column = name => rows().map(r => Number(
  r.cells[head(name).cellIndex].dataset.v));
window.spans = () => Array.from(document.querySelectorAll(
  '.rows > [aria-level]')).filter(r => r.offsetHeight);
window.span = name => spans().find(r =>
  r.querySelector('b').textContent === name);
window.focused = () => document.activeElement.matches('summary:has(b)') ?
  document.activeElement.querySelector('b').textContent :
  (document.activeElement.getAttribute("href") || "")[0] === "#" &&
  !document.activeElement.textContent ? "bar" :
  document.activeElement.textContent.slice(0, 60) ||
  document.activeElement.tagName;
window.center = e => { e.scrollIntoView({block: 'center'});
  var r = e.getBoundingClientRect();
  return [r.left + Math.min(r.width / 2, 60), r.top + r.height / 2]; };
window.button = text => Array.from(document.querySelectorAll('button'))
  .find(b => b.textContent === text || b.id === text);
"""

# The least contrast of all text that is shown, with its place: relative
# luminance and ratio as WCAG 2 defines them. Elements of mixed opacity and SVG
# are no text of ours.
CONTRAST = """
(() => {
  const rgb = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const lum = c => { const [r, g, b] = c.slice(0, 3).map(v => {
    v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) {
    const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  let worst = [99, ''];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement;
    if (!n.textContent.trim() || !e.checkVisibility() ||
        e.closest('script,svg')) continue;
    const a = lum(rgb(getComputedStyle(e).color)), b = lum(ground(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < worst[0]) worst = [ratio, e.className + ' ' +
      n.textContent.trim().slice(0, 40)];
  }
  return worst;
})()
"""


class Test(Page):
    look = LOOK

    def click(self, expression):
        self.b.click(*self.b.js(f"center({expression})"))

    # ---- what there is ----

    def sort(self):
        b = self.b
        ranked = b.js("names()")
        self.equal(len(ranked), 3, "ten functions at first, of which ...")
        self.check(b.js("document.getElementById('callers').textContent")
                   .startswith("7 callers folded"), "seven are folded",
                   b.js("document.getElementById('callers').textContent"))
        self.equal(b.js("document.querySelectorAll('[aria-sort]').length"), 0,
                   "by rank at first")
        for name in ("self+lib", "total", "baseline", "change"):
            self.click(f"head('{name}').firstChild")
            values = b.js(f"column('{name}')")
            self.equal(values, sorted(values, reverse=True),
                       f"{name}: the largest first")
            self.equal(b.js(f"head('{name}').getAttribute('aria-sort')"),
                       "descending", f"{name}: told")
        self.equal(b.js("document.querySelectorAll('[aria-sort]').length"), 1,
                   "of one column only")
        self.click("head('change').firstChild")
        values = b.js("column('change')")
        self.equal(values, sorted(values), "the smallest first")
        self.check(values[0] < 0, "it is not among the first rows", values)
        self.click("head('change').firstChild")
        self.equal(b.js("names()"), ranked, "and by rank again")
        b.js("head('function').firstChild.focus()")
        b.key("Enter", "\r")
        names = b.js("names()")
        self.equal(names, sorted(names, key=str.lower), "by name, with Enter")
        self.equal(b.js("head('function').getAttribute('aria-sort')"),
                   "ascending", "by name: told")
        b.key("Enter", "\r")
        b.key("Enter", "\r")
        self.equal(b.js("names()"), ranked, "the third time by rank")

    def filter(self):
        b = self.b
        whole = b.js("document.querySelectorAll('#table tbody tr').length")
        self.check(whole > 100, "there are more", whole)
        self.click(f"button('Show all {whole}')")
        self.equal(b.js("rows().length"), whole, "all are shown")
        self.check(b.js("document.getElementById('callers').hidden"),
                   "the callers among them")
        self.click("button('Show the first 3')")
        self.equal(b.js("rows().length"), 3, "and the first again")
        b.js("document.querySelector('.tools input').focus()")
        b.type("LOADPREF")
        names = b.js("names()")
        self.check(names and all("loadpref" in n.lower() for n in names),
                   "the filter takes any case", names)
        self.equal(b.js("document.querySelector('.tools [role]').textContent"),
                   f"{len(names)} of {whole} functions", "and says how many")
        b.js("document.querySelector('.tools input').value = ''")
        b.type("users.go")
        self.check(b.js("rows().length") >= 2, "files count, too",
                   b.js("names()"))
        b.js("document.querySelector('.tools input').value = ''")
        b.type("(")
        self.check(b.js("rows().length") > 0, "it is no pattern")
        b.js("document.querySelector('.tools input').value = ''")
        b.type("no such function")
        self.equal(b.js("rows().length"), 0, "none is none")
        b.js("(i => { i.value = ''; i.dispatchEvent(new Event('input')); })"
             "(document.querySelector('.tools input'))")
        self.equal(b.js("rows().length"), 3, "without it the first")

    def found(self):
        """A function that is picked elsewhere is marked here."""
        b = self.b
        last = b.js("Array.from(document.querySelectorAll('#table tbody tr'))"
                    ".pop().cells[0].firstElementChild.textContent")
        tell = "tracefindPage.select({function: %s}, 'test')"
        marked = ("Array.from(document.querySelectorAll('tr[aria-current]'))"
                  ".map(r => r.cells[0].firstElementChild.textContent)")
        self.check(last not in b.js("names()"), "the last is not shown", last)
        b.js(tell % json.dumps(last))
        self.equal(b.js(marked), [last], "what is found is marked")
        self.equal(b.js("names().length"), 4, "and shown, without the others")
        b.js(tell % json.dumps("no such function"))
        self.equal(b.js(marked), [], "what is not there is not")
        b.js(tell % "null")
        self.equal(b.js("names().length"), 3, "nothing is nothing")

    def narrow(self):
        """Where columns have no room a value has its column's name."""
        b = self.b
        b.resize(600)
        named = b.js("""Array.from(rows()[0].cells).map(c => [getComputedStyle(
            c, '::before').content.replace(/"/g, '').trim(), document
            .querySelectorAll('#table thead tr > *')[c.cellIndex].textContent])
            .filter(n => n[0] !== 'none')""")
        self.check(len(named) == 3 and all(name == head for name, head in named),
                   "names of values are those of columns", named)
        b.resize(1200)

    def links(self):
        """From the table to the flame graph, and back."""
        b = self.b
        if not b.js("document.getElementById('flame') !== null"):
            return
        b.js("window.asked = []; tracefindPage.onSelect("
             "e => asked.push(e.function))")
        name = b.js("names()[1]")
        self.click("rows()[1].cells[0].firstElementChild")
        self.equal(b.js("asked"), [name], "the flame graph is asked for it")
        self.check(b.js("location.hash").startswith("#flame&")
                   and "fn=" in b.js("location.hash"),
                   "and comes into sight", b.js("location.hash"))
        self.equal(b.js("document.querySelectorAll('tr[aria-current]').length"),
                   1, "its row is marked")
        # What is found may be brought into sight a moment later.
        b.js("new Promise(r => setTimeout(r, 500))")

    def fold(self):
        b = self.b
        count = b.js("spans().length")
        self.equal(count, 15, "a row a span or its repeats")
        self.click("span('GET /users/by-email').querySelector('.fold')")
        self.equal(b.js("spans().length"), count - 4, "four below are folded")
        self.equal(b.js("span('GET /users/by-email').querySelector('.fold')"
                        ".getAttribute('aria-expanded')"), "false", "told")
        self.click("span('POST /authenticate').querySelector('.fold')")
        self.equal(b.js("spans().length"), 5, "and more above")
        self.click("span('POST /authenticate').querySelector('.fold')")
        self.equal(b.js("spans().length"), count - 4, "what was, stays folded")
        self.click("span('GET /users/by-email').querySelector('.fold')")
        self.equal(b.js("spans().length"), count, "all are back")

    def details(self):
        b = self.b
        said = ("span('POST /login').querySelector('.says')"
                ".checkVisibility()")
        self.equal(b.js(said), False, "what a span says waits")
        self.click("span('POST /login').querySelector('summary')")
        self.equal(b.js(said), True, "a click tells it")
        self.check("user_agent.original" in b.js(
            "span('POST /login').querySelector('.says').innerText"),
            "with all attributes")
        self.click("span('POST /login').querySelector('.ids a')")
        b.js("new Promise(r => setTimeout(r, 100))")
        self.equal(b.js("document.getElementById("
                        "tracefindPage.address.get('view')).open"), True,
                   "its process opens")

    def walk(self):
        b = self.b
        b.js("span('login').querySelector('summary').focus()")
        for key, wanted in (("ArrowDown", "HTTP POST"),
                            ("ArrowDown", "POST /login"),
                            ("ArrowUp", "HTTP POST"),
                            ("ArrowLeft", "HTTP POST"),
                            ("ArrowLeft", "login"), ("ArrowDown", "HTTP POST"),
                            ("End", "HTTP POST"), ("ArrowRight", "HTTP POST"),
                            ("End", "UPDATE users"), ("Home", "login")):
            b.key(key)
            self.equal(b.js("focused()"), wanted, f"{key} goes to {wanted}")
        self.equal(b.js("spans().length"), 15, "folded and back")
        b.key("Enter", "\r")
        self.equal(b.js("span('login').querySelector('details').open"), True,
                   "Enter opens")
        self.check(b.js("getComputedStyle(document.activeElement)"
                        ".outlineStyle") == "solid", "the focus is seen")

    def skip(self, path):
        b = self.b
        self.open(path)
        for _ in range(2):
            b.key("Tab")
            if b.js("document.activeElement.className") == "skip":
                break
        self.equal(b.js("document.activeElement.className"), "skip",
                   "Tab begins with the way past the head")
        self.check(b.js("document.activeElement.getBoundingClientRect().left")
                   >= 0, "which is seen then")
        seen = []
        for _ in range(120):
            b.key("Tab")
            name = b.js("focused()")
            if name in seen[-1:] and name == "BODY":
                break
            seen.append(name)
        for name in ("Spans", "Dark", "login", "Show all 200", "bar", "Copy"):
            self.check(name in seen, f"Tab comes to {name}", seen)

    def theme(self):
        b = self.b
        ground = "getComputedStyle(document.body).backgroundColor"
        self.equal(b.js(ground), "rgb(255, 255, 255)", "light by the system")
        self.click("button('theme')")
        dark = b.js(ground)
        self.check(dark != "rgb(255, 255, 255)", "dark by the button", dark)
        self.media("dark")
        self.click("button('theme')")
        self.equal(b.js(ground), "rgb(255, 255, 255)",
                   "light by the button where the system is dark")
        b.js("delete document.documentElement.dataset.theme")
        self.equal(b.js(ground), dark, "dark by the system")
        self.media("light")

    def contrast(self, path, what):
        for scheme in ("light", "dark"):
            self.media(scheme)
            self.open(path)
            self.b.js("document.querySelectorAll('details')"
                      ".forEach(d => { d.open = true; })")
            ratio, place = self.b.js(CONTRAST)
            self.check(ratio >= 4.5, f"{what}, {scheme}: contrast of text "
                       f"{ratio:.2f}", place)
        self.media("light")

    def widths(self, path, what):
        b = self.b
        for width in (320, 600, 1200, 2560):
            b.resize(width)
            self.open(path)
            b.js("document.querySelectorAll('details')"
                 ".forEach(d => { d.open = true; })")
            self.check(b.js("document.documentElement.scrollWidth") <= width,
                       f"{what}: no scrolling sideways at {width}",
                       b.js("document.documentElement.scrollWidth"))
        b.resize(1200)

    def copy(self):
        b = self.b
        b.js("window.written = []; Object.defineProperty(navigator, "
             "'clipboard', {configurable: true, value: {writeText: t => { "
             "written.push(t); return Promise.resolve(); }}})")
        self.click("button('Copy')")
        self.check(b.js("written.length === 1 && "
                        "written[0].startsWith('tracefind slow ')"),
                   "a command is copied", b.js("written"))
        self.check(b.js("button('Copied') !== undefined"), "and it says so")
        b.js("Object.defineProperty(navigator, 'clipboard', "
             "{configurable: true, value: undefined}); "
             "document.execCommand = () => false")
        self.click("button('Copy')")
        self.check(b.js("String(getSelection())").startswith("tracefind "),
                   "where that is forbidden it is selected")

    def landmarks(self):
        b = self.b
        tree = b.call("Accessibility.getFullAXTree")["nodes"]
        roles = {}
        for node in tree:
            role = node.get("role", {}).get("value")
            name = node.get("name", {}).get("value", "")
            roles.setdefault(role, []).append(name)
        for role in ("banner", "main", "contentinfo"):
            self.equal(len(roles.get(role, [])), 1, f"one {role}")
        self.check("Sections" in roles["navigation"], "a navigation",
                   roles["navigation"])
        for name in ("Spans", "Functions", "Evidence", "Commands"):
            self.check(name in roles["region"], f"a region {name}",
                       roles["region"])
        self.check(all(roles["button"]), "every button has a name",
                   roles["button"])
        self.check("columnheader" in roles and "rowheader" in roles,
                   "cells have their headers", sorted(map(str, roles)))

    def hostile(self):
        b = self.b
        names = [c.replace(";", ":") for c in CANARIES]
        lines = "".join(f"main;{n};x{i} 1000\n" for i, n in enumerate(names))
        self.open(self.draw(
            "hostile.html", "profile", self.write("h.folded", lines),
            "-n", "0"))
        found = b.js("names()")
        for i, name in enumerate(names):
            self.check(name in found, f"canary {i} is a name", found)
        b.js("document.querySelector('.tools input').focus()")
        b.type("canary")
        self.equal(b.js("rows().length"), len(names), "and is found")
        self.equal(b.js("typeof window.canary"), "undefined", "none ran")
        self.equal(b.js("document.querySelectorAll('img,image,#table svg *')"
                        ".length"), 0, "none made an element")
        self.quiet("hostile")

    def hostile_trace(self):
        b = self.b
        evil = "".join(CANARIES)
        attrs = [{"key": evil, "value": {"stringValue": evil}},
                 {"key": "service.name", "value": {"stringValue": evil}}]
        event = {"timeUnixNano": "1795256103300000000", "name": evil,
                 "attributes": attrs[:1]}
        span = {"traceId": TRACE, "spanId": "00f067aa0ba902b7", "name": evil,
                "kind": 2, "startTimeUnixNano": "1795256103000000000",
                "endTimeUnixNano": "1795256104000000000",
                "attributes": attrs[:1], "events": [event],
                "links": [{"traceId": TRACE, "spanId": "00f067aa0ba902b8",
                           "attributes": attrs[:1]}],
                "status": {"code": 2, "message": evil}}
        trace = {"resourceSpans": [{"resource": {"attributes": attrs},
                                    "scopeSpans": [{"spans": [span]}]}]}
        name = CANARIES[1].replace("/", "") + ".json"
        path = self.write(name, json.dumps(trace))
        self.open(self.draw("trace.html", "show", path, "--events"))
        self.equal(b.js("spans().length"), 1, "a hostile trace has its row")
        text = b.js("document.querySelector('.says').innerText")
        self.check(text.count("window.canary=1") >= 30,
                   "all that it says is text", text.count("window.canary=1"))
        b.js("document.querySelectorAll('a,button,summary')"
             ".forEach(e => e.click())")
        self.equal(b.js("typeof window.canary"), "undefined", "none ran")
        self.equal(b.js("document.querySelectorAll('img,image').length"), 0,
                   "none made an element")

    def policy(self):
        """The policy is in force: what is put into the page does not run."""
        b = self.b
        b.js("(s => { s.textContent = 'window.late = 1'; "
             "document.body.append(s); })(document.createElement('script'))")
        b.js("document.body.setAttribute('onclick', 'window.late = 1'); "
             "document.body.click()")
        b.js("(s => { s.textContent = 'body{color:red}'; "
             "document.body.append(s); })(document.createElement('style'))")
        self.equal(b.js("typeof window.late"), "undefined",
                   "no other script runs")
        self.check(b.js("getComputedStyle(document.body).color")
                   != "rgb(255, 0, 0)", "no other style counts")

    def without_script(self, path):
        b = self.b
        b.call("Emulation.setScriptExecutionDisabled", value=True)
        self.open(path)
        self.equal(b.js("document.querySelectorAll('button').length"), 0,
                   "without scripts there are no buttons")
        self.equal(b.js("rows().length"),
                   b.js("document.querySelectorAll('#table tbody tr').length"),
                   "but all functions")
        self.equal(b.js("spans().length"), 15, "and spans")
        self.click("span('POST /login').querySelector('summary')")
        self.equal(b.js("span('POST /login').querySelector('.says')"
                        ".checkVisibility()"), True, "which open")
        pdf = b.call("Page.printToPDF", printBackground=True)["data"]
        self.check(len(pdf) > 20000, "it prints", len(pdf))
        b.call("Emulation.setScriptExecutionDisabled", value=False)

    def run(self):
        self.b.resize(1200)
        self.media("light")
        slow = self.draw("slow.html", "slow", TRACE, "--replay", self.case)
        diff = self.draw("diff.html", "diff",
                         self.write("before.folded", BEFORE),
                         self.write("after.folded", AFTER))
        show = self.draw("show.html", "show", TRACE, "--replay", self.case)
        self.open(slow)
        self.sort()
        self.filter()
        self.found()
        self.narrow()
        self.links()
        self.fold()
        self.details()
        self.walk()
        self.copy()
        self.theme()
        self.landmarks()
        self.quiet("slow")
        self.skip(slow)
        for path, what in ((slow, "slow"), (diff, "diff"), (show, "show")):
            self.contrast(path, what)
            self.widths(path, what)
            self.quiet(what)
        self.hostile()
        self.hostile_trace()
        self.policy()
        self.without_script(slow)


if __name__ == "__main__":
    sys.exit(main(Test))
