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
from datetime import datetime
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
        self.equal(b.js("""all('.times .level').filter(t => all(
          '.times a rect:not(.hit)').some(r => { const a =
          t.getBoundingClientRect(), c = r.getBoundingClientRect();
          return a.left < c.right && a.right > c.left && a.top < c.bottom &&
            a.bottom > c.top; })).map(t => t.textContent)"""), [],
                   "no label lies under a bar")
        self.quiet("history")

    def left_out(self):
        """Minutes that the comparison leaves out are drawn as that."""
        b = self.b
        args = ["slow", "--replay", self.case.parent / "cloud-trace.har.gz"]
        answer = self.draw_json(*args)
        self.open(self.draw("out.html", *args))
        window = next(w for w in answer["history"]["windows"] if w["baseline"])

        def seconds(text):
            return datetime.fromisoformat(text[:19] + "+00:00").timestamp()
        begin, end = (seconds(window[k]) for k in ("from", "to"))
        used = seconds(answer["baseline"]["to"])
        self.check(used < end - 60, "the baseline ends early", answer["baseline"])
        panel, out = b.js("['panel', 'unused'].map(c => (r => [r.x, r.width]"
                          ".map(v => v.baseVal.value))(all('.times > .' + c)"
                          "[c === 'panel' ? 1 : 0]))")
        self.near(out[0], panel[0] + panel[1] * (used - begin) / (end - begin),
                  "what it left out is drawn as left out, from there", 2)
        self.near(out[0] + out[1], panel[0] + panel[1], "to its end", 2)
        self.equal(b.js("all('.times a').map(a => [a.getAttribute('aria-label')"
                        ".endsWith('left out of the comparison'), "
                        "a.querySelector('.unused') !== null])"
                        ".filter(([told, drawn]) => told !== drawn)"), [],
                   "and its bars, in words, too")
        self.check(b.js("all('.times a .unused').length") in range(1, 4),
                   "which are some", b.js("all('.times a .unused').length"))
        self.quiet("left out")

    def narrow(self, path):
        """The span that has samples of its own, and the graph of these."""
        b = self.b
        self.open(path)
        whole = ("(d => [d.after, d.before].map(Number))(get('#flame-canvas')"
                 ".dataset)")
        told = "all('#flame-tip > *').map(e => e.textContent).join('\\n')"

        def root():
            b.js("get('#flame-canvas').focus()")
            b.key("Home")
            return b.js(whole)
        of_all = root()
        own = b.js("JSON.parse(get('script#flame-own').textContent)")
        values = sum(s[0] for s in own["stacks"])
        reasons = b.js("get('#evidence').textContent")
        self.check(f"this request: {values // 10_000_000} samples" in reasons,
                   "the page has the samples of this request", values)
        self.equal(b.js("row('GET /users/by-email').dataset.span"),
                   own["span"], "of the span that carries their id")
        b.js("row('GET /users/by-email').querySelector('summary').click()")
        self.click("row('GET /users/by-email').querySelector('.says button')")
        self.equal(root(), [values, of_all[1]],
                   "it narrows the graph to them, beside the same baseline")
        self.check("330.0 ms per request, baseline 5.8 ms" in b.js(told),
                   "of one request", b.js(told))
        self.equal(b.js("all('#flame details').filter(d => d.open).length"), 0,
                   "and opens nothing else")
        # Each of its stacks is there with its own value.
        stacks, names = {}, []
        for value, shared, *rest in own["stacks"]:
            names = names[:shared] + rest
            for depth in range(len(names)):
                key = tuple(names[:depth + 1])
                stacks[key] = stacks.get(key, 0) + value
        b.js("get('#flame-text').open = true")
        self.wait()
        rows = b.js("all('#flame-text tbody tr').map(r => Array.from(r.cells, "
                    "c => c.textContent.trim()))")
        names, wrong = [], []
        for level, name, now, *_ in rows[1:]:
            names = names[:int(level) - 2] + [name]
            found = stacks.get(tuple(names), 0) / 1e6
            if abs(found - float(now.split()[0])) > 0.06:
                wrong.append((names[-1], now, found))
        self.check(len(rows) > 40 and not wrong, "frame by frame", wrong[:3])
        link = b.js("location.href")
        self.check("samples=span" in link, "the address has it", link)
        self.follow(link)
        self.equal(root(), [values, of_all[1]], "a link shows the same")
        b.js("get('#flame-narrow').click()")
        self.equal(root(), of_all, "and all requests again")
        self.quiet("narrow")
        self.open(self.draw("plain.html", "diff", *[self.write(
            f"{n}.folded", f"main;a {n}\n") for n in (10, 20)]))
        self.equal(b.js("get('#flame-narrow')"), None,
                   "without such samples there is no choice")

    def pictures(self, path):
        """Waterfall and history as files."""
        b = self.b
        self.open(path)
        b.js("window.blobs = []; window.files = [];"
             "URL.createObjectURL = blob => { blobs.push(blob); return '#'; };"
             "HTMLAnchorElement.prototype.click = function () {"
             " files.push(this.download); }")
        for section, wanted, bars in (
                ("spans", ("UserRepository.FindByEmail", "575 ms in 50",
                           "164 ms"), "all('.bar rect').length"),
                ("history", ("this trace, 577", "Over time", "others in"),
                 "all('.chart a rect:not(.hit)').length")):
            for kind, begin in (("svg", "<svg"), ("png", "\x89PNG")):
                b.js(f"(s => {{ s.value = '{kind}'; s.dispatchEvent("
                     "new Event('change')); })(get("
                     f"'#{section} .tools select'))")
                self.wait(300)
                text = b.js("blobs.pop().text()")
                self.check(text.lstrip("\ufffd").startswith(begin.lstrip("\x89")),
                           f"{section}: a picture, {kind}", text[:20])
                if kind == "png":
                    continue
                missing = [w for w in wanted if w not in text]
                self.equal(missing, [], f"{section}: with its words")
                self.check(text.count("<rect") >= b.js(bars) > 5,
                           f"{section}: and bars", text.count("<rect"))
                self.check("style=" not in text and "Save" not in text,
                           f"{section}: without the page's controls", text[:99])
        self.equal(b.js("files"), ["trace.svg", "trace.png", "history.svg",
                                   "history.png"], "files have names")
        self.quiet("pictures")

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
        self.equal(b.js("all('.guilty > details > summary .calls')"
                        ".map(e => e.textContent)"),
                   ["575 ms in 50 repeated calls"],
                   "with the time of the calls that it repeats")
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
        b.resize(360)
        self.check(b.js("get('#evidence').offsetHeight / document"
                        ".documentElement.scrollHeight") < 0.1,
                   "evidence is closed at first, on a phone, too",
                   b.js("get('#evidence').offsetHeight"))
        b.resize(1200)
        self.click("get('nav a[href=\"#evidence\"]')")
        self.equal(b.js("get('#evidence details').open"), True,
                   "its link opens it")
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

    def order(self, path):
        """The flame graph comes first, with the height that it keeps."""
        b = self.b
        self.open(path)
        self.equal(b.js("all('main > section').map(e => e.id).slice(0, 3)"),
                   ["answer", "flame", "spans"], "the flame graph is first")
        self.equal(b.js("all('nav a').map(a => a.textContent).slice(0, 2)"),
                   ["Flame graph", "Spans"], "in the links, too")
        for width in (360, 1200):
            b.resize(width)
            self.open(path)
            self.wait(200)
            high = b.js("document.documentElement.scrollHeight")
            b.js("get('#evidence').scrollIntoView()")
            self.wait(200)
            self.equal(b.js("document.documentElement.scrollHeight"), high,
                       f"{width}: nothing moves when one scrolls")
        self.check(b.js("get('#flame-view').offsetHeight") < 600,
                   "it fits a screen", b.js("get('#flame-view').offsetHeight"))

    def weight(self, path):
        """Scripts and styles, which every page has."""
        size = self.b.js("all('script:not([type]), style')"
                         ".reduce((n, e) => n + e.textContent.length, 0)")
        self.check(size <= 150_000, f"a page without data: {size} bytes", size)

    def run(self):
        self.b.resize(1200)
        args = ["slow", TRACE, "--replay", self.case]
        path = self.draw("slow.html", *args)
        self.order(path)
        self.history(path, self.draw_json(*args)["history"])
        self.left_out()
        self.narrow(path)
        self.pictures(path)
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
