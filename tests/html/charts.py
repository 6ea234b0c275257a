#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages with a chart over time, of when and leak, in a headless Chromium: what
is drawn is held against what CSV and JSON tell.

usage: charts.py TRACEFIND

Skipped where there is no Chromium (tests/chromium.py).
"""
import csv
import gzip
import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import Page, main  # noqa: E402

CASES = Path(os.environ["TESTDATA"]) / "cases"
WHEN = ["when", "--service", "pricing-w1-a", "--from", "2026-11-25T12:00:00Z",
        "--to", "2026-11-25T17:50:00Z", "--replay",
        CASES / "when-version.har.gz"]
# Where the axes of a drawing are, in its own units.
LEFT, RIGHT, BOTTOM = 84, 960, 252
BARS = " ▁▂▃▄▅▆▇█"

LOOK = """
window.all = s => Array.from(document.querySelectorAll(s));
window.points = e => Array.from(e.getAttribute('d').matchAll(
  /([ML])([-0-9.]+) ([-0-9.]+)/g)).map(m => [m[1], +m[2], +m[3]]);
window.paths = (i, s) => Array.from(all('svg[role]')[i].querySelectorAll(s));
window.shown = e => { var s = getComputedStyle(e);
  return s.stroke !== 'none' && s.stroke !==
    getComputedStyle(document.body).backgroundColor; };
"""


def seconds(text):
    return datetime.fromisoformat(text[:19] + "+00:00").timestamp()


class Test(Page):
    look = LOOK

    def ask(self, *args):
        done = subprocess.run(
            [self.program, *map(str, args)], check=False,
            stdout=subprocess.PIPE, encoding="utf-8",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        return done.stdout

    def page(self, name, args):
        path = self.folder / name
        self.ask(*args, "-o", f"html={path}")
        return path

    def looks(self, path, what):
        """Lines differ from the ground, in both schemes and on a phone."""
        b = self.b
        for scheme in ("dark", "light"):
            self.media(scheme)
            self.open(path)
            self.quiet(f"{what}, {scheme}")
            self.check(b.js("paths(0, 'path').length > 1 && "
                            "paths(0, 'path').every(shown)"),
                       f"{what}, {scheme}: all lines can be seen")
        for width in (360, 3840):
            b.resize(width)
            self.check(b.js("document.documentElement.scrollWidth") <= width,
                       f"{what}, {width}: no scrolling sideways")
        b.resize(1200)
        self.equal(b.js("all('svg[role] text').filter(e => {"
                        "var r = e.getBoundingClientRect();"
                        "return r.left < 0 || r.right > innerWidth + .5})"
                        ".map(e => e.textContent)"), [],
                   f"{what}: no label is cut")

    def report(self, args, what):
        """The text below is that of the table."""
        text = self.b.js("document.querySelector('pre').textContent")
        table = self.ask(*args, "-o", "table")
        # A row of bars is as wide as there is room.
        told = [[w for w in t.split() if w[0] not in BARS]
                for t in (text, table)]
        self.equal(*told, f"{what}: the table below")

    def when(self):
        b = self.b
        path = self.page("when.html", WHEN)
        answer = json.loads(self.ask(*WHEN, "-o", "json"))
        self.looks(path, "when")
        self.report(WHEN, "when")
        first, last = seconds(answer["from"]), seconds(answer["to"])
        rows = list(csv.DictReader(self.ask(*WHEN, "-o", "csv").splitlines()))
        levels = [float(r["level"]) for r in rows if r["level"]]
        drawn = b.js("points(paths(0, \"path[stroke='currentColor']"
                     "[stroke-width]\")[0])")
        self.equal(len(drawn), len(levels), "when: a point a measured step")
        # Heights are in proportion to levels, from a ground of 0.
        scale = (BOTTOM - drawn[0][2]) / levels[0]
        worst = max(abs(BOTTOM - y - scale * v)
                    for (_, _, y), v in zip(drawn, levels))
        self.near(worst, 0, "when: points at their levels", .2)
        at = [LEFT + (RIGHT - LEFT) * (seconds(answer["step"][k]) - first)
              / (last - first) for k in ("from", "to")]
        rect = b.js("(r => [r.x, r.width].map(v => v.baseVal.value))("
                    "paths(0, 'rect')[0])")
        self.near(rect[0], at[0], "when: the step begins where it does", 1)
        self.near(rect[1], max(at[1] - at[0], 2), "when: as wide as it is", 1)
        marks = [points[0][2] for points in
                 b.js("paths(0, \"path[stroke='var(--bad)']\").map(points)")]
        wanted = [BOTTOM - scale * answer["step"][k]
                  for k in ("before", "after")]
        self.equal(len(marks), 2, "when: a level on either side")
        for found, level, side in zip(marks, wanted, ("before", "after")):
            self.near(found, level, f"when: the level {side}", .2)
        names = b.js("all('svg[role] text').map(e => e.textContent)")
        for version in answer["versions"]:
            self.check(version["after"] in names, "when: the version's name",
                       names)

    def leak(self, case, has_slope):
        b = self.b
        args = ["leak", "--replay", CASES / f"leak-{case}.har.gz"]
        path = self.page(f"leak-{case}.html", args)
        rows = list(csv.DictReader(self.ask(*args, "-o", "csv").splitlines()))
        what = f"leak, {case}"
        self.looks(path, what)
        self.report(args, what)
        led = [r for r in rows if r["what"] == rows[0]["what"]]
        lives = [led[i:i + 8] for i in range(0, len(led), 8)]
        answer = json.loads(self.ask(*args, "-o", "json"))
        first, last = seconds(answer["from"]), seconds(answer["to"])
        lines = b.js("paths(0, 'path[class]').map(points)")
        self.equal(len(lines), len(lives), f"{what}: a line a life")
        top = None
        for line, life in zip(lines, lives):
            for block in life:
                x = [LEFT + (RIGHT - LEFT) * (seconds(block[k]) - first)
                     / (last - first) for k in ("from", "to")]
                ys = [BOTTOM - y for _, at, y in line if x[0] <= at < x[1]]
                mean = sum(ys) / len(ys)
                top = top or mean / float(block["held"])
                self.near(mean, top * float(block["held"]),
                          f"{what}: {block['instance']} from {block['from']}",
                          2)
        slopes = b.js("paths(0, \"path[stroke='var(--bad)']"
                      "[stroke-dasharray]\").filter(e => points(e)[0][2] "
                      "!== points(e)[1][2]).length")
        self.equal(slopes, len(lives) if has_slope else 0,
                   f"{what}: slopes of a leak")
        self.equal(b.js("all('section')[0].querySelectorAll('.hint svg')"
                        ".length"), len({r["instance"] for r in led}),
                   f"{what}: a colour an instance")
        self.equal(b.js("all('svg[role]').length"),
                   len({r["what"] for r in rows}), f"{what}: a chart each")

    def escapes(self):
        """Names of strangers stay text: of a version in answers of servers."""
        with gzip.open(CASES / "when-version.har.gz") as file:
            case = json.load(file)
        odd = "<i>&'</i>"
        for entry in case["log"]["entries"]:
            content = entry["response"]["content"]
            content["text"] = content["text"].replace("1.5.0", odd)
        path = self.write("odd.har", json.dumps(case))
        self.open(self.page("odd.html", [*WHEN[:-1], path]))
        self.check(odd in self.b.js("all('svg[role] text').map(e => "
                                    "e.textContent)"),
                   "an odd name of a version stays text")

    def run(self):
        self.b.resize(1200)
        self.when()
        self.leak("leaky", True)
        self.leak("auth", False)
        self.leak("goroutines", True)
        self.escapes()


if __name__ == "__main__":
    sys.exit(main(Test))
