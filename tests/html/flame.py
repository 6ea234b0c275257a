#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the flame graph of a page in a headless Chromium as a person does.

usage: flame.py TRACEFIND

Skipped where there is no Chromium. Widths and values are held against the
stacks, words against those that the program writes into the same page.
"""
import json
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import AFTER, BEFORE, CANARIES, TRACE, Page, main  # noqa: E402

ROW = 18
STEPS = 8  # more than there are siblings in these graphs

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
window.go = name => document.querySelector(
  '#flame-views [data-view=' + name + ']').click();
window.choose = function (name, value) {
  at(name).value = value;
  at(name).dispatchEvent(new Event('change'));
};
window.picked = [];
tracefindPage.onSelect(e => picked.push(e.function));
"""


def stacks(text):
    """{path: value} of folded text."""
    lines = [line.rsplit(" ", 1) for line in text.splitlines()]
    return {tuple(path.split(";")): int(value) for path, value in lines}


class Sums:
    """What frames of the two profiles are worth, by ways to sum them up."""

    def __init__(self, before, after):
        self.sides = stacks(after), stacks(before)
        self.paths = set(self.sides[0]) | set(self.sides[1])

    def both(self, path):
        return [side.get(path, 0) for side in self.sides]

    def width(self, is_in, measure=max):
        return sum(measure(self.both(p)) for p in self.paths if is_in(p))

    def total(self, side, is_in):
        return sum(v for p, v in self.sides[side].items() if is_in(p))

    def of(self, *names):
        """Stacks with the function on them."""
        return lambda p: any(n in p for n in names)


class Test(Page):
    look = LOOK
    own_words = "willReadFrequently"  # points are read back here only

    def open(self, path, fragment=""):
        b = self.b
        b.events = []
        b.call("Page.navigate", url="about:blank")
        b.wait_for("Page.loadEventFired")
        b.events = []
        b.call("Page.navigate", url=Path(path).as_uri() + fragment)
        b.wait_for("Page.loadEventFired")
        b.js("document.getElementById('flame').scrollIntoView()")
        b.js("new Promise(done => { const look = () => document"
             ".querySelector('#flame.on') ? done() : setTimeout(look, 10);"
             " look(); })")
        b.js(LOOK)
        self.wait()

    def keys(self, *names):
        for name in names:
            self.b.key(name)
        return self.b.js("focused()")

    def focus(self):
        self.b.js("at('canvas').focus()")
        return self.keys("Home")

    def to(self, *names):
        """Down from the root to the frames of these names."""
        f = self.focus()
        for name in names:
            f = self.keys("ArrowDown")
            for key in ["ArrowLeft"] * STEPS + ["ArrowRight"] * STEPS:
                if f["name"] == name:
                    break
                f = self.keys(key)
            if f["name"] != name:
                raise AssertionError(f"no frame {name}: {f}")
        return f

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

    def part(self, f, value, whole, what):
        self.near(float(f["width"]) / self.b.js("view().width"),
                  value / whole, what, 0.002)

    # ---- use ----

    def start(self):
        b = self.b
        self.open(self.diff)
        self.equal(b.js("getComputedStyle(document.querySelector("
                        "'.flame-static')).display"), "none",
                   "the canvas replaces the picture")
        self.check(b.js("at('canvas').width") >= b.js("view().width"),
                   "and is as wide", b.js("at('canvas').width"))
        self.near(b.js("at('canvas').clientHeight - view().height"), 0,
                  "and as high, all of it")

    def union(self):
        """Both profiles in one: widths, what is gone, what stands beside."""
        s = self.sums
        whole = s.width(lambda p: True)
        root = self.focus()
        self.equal(root["name"], "all", "Home: the root")
        self.part(root, whole, whole, "which is as wide as the view")
        load = self.to("main", "serve", "load")
        self.part(load, s.width(s.of("load")), whole,
                  "as wide as the larger side of its stacks")
        self.equal([load["after"], load["before"]], ["7000", "3000"],
                   "with the values of both sides")
        query = self.to("main", "serve", "old", "query")
        self.part(query, 1000, whole, "what is gone stands where it was")
        self.check("gone" in self.b.js("told()"), "and says so",
                   self.b.js("told()"))
        colors = {self.b.js(
            f"pixel(view().left + {float(query['x']) + x},"
            f" view().top + {float(query['y']) + y})")
            for x in range(30, 38) for y in range(5, 13)}
        self.check(len(colors) > 1, "and is hatched", colors)
        steady = self.to("main", "serve", "steady")
        self.part(steady, 4000, whole, "the same is the same")

    def measures(self):
        b, s = self.b, self.sums
        for name, measure in (("after", lambda v: v[0]),
                              ("before", lambda v: v[1]),
                              ("change", lambda v: abs(v[0] - v[1])),
                              ("larger", max)):
            b.js(f"choose('width', '{name}')")
            whole = s.width(lambda p: True, measure)
            load = self.to("main", "serve", "load")
            self.part(load, s.width(s.of("load"), measure), whole,
                      f"widths by {name}")

    def zoom(self):
        b = self.b
        whole = b.js("view().width")
        load = self.to("main", "serve", "load")
        self.check(b.js("at('path').hidden"), "nothing to go back from")
        load = self.click(load)
        self.near(load["width"], whole, "a click makes it whole")
        self.equal(b.js("Array.from(at('path').children).map(e => "
                        "e.textContent)"),
                   ["Show all", "all", "main", "serve", "load"],
                   "the path leads back")
        self.near(self.keys("ArrowDown")["width"], whole * 6 / 9,
                  "callees keep their part")
        self.near(self.keys("ArrowUp", "ArrowUp")["width"], whole,
                  "callers are whole")
        self.equal(self.keys("ArrowLeft")["name"], "serve",
                   "others are not there")
        self.near(self.keys("ArrowDown", "Escape")["width"], whole * 9 / 17,
                  "Escape goes back")
        self.keys("ArrowDown", "Enter")
        self.near(b.js("focused()")["width"], whole, "Enter zooms")
        self.keys("ArrowUp", "Enter")
        self.near(self.keys("ArrowDown")["width"], whole * 6 / 9,
                  "and again, to a caller")
        self.keys("Backspace")
        self.near(b.js("focused()")["width"], whole, "Backspace: one back")
        b.js("at('reset').click()")
        self.equal(b.js("tracefindPage.address.get('zoom')"), None,
                   "all again: nothing to remember")

    def keyboard(self):
        b = self.b
        f = self.focus()
        self.equal(self.keys("ArrowDown", "ArrowDown")["name"], "serve",
                   "down to the widest callee")
        self.equal(self.keys("ArrowLeft")["name"], "idle",
                   "left to its sibling")
        self.equal(self.keys("ArrowLeft")["name"], "idle", "which is the last")
        f = self.keys("ArrowRight", "ArrowDown")
        self.equal(f["name"], "load", "and down again")
        self.check("load" in b.js("told()"), "focus tells of it",
                   b.js("told()"))
        self.equal(b.js("at('live').textContent"),
                   "load; this path 7,000, baseline 3,000, grew; total"
                   " 7,000, baseline 3,000, change +4,000; level 4",
                   "and so do readers of screens")
        ring = b.js(f"pixel(view().left + {float(f['x']) + 20},"
                    f" view().top + {float(f['y']) + 1})")
        self.equal(ring, b.js("getComputedStyle(at('view'))"
                              ".getPropertyValue('--focus').trim()"),
                   "with a visible edge")
        b.key("Home")
        b.key("/", "/")
        self.equal(b.js("document.activeElement.id"), "flame-find",
                   "/ goes to the search")
        self.equal(b.js("at('find').value"), "", "and writes nothing there")
        b.key("Escape")
        self.equal(b.js("document.activeElement.id"), "flame-canvas",
                   "Escape goes back")
        for key, name in (("2", "bottom"), ("3", "sandwich"), ("4", "sides"),
                          ("5", "diff"), ("6", "package"), ("7", "kind"),
                          ("1", "top")):
            b.key(key)
            self.equal(b.js("document.querySelector('#flame-views "
                            "[aria-pressed=true]').dataset.view"), name,
                       f"{key}: a view")
        bottom = b.js("view().height")
        b.key("t")
        self.check(float(self.focus()["y"]) > bottom / 2, "t: root below",
                   self.keys())
        self.equal(self.keys("ArrowUp")["name"], "main",
                   "then callees are above")
        b.key("t")
        for key, what in (("r", "runtime"), ("c", "recursion")):
            b.key(key)
            self.equal(b.js(f"at('{what}').getAttribute('aria-pressed')"),
                       "true", f"{key}: {what}")
            b.key(key)
        self.check(len(b.js("tracefindPage.helps.find(h => "
                            "h.title === 'Flame graph').list")) > 9,
                   "the page's help knows the keys")

    def search(self):
        b = self.b
        self.focus()
        self.equal(self.find("^load$"), "matched 50.0 %, baseline 30.0 %",
                   "search: both sides")
        self.equal(b.js("Array.from(at('matches').querySelectorAll('code'),"
                        " e => e.textContent)"), ["load"], "a list of them")
        b.key("Enter")
        f = b.js("focused()")
        self.equal(f["name"], "load", "Enter goes to the match")
        self.equal(b.js(f"pixel(view().left + {float(f['x'])} + 100, "
                        f"view().top + {float(f['y']) + 9})"), "#5b0f7a",
                   "matches are marked")
        for pattern, wanted, what in (
                ("load|parse", "50.0 %, baseline 30.0 %",
                 "nested matches count once"),
                ("IDLE|old", "0.0 %, baseline 10.0 %", "upper case is meant"),
                ("idle|steady", "42.9 %, baseline 60.0 %", "side by side"),
                ("parse(int", "42.9 %, baseline 0.0 %",
                 "what is no pattern is a text"),
                ):
            self.equal(self.find(pattern), f"matched {wanted}", what)
        for pattern, what in (("(a+)+$|(.*)*x", "a runaway pattern"),
                              ("no such function", "what is not there")):
            self.equal(self.find(pattern), "nothing found", what)
            b.key("Enter")
            self.equal(b.js("document.activeElement.id"), "flame-find",
                       f"{what}: Enter stays, to be written anew")
        self.find("^(load|old|steady)$")
        names = []
        for key in ("Enter", "n", "n"):
            b.key(key)
            names.append(b.js("focused().name"))
        self.equal(names, ["load", "steady", "old"], "one after the other")
        self.equal(b.js("document.activeElement.id"), "flame-canvas",
                   "keys after a search go to the graph")
        self.equal(self.keys("n")["name"], "load", "n: and again")
        self.equal(self.keys("N")["name"], "old", "N: back")
        b.js("at('find').focus()")
        b.key("ArrowDown")
        b.key("ArrowDown")
        self.equal(b.js("document.activeElement.querySelector('code')"
                        ".textContent"), "steady", "down into the list")
        b.key("Enter", "\r")
        self.equal(b.js("focused().name"), "steady", "and to its frame")
        b.js("at('find').focus()")
        b.key("Escape")
        self.equal(b.js("at('matched').textContent"), "", "Escape ends it")
        self.to("main", "serve")
        b.key("Enter")
        self.equal(self.find("^load$"), "matched 58.3 %, baseline 37.5 %",
                   "of what is zoomed to")
        b.js("go('bottom')")
        self.equal(b.js("at('matched').textContent"),
                   "matched 58.3 %, baseline 37.5 %", "the same, bottom-up")
        b.js("go('top')")
        b.js("at('find').focus()")
        b.key("Escape")
        b.key("Escape")

    def views(self):
        """Each view against sums of the stacks."""
        b, s = self.b, self.sums
        whole = s.width(lambda p: True)
        self.focus()
        b.js("go('bottom')")
        f = self.to("parse(int, char)")
        self.part(f, 6000, whole, "bottom-up: what took the time")
        self.equal([f["after"], f["before"]], ["6000", "0"], "its values")
        self.equal(self.keys("ArrowDown")["name"], "load", "then its caller")
        f = self.to("load")
        self.equal([f["after"], f["before"]], ["1000", "3000"],
                   "a function itself")
        b.js("go('package')")
        f = self.to("com.acme.shop.cart")
        self.equal([f["after"], f["before"]], ["1000", "0"], "a package")
        self.equal(self.keys("ArrowDown")["name"],
                   "com.acme.shop.cart.Cart.total", "and its function")
        b.js("go('kind')")
        self.focus()
        self.keys("ArrowDown", *["ArrowLeft"] * STEPS)
        kinds = {}
        for _ in range(STEPS):
            f = self.keys()
            kinds[f["name"]] = float(f["after"]), float(f["before"])
            self.keys("ArrowRight")
        sums = [sum(v[s] for v in kinds.values()) for s in (0, 1)]
        self.equal(sums, [14000, 10000], "kinds of code add up")
        self.wait(200)
        b.js("tracefindPage.select({function: 'load'}, 'test')")
        b.js("go('sandwich')")
        f = self.focus()
        self.equal([f["name"], f["after"], f["before"]],
                   ["load", "7000", "3000"], "sandwich: the function")
        self.equal(self.keys("ArrowUp")["name"], "serve", "callers above")
        f = self.keys("ArrowDown", "ArrowDown")
        self.equal([f["name"], f["after"]], ["parse(int, char)", "6000"],
                   "callees below")
        self.keys("Enter")
        self.wait(200)
        self.equal(b.js("[tracefindPage.address.get('of'), "
                        "tracefindPage.address.get('fn')]"),
                   ["load", "parse(int, char)"],
                   "another one chosen does not move it")
        self.keys("s")
        self.equal([self.focus()["name"], self.keys("ArrowUp")["name"]],
                   ["parse(int, char)", "load"], "s does")
        b.js("go('sides')")
        f = self.to("main", "serve", "load")
        self.equal(f["pane"], "0", "side by side: before")
        room = (b.js("view().width") - 16) / 2
        self.near(float(f["width"]), room * 3000 / 14000, "to one scale")
        f = self.keys("Home", "ArrowRight", "ArrowDown", "ArrowDown",
                      "ArrowDown")
        self.equal([f["pane"], f["name"]], ["1", "load"], "and after")
        self.near(float(f["width"]), room / 2, "to the same")
        other = self.to("main", "serve", "load")
        edge = b.js("getComputedStyle(at('view')).getPropertyValue('--focus')"
                    ".trim()")
        self.equal(b.js(f"pixel(view().left + {float(f['x']) + 90}, "
                        f"view().top + {float(other['y'])})"), edge,
                   "what is chosen in one is shown in the other")
        b.js("at('scale').click()")
        self.near(float(self.to("main", "serve", "load")["width"]),
                  room * 3 / 10, "or each by itself")
        b.js("at('scale').click()")
        self.near(float(self.keys("Enter")["width"]), room * 3 / 7,
                  "one zoom for both")
        self.keys("Home")
        b.js("go('diff')")
        f = self.to("main", "serve", "load")
        grew, shrank = 7000, 3000
        self.near(float(f["width"]), room * 6000 / grew, "what grew")
        self.keys("Home")
        f = self.keys("ArrowRight")
        self.near(float(f["width"]), room * shrank / grew, "and what shrank")
        b.js("go('top')")

    def filters(self):
        b = self.b
        path = self.write("recursive.folded",
                          "main;walk;walk;walk;leaf 600\n"
                          "main;a;b;a;b;leaf 300\n"
                          "main;runtime.mallocgc;runtime.memclr 100\n")
        self.open(self.draw("filters.html", "profile", path))
        self.focus()
        self.keys("f")
        self.equal(self.to("main", "walk")["after"], "600", "recursion")
        self.equal(self.keys("ArrowDown")["name"], "walk", "as it is")
        b.js("at('recursion').click()")
        self.equal(self.to("main", "walk", "leaf")["after"], "600",
                   "each function once")
        self.equal(self.to("main", "a", "b", "leaf")["after"], "300",
                   "also where others are between")
        b.js("at('runtime').click()")
        self.focus()
        names = {self.keys("ArrowDown", "ArrowDown")["name"]}
        for key in ("ArrowLeft", "ArrowRight", "ArrowRight", "ArrowRight"):
            names.add(self.keys(key)["name"])
        self.equal(names, {"a", "walk"}, "without the runtime")
        f = self.to("main")
        self.equal(f["after"], "1000", "whose time counts for its callers")
        self.check("hide=runtime%2Crecursion" in b.js("location.hash"),
                   "kept in the address", b.js("location.hash"))
        self.quiet("filters")

    def folds(self):
        """Callers of one width are one frame until one asks for them."""
        b = self.b
        before = self.write("plain.folded", "main;a;b;c;d;work 3000\n"
                            "main;idle 1000\nmain;x;y 500\n")
        after = self.write("grown.folded", "main;a;b;c;d;work;more 9000\n"
                           "main;a;b;c;d;work 3000\nmain;a;b;trace 60\n"
                           "main;idle 1000\nmain;x;y 500\n")
        self.open(self.draw("folds.html", "diff", before, after,
                            "--normalize", "value"))
        width = b.js("view().width")
        f = self.to("main", "a")
        self.equal([f["run"], f["after"], f["before"]], ["4", "12060", "3000"],
                   "a run of callers")
        self.near(f["width"], width * 12060 / 13560, "as wide as its first")
        self.check(b.js("told()").startswith("4 callers of work, one"),
                   "says how many, and of what", b.js("told()"))
        self.check(b.js("at('live').textContent").startswith("4 callers of"),
                   "to who hears it, too", b.js("at('live').textContent"))
        y = float(f["y"]) + 4
        place = "pixel(view().left + {}, view().top + {})"
        held = b.js(place.format(float(f["x"]) + 600, y))
        self.check(len(set(re.findall("[0-9a-f]{2}", held))) > 1,
                   "has the colour of what it holds", held)
        work = self.keys("ArrowDown")
        self.equal(work["name"], "work", "leads to what they call")
        self.near(float(work["x"]), float(f["x"]), "where that begins")
        self.near(float(work["width"]), width * 12000 / 13560, "and as wide")
        colour = b.js(place.format(float(work["x"]) + 600, y + ROW))
        self.check(len(set(re.findall("[0-9a-f]{2}", colour))) > 1,
                   "which has a colour, too", colour)
        self.equal(self.keys("ArrowUp")["run"], "4", "and back up")
        x = self.to("main", "x")
        self.equal([x["run"], self.keys("ArrowDown")["name"]], ["0", "y"],
                   "two are none")
        high = b.js("view().height")
        f = self.to("main", "a")
        self.click(f)
        self.near(b.js("view().height"), high + 3 * ROW, "a click shows each")
        self.equal(self.to("main", "a", "b", "c", "d", "work")["run"], "0",
                   "one after the other")
        b.key("f")
        b.key("f")
        self.near(b.js("view().height"), high, "f, and f again: as at first")
        for name in ("c", "d"):
            b.js(f"tracefindPage.select({{function: '{name}'}}, 'test')")
            self.equal(b.js("focused().name"), name,
                       "what is chosen elsewhere stands by itself")
        self.equal(self.find("^b$"), "matched 88.9 %, baseline 66.7 %",
                   "a search finds what is in a run")
        b.key("Enter")
        self.equal([b.js("focused().name"), b.js("focused().run")], ["b", "0"],
                   "and shows it")
        b.key("Escape")
        b.key("Escape")
        b.js("tracefindPage.select({function: 'idle'}, 'test')")
        self.find("^b$")
        self.focus()
        self.find("^zz$")
        self.equal(self.to("main", "a")["run"], "4",
                   "without it they are one again")
        b.js("at('find').focus()")
        b.key("Escape")
        b.js("go('sides')")
        self.equal([self.to("main", "a")["run"], b.js("focused().pane")],
                   ["4", "0"], "in both sides")
        b.js("go('bottom')")
        self.equal([self.to("more", "work")["run"],
                    self.keys("ArrowDown")["name"]], ["5", "main"],
                   "and among the callers of what took the time")
        b.js("at('callers').click()")
        self.check("callers=each" in b.js("location.hash"),
                   "the address has whether", b.js("location.hash"))
        self.open(self.folder / "folds.html", b.js("location.hash"))
        self.equal(b.js("at('callers').getAttribute('aria-pressed')"),
                   "false", "a link shows the same")
        self.quiet("folds")

    def stacks(self):
        """A frame's stack is copied by a key and by the right button."""
        b = self.b
        self.open(self.diff)
        b.js("tracefindDom.copy = text => { window.copied = text;"
             " return Promise.resolve(true); }")
        f = self.to("main", "serve", "load")
        b.key("y")
        self.equal(b.js("copied"), "main\nserve\nload", "callers first")
        self.wait()
        self.check(b.js("told()").endswith("stack copied"), "and says so",
                   b.js("told()"))
        f = self.to("main", "idle")
        left, top = b.js("[view().left, view().top]")
        x, y = left + float(f["x"]) + 9, top + float(f["y"]) + ROW / 2
        for kind in ("mousePressed", "mouseReleased"):
            b.call("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                   button="right", clickCount=1)
        self.equal(b.js("copied"), "main\nidle", "of what is pointed at")
        b.js("go('bottom')")
        self.to("steady", "serve", "main")
        b.key("y")
        self.equal(b.js("copied"), "main\nserve\nsteady",
                   "from the callers on, whatever the view")

    def verdicts(self):
        """What changed by itself is in no fold of callers."""
        self.open(self.draw("verdicts.html", "slow", TRACE, "--replay",
                            self.case))
        serve = self.to("net/http.(*conn).serve")
        self.equal(serve["run"], "8", "callers that pass a change on are one")
        self.equal(self.keys("ArrowDown"), {
            **self.b.js("focused()"), "run": "0", "name":
            "shop/internal/store.(*UserRepository).FindByEmail"},
            "what has a verdict stands by itself")

    def marks(self):
        """What is new, what grew and what shrank, without colours."""
        b = self.b
        self.open(self.diff)

        def box(f):
            return {b.js(
                f"pixel(view().left + {float(f['x']) + float(f['width']) - 20}"
                f" + {x}, view().top + {float(f['y']) + y})")
                for x in range(8) for y in range(4, 12)}
        new = box(self.to("main", "serve", "load", "parse(int, char)"))
        grown = box(self.to("main", "serve", "load"))
        self.equal([len(new) > 1, len(grown)], [True, 1],
                   "what is new is dotted, what grew is not")
        self.check(not new & grown, "and of another colour", (new, grown))
        texts = ("Array.from(at('print').querySelectorAll('text'), "
                 "t => t.textContent)")
        wanted = {"+ load", "+ parse(int, char)", "- old", "steady"}
        b.js("dispatchEvent(new Event('beforeprint'))")
        self.check(wanted <= set(b.js(texts)), "on paper names have marks",
                   b.js(texts))
        self.check(b.js("at('print').querySelector('[id^=flame-new]') !== null"),
                   "and dots")
        b.js("window.drawn = new Set(); CanvasRenderingContext2D.prototype"
             ".fillText = t => drawn.add(t)")
        b.js("choose('palette', 'kind')")
        self.check(wanted <= set(b.js("Array.from(drawn)")),
                   "and where colours tell something else",
                   b.js("Array.from(drawn)"))
        self.check("+: grew or new" in b.js("at('caption').textContent"),
                   "which the page says", b.js("at('caption').textContent"))
        b.js("drawn.clear(); choose('palette', 'diff')")
        self.check("load" in b.js("Array.from(drawn)"),
                   "not beside colours of change", b.js("Array.from(drawn)"))
        self.quiet("marks")

    def highlight(self):
        b = self.b
        self.open(self.diff)
        f = self.to("main", "serve", "com.acme.shop.cart.Cart.total")
        place = ("pixel(view().left + {} , view().top + {})".format(
            float(f["x"]) + float(f["width"]) - 8, float(f["y"]) + 9))
        other = self.to("main", "serve", "steady")
        there = ("pixel(view().left + {} , view().top + {})".format(
            float(other["x"]) + float(other["width"]) - 8,
            float(other["y"]) + 9))
        self.to("main", "serve", "com.acme.shop.cart.Cart.total")
        full, plain = b.js(place), b.js(there)
        b.key("p")
        self.equal(b.js(place), full, "p: its package in full colour")
        self.check(b.js(there) != plain, "others are pale", b.js(there))
        self.equal(b.js("tracefindPage.address.get('light')"),
                   "com.acme.shop.cart", "kept in the address")
        b.key("p")
        self.equal(b.js(there), plain, "p again: all")

    def selection(self):
        b = self.b
        self.open(self.diff)
        self.focus()
        b.js("picked.length = 0")
        for _ in range(3):
            f = self.keys("ArrowDown")
            self.wait(200)
        self.equal(b.js("picked"), ["main", "serve", "load"],
                   "the page is told of what is chosen")
        f = self.keys("ArrowUp", "ArrowDown")
        self.wait(200)
        self.equal(len(b.js("picked")), 3, "but not of what is passed by")
        self.click(f)
        ask = "tracefindPage.select({{function: {}}}, 'test')"
        b.js(ask.format("'idle'"))
        self.equal(b.js("focused().name"), "idle",
                   "what the page asks for is chosen")
        self.near(b.js("focused().width"), b.js("view().width") * 2 / 17,
                  "out of the zoom that hid it")
        b.js(ask.format("'parse(int, char)'"))
        self.equal(b.js("focused().name"), "parse(int, char)",
                   "by its name, not by a pattern")
        self.equal(b.js("at('chosen').querySelector('b').textContent"),
                   "parse(int, char)", "which stands above the graph")

    def controls(self):
        b = self.b
        self.open(self.diff)
        self.focus()
        legends = {"kind": "application", "java": "Python", "hot": None,
                   "package": None, "diff": "grew"}
        for value, text in legends.items():
            b.js(f"choose('palette', '{value}')")
            items = b.js("Array.from(at('legend').children)"
                         ".map(e => e.textContent)")
            self.check(text in items if text else not items,
                       f"legend of {value}", items)
            words = {"kind": "kind of code", "java": "language",
                     "hot": "name", "diff": "change",
                     "package": "package"}[value]
            told = b.js("Array.from(document.querySelectorAll("
                        "'[data-palette]')).filter(p => !p.hidden)"
                        ".map(p => p.textContent)")
            self.check(len(told) == 1
                       and told[0].startswith(f"Colour by {words}"),
                       f"and the words of {value}", told)
        for unit, wanted in (
                ("share", "this path 50.0 %, baseline 30.0 %, "
                          "change +20.0 points: grew"),
                ("value", "this path 7,000, baseline 3,000: grew"),
                ("table", "this path 7,000, baseline 3,000, change +4,000: "
                          "grew")):
            b.js(f"choose('unit', '{unit}')")
            self.to("main", "serve", "load")
            self.check(wanted in b.js("told()"), f"unit: {unit}",
                       b.js("told()"))

    def as_table(self):
        """The view in words, for who does not see the picture."""
        b = self.b
        self.open(self.diff)
        b.js("at('text').open = true")
        self.wait()
        rows = b.js("Array.from(at('text').querySelectorAll('tbody tr'), r => "
                    "Array.from(r.cells, c => c.textContent.trim()))")
        self.check(["4", "load", "7,000", "3,000", "+4,000"] in rows,
                   "frames as rows", rows)
        b.js("tracefindPage.select({function: 'load'}, 'test')")
        b.js("go('sandwich')")
        rows = b.js("Array.from(at('text').querySelectorAll('table'), t => "
                    "Array.from(t.tBodies[0].rows, r => r.cells[1]"
                    ".textContent.trim()))")
        self.equal(rows, [["load", "serve", "main"],
                          ["load", "parse(int, char)"]],
                   "those of the view that is shown")
        b.js("at('text').open = false")

    def turned(self):
        """A profile that the program was asked to turn."""
        b = self.b
        self.open(self.draw("turned.html", "profile", "--reverse", self.write(
            "turn.folded", AFTER)))
        self.focus()
        self.equal(b.js("document.querySelector('#flame-views [aria-pressed="
                        "true]').dataset.view"), "bottom", "--reverse")
        f = self.to("parse(int, char)", "load", "serve")
        self.equal(f["after"], "6000", "what took the time, its callers")
        b.js("go('top')")
        f = self.to("main", "serve", "load", "parse(int, char)")
        self.equal(f["after"], "6000", "and the other way round")
        self.quiet("turned")

    def saved(self):
        """Pictures of what is shown."""
        b = self.b
        self.open(self.diff)
        b.js("window.blobs = []; URL.createObjectURL = function (blob) {"
             " blobs.push(blob); return '#'; };"
             "HTMLAnchorElement.prototype.click = function () {}")
        for kind, start in (("svg", "<svg"), ("png", "\x89PNG")):
            b.js(f"choose('save', '{kind}')")
            self.wait(300)
            text = b.js("blobs.pop().arrayBuffer().then(a => String"
                        ".fromCharCode(...new Uint8Array(a).slice(0, 60000)))")
            self.check(text.startswith(start), f"save as {kind}", text[:40])
            if kind == "svg":
                self.check("load" in text and "url(#flame-gone" in text
                           and "style=" not in text, "with all that is seen",
                           text[:400])
        self.quiet("saved")

    def widths(self):
        b = self.b
        self.open(self.diff)
        for width in (320, 360, 600, 1200, 2560):
            b.resize(width)
            self.wait(100)
            self.near(self.focus()["width"], b.js("view().width"),
                      f"the root at {width}")
            f = self.keys("ArrowDown", "ArrowDown", "ArrowDown")
            self.near(f["width"], b.js("view().width") * 9 / 17,
                      f"load at {width}")
            r = b.js("(r => [r.left, r.right])(seen())")
            self.check(r[0] >= 0 and r[1] <= width,
                       f"details are in sight at {width}", r)
            for name in b.js("Array.from(document.querySelectorAll("
                             "'#flame-views button'), e => e.dataset.view)"):
                b.js(f"go('{name}')")
                self.check(b.js("document.documentElement.scrollWidth")
                           <= width, f"no scrolling sideways at {width}: "
                           f"{name}", b.js("document.documentElement"
                                           ".scrollWidth"))
            b.js("go('top')")
        b.call("Emulation.setDeviceMetricsOverride", width=600, height=900,
               deviceScaleFactor=2, mobile=False)
        self.wait(150)
        self.near(b.js("at('canvas').width / view().width"), 2,
                  "fine on a fine screen", 0.01)
        b.resize(1200)

    def dark(self):
        b = self.b
        self.open(self.diff)
        b.js("document.activeElement.blur()")
        self.hover(-5, -5)
        place = "pixel(view().left + 60, view().top + 3)"
        light = b.js(place)
        self.media("dark")
        dark = b.js(place)
        self.check(int(light[1:3], 16) > 200 and int(dark[1:3], 16) < 90,
                   "a dark screen is drawn dark", (light, dark))
        self.media("light")
        self.equal(b.js(place), light, "and light again")

    def touch(self):
        b = self.b
        b.call("Emulation.setTouchEmulationEnabled", enabled=True)
        b.call("Emulation.setEmitTouchEventsForMouse", enabled=False)
        b.call("Emulation.setEmulatedMedia", features=[
            {"name": "pointer", "value": "coarse"}])
        self.open(self.diff)
        f = self.to("main", "serve", "load")
        up = self.keys("ArrowUp")
        self.check(float(f["y"]) - float(up["y"]) >= 24,
                   "rows are as high as a finger tip", (f, up))
        small = b.js("Array.from(document.querySelectorAll("
                     "'#flame button, #flame select, #flame input'))"
                     ".filter(e => e.offsetHeight && (e.offsetHeight < 24 || "
                     "e.offsetWidth < 24)).map(e => e.id || e.textContent)")
        self.equal(small, [], "and so is what is pressed")
        b.key("Home")
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
        left, top = b.js("[view().left, view().top]")
        point[0]["y"] = top + float(f["y"]) + 9
        self.near(tap()["width"], b.js("view().width"), "a second one does")
        b.call("Emulation.setTouchEmulationEnabled", enabled=False)
        self.media("light")

    def remembered(self):
        b = self.b
        self.open(self.diff)
        self.to("main", "serve", "load")
        self.keys("Enter")
        self.find("par.e")
        self.wait(400)
        fragment = b.js("location.hash")
        self.check("par.e" in fragment, "the address remembers", fragment)
        self.open(self.diff, fragment)
        self.equal(b.js("at('matched').textContent"),
                   "matched 85.7 %, baseline 0.0 %", "search and zoom")
        b.js("go('bottom')")
        b.js("at('canvas').focus()")
        self.keys("ArrowDown", "Enter")
        deep = b.js("location.hash")
        self.open(self.diff, deep)
        self.equal(b.js("Array.from(at('path').children, e => e.textContent)"),
                   ["Show all", "all", "main", "serve", "load",
                    "in this view", "all", "parse(int, char)"],
                   "and a zoom within another view")
        self.open(self.diff, "#flame&zoom=nonsense&find=%E0%A4%A&flame=x"
                             "&in=bottom.x&width=y&hide=z")
        self.equal(self.focus()["name"], "all", "an address of no sense")
        self.quiet("remembered")

    def back(self):
        """The browser's Back and Forward."""
        b = self.b
        self.open(self.diff)
        shown = ("[document.querySelector('#flame-views [aria-pressed=true]')"
                 ".dataset.view, at('path').hidden ? '' : "
                 "at('path').lastChild.textContent]")
        self.to("main", "serve", "load")
        self.keys("Enter")
        self.wait()
        b.js("go('sides')")
        self.wait()
        b.js("go('diff')")
        self.wait()
        steps = [["sides", "load"], ["top", "load"], ["top", ""]]
        for wanted in steps:
            b.js("history.back()")
            self.wait(150)
            self.equal(b.js(shown), wanted, f"Back: {wanted}")
        for wanted in [*steps[1::-1], ["diff", "load"]]:
            b.js("history.forward()")
            self.wait(150)
            self.equal(b.js(shown), wanted, f"Forward: {wanted}")
        self.quiet("back")

    def tall(self):
        """The canvas of a very tall graph is no larger than the window."""
        b = self.b
        stack = ";".join(f"f{i}" for i in range(3000))
        self.open(self.draw("tall.html", "profile",
                            self.write("tall.folded", f"{stack} 100\n")))
        self.near(b.js("view().height"), 3 * ROW, "callers of one width are "
                  "one frame", 3)
        self.focus()
        self.keys("f")
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
        self.keys(*["ArrowDown"] * 80)
        self.check(0 <= b.js("view().top") + float(b.js("focused().y")) < 900,
                   "what has the focus is in sight")
        self.quiet("tall")

    def narrow(self):
        """Frames that are too narrow: fused, and left out of the page."""
        b = self.b
        lines = "".join(f"main;busy;tiny{i:02} 9\n" for i in range(40))
        path = self.write("narrow.folded", "main;big 900000\n" + lines
                          + "main;least 1\n")
        self.open(self.draw("narrow.html", "profile", "--min-width", "0.01",
                            path))
        ask = "tracefindPage.select({{function: '{}'}}, 'test')"
        b.js(ask.format("tiny07"))
        self.equal(b.js("focused().name"), "tiny07", "a narrow one is found")
        self.near(b.js("focused().width"), b.js("view().width"),
                  "and zoomed to")
        b.js(ask.format("least"))
        self.equal(b.js("at('matched').textContent"),
                   "too narrow to be in this page", "one that is left out")
        self.equal(b.js("at('rest').textContent"),
                   "Frames narrower than 0.0008 % of the whole are left out: "
                   "1.", "which the page says")
        many = "".join(f"main;busy;tiny{i:03} 1\n" for i in range(600))
        self.open(self.draw("fused.html", "profile", "--min-width", "0",
                            self.write("fused.folded",
                                       "main;big 1400\n" + many)))
        f = self.to("main", "busy")
        said = self.hover(float(f["x"]) + 40, float(f["y"]) + ROW * 1.5)
        self.check(said.startswith("600 frames of busy, too narrow"),
                   "neighbours in one box say how many", said)
        self.check("together 30.0 %, 600" in said, "and what they are worth",
                   said)
        colors = {b.js(f"pixel(view().left + {float(f['x']) + 200 + x},"
                       f" view().top + {float(f['y']) + ROW * 1.5})")
                  for x in range(6)}
        self.check(len(colors) > 1, "and are striped", colors)
        self.keys("Enter")
        f = self.keys("ArrowDown")
        self.equal(f["fused"], "0", "a zoom tells them apart")
        self.quiet("narrow")

    def hostile(self):
        b = self.b
        names = [c.replace(";", ":") for c in CANARIES]
        lines = "".join(f"main;{c};x{i} 1000\n" for i, c in enumerate(names))
        self.open(self.draw("hostile.html", "profile",
                            self.write("hostile.folded", lines)))
        seen = set()
        for name in names:
            b.js(f"tracefindPage.select({{function: {json.dumps(name)}}},"
                 " 'test')")
            seen.add(b.js("focused().name"))
            self.check(b.js("told()").startswith(name),
                       "a canary is told as text", b.js("told()"))
            b.key("s")
            b.key("p")
            b.key("1")
        self.equal(sorted(seen), sorted(names), "all of them")
        for name in ("bottom", "sandwich", "package", "kind"):
            b.js(f"go('{name}')")
        self.find("canary")
        b.js("dispatchEvent(new Event('beforeprint'))")
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
        self.check(b.js("document.querySelectorAll('.flame-static "
                        "[fill=\"url(#flame-gone)\"]').length") == 2,
                   "what is gone is hatched")
        self.equal(b.js("getComputedStyle(document.getElementById("
                        "'flame-view')).display"), "none", "no canvas")
        b.call("Emulation.setScriptExecutionDisabled", value=False)

    def printed(self):
        b = self.b
        self.open(self.diff)
        self.to("main", "serve", "load")
        self.keys("Enter")
        b.js("dispatchEvent(new Event('beforeprint'))")
        b.call("Emulation.setEmulatedMedia", media="print")
        self.wait()
        shown = ("getComputedStyle(document.querySelector('.flame-{}'))"
                 ".display")
        self.equal(b.js(shown.format("print")), "block",
                   "on paper a picture of what is shown")
        self.equal(b.js(shown.format("static")), "none", "not the first one")
        self.equal(b.js(shown.format("view")), "none", "not the canvas")
        texts = b.js("Array.from(document.querySelectorAll('.flame-print "
                     "text'), t => t.textContent)")
        self.check("+ load" in texts and "idle" not in texts,
                   "as it is zoomed", texts)
        b.call("Emulation.setEmulatedMedia", media="")
        self.wait()
        self.quiet("printed")

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
        f = self.focus()
        self.near(f["width"], self.b.js("view().width"), "and is drawn")
        self.equal(f["after"], str(sum(i % 13 + 1 for i in range(4000))),
                   "whole")
        for name in ("bottom", "sandwich", "package", "kind"):
            self.b.js(f"go('{name}')")
            self.check(float(self.focus()["width"]) > 100, f"large: {name}")
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

    # ---- words and numbers ----

    def same_words(self, what, *args):
        """The script tells of frames as the program does in its picture."""
        b = self.b
        self.open(self.draw("words.html", *args))
        titles = b.js("Array.from(document.querySelectorAll("
                      "'.flame-static g > title'), t => t.textContent)")
        width = b.js("view().width")
        self.focus()
        self.keys("f")
        boxes = b.js("Array.from(document.querySelectorAll("
                     "'.flame-static g > rect:first-of-type'), r => ['x', "
                     "'y', 'width'].map(a => Number(r.getAttribute(a))))")
        wrong, count = [], 0
        for title, (x, y, w) in zip(titles, boxes):
            if w * width / 1200 < 4 or count >= 150:
                continue
            count += 1
            top = y / ROW * ROW + ROW / 2
            b.js(f"scrollTo(0, scrollY + view().top + {top} - 400)")
            self.wait(20)
            said = self.hover((x + w / 2) * width / 1200, top).split("\n")
            told = title.strip().split("\n")
            # Of functions as a whole same_numbers() has the words.
            if told[0] != said[0] or any(
                    line not in told[-1] for line in said
                    if line.startswith("this path")):
                wrong.append((told, said))
        self.check(count > 3, f"{what}: frames to compare", count)
        self.equal(wrong[:2], [], f"{what}: {count} frames say the same")
        self.quiet(what)

    def same_numbers(self):
        """Table, details, words for readers of screens, and JSON."""
        b = self.b
        args = ["slow", TRACE, "--replay", self.case]
        answer = json.loads(self.draw("numbers.json", *args, "-n", "0")
                            .read_text(encoding="utf-8"))
        self.open(self.draw("numbers.html", *args, "-n", "0"))
        rows = b.js("Array.from(document.querySelectorAll('#table tbody tr'),"
                    " r => [r.cells[0].firstElementChild.textContent, "
                    "...Array.from(r.cells).slice(1).map(c => "
                    "c.textContent)])")
        heads = b.js("Array.from(document.querySelectorAll('#table thead "
                     "tr > *'), h => h.textContent)")
        scale = b.js("JSON.parse(document.getElementById('flame-data')"
                     ".textContent).scale")
        facts = {f["name"]: f for f in answer["functions"]}
        draw = random.Random(37)
        wrong, count = [], 0
        for row in draw.sample(rows, min(200, len(rows))):
            cells = dict(zip(heads, row))
            b.js("tracefindPage.select({function: "
                 f"{json.dumps(row[0])}}}, 'test')")
            if b.js("at('matched').textContent").startswith("too narrow"):
                continue
            count += 1
            said = b.js("told()").split("\n")
            heard = b.js("at('live').textContent")
            fact = facts[row[0]]

            def shown(value):
                steps = int(abs(value) / scale["step"] + 0.5)
                return f"{steps / 10 ** scale['decimals']:,.1f}"
            words = {"total": "total", "self+lib": "self+lib"}
            first = (f"{words[heads[1]]} {row[1]} ms per request, baseline "
                     f"{cells['baseline']} ms, change {cells['change']} ms")
            last = f"{words[heads[-1]]} {row[-1]} ms per request, baseline "
            total = f"total {cells['total']} ms per request, baseline "
            if (cells["total"] != shown(fact["total_value"]
                                        / scale["exposure"][0])
                    or row[1] != shown(fact["now"])
                    or cells["baseline"] != shown(fact["before"])
                    or not any(x.startswith(first) for x in said)
                    or not any(x.startswith(last) for x in said)
                    or total not in heard):
                wrong.append((row, said, heard))
        self.check(count >= min(150, len(rows)), "functions to compare",
                   (count, len(rows)))
        self.equal(wrong[:2], [], f"{count} functions: the same numbers")
        self.quiet("numbers")

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
        headline = b.js("Array.from(document.querySelectorAll('#answer dt'))"
                        ".find(e => e.textContent === 'function')"
                        ".nextElementSibling.querySelector('code')"
                        ".textContent")
        blamed = b.js("flameData.read(JSON.parse(at('data').textContent))"
                      ".functions").get("isToBlame")
        names = b.js("flameData.read(JSON.parse(at('data').textContent))"
                     ".functions.name")
        blamed = [n for k, n in enumerate(names) if blamed[str(k)]]
        self.equal(blamed, [headline], "the headline's function is outlined")
        self.focus()
        name = self.keys(*["ArrowDown"] * 6)["name"]
        self.wait(200)
        self.equal(name, b.js(
            "document.querySelector('#functions [aria-current=true] a')"
            ".textContent"), "a frame marks its row")
        b.js("document.documentElement.dataset.theme = 'dark'")
        self.wait()
        dark = b.js("pixel(view().left + 600, view().top + 3)")
        self.check(int(dark[1:3], 16) < 90, "the page is switched to dark",
                   dark)
        self.quiet("table")

    def run(self):
        before = self.write("before.folded", BEFORE)
        after = self.write("after.folded", AFTER)
        self.sums = Sums(BEFORE, AFTER)
        self.diff = self.draw("diff.html", "diff", before, after,
                              "--normalize", "value")
        self.b.resize(1200)
        self.media("light")
        self.start()
        for step in (self.union, self.measures, self.zoom, self.keyboard,
                     self.search, self.views):
            step()
        self.quiet("diff")
        for step in (self.filters, self.folds, self.stacks, self.verdicts, self.marks, self.highlight, self.selection,
                     self.controls, self.as_table, self.turned, self.saved, self.widths, self.dark,
                     self.touch, self.remembered, self.back, self.tall,
                     self.narrow, self.hostile, self.without_script,
                     self.printed, self.large):
            step()
        case = ["slow", TRACE, "--replay", self.case]
        self.same_words("diff", "diff", before, after, "--normalize", "value")
        self.same_words("one profile", "profile", after)
        self.same_words("a case", *case)
        self.same_numbers()
        self.with_table()


if __name__ == "__main__":
    sys.exit(main(Test))
