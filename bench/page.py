#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the flame graph of a page is in a headless Chromium: until it is
drawn, and how many zooms, searches and views a second it takes.

usage: page.py TRACEFIND [FRAMES [ROUNDS]]

Times are the median of the rounds, in a window of 1200 x 900; pictures a second
are those of all acts together. "Open" is from
the start of the navigation to the first picture with the flame graph in it, the
file read, unpacked, laid out and painted.
"""
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from chromium import Browser, find_chromium  # noqa: E402

FRAMES, ROUNDS = 100_000, 5
SKIPPED = 77  # as Meson has it
FUNCTIONS, DEPTH = 8_000, 40

# When the graph is there, and painted.
WATCH = """
new MutationObserver(function (list, self) {
  if (!document.querySelector('#flame.on'))
    return;
  self.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() =>
    window.drawnAt = performance.now()));
}).observe(document, { subtree: true, childList: true, attributes: true });
"""

# Milliseconds from picture to picture, one act for each: no screen shows more
# than its 60 a second.
MEASURE = """
(async function () {
  const id = name => document.getElementById('flame-' + name);
  const frame = () => new Promise(done => requestAnimationFrame(done));
  const results = {}, canvas = id('canvas');
  const key = name => canvas.dispatchEvent(new KeyboardEvent('keydown',
    { key: name, bubbles: true }));
  const type = function (text) {
    id('find').value = text;
    id('find').dispatchEvent(new Event('input'));
  };
  const go = name => document.querySelector(
    '#flame-views [data-view=' + name + ']').click();
  async function measure(name, acts) {
    results[name] = [];
    for (const act of acts) {
      const start = await frame();
      act();
      results[name].push(await frame() - start);
    }
  }
  canvas.focus();
  await measure('zoom', Array.from({ length: 20 }, (_, i) =>
    () => key(i % 2 ? 'Backspace' : 'Enter')).flatMap(zoom =>
    [() => key('ArrowDown'), zoom]));
  key('Home');
  await measure('search', ['p', 'pk', 'pkg', 'pkg1', 'pkg12', '', 'f1.*7$',
    'Handler', '', 'x'].map(text => () => type(text)));
  type('');
  await measure('point at', Array.from({ length: 40 }, (_, i) => () =>
    canvas.dispatchEvent(new PointerEvent('pointermove',
      { clientX: 40 + 27 * i, clientY: 300 + 7 * i, bubbles: true }))));
  for (const name of ['bottom', 'sandwich', 'sides', 'diff', 'package', 'kind',
    'top'])
    if (document.querySelector('#flame-views [data-view=' + name + ']'))
      await measure('view ' + name, [() => go(name)]);
  await measure('collapse recursion', [() => id('recursion').click()]);
  return results;
})()
"""


def write_profiles(folder, frames):
    """Two folded files with so many frames together, in a tree whose branches
    are as unequal as those of real ones."""
    draw = random.Random(3)
    names = [f"acme/pkg{draw.randrange(300)}.(*T{draw.randrange(20)}).f{i}"
             for i in range(FUNCTIONS)]
    paths, sides = [("main",)], ({}, {})
    seen = set(paths)
    while len(paths) < frames - 1:
        # More often beneath the last ones: stacks get deep.
        up = paths[draw.randrange(len(paths)) if draw.random() < 0.5
                   else len(paths) - 1 - draw.randrange(min(40, len(paths)))]
        if len(up) >= DEPTH:
            continue
        path = (*up, names[int(draw.random() ** 2 * FUNCTIONS)])
        if path not in seen:
            seen.add(path)
            paths.append(path)
    for path in paths:
        for side in sides:
            if draw.random() < 0.8:
                side[path] = int(draw.paretovariate(0.9) * 3) % 100000 + 1
        if not any(path in side for side in sides):
            sides[0][path] = 1
    for name, side in zip(("before.folded", "after.folded"), sides):
        Path(folder, name).write_text(
            "".join(f"{';'.join(p)} {v}\n" for p, v in side.items()),
            encoding="utf-8")


def cpu_ms(browser):
    """Of the page's main thread since it was opened."""
    found = browser.call("Performance.getMetrics")["metrics"]
    return next(m["value"] for m in found if m["name"] == "TaskDuration") * 1e3


def measure(browser, page):
    browser.open(page.with_name("blank.html").as_uri())
    before = cpu_ms(browser)
    browser.open(page.as_uri() + "#flame")
    browser.js("new Promise(done => { const look = () => window.drawnAt ? "
               "done() : setTimeout(look, 5); look(); })")
    found = {"open": [browser.js("drawnAt")],
             "open, CPU of it": [cpu_ms(browser) - before]}
    found.update(browser.js(MEASURE))
    return found


def main():
    program = sys.argv[1]
    frames = int(sys.argv[2]) if len(sys.argv) > 2 else FRAMES
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else ROUNDS
    chromium = find_chromium()
    if not chromium:
        print("page.py: no Chromium: put one into $CHROMIUM or the path")
        return SKIPPED
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        write_profiles(folder, frames)
        page = Path(folder, "page.html")
        page.with_name("blank.html").write_text("<title></title>")
        subprocess.run([program, "diff", f"{folder}/before.folded",
                        f"{folder}/after.folded", "--min-width", "0", "-n",
                        "20", "-o", f"html={page}"], check=True,
                       stdout=subprocess.DEVNULL)
        browser = Browser(chromium, f"{folder}/browser")
        browser.resize(1200)
        browser.call("Performance.enable", timeDomain="threadTicks")
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        all_rounds = [measure(browser, page) for _ in range(rounds)]
        browser.close()
        print(f"{frames:,} frames, {page.stat().st_size / 1024:,.0f} KiB")
    for name in all_rounds[0]:
        times = [t for r in all_rounds for t in r[name]]
        median, worst = statistics.median(times), max(times)
        print(f"{name:20} {median:8.1f} ms, worst {worst:8.1f} ms, "
              f"{1000 * len(times) / sum(times):4.0f} a second")


    return 0


if __name__ == "__main__":
    sys.exit(main())
