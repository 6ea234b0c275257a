#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the flame graph of a page in a headless Chromium as a person does.

usage: flame.py TRACEFIND

Skipped where there is no Chromium. What is drawn and told is held against the
SVG picture of the same profiles, which tests/svg/check.py holds against the
numbers.
"""
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import AFTER, BEFORE, CANARIES, TRACE, Page, main  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
ROW = 18

# Runs in the page: the frame in focus, what is told, the colour at a place.
LOOK = """
window.at = id => document.getElementById('flame-' + id);
window.view = () => at('view').getBoundingClientRect();
window.focused = () => Object.assign({}, at('canvas').dataset);
window.told = () => at('tip').hidden ? '' :
  Array.from(at('tip').children).map(e => e.textContent).join('\\n');
window.seen = () => at('tip').hidden ? null :
  at('tip').getBoundingClientRect();
window.pixel = function (x, y) {
  var c = at('canvas'), r = c.getBoundingClientRect(), k = c.width / r.width;
  var p = c.getContext('2d').getImageData((x - r.left) * k,
    (y - r.top) * k, 1, 1).data;
  return '#' + [p[0], p[1], p[2]].map(v =>
    v.toString(16).padStart(2, '0')).join('');
};
window.found = [];
document.addEventListener('tracefind-found',
  e => found.push(e.detail.function));
"""


class Test(Page):
    look = LOOK
    own_words = "willReadFrequently"  # points are read back here only

    def open(self, path, fragment=""):
        b = self.b
        if fragment:
            b.events = []
            b.call("Page.navigate", url="about:blank")
            b.wait_for("Page.loadEventFired")
            b.events = []
            b.call("Page.navigate", url=Path(path).as_uri() + fragment)
            b.wait_for("Page.loadEventFired")
        else:
            b.open(path)
        b.js("new Promise(done => { const look = () => document"
             ".querySelector('#flame.on') ? done() : setTimeout(look, 10);"
             " look(); })")
        b.js(LOOK)
        b.js("at('view').scrollIntoView()")
        self.wait()

    def focus(self):
        self.b.js("at('canvas').focus()")
        self.b.key("Home")

    def keys(self, *names):
        for name in names:
            self.b.key(name)
        return self.b.js("focused()")

    def hover(self, x, y):
        """Coordinates within the view."""
        left, top = self.b.js("[view().left, view().top]")
        self.b.mouse("mouseMoved", left + x, top + y)
        return self.b.js("told()")

    def click(self, f):
        left, top = self.b.js("[view().left, view().top]")
        self.b.click(left + float(f["x"]) + float(f["width"]) / 2,
                     top + float(f["y"]) + ROW / 2)
        return self.b.js("focused()")

    def find(self, pattern):
        b = self.b
        b.js("at('find').focus(); at('find').value = ''")
        b.type(pattern)
        return b.js("at('matched').textContent")

    # ---- against the picture ----

    def svg_frames(self, path):
        """Lane, depth, x and w (parts of 1), title and colour of each."""
        root = ET.parse(path).getroot()
        lanes = [g for g in root.iter(f"{SVG}g") if g.get("class") == "lane"]
        return [(number, int(g.get("data-d")), int(g.get("data-x")) / 1e8,
                 int(g.get("data-w")) / 1e8, g.find(f"{SVG}title").text,
                 g.find(f"{SVG}rect").get("fill"))
                for number, lane in enumerate(lanes) for g in lane
                if g.get("data-d")]

    def same_as_svg(self, what, args, palette="diff"):
        """Hovers over each frame: the same words at the same place in the
        same colour."""
        b = self.b
        args = [*args, "--palette", palette]
        frames = self.svg_frames(self.draw("same.svg", *args))
        self.open(self.draw("same.html", *args))
        width = b.js("view().width")
        rows = max((f[1] + 1 for f in frames if not f[0]
                    and f[3] * width >= 0.4), default=0)
        words, colors, count = [], [], 0
        for lane, depth, x, w, title, fill in frames:
            if w * width < 3 or count >= 150:
                continue
            count += 1
            y = depth * ROW + ROW / 2
            if lane:
                y += rows * ROW + 4 + 24
            b.js(f"scrollTo(0, scrollY + view().top + {y} - 400)")
            self.wait(20)
            found = self.hover((x + w / 2) * width, y)
            if found != title.strip():
                words.append((title, found))
            self.hover(-5, -5)
            self.wait(20)
            at = b.js(f"pixel(view().left + {(x + w) * width - 1.6}, "
                      f"view().top + {y})")
            # A dark edge may be there.
            if at not in (fill, "#5a1e00") and w * width > 8:
                colors.append((title.split("\n")[0], fill, at))
        self.check(count > 3, f"{what}: frames to compare", count)
        self.equal(words[:2], [], f"{what}: {count} frames say the same")
        self.equal(colors[:2], [], f"{what}: and have the same colours")
        self.quiet(what)

    # ---- use ----

    def start(self):
        b = self.b
        self.open(self.diff)
        self.equal(b.js("getComputedStyle(document.querySelector("
                        "'.flame-static')).display"), "none",
                   "the canvas replaces the picture")
        self.check(b.js("at('canvas').width") >= b.js("view().width"),
                   "and is as wide", b.js("at('canvas').width"))

    def zoom(self):
        b = self.b
        self.focus()
        whole = b.js("view().width")
        root = self.keys()
        self.equal(root["name"], "all", "Home: the root")
        self.near(root["width"], whole, "as wide as the view")
        self.equal(b.js("at('reset').disabled"), True, "nothing to reset")
        load = self.keys("ArrowDown", "ArrowDown", "ArrowDown")
        # Equal widths: the first by name.
        self.equal(load["name"], "load", "up three times")
        self.near(load["width"], whole / 2, "half before")
        self.near(int(load["after"]) / int(root["after"]), 0.5, "as its part",
                  0.001)
        load = self.click(load)
        self.near(load["width"], whole, "a click makes it whole")
        self.equal(b.js("at('reset').disabled"), False, "there is a way out")
        self.near(self.keys("ArrowDown")["width"], whole * 6 / 7,
                  "callees keep their part")
        self.near(self.keys("ArrowUp", "ArrowUp")["width"], whole,
                  "callers are whole")
        self.equal(self.keys("ArrowLeft")["name"], "serve",
                   "others are not there")
        self.near(self.keys("ArrowDown", "Escape")["width"], whole / 2,
                  "Escape goes back")
        self.keys("ArrowDown", "Enter")
        self.near(b.js("focused()")["width"], whole, "Enter zooms")
        self.keys("ArrowUp", "Enter")
        self.near(self.keys("ArrowDown")["width"], whole * 6 / 7,
                  "and again, to a caller")
        self.keys("Backspace")
        self.near(b.js("focused()")["width"], whole, "Backspace: one back")
        b.js("at('reset').click()")
        self.near(b.js("focused()")["width"], whole * 3 / 7, "all again")
        self.check("=" not in b.js("location.hash").replace("fn=", ""),
                   "nothing to remember but what is selected")

    def keyboard(self):
        b = self.b
        self.focus()
        self.equal(self.keys("ArrowDown", "ArrowDown")["name"], "serve",
                   "up to the widest callee")
        self.equal(self.keys("ArrowLeft")["name"], "idle",
                   "left to its sibling")
        self.equal(self.keys("ArrowLeft")["name"], "idle", "which is the last")
        f = self.keys("ArrowRight", "ArrowDown")
        self.equal(f["name"], "load", "and up again")
        self.check("load" in b.js("told()"), "focus tells of it",
                   b.js("told()"))
        self.equal(b.js("at('live').textContent"),
                   "load, 7,000, before 3,000, grew, level 4",
                   "and so do readers of screens")
        ring = b.js(f"pixel(view().left + {float(f['x']) + 20},"
                    f" view().top + {float(f['y']) + 1})")
        self.equal(ring, b.js("getComputedStyle(at('view'))"
                              ".getPropertyValue('--focus').trim()"),
                   "with a visible edge")
        self.equal(self.keys("Home", "ArrowRight")["lane"], "gone",
                   "from the root to that of the lane below")
        self.equal(self.keys("ArrowDown", "ArrowDown", "ArrowDown")["name"], "old",
                   "where what is gone is")
        self.check("gone" in b.js("told()"), "and says so", b.js("told()"))
        b.key("Home")
        b.key("/", "/")
        self.equal(b.js("document.activeElement.id"), "flame-find",
                   "/ goes to the search")
        self.equal(b.js("at('find').value"), "", "and writes nothing there")
        b.key("Escape")
        self.equal(b.js("document.activeElement.id"), "flame-canvas",
                   "Escape goes back")

    def search(self):
        b = self.b
        self.focus()
        self.equal(self.find("^load$"), "matched 50.0 %, before 30.0 %",
                   "search: both sides")
        f = self.b.js("focused()")
        b.key("Enter")
        f = b.js("focused()")
        self.equal(f["name"], "load", "Enter goes to the match")
        self.equal(b.js(f"pixel(view().left + {float(f['x'])} + 100, "
                        f"view().top + {float(f['y']) + 9})"), "#5b0f7a",
                   "matches are marked")
        for pattern, wanted, what in (
                ("load|parse", "50.0 %, before 30.0 %",
                 "nested matches count once"),
                ("IDLE|old", "0.0 %, before 10.0 %", "upper case is meant"),
                ("idle|steady", "42.9 %, before 60.0 %", "side by side"),
                ("parse(int", "42.9 %, before 0.0 %",
                 "what is no pattern is a text"),
                ("(a+)+$|(.*)*x", "0.0 %, before 0.0 %", "a runaway pattern")):
            self.equal(self.find(pattern), f"matched {wanted}", what)
        b.key("Escape")
        self.equal(b.js("at('matched').textContent"), "", "Escape ends it")
        self.keys("Home", "ArrowDown", "ArrowDown", "Enter")
        self.equal(self.find("^load$"), "matched 58.3 %, before 37.5 %",
                   "of what is zoomed to")
        b.key("Escape")
        b.key("Escape")

    def events(self):
        b = self.b
        self.focus()
        b.js("found.length = 0")
        f = self.keys("ArrowDown", "ArrowDown", "ArrowDown")
        self.equal(b.js("found"), ["main", "serve", "load"],
                   "the page is told of what is picked")
        self.click(f)
        b.js("document.dispatchEvent(new CustomEvent('tracefind-find',"
             " {detail: 'idle'}))")
        self.equal(b.js("focused().name"), "idle",
                   "what the page asks for is picked")
        self.near(b.js("focused().width"), b.js("view().width") / 7,
                  "out of the zoom that hid it")
        self.equal(b.js("at('matched').textContent"),
                   "matched 14.3 %, before 20.0 %", "and found")
        b.js("document.dispatchEvent(new CustomEvent('tracefind-find',"
             " {detail: 'parse(int, char)'}))")
        self.equal(b.js("focused().name"), "parse(int, char)",
                   "by its name, not by a pattern")
        self.find("")
        b.js("at('find').value = ''; at('find').dispatchEvent("
             "new Event('input'))")

    def controls(self):
        b = self.b
        self.focus()
        top = float(self.keys()["y"])
        b.js("at('turn').click()")
        self.equal(b.js("at('turn').getAttribute('aria-pressed')"), "false",
                   "the root at the bottom")
        self.focus()
        self.check(float(self.keys()["y"]) > top == 0, "is at the bottom",
                   self.keys())
        self.equal(self.keys("ArrowUp")["name"], "main",
                   "then callees are above")
        b.js("at('turn').click()")
        for value, lane in (("before", "before"), ("after", "after"),
                            ("both", "after")):
            b.js(f"at('show').value = '{value}'; "
                 "at('show').dispatchEvent(new Event('change'))")
            self.focus()
            self.equal(self.keys()["lane"], lane, f"shows {value}")
            f = self.keys("ArrowDown", "ArrowDown", "ArrowDown")
            self.near(f["width"], b.js("view().width") *
                      (.4 if value == "before" else .5),
                      f"to the scale of {value}")
        legends = {"kind": "application", "java": "Python", "hot": None,
                   "diff": "grew or new"}
        for value, text in legends.items():
            b.js(f"at('palette').value = '{value}'; "
                 "at('palette').dispatchEvent(new Event('change'))")
            items = b.js("Array.from(at('legend').children)"
                         ".map(e => e.textContent)")
            self.check(text in items if text else not items,
                       f"legend of {value}", items)
            words = {"kind": "kind of code", "java": "language",
                     "hot": "name", "diff": "change"}[value]
            told = b.js("Array.from(document.querySelectorAll("
                        "'[data-palette]')).filter(p => !p.hidden)"
                        ".map(p => p.textContent)")
            self.check(len(told) == 1
                       and told[0].startswith(f"colour by {words}"),
                       f"and the words of {value}", told)

    def widths(self):
        b = self.b
        for width in (320, 600, 1200, 2560):
            b.resize(width)
            self.wait(100)
            self.focus()
            self.near(self.keys()["width"], b.js("view().width"),
                      f"the root at {width}")
            self.near(self.keys("ArrowDown", "ArrowDown", "ArrowDown")["width"],
                      b.js("view().width") / 2, f"half of it at {width}")
            self.check(b.js("document.documentElement.scrollWidth") <= width,
                       f"no scrolling sideways at {width}")
            r = b.js("(r => [r.left, r.right])(seen())")
            self.check(r[0] >= 0 and r[1] <= width,
                       f"details are in sight at {width}", r)
        b.call("Emulation.setDeviceMetricsOverride", width=600, height=900,
               deviceScaleFactor=2, mobile=False)
        self.wait(150)
        self.near(b.js("at('canvas').width / view().width"), 2,
                  "fine on a fine screen", 0.01)
        b.resize(1200)

    def dark(self):
        b = self.b
        b.js("document.activeElement.blur()")
        self.hover(-5, -5)
        place = "pixel(view().left + 60, view().top + 4)"
        light = b.js(place)
        self.media("dark")
        dark = b.js(place)
        self.check(int(light[1:3], 16) > 200 and int(dark[1:3], 16) < 90,
                   "a dark screen is drawn dark", (light, dark))
        self.media("light")
        self.equal(b.js(place), light, "and light again")

    def touch(self):
        b = self.b
        self.focus()
        f = self.keys("ArrowDown", "ArrowDown", "ArrowDown")
        b.key("Home")
        b.call("Emulation.setTouchEmulationEnabled", enabled=True)
        left, top = b.js("[view().left, view().top]")
        point = [{"x": left + float(f["x"]) + 50, "y": top + float(f["y"]) + 9}]

        def tap():
            b.call("Input.dispatchTouchEvent", type="touchStart",
                   touchPoints=point)
            b.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            self.wait(400)
            return b.js("focused()")
        g = tap()
        self.equal(g["name"], "load", "a tap picks")
        self.near(g["width"], float(f["width"]), "and does not zoom")
        self.check("load" in b.js("told()"), "but tells", b.js("told()"))
        self.near(tap()["width"], b.js("view().width"), "a second one does")
        b.call("Emulation.setTouchEmulationEnabled", enabled=False)
        b.key("Home")

    def remembered(self):
        b = self.b
        self.focus()
        self.keys("ArrowDown", "ArrowDown", "ArrowDown", "Enter")
        self.find("par.e")
        fragment = b.js("location.hash")
        self.check("par.e" in fragment, "the address remembers", fragment)
        self.open(self.diff, fragment)
        self.equal(b.js("at('matched').textContent"),
                   "matched 85.7 %, before 0.0 %", "search and zoom")
        self.open(self.diff, "#flame&z=after.999999999&q=%E0%A4%A")
        self.focus()
        self.equal(self.keys()["name"], "all", "an address of no sense")
        self.quiet("remembered")

    def tall(self):
        """The canvas is no larger than the window; the rest is scrolled."""
        b = self.b
        stack = ";".join(f"f{i}" for i in range(3000))
        self.open(self.draw("tall.html", "profile",
                            self.write("tall.folded", f"{stack} 100\n")))
        self.check(b.js("at('canvas').clientHeight") <= 900 <
                   b.js("view().height"), "the canvas fits the window")
        for depth in (5, 1500, 3000):
            y = depth * ROW + 9
            b.js(f"scrollTo(0, scrollY + view().top + {y} - 450)")
            self.wait(100)
            self.check(f"f{depth - 1}\n" in self.hover(600, y),
                       f"f{depth - 1} is found", b.js("told()"))
            self.hover(-5, -5)
            self.wait()
            self.check(b.js(f"pixel(view().left + 900, view().top + {y})")
                       != "#000000", f"f{depth - 1} is drawn")
        b.js("scrollTo(0, 0)")
        self.focus()
        self.keys(*["ArrowUp"] * 80)
        self.check(0 <= b.js("view().top") + float(b.js("focused().y")) < 900,
                   "what has the focus is in sight")
        self.quiet("tall")

    def narrow(self):
        """Functions that the page asks for and that are not to be seen."""
        b = self.b
        path = self.write("narrow.folded", "main;big 1000000\nmain;tiny 9\n"
                          "main;least 1\n")
        self.open(self.draw("narrow.html", "profile", "--min-width", "0.01",
                            path))
        ask = ("document.dispatchEvent(new CustomEvent('tracefind-find',"
               " {{detail: '{}'}}))")
        b.js(ask.format("tiny"))
        self.equal(b.js("focused().name"), "tiny", "a narrow one is found")
        self.near(b.js("focused().width"), b.js("view().width"),
                  "and zoomed to")
        b.js(ask.format("least"))
        self.equal(b.js("at('matched').textContent"),
                   "too narrow to be in this page", "one that is left out")
        self.equal(b.js("at('rest').textContent"),
                   "Frames narrower than 0.0008 % of the whole are left out: "
                   "1.", "which the page says")
        self.quiet("narrow")

    def hostile(self):
        b = self.b
        names = [c.replace(";", ":") for c in CANARIES]
        lines = "".join(f"main;{c};x{i} 1000\n" for i, c in enumerate(names))
        self.open(self.draw("hostile.html", "profile",
                            self.write("hostile.folded", lines)))
        self.focus()
        f = self.keys("ArrowDown", "ArrowDown")
        seen = set()
        for _ in names + names:
            seen.add(f["name"])
            self.check(b.js("told()").startswith(f["name"]),
                       "a canary is told as text", b.js("told()"))
            self.click(f)
            b.key("Escape")
            f = self.keys("ArrowRight")
            if f["name"] in seen:
                break
        for name in names:
            b.js("document.dispatchEvent(new CustomEvent('tracefind-find',"
                 f" {{detail: {json.dumps(name)}}}))")
            seen.add(b.js("focused().name"))
        self.equal(sorted(seen), sorted(names), "all of them")
        self.find("canary")
        self.equal(b.js("typeof window.canary"), "undefined",
                   "no canary ran")
        self.equal(b.js("document.querySelectorAll('image').length"), 0,
                   "no image")
        self.quiet("hostile")

    def without_script(self):
        b = self.b
        b.call("Emulation.setScriptExecutionDisabled", value=True)
        b.open(self.diff)
        texts = b.js("Array.from(document.querySelectorAll("
                     "'.flame-static text')).map(t => t.textContent)")
        self.check("load" in texts and "old" in texts, "labels are there",
                   texts)
        titles = b.js("Array.from(document.querySelectorAll("
                      "'.flame-static title')).map(t => t.textContent)")
        self.check(any("change +4,000: grew" in t for t in titles),
                   "and titles", titles)
        self.equal(b.js("getComputedStyle(document.getElementById("
                        "'flame-view')).display"), "none", "no canvas")
        b.call("Emulation.setScriptExecutionDisabled", value=False)

    def printed(self):
        b = self.b
        self.open(self.diff)
        b.call("Emulation.setEmulatedMedia", media="print")
        self.wait()
        shown = ("getComputedStyle(document.querySelector('.flame-{}'))"
                 ".display")
        self.equal(b.js(shown.format("static")), "block",
                   "on paper the picture")
        self.equal(b.js(shown.format("view")), "none", "not the canvas")
        b.call("Emulation.setEmulatedMedia", media="")
        self.wait()

    def large(self):
        """Some 20,000 frames, packed."""
        lines = []
        for i in range(4000):
            path = ";".join(f"acme/pkg{i % (7 + d)}.(*T{i % (3 + d)}).f{d}"
                            f"x{i // (4 ** (6 - min(d, 6)))}"
                            for d in range(8))
            lines.append(f"{path} {i % 13 + 1}\n")
        path = self.draw("large.html", "profile", "--min-width", "0",
                         self.write("large.folded", "".join(lines)))
        text = path.read_text(encoding="utf-8")
        self.check('type="application/gzip"' in text, "large data is packed")
        self.check(len(text) < 500000, "a large page is small", len(text))
        self.open(path)
        self.focus()
        self.near(self.keys()["width"], self.b.js("view().width"),
                  "and is drawn")
        self.equal(self.keys()["after"], str(sum(i % 13 + 1
                                                 for i in range(4000))),
                   "whole")
        self.quiet("large")
        old = self.b.call(
            "Page.addScriptToEvaluateOnNewDocument",
            source="delete window.DecompressionStream")["identifier"]
        self.b.open(path)
        self.wait(600)
        self.equal(self.b.js("getComputedStyle(document.querySelector("
                             "'.flame-static')).display"), "block",
                   "an old browser keeps the picture")
        self.quiet("old browser")
        self.b.call("Page.removeScriptToEvaluateOnNewDocument",
                    identifier=old)

    def with_table(self):
        """The page's table of functions and its switch of light and dark."""
        b = self.b
        self.open(self.draw("table.html", "slow", TRACE, "--replay", self.case))
        link = ("Array.from(document.querySelectorAll('#functions "
                "a[href=\"#flame\"]')).find(a => a.textContent === '{}')")
        name = "shop/internal/store.(*DB).query"
        b.js(link.format(name) + ".scrollIntoView()")
        b.js(link.format(name) + ".click()")
        self.wait(200)
        self.equal(b.js("focused().name"), name, "a row leads to its frame")
        self.check(0 < b.js("view().top") + float(b.js("focused().y")) < 880,
                   "which is in sight", b.js("view().top"))
        self.check(name in b.js("told()"), "and told of", b.js("told()"))
        self.focus()
        self.equal(self.keys(*["ArrowDown"] * 6)["name"], b.js(
            "document.querySelector('#functions [aria-current=true] a')"
            ".textContent"), "a frame marks its row")
        b.js("document.documentElement.dataset.theme = 'dark'")
        self.wait()
        dark = b.js("pixel(view().left + 600, view().bottom - 12)")
        self.check(int(dark[1:3], 16) < 90, "the page is switched to dark",
                   dark)
        self.quiet("table")

    def run(self):
        before = self.write("before.folded", BEFORE)
        after = self.write("after.folded", AFTER)
        self.diff = self.draw("diff.html", "diff", before, after)
        self.b.resize(1200)
        self.media("light")
        self.start()
        for step in (self.zoom, self.keyboard, self.search, self.events,
                     self.controls, self.widths, self.dark, self.touch):
            step()
        self.quiet("diff")
        self.remembered()
        self.tall()
        self.narrow()
        self.hostile()
        self.without_script()
        self.printed()
        self.large()
        self.same_as_svg("diff", ["diff", before, after])
        self.same_as_svg("by name", ["profile", after], "hot")
        self.with_table()
        self.same_as_svg("a case", ["slow", TRACE, "--replay", self.case])
        self.same_as_svg("by kind", ["slow", TRACE, "--replay", self.case],
                         "kind")
        self.same_as_svg("by language",
                         ["slow", TRACE, "--replay", self.case], "java")


if __name__ == "__main__":
    sys.exit(main(Test))
