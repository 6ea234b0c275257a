#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The views of a page beside its flame graph, in a headless Chromium: history,
trace, functions, evidence, and how they keep in step.

usage: views.py TRACEFIND

Skipped where there is no Chromium (tests/chromium.py).
"""
import base64
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import TRACE, Page, main  # noqa: E402

LOOK = """
window.get = s => document.querySelector(s);
window.all = s => Array.from(document.querySelectorAll(s));
window.settled = () => new Promise(r => setTimeout(r, 60));
window.center = e => { e.scrollIntoView({block: 'center'});
  var r = e.getBoundingClientRect();
  return [r.left + r.width / 2, r.top + r.height / 2]; };
window.page = tracefindPage;
window.row = name => all('.rows > [aria-level]').find(r =>
  r.querySelector('b').textContent === name);
window.button = text => all('button').find(b => b.textContent === text);
window.opened = () => all('.bars details').filter(d => d.open).map(d => d.id);
"""


class Test(Page):
    look = LOOK

    def click(self, expression):
        self.b.click(*self.b.js(f"center({expression})"))
        self.b.js("settled()")

    def draw_json(self, *args):
        return json.loads(self.draw("answer.json", *args).read_text(
            encoding="utf-8"))

    # ---- history ----

    def bars(self, history):
        """Each bar is as high as what JSON counts."""
        b = self.b
        most = max(max(d["now"] + d["selected"], d["baseline"])
                   for d in history["durations"])
        for i, d in enumerate(history["durations"]):
            link = f"#history a[href='#bar-{i + 1}']"
            if not d["examples"]:
                self.equal(b.js(f"get({json.dumps(link)}) === null"), True,
                           f"bar {i + 1}: nothing, no bar")
                continue
            for name, count in (("before", d["baseline"]), ("slow", d["slow"]),
                                ("now", d["now"] - d["slow"]),
                                ("selected", d["selected"])):
                found = b.js(f"(r => r ? r.height.baseVal.value : 0)(get("
                             f"{json.dumps(link + ' .' + name)}))")
                wanted = round(count / most * 120)
                self.near(found, max(wanted, 2 if count else 0),
                          f"bar {i + 1}: {name}")
        self.equal(b.js("all('#history a[href^=\"#time-\"]').length"),
                   len(history["over_time"]), "a bar a part of the time")

    def history(self, path, history):
        b = self.b
        self.open(path)
        self.bars(history)
        self.equal(b.js("opened()"), [], "no examples at first")
        full = next(i for i, d in enumerate(history["durations"], 1)
                    if d["slow"])
        self.click(f"get(\"a[href='#bar-{full}']\")")
        self.equal(b.js("opened()"), [f"bar-{full}"], "a click lists examples")
        self.equal(b.js("all('.bars details[open] pre code')"
                        ".map(e => e.textContent)"),
                   [f"tracefind slow {e['trace_id']}" for e in
                    history["durations"][full - 1]["examples"]],
                   "with the command for each")
        self.equal(b.js("all('.bars details[open] button').length"),
                   len(history["durations"][full - 1]["examples"]),
                   "and a button to copy it")
        b.js("get(\"a[href='#time-1']\").focus()")
        b.key("Enter", "\r")
        b.js("settled()")
        self.equal(b.js("opened()"), ["time-1"], "Enter lists others instead")
        b.js("history.back(); settled()")
        self.equal(b.js("opened()"), [f"bar-{full}"], "Back goes back to them")
        self.check(b.js("get('#history .chart').getBoundingClientRect().top")
                   > 0, "the drawing stays in sight")
        self.quiet("history")

    # ---- trace ----

    def bar(self, name):
        """Where a span's bar begins and ends, in percent of the axis."""
        return self.b.js(f"(r => [r.x, r.width].map(v => v.baseVal"
                         f".valueInSpecifiedUnits))(row('{name}')"
                         f".querySelector('.bar rect'))")

    def trace(self, path):
        b = self.b
        self.open(path)
        self.check(b.js("all('.guilty details').every(d => d.open)"),
                   "the span to blame is open")
        whole = self.bar("verifyPassword")
        b.js("row('verifyPassword').querySelector('summary').focus()")
        b.key("z", "z")
        start, width = self.bar("verifyPassword")
        self.near(start, 100 * 0.05 / 1.1, "z looks at a span's time", 0.2)
        # It ends with the trace: there is no room behind it.
        self.check(90 < width < 95, "which fills the axis", width)
        self.check("t=" in b.js("location.hash"), "the address has it",
                   b.js("location.hash"))
        self.check(b.js("get('.axis span').textContent").startswith("57"),
                   "the axis tells its begin", b.js(
                       "get('.axis span').textContent"))
        link = b.js("location.href")
        self.follow(link)
        self.near(self.bar("verifyPassword")[1], width,
                  "a link shows the same", 0.2)
        self.click("button('Whole trace')")
        self.near(self.bar("verifyPassword")[1], whole[1], "all of it again",
                  0.02)
        b.js("history.back(); settled()")
        self.near(self.bar("verifyPassword")[1], width, "Back", 0.2)
        b.key("Escape")
        b.js("row('verifyPassword').querySelector('summary').focus()")
        b.key("0", "0")
        self.drag()

    def drag(self):
        b = self.b
        b.js("center(row('login'))")
        left, top, width = b.js("(r => [r.left, r.top, r.width])("
                                "row('login').querySelector('.bar')"
                                ".getBoundingClientRect())")
        is_open = "row('login').querySelector('details').open"
        was = b.js(is_open)
        b.mouse("mousePressed", left + width / 2, top + 12)
        b.mouse("mouseMoved", left + width * 0.75, top + 12)
        b.mouse("mouseReleased", left + width * 0.75, top + 12)
        b.js("settled()")
        self.equal(b.js("page.address.get('t')").split("-")[0][:2], "50",
                   "dragging over the bars looks closely")
        self.equal(b.js(is_open), was, "and opens nothing")
        b.js("history.back(); settled()")

    def step(self):
        """What is selected in one view is selected in all."""
        b = self.b
        span = b.js("row('verifyPassword').dataset.span")
        self.click("row('verifyPassword').querySelector('b')")
        self.equal(b.js("page.selected().span"), span, "a click selects a span")
        self.equal(b.js("get('.rows [aria-current]').dataset.span"), span,
                   "which is marked")
        self.click("get('#table tbody tr:nth-child(2) .change')")
        name = b.js("get('#table tbody tr:nth-child(2) th')"
                    ".firstElementChild.textContent")
        self.equal(b.js("page.selected()"), {"function": name, "span": span},
                   "a function beside it")
        self.check(name in b.js("document.getElementById('flame')"
                                ".textContent"), "the flame graph knows it")
        link = b.js("location.href")
        b.js("history.back(); settled()")
        self.equal(b.js("page.selected().function"), None, "Back: no function")
        b.js("history.back(); settled()")
        self.equal(b.js("all('.rows [aria-current]').length"), 0,
                   "and again: no span")
        self.follow(link)
        self.equal(b.js("[get('.rows [aria-current]').dataset.span, get("
                        "'#table tr[aria-current] th').firstElementChild"
                        ".textContent]"), [span, name],
                   "a link selects both")
        self.quiet("step")

    def follow(self, link):
        self.b.open("data://x")
        self.open(link)

    # ---- functions ----

    def functions(self, path):
        b = self.b
        self.open(path)
        heads = "all('#table thead button')"
        self.click(f"{heads}.find(h => h.textContent === 'change')")
        self.check("sort=-change" in b.js("location.hash"),
                   "the order is in the address", b.js("location.hash"))
        top = b.js("get('#table tbody tr').textContent")
        b.js("get('.tools input[placeholder]').focus()")
        b.type("store")
        link = b.js("location.href")
        self.follow(link)
        self.equal(b.js("all('#table [aria-sort]').map(h => h.textContent)"),
                   ["change"], "a link sorts the same")
        self.equal(b.js("page.address.get('f')"), "store", "and filters")
        self.equal(b.js("get('#table tbody tr').textContent"), top,
                   "to the same begin")
        self.click(f"{heads}.find(h => h.textContent === 'change')")
        order = "get('#table [aria-sort]').getAttribute('aria-sort')"
        self.equal(b.js(order), "ascending", "the other way round")
        b.js("history.back(); settled()")
        self.equal(b.js(order), "descending", "Back: as before")

    # ---- evidence ----

    def evidence(self, args, answer):
        """All requests, the reasoning, and the case, which can be saved."""
        b = self.b
        path = self.draw("embedded.html", *args, "--embed-case")
        self.open(path)
        self.equal(b.js("all('#evidence tbody td:last-child')"
                        ".map(e => e.textContent)"),
                   [r["url"] for r in answer["requests"]],
                   "what servers were asked")
        told = b.js("get('#evidence dl').textContent")
        self.check("candidates" in told and "baseline" in told,
                   "how it was decided", told[:80])
        b.js("URL.createObjectURL = blob => { window.saved = blob; "
             "return '#saved'; }")
        self.click("button('Save the case')")
        found = b.js("saved.arrayBuffer().then(a => Array.from("
                     "new Uint8Array(a.slice(0, 2))).concat(a.byteLength))")
        self.equal(found[:2], [0x1f, 0x8b], "the case can be saved")
        case = self.folder / "saved.har.gz"
        case.write_bytes(base64.b64decode(
            b.js("get('#case').textContent")))
        self.equal(found[2], case.stat().st_size, "as it is in the page")
        self.equal(self.draw_json("slow", "--replay", case),
                   self.draw_json("slow", "--replay", path),
                   "file and page replay alike")

    # ---- around ----

    def help(self):
        b = self.b
        b.js("document.activeElement.blur()")
        b.key("?", "?")
        self.equal(b.js("get('dialog').open"), True, "? tells the keys")
        titles = b.js("all('dialog h3').map(e => e.textContent)")
        for title in ("Trace", "Page"):
            self.check(title in titles, f"those of {title}", titles)
        b.key("Escape")
        self.equal(b.js("get('dialog').open"), False, "Escape ends it")
        b.js("get('input').focus()")
        b.key("?", "?")
        self.equal(b.js("get('dialog').open"), False,
                   "where one writes it is a letter")

    def sizes(self, path):
        """Nothing to press is smaller than a finger asks for, WCAG 2.2."""
        b = self.b
        for width in (360, 1200, 3840):
            b.resize(width)
            self.open(path)
            small = b.js("all('button, input, select, summary, nav a')"
                         ".filter(e => e.checkVisibility() && "
                         "!e.closest('.fold,#flame'))"
                         ".map(e => [e.getBoundingClientRect(), e])"
                         ".filter(([r]) => r.height < 23.5 || r.width < 23.5)"
                         ".map(([r, e]) => e.outerHTML.slice(0, 80))")
            self.equal(small, [], f"{width}: all can be touched")
            self.check(b.js("document.documentElement.scrollWidth") <= width,
                       f"{width}: no scrolling sideways")
        beside = b.js("get('#spans').getBoundingClientRect().top === "
                      "get('#functions').getBoundingClientRect().top")
        self.equal(beside, True, "3840: trace and functions side by side")
        b.resize(1200)

    def wishes(self, path):
        """Of readers who want more contrast, or no motion."""
        b = self.b
        for name, value in (("prefers-contrast", "more"),
                            ("prefers-reduced-motion", "reduce")):
            b.call("Emulation.setEmulatedMedia", features=[
                {"name": name, "value": value}])
            self.open(path)
            self.quiet(name)
            if value == "more":
                self.equal(b.js("getComputedStyle(get('.hint')).color"),
                           b.js("getComputedStyle(document.body).color"),
                           "more contrast: nothing is dim")
        self.media("light")

    def paper(self, path):
        """What is printed: all sections, with the picture, without buttons."""
        b = self.b
        self.open(path)
        b.call("Emulation.setEmulatedMedia", media="print")
        b.js("dispatchEvent(new Event('beforeprint')); settled()")
        for name in ("spans", "functions", "history", "commands"):
            self.check(b.js(f"get('#{name}').getBoundingClientRect().height")
                       > 50, f"print: {name} is there")
        self.equal(b.js("all('button').filter(e => e.checkVisibility() && "
                        "!e.closest('thead')).length"), 0,
                   "print: no buttons")
        self.check(b.js("get('#history .chart').getBoundingClientRect().right")
                   <= b.js("innerWidth"), "print: nothing is cut")
        b.call("Emulation.setEmulatedMedia", media="")

    def weight(self, path):
        """Scripts and styles, which every page has."""
        size = self.b.js("all('script:not([type]), style')"
                         ".reduce((n, e) => n + e.textContent.length, 0)")
        self.check(size <= 150_000, f"a page without data: {size} bytes", size)

    def run(self):
        self.b.resize(1200)
        args = ["slow", TRACE, "--replay", self.case]
        path = self.draw("slow.html", *args)
        self.history(path, self.draw_json(*args)["history"])
        self.evidence(args, self.draw_json(*args))
        self.trace(path)
        self.step()
        self.functions(path)
        self.help()
        self.sizes(path)
        self.wishes(path)
        self.paper(path)
        self.weight(path)


if __name__ == "__main__":
    sys.exit(main(Test))
