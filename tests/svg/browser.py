#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens pictures in a headless Chromium and uses them as a person does.

usage: browser.py TRACEFIND

Skipped where there is no Chromium (tests/chromium.py).
"""
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import AFTER, BEFORE, CANARIES, TRACE, Page, main  # noqa: E402

# Runs in the page: the frame of a name, its place, what is told.
LOOK = """
window.frame = function (name, lane) {
  return Array.from(document.querySelectorAll('.lane')[lane || 0]
    .querySelectorAll('.f')).find(g =>
      g.querySelector('title').textContent.split('\\n')[0] === name);
};
window.place = function (name, lane) {
  var r = frame(name, lane).querySelector('rect').getBoundingClientRect();
  return [r.left, r.top, r.width, r.height];
};
window.info = () => document.getElementById('info').textContent;
window.shown = name => frame(name).style.display !== 'none';
window.matched = () => document.querySelector('.p3').textContent
  .replace(/ of the width$/, '');
window.focused = () => document.activeElement.querySelector('title') ?
  document.activeElement.querySelector('title').textContent.split('\\n')[0] :
  document.activeElement.tagName;
"""


# What BEFORE and AFTER are together, each stack with its larger side, in
# thousands; load with what it calls.
WIDTH = 3 + 1 + 4 + 2 + 6 + 1
LOAD = (3 + 6) / WIDTH


class Test(Page):
    look = LOOK

    def center(self, name, lane=0):
        x, y, w, h = self.b.js(f"place({json.dumps(name)}, {lane})")
        return x + w / 2, y + h / 2

    def zoom(self):
        b = self.b
        whole = b.js("place('all')")[2]
        x, y = self.center("load")
        b.mouse("mouseMoved", x, y)
        told = b.js("info()")
        self.check("load" in told and "this path 7,000, baseline 3,000, " in told
                   and "total 7,000, baseline 3,000, " in told
                   and "; 50.0 % of the profile" in told,
                   "hover tells of the frame and its function", told)
        self.check("baseline" in b.js("info()"), "hover tells both sides",
                   b.js("info()"))
        self.near(b.js("place('load')")[2], whole * LOAD, "its part before")
        b.click(x, y)
        self.near(b.js("place('load')")[2], whole, "a click makes it whole")
        self.near(b.js("place('main')")[2], whole, "its callers as well")
        self.check(b.js("frame('main').classList.contains('up')"),
                   "callers are faded")
        self.near(b.js("place('parse(int, char)')")[2], whole * 6 / 9,
                  "callees keep their part")
        self.check(not b.js("shown('steady')"), "others are hidden")
        b.key("Escape")
        self.near(b.js("place('load')")[2], whole * LOAD, "Escape: all again")
        self.check(b.js("shown('steady')"), "Escape: others again")
        x, y = self.center("old")
        b.mouse("mouseMoved", x, y)
        self.check("gone" in b.js("info()"), "what is gone stands there",
                   b.js("info()"))
        self.near(b.js("place('old')")[2], whole / WIDTH, "as wide as it was")
        self.check(b.js("!!frame('old').querySelector('.gone') && "
                        "!frame('load').querySelector('.gone')"),
                   "and is hatched")

    def tab_in(self):
        """The first Tab may only enter the document."""
        for _ in range(2):
            self.b.key("Tab")
            if self.b.js("document.activeElement.matches('.f')"):
                return

    def keyboard(self, path, down, up):
        """down: the key towards callees."""
        b = self.b
        b.js("document.activeElement.blur()")
        b.open(path)
        b.js(LOOK)
        self.tab_in()
        self.equal(b.js("focused()"), "all", "Tab goes to the root")
        self.check("total 14,000" in b.js("info()"), "focus tells of it",
                   b.js("info()"))
        b.key(down)
        b.key(down)
        self.equal(b.js("focused()"), "serve", f"{down} to the widest callee")
        b.key("ArrowLeft")
        self.equal(b.js("focused()"), "idle", "left to its sibling")
        b.key("ArrowRight")
        b.key(down)
        self.equal(b.js("focused()"), "load", f"and {down} again")
        b.key(up)
        self.equal(b.js("focused()"), "serve", f"{up} to the caller")
        b.key("Enter")
        self.near(b.js("place('serve')")[2], b.js("place('all')")[2],
                  "Enter zooms")
        b.key("Escape")
        self.check(b.js("shown('idle')"), "Escape leaves")

    def find(self, pattern):
        b = self.b
        b.key("/", "/")
        b.js("document.querySelector('#find input').value = ''")
        b.type(pattern)
        return b.js("matched()")

    def search(self):
        b = self.b
        self.equal(self.find("^load$"), "matched 52.9 %", "search")
        self.check(b.js("frame('load').classList.contains('m')"),
                   "matches are marked")
        b.key("Escape")
        self.equal(b.js("matched()"), "", "Escape ends it")
        self.equal(self.find("load|parse"), "matched 52.9 %",
                   "nested matches count once")
        b.key("Escape")
        self.equal(self.find("IDLE|OLD"), "matched 0.0 %",
                   "upper case is meant")
        b.key("Escape")
        self.equal(self.find("idle|steady"), "matched 35.3 %",
                   "matches side by side add up")
        b.key("Escape")
        self.equal(self.find("parse(int"), "matched 35.3 %",
                   "what is no pattern is a text")
        b.key("Escape")
        began = time.monotonic()
        self.equal(self.find("(a+)+$|(.*)*x"), "matched 0.0 %",
                   "a runaway pattern")
        self.check(time.monotonic() - began < 5, "does not keep it busy")
        b.key("Escape")
        b.click(*self.center("serve"))
        self.equal(self.find("^load$"), "matched 60.0 %",
                   "of what is zoomed to")
        b.key("Enter")
        b.key("Escape")
        self.equal(b.js("matched()"), "matched 52.9 %", "of all again")
        b.key("Escape")
        self.equal(b.js("matched()"), "", "a second Escape ends it")

    def widths(self):
        b = self.b
        for width in (320, 600, 1920):
            b.resize(width)
            self.equal(b.js("document.documentElement.getAttribute('width')"),
                       str(width), f"fits {width}")
            self.near(b.js("place('all')")[2], width - 20,
                      f"the root at {width}")
            self.check(b.js("document.documentElement.scrollWidth") <= width,
                       f"no scrolling sideways at {width}")
            self.check(b.js(
                "Array.from(document.querySelectorAll('.f text')).every(t =>"
                " t.getBoundingClientRect().right <= t.parentNode."
                "querySelector('rect').getBoundingClientRect().right + 1)"),
                f"labels stay within at {width}")
            self.check(b.js(
                "(w => Array.from(document.querySelectorAll('.p tspan,.h'))"
                f".every(t => t.getBoundingClientRect().right <= w))({width})"),
                f"the head stays within at {width}")
        b.resize(1400)
        label = b.js("frame('com.acme.shop.cart.Cart.total')"
                     ".querySelector('text').textContent")
        self.equal(label, "Cart.total", "a short form where room is scarce")
        b.resize(1200)
        self.equal(b.js("frame('com.acme.shop.cart.Cart.total')"
                        ".querySelector('text').textContent"), "total",
                   "the shortest where it is scarcer")

    def labels(self):
        """The script cuts names as the picture that it came with does."""
        b = self.b
        for name in ("real-go-cpu", "real-cpp-cpu"):
            path = self.draw(f"{name}.svg", "profile", str(
                Path(os.environ["TESTDATA"]) / "pprof" / f"{name}.pb.gz"),
                "--min-width", "0")
            found = []
            for is_off in (True, False):
                b.call("Emulation.setScriptExecutionDisabled", value=is_off)
                self.open(path)
                found.append(b.js(
                    "Array.from(document.querySelectorAll('.f text'))"
                    ".map(t => t.textContent)"))
            self.equal(found[1], found[0], f"{name}: labels")
            self.check(len(found[0]) > 20, f"{name}: many", len(found[0]))

    def folds(self):
        """Frames within a fold are found, and do not change addresses."""
        b = self.b
        lines = "main;a;b;c;work;x 60\nmain;a;b;c;work;y 50\n"
        folded = self.write("folds.folded", lines)
        self.open(self.draw("folds.svg", "profile", folded))
        self.check(b.js("!!frame('4 callers')"), "a fold is drawn")
        self.equal(self.find("^b$"), "matched 100.0 %", "it is searched")
        self.check(b.js("frame('4 callers').classList.contains('m')"),
                   "and marked")
        b.key("Escape")
        self.equal(self.find("callers"), "matched 0.0 %",
                   "its label is no name")
        b.key("Escape")
        b.click(*self.center("x"))
        address = b.js("location.hash")
        self.open(self.draw("whole.svg", "profile", folded, "--min-width",
                            "0"))
        self.check(b.js("!!frame('b')"), "all are drawn where all is wanted")
        b.click(*self.center("x"))
        self.equal(b.js("location.hash"), address, "the address of a callee")

    def narrow(self):
        """Pictures of a width of their own, not of the window's."""
        b = self.b
        for command in ("slow", "show"):
            self.open(self.draw(f"narrow-{command}.svg", command, TRACE,
                                "--replay", self.case, "--width", "400"))
            boxes = b.js(
                "['.h', '.button text'].map(s => { var r = document."
                "querySelector(s).getBoundingClientRect();"
                " return [r.left, r.top, r.right, r.bottom]; })")
            title, tool = boxes
            self.check(title[2] <= tool[0] or title[3] <= tool[1],
                       f"{command}: the title leaves room for the search",
                       boxes)
            self.check(b.js(
                "(x => x.every((r, i) => !i || r.left >= x[i - 1].right ||"
                " r.top >= x[i - 1].bottom))(Array.from(document."
                "querySelectorAll('.l')).map(e => e.getBoundingClientRect()))"),
                f"{command}: no text over another")

    def paper(self):
        """Printed, a picture is as wide as the page, whatever its width."""
        b = self.b
        self.open(self.draw("paper.svg", "diff",
                            str(self.folder / "before.folded"),
                            str(self.folder / "after.folded"),
                            "--width", "1200"))
        b.resize(700)
        b.call("Emulation.setEmulatedMedia", media="print")
        self.near(b.js("document.documentElement.getBoundingClientRect()"
                       ".width"), 700, "fits the page")
        self.near(b.js("place('all')")[2], 1180 * 700 / 1200, "as a whole")
        self.check(not b.js("document.querySelector('.button')"
                            ".getClientRects().length"), "without buttons")
        b.call("Emulation.setEmulatedMedia", media="")
        b.resize(1200)

    def tall(self):
        """Details stay in sight where the picture is taller than the window,
        and out of the pointer's way."""
        b = self.b
        stack = ";".join(f"f{i}" for i in range(120))
        self.open(self.draw("tall.svg", "profile",
                            self.write("tall.folded", f"{stack} 100\n"),
                            "--min-width", "0"))
        for name, at_top in (("f30", False), ("f80", True)):
            b.js(f"scrollTo(0, place('{name}')[1] + scrollY - "
                 f"{100 if not at_top else 850})")
            b.mouse("mouseMoved", *self.center(name))
            self.check(name in b.js("info()"), f"{name} is told",
                       b.js("info()"))
            top, bottom = b.js(
                "(r => [r.top, r.bottom])(document.getElementById('back')"
                ".getBoundingClientRect())")
            self.check(0 <= top + 1 and bottom <= 901,
                       f"{name}: details are in sight", (top, bottom))
            self.check((top < 450) == at_top,
                       f"{name}: away from the pointer", top)
        b.js("scrollTo(0, 700)")
        b.key("/", "/")
        b.type("f8")
        b.js("new Promise(r => setTimeout(r, 50))")
        self.equal(b.js("scrollY"), 700, "the search stays where one is")
        self.check(b.js("['#find', '.p3'].every(s => (r => r.top >= 0 &&"
                        " r.bottom < 40 && r.width > 50)(document."
                        "querySelector(s).getBoundingClientRect()))"),
                   "in sight, with what it found")
        b.key("Escape")
        self.quiet("tall")

    def slivers(self):
        """Frames too narrow for elements of their own are there all the same:
        told, zoomed to, found, and reached by a link."""
        b = self.b
        lines = "".join(f"main;many;s{i:05d} {10 + i % 7}\n"
                        for i in range(20000))
        path = self.draw("slivers.svg", "profile", self.write(
            "slivers.folded", f"main;wide 260000\n{lines}"),
            "--min-width", "0")
        self.open(path)
        self.check(b.js("document.querySelectorAll('*').length") < 200,
                   "20,000 slivers are few elements",
                   b.js("document.querySelectorAll('*').length"))
        x, y, w, _ = b.js("place('many')")
        y += 26
        b.mouse("mouseMoved", x + w / 2, y)
        self.check("s10" in b.js("info()") or "s09" in b.js("info()"),
                   "a sliver is told where it is drawn", b.js("info()"))
        b.mouse("mouseMoved", x + 3, y)
        self.check("s001" in b.js("info()"), "and its neighbours",
                   b.js("info()"))
        b.click(x + 3, y)
        b.js("new Promise(r => setTimeout(r, 100))")
        name = b.js("info().slice(0, 6)")
        self.near(b.js(f"place('{name}')")[2], b.js("place('all')")[2],
                  "a click makes it whole")
        self.check("#frame=" in b.js("location.href"),
                   "the address keeps the zoom", b.js("location.href"))
        link = b.js("location.href")
        b.key("Escape")
        self.check(not b.js(f"!!frame('{name}')"), "Escape: a sliver again")
        self.equal(b.js("location.href"), path.as_uri(), "and a plain address")
        self.check(b.js(
            "Array.from(document.querySelectorAll('.n [fill=\"url(#many)\"]'))"
            ".some(r => +r.getAttribute('width') > 500 && /^20,?000 frames,/"
            ".test(r.parentNode.firstElementChild.textContent))"),
            "what is drawn as one says of how many")
        b.mouse("mouseMoved", x + 90, y)
        self.check("drawn as one here: 20,000 frames" in b.js("info()"),
                   "and so do the details", b.js("info()"))
        self.equal(self.find("^s0000[0-4]$"), "matched 0.0 %", "search")
        self.check(b.js("document.querySelectorAll('.n [fill=\"#5b0f7a\"]')"
                        ".length") == 1, "finds and marks slivers")
        b.key("Escape")
        self.open_link(link + "&search=%5Es0")
        self.near(b.js(f"place('{name}')")[2], b.js("place('all')")[2],
                  "a link opens zoomed")
        self.equal(b.js("matched()"), "matched 100.0 %", "and searched")
        b.js("location.hash = '#search=wide'")
        b.js("new Promise(r => setTimeout(r, 100))")
        self.check(b.js("shown('wide')"), "another hash: all again")
        self.equal(b.js("matched()"), "matched 50.0 %", "searched anew")
        for hash_ in ("#frame=99999999&search=%E0%A4%A", "#frame=-1", "#=&&=",
                      "#frame=1e1", "#top"):
            self.open_link(path.as_uri() + hash_)
            self.check(b.js("shown('wide')"), f"{hash_} is no state")
        self.quiet("slivers")

    def open_link(self, url):
        """As from another place: the same file with another hash is not
        loaded again."""
        self.b.events = []
        self.b.call("Page.navigate", url="about:blank")
        self.b.wait_for("Page.loadEventFired")
        self.b.open(url)
        self.b.js(LOOK)

    def left_out(self):
        """Many frames that are narrower than is drawn are one box, which says
        so, also when it is zoomed to."""
        b = self.b
        lines = "".join(f"main;many;s{i:05d} 1\n" for i in range(20000))
        self.open(self.draw("left.svg", "profile", self.write(
            "left.folded", f"main;wide 20000\n{lines}")))
        x, y, w, _ = b.js("place('many')")
        for width in (w, b.js("place('all')")[2]):
            b.mouse("mouseMoved", x + 200, y + 26)
            self.equal(b.js("info()"), "drawn as one here: 20,000 frames, each "
                       "too narrow to be drawn", "what is left out is told")
            box = ("Array.from(document.querySelectorAll('[fill=\"url(#many)\"]'"
                   ")).map(r => r.getBoundingClientRect().width)"
                   ".find(w => w > 0)")
            self.near(b.js(box), width, "as wide as it is")
            b.click(x + 200, y + 9)
            b.js("new Promise(r => setTimeout(r, 100))")
        self.quiet("left out")

    def history(self):
        """Back and Forward walk through zooms; a link is good for another
        picture of the same functions."""
        b = self.b
        self.open(self.diff)
        whole = b.js("place('all')")[2]
        for name in ("serve", "load"):
            b.click(*self.center(name))
        self.find("parse")
        b.key("Enter")
        link = b.js("location.hash")
        self.near(b.js("place('load')")[2], whole, "zoomed twice")
        for load in (LOAD * WIDTH / 15, LOAD):
            b.js("history.back()")
            b.js("new Promise(r => setTimeout(r, 150))")
            self.near(b.js("place('load')")[2], whole * load, "back")
        b.js("history.forward()")
        b.js("new Promise(r => setTimeout(r, 150))")
        self.check(not b.js("shown('idle')"), "forward: zoomed again")
        other = self.draw("other.svg", "profile",
                          self.write("other.folded", AFTER))
        self.open_link(other.as_uri() + link)
        self.near(b.js("place('load')")[2], whole, "the link's frame")
        self.equal(b.js("matched()"), "matched 85.7 %", "and its search")
        self.quiet("history")

    def dark(self):
        b = self.b
        self.open(self.diff)
        paper = "getComputedStyle(document.getElementById('paper')).fill"
        fill = "getComputedStyle(frame('load').querySelector('rect')).fill"
        light = b.js(f"[{paper}, {fill}]")
        b.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark"}])
        dark = b.js(f"[{paper}, {fill}]")
        self.equal(light[0], "rgb(255, 255, 255)", "paper is white")
        self.equal(dark[0], "rgb(20, 23, 27)", "dark in dark surroundings")
        self.check(light[1] != dark[1], "frames are darker", dark)
        b.call("Emulation.setEmulatedMedia", media="print", features=[
            {"name": "prefers-color-scheme", "value": "dark"}])
        self.equal(b.js(paper), light[0], "not on paper")
        b.call("Emulation.setEmulatedMedia", media="", features=[])

    def touch(self):
        """A first tap tells, the next one zooms; targets are large."""
        b = self.b
        b.call("Emulation.setDeviceMetricsOverride", width=390, height=800,
               deviceScaleFactor=1, mobile=True)
        b.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.open(self.diff)
        self.check(b.js("Array.from(document.querySelectorAll('.button rect'))"
                        ".every(r => (b => b.height >= 44 || !b.width)"
                        "(r.getBoundingClientRect()))"), "buttons are large")
        x, y = self.center("serve")
        for told in (True, False):
            points = [{"x": x, "y": y}]
            b.call("Input.dispatchTouchEvent", type="touchStart",
                   touchPoints=points)
            b.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            b.js("new Promise(r => setTimeout(r, 400))")
            self.check("serve" in b.js("info()"), "a tap tells",
                       b.js("info()"))
            self.equal(b.js("shown('idle')"), told,
                       "the first tap tells only" if told else
                       "the second one zooms")
        b.call("Emulation.setTouchEmulationEnabled", enabled=False)
        b.call("Emulation.clearDeviceMetricsOverride")
        b.resize(1200)
        self.quiet("touch")

    def hostile(self):
        b = self.b
        lines = "".join(f"main;{c.replace(';', ':')};x{i} 1000\n"
                        for i, c in enumerate(CANARIES))
        path = self.draw("hostile.svg", "profile",
                         self.write("hostile.folded", lines))
        self.open(path)
        for i, name in enumerate(CANARIES):
            b.mouse("mouseMoved", *self.center(name.replace(";", ":")))
            self.check(name.split(";")[0][:10] in b.js("info()"),
                       f"canary {i} is told as text", b.js("info()"))
            b.click(*self.center(name.replace(";", ":")))
            b.key("Escape")
        self.find("canary")
        self.equal(b.js("typeof window.canary"), "undefined",
                   "no canary ran")
        self.equal(b.js("document.querySelectorAll('script').length"), 1,
                   "one script")
        self.equal(b.js("document.querySelectorAll('image').length"), 0,
                   "no image")
        self.quiet("hostile")

    def without_script(self):
        b = self.b
        b.call("Emulation.setScriptExecutionDisabled", value=True)
        self.open(self.diff)
        self.check(b.js("!document.documentElement.classList.contains('on')"),
                   "without scripts none ran")
        self.equal(b.js("frame('load').querySelector('text').textContent"),
                   "load", "labels are there")
        self.check("grew" in b.js(
            "frame('load').querySelector('title').textContent"),
            "and titles")
        pdf = b.call("Page.printToPDF", printBackground=True)["data"]
        self.check(len(pdf) > 4000, "it prints", len(pdf))
        b.call("Emulation.setScriptExecutionDisabled", value=False)

    def waterfall(self):
        b = self.b
        self.open(self.draw("trace.svg", "show", TRACE, "--replay", self.case))
        self.tab_in()
        b.key("ArrowDown")
        b.key("ArrowDown")
        self.check("api_server" in b.js("info()"), "walks down the rows",
                   b.js("info()"))
        self.find("SELECT preferences")
        self.equal(b.js("document.querySelectorAll('.f.m').length"), 1,
                   "search marks rows")
        self.quiet("waterfall")
        self.open(self.draw("slow.svg", "slow", TRACE, "--replay", self.case))
        self.check("loadPreferences" in b.js("document.body === null ? "
                   "document.documentElement.textContent : ''"),
                   "a real case opens")
        self.quiet("slow")

    def run(self):
        before = self.write("before.folded", BEFORE)
        after = self.write("after.folded", AFTER)
        self.diff = self.draw("diff.svg", "diff", before, after,
                              "--normalize", "value")
        b = self.b
        b.resize(1200)
        self.open(self.diff)
        self.zoom()
        self.search()
        self.widths()
        self.quiet("diff")
        self.keyboard(self.diff, "ArrowDown", "ArrowUp")
        flame = self.draw("flame.svg", "diff", before, after,
                          "--normalize", "value", "--layout",
                          "flame")
        self.keyboard(flame, "ArrowUp", "ArrowDown")
        self.check(b.js("place('all')[1] > place('load')[1]"),
                   "the root of a flame is below")
        self.quiet("keyboard")
        self.labels()
        self.folds()
        self.narrow()
        self.paper()
        self.tall()
        self.slivers()
        self.left_out()
        self.history()
        self.dark()
        self.touch()
        self.hostile()
        self.without_script()
        self.waterfall()


if __name__ == "__main__":
    sys.exit(main(Test))
