#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The trees behind the views of a page's flame graph, on random stacks, against
sums that are made the long way; and how names are cut.

usage: flame_model.py TRACEFIND

Runs the scripts of a page in a headless Chromium; skipped where there is none.
"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import Page, main  # noqa: E402

ROUNDS = 60

# A page of checks: problems("name of a tree", seed) lists what does not hold.
LOOK = """
window.random = function (seed) {
  return function (below) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 4294967296 * below);
  };
};
window.SCALE = 0.75;
// Stacks: { path, values }, of few functions, so that they meet.
window.draw = function (next) {
  const stacks = [];
  for (let k = 0; k < 40; k++) {
    const path = [];
    for (let d = 0; d < 1 + next(7); d++)
      path.push(1 + next(6));
    stacks.push({ path: path, values: [next(9), next(9)] });
  }
  return stacks;
};
window.F = { count: 7,
  name: ['all', 'a.f', 'a.g', 'b.h', 'runtime.x', 'c.(*T).i', 'd', 'rest'] };
// As the data has them: depth-first, functions in their order.
window.frames = function (stacks) {
  const n = flameData.makeFrames(400), root = { kids: {}, self: [0, 0] };
  for (const s of stacks) {
    let node = root;
    for (const fn of s.path)
      node = node.kids[fn] = node.kids[fn] || { kids: {}, self: [0, 0] };
    node.self = node.self.map((v, side) => v + s.values[side]);
  }
  (function add(node, fn, depth, up) {
    const i = n.add(fn, depth, up, node.self[0], node.self[1]);
    Object.keys(node.kids).sort((a, b) => a - b).forEach(k =>
      add(node.kids[k], +k, depth + 1, i));
  }(root, 0, 0, -1));
  return flameData.finishFrames(n);
};
window.sum = (stacks, is) => [0, 1].map(s => stacks.reduce((all, x) =>
  all + (is(x) ? x.values[s] : 0), 0));
window.same = (a, b) => a.every((v, k) => Math.abs(v - b[k]) < 1e-6);
window.all = function (tree) {
  const nodes = [0];
  for (let k = 0; k < nodes.length; k++)
    nodes.push(...tree.kids(nodes[k]));
  return nodes;
};
// What holds for every tree: nothing beneath is more than what it is in, and
// what an address names is found again.
window.nests = function (tree, found) {
  for (const i of all(tree)) {
    const kids = tree.kids(i), selfs = tree.selfs(i);
    const sums = [0, 1].map(s => kids.reduce((v, k) =>
      v + tree.totals(k)[s], 0));
    if (!same(tree.totals(i), sums.map((v, s) => v + selfs[s])))
      found.push([tree.id, i, 'totals', tree.totals(i), sums, selfs]);
    if (selfs.some(v => v < 0))
      found.push([tree.id, i, 'negative', selfs]);
    for (const m of Object.keys(flameTree.MEASURES)) {
      const w = kids.reduce((v, k) => v + tree.width(k, m), 0);
      if (w > tree.width(i, m) + 1e-6)
        found.push([tree.id, i, m, w, tree.width(i, m)]);
    }
    if (Math.abs(tree.width(i, 'grew') - tree.width(i, 'shrank') -
        (tree.totals(i)[0] - SCALE * tree.totals(i)[1])) > 1e-6)
      found.push([tree.id, i, 'what came less what went is the change']);
    if (i && tree.find(tree.hash(i)) !== i)
      found.push([tree.id, i, 'address']);
    if (i && (tree.parent(i) < 0 ||
        tree.depth(i) !== tree.depth(tree.parent(i)) + 1))
      found.push([tree.id, i, 'depth']);
  }
};
window.problems = function (seed) {
  const next = random(seed), stacks = draw(next), n = frames(stacks);
  const found = [], top = flameTree.top(n, F, SCALE);
  const whole = sum(stacks, () => true), group = i => 'g' + n.fn[i] % 3;
  const check = (is, ...what) => is || found.push(what);
  const selfs = tree => all(tree).reduce(function (by, i) {
    const fn = tree.fn(i);
    by[fn] = (by[fn] || [0, 0]).map((v, s) => v + tree.selfs(i)[s]);
    return by;
  }, {});

  nests(top, found);
  check(same(top.totals(0), whole), 'top', top.totals(0), whole);
  for (const groups of [[], [group], [group, group]]) {
    const tree = flameSums.bottom(n, F, SCALE, 0, 'bottom', groups);
    nests(tree, found);
    check(same(tree.totals(0), whole), 'bottom', groups.length);
  }
  const bottom = flameSums.bottom(n, F, SCALE, 0, 'bottom', []);
  for (const i of bottom.kids(0))
    check(same(bottom.totals(i), sum(stacks, s =>
      s.path[s.path.length - 1] === bottom.fn(i))), 'leaf', bottom.fn(i));
  for (let fn = 1; fn < 7; fn++) {
    const total = sum(stacks, s => s.path.includes(fn));
    const weigh = m => Float64Array.from(n.fn, (v, i) => top.width(i, m));
    for (const which of ['callers', 'callees']) {
      const tree = flameSums[which](n, F, weigh, 0, fn);
      nests(tree, found);
      check(same(tree.totals(0), total), which, fn, tree.totals(0), total);
    }
    const callers = flameSums.callers(n, F, weigh, 0, fn);
    for (const i of callers.kids(0))
      check(same(callers.totals(i), sum(stacks, s =>
        s.path[s.path.indexOf(fn) - 1] === callers.fn(i))), 'caller', fn, i);
  }
  const folded = flameTree.top(flameTree.filter(n, null, true), F, SCALE);
  nests(folded, found);
  check(JSON.stringify(selfs(folded)) === JSON.stringify(selfs(top)) ||
    Object.entries(selfs(top)).every(([fn, v]) => same(v,
      selfs(folded)[fn] || [0, 0])), 'folded: values of functions');
  for (const i of all(folded))
    for (let up = folded.parent(i); up > 0; up = folded.parent(up))
      check(folded.fn(up) !== folded.fn(i), 'folded: twice', i);
  const isOut = F.name.map(name => name.startsWith('runtime'));
  const hidden = flameTree.top(flameTree.filter(n, isOut, false), F, SCALE);
  nests(hidden, found);
  check(same(hidden.totals(0), whole), 'hidden: all of it');
  check(!all(hidden).some(i => isOut[hidden.fn(i)]), 'hidden: is there');
  check(all(hidden).every(i => {
    const kids = hidden.kids(i).map(k => hidden.fn(k));
    return new Set(kids).size === kids.length;
  }), 'hidden: joined');
  const twice = flameTree.reverse(flameTree.reverse(n));
  const kept = frames(stacks.filter(s => s.values[0] || s.values[1]));
  check(twice.count === kept.count && same(twice.total[0], kept.total[0]) &&
    same(twice.fn, kept.fn), 'turned twice');
  return found.slice(0, 3);
};
"""

GO, JVM, PYTHON, NODE, DOTNET, RUBY, RUST, NATIVE = range(1, 9)
PACKAGES = (
    ("net/http.(*conn).serve", GO, "net/http"),
    ("github.com/a/b.v2/c.F", GO, "github.com/a/b.v2/c"),
    ("main.main", GO, "main"),
    ("main.Map[go.shape.int/x].f", GO, "main"),
    ("java.util.HashMap.getNode", JVM, "java.util"),
    ("com/acme/Cart$1.run", JVM, "com.acme"),
    ("com.acme.shop.Cart.total", 0, "com.acme.shop"),
    ("std::vector<int>::push_back", NATIVE, "std"),
    ("tokio::runtime::task::poll", RUST, "tokio::runtime"),
    ("System.Text.Json.JsonReader.Read", DOTNET, "System.Text"),
    ("malloc", NATIVE, "no package"),
    ("", 0, "no package"),
)
LABELS = (
    ("shop/store.(*UserRepository).FindByEmail", 60,
     "shop/store.(*UserRepository).FindByEmail"),
    ("shop/store.(*UserRepository).FindByEmail", 34,
     "store.(*UserRepository).FindByEmail"[6:]),
    ("shop/store.(*UserRepository).FindByEmail", 12, "FindByEmail"),
    ("shop/store.(*UserRepository).FindByEmail", 9, "Fi…yEmail"),
    ("shop/store.(*UserRepository).FindByEmail", 5, ""),
    ("f", 2, "f"),
)


class Test(Page):
    look = LOOK

    def names(self):
        for name, language, wanted in PACKAGES:
            self.equal(self.b.js(f"flamePackages.of({json.dumps(name)}, "
                                 f"{language})"), wanted, f"package of {name}")
        for name, room, wanted in LABELS:
            found = self.b.js(f"flameNames.fit({json.dumps(name)}, "
                              f"{room})")
            self.equal(found, wanted, f"{room} letters of {name}")
        bad = self.b.js("""(() => {
          const bad = [], next = random(7);
          for (let k = 0; k < 3000; k++) {
            let name = '';
            for (let i = 0; i < 1 + next(60); i++)
              name += 'ab.:/()<>[] \\u4e00*'[next(14)];
            const most = 2 + next(40), text = flameNames.fit(name, most);
            // The mark of what is cut takes one.
            if (flameNames.letters(text.replace('\\u2026', '.')) > most ||
                text.endsWith('\\u2026'))
              bad.push([name, most, text]);
          }
          return bad.slice(0, 3);
        })()""")
        self.equal(bad, [], "labels fit, and none ends in dots")

    def run(self):
        self.open(self.draw("model.html", "profile",
                            self.write("model.folded", "main;a 1\n")))
        for seed in range(ROUNDS):
            found = self.b.js(f"problems({seed})")
            if found:
                break
        self.equal(found, [], f"trees of {ROUNDS} profiles add up: {seed}")
        self.names()


if __name__ == "__main__":
    sys.exit(main(Test))
