#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The address of a page and what is selected in it, in a headless Chromium.

usage: address.py TRACEFIND

Skipped where there is no Chromium (tests/chromium.py).
"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import AFTER, BEFORE, Page, main  # noqa: E402

LOOK = """
window.page = tracefindPage;
window.told = [];
page.onSelect(now => told.push([now.function, now.span,
  Array.from(now.changed).sort().join(), now.from]));
window.seen = [];
page.address.onChange(changed => seen.push(Array.from(changed).sort().join()));
window.marked = () => Array.from(document.querySelectorAll('tr[aria-current]'))
  .map(r => r.cells[0].firstElementChild.textContent);
window.settled = () => new Promise(r => setTimeout(r, 50));
"""
ODD = "a&b=c #%2F('é.\u2603) ~.\"<script>."


class Test(Page):
    look = LOOK

    def step(self, expression):
        """One event of the user; what is done in it is one step."""
        self.b.js(f"{expression}; settled()")

    def hash(self):
        return self.b.js("location.hash")

    def length(self):
        return self.b.js("history.length")

    def go(self, by):
        self.b.js(f"history.go({by}); settled()")

    def follow(self, link):
        self.b.open("data://x")
        self.open(link)

    def values(self):
        b = self.b
        first = self.length()
        self.step("page.address.set({tab: 'x', view: 'functions'})")
        self.equal(self.hash(), "#functions&tab=x", "a key in the address")
        self.step("page.address.set({tab: 'x'})")
        self.equal(self.length(), first + 1, "the same again is no step")
        self.step(f"page.address.set({{tab: {json.dumps(ODD)}}}, true)")
        self.equal(self.length(), first + 1, "a replaced value is none")
        self.equal(b.js("page.address.get('tab')"), ODD, "any text")
        self.check(not set(self.hash()) & set("('\"<)"), "is escaped",
                   self.hash())
        self.check(not self.hash().endswith("."), "and ends as no sentence")
        self.follow(b.js("location.href"))
        self.equal(b.js("page.address.get('tab')"), ODD, "opened by a link")
        self.step("page.address.set({tab: null, z: 1}); "
                  "page.address.set({q: 'r'})")
        self.equal(self.hash(), "#functions&z=1&q=r", "null removes")
        self.go(-1)
        self.equal(b.js("[page.address.get('tab'), page.address.get('q')]"),
                   [ODD, None], "what one event sets is one step")
        self.equal(b.js("seen"), ["q,tab,z"], "and Back tells what changed")
        self.go(1)
        self.equal(b.js("[page.address.get('q'), seen.length]"), ["r", 2],
                   "Forward, too")

    def links(self):
        """A link within the page keeps what is not the section's."""
        b = self.b
        self.step("document.querySelector(\"nav a[href='#commands']\").click()")
        self.equal(self.hash(), "#commands&z=1&q=r", "a link keeps the keys")
        self.go(-1)
        self.equal(self.hash(), "#functions&z=1&q=r", "Back comes back")
        self.step("location.hash = '#commands&z=2&mine=%zz'")
        self.equal(b.js("[page.address.get('z'), page.address.get('q'), "
                        "page.address.get('mine')]"), ["2", None, "%zz"],
                   "a typed address is taken as it is")
        self.check(b.js("document.getElementById('commands')"
                        ".getBoundingClientRect().top") < 700,
                   "and its section comes into sight")
        self.step("page.address.set({z: 3})")
        self.check("mine=%25zz" in self.hash(), "unknown keys are kept",
                   self.hash())

    def select(self):
        b = self.b
        name = b.js("document.querySelector('#table tbody tr:nth-child(2) th')"
                    ".firstElementChild.textContent")
        code = json.dumps(name)
        b.js("told = []")
        self.step(f"page.select({{function: {code}}}, 'test')")
        self.equal(b.js("told"), [[name, None, "function", "test"]],
                   "a function is selected")
        self.equal(b.js("marked()"), [name], "and marked in the table")
        self.step("page.select({span: '0b08ccd438311c4f'}, 'test')")
        self.equal(b.js("page.selected()"),
                   {"function": name, "span": "0b08ccd438311c4f"},
                   "a span beside it")
        self.step(f"page.select({{function: {code}}}, 'test')")
        self.equal(b.js("told.length"), 2, "once is enough")
        self.go(-2)
        self.equal(b.js("marked()"), [], "Back takes it back")
        self.equal(b.js("told[told.length - 1]"),
                   [None, None, "function,span", "address"], "and says so")
        self.go(2)
        self.equal(b.js("marked()"), [name], "Forward selects it again")
        self.step("page.select(null, 'test')")
        self.equal(b.js("[marked(), page.selected().span]"), [[], None],
                   "nothing is selected")
        long = "void acme::" + "pair<int, int>::" * 40 + "run()"
        self.step(f"page.select({{function: {json.dumps(long)}}}, 'test')")
        key = b.js("page.selected().function")
        self.check(len(key) < 120 and key.startswith("void acme::pair"),
                   "a long name is cut", key)
        self.check(b.js(f"page.functionKey({json.dumps(long + ' ')})") != key,
                   "and told from others by its hash")
        self.equal(b.js("new Set(Array.from({length: 100000}, (_, i) => "
                        "page.hash('main;f' + i))).size"), 100000,
                   "hashes differ")

    def refused(self, path):
        """Without a history: all of it works, but for Back."""
        b = self.b
        self.open(path)
        b.js("history.pushState = history.replaceState = () => { "
             "throw new DOMException('no', 'SecurityError'); }")
        self.step("page.address.set({z: 1}, true)")
        self.equal(b.js("page.address.get('z')"), "1", "it is remembered")
        self.step("page.address.set({z: 2})")
        self.equal(self.hash(), "#&z=2", "a step is one by its hash")
        self.go(-1)
        self.equal(b.js("page.address.get('z')"), None, "and goes back")

    def run(self):
        self.b.resize(1200)
        path = self.draw("diff.html", "diff", self.write("a.folded", BEFORE),
                         self.write("b.folded", AFTER))
        self.open(path)
        self.values()
        self.links()
        self.select()
        self.quiet("address")
        self.refused(path)


if __name__ == "__main__":
    sys.exit(main(Test))
