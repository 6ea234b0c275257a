#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The views of a page beside its flame graph, in a headless Chromium: history,
trace, functions, evidence, and how they keep in step.

usage: views.py TRACEFIND

Skipped where there is no Chromium (tests/chromium.py).
"""
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

    def run(self):
        self.b.resize(1200)
        args = ["slow", TRACE, "--replay", self.case]
        path = self.draw("slow.html", *args)
        self.history(path, self.draw_json(*args)["history"])


if __name__ == "__main__":
    sys.exit(main(Test))
