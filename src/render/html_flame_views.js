// SPDX-License-Identifier: Apache-2.0
// The views of one profile, or of two: which trees each shows, side by side or
// below each other, and what a node says. Nothing is worked out for a view that
// is not looked at.
const flameViews = (function () {
"use strict";
const COMPARED = ["sides", "diff"];
const NAMES = { top: "Top-down", bottom: "Bottom-up", sandwich: "Sandwich",
	sides: "Side by side", diff: "Difference", package: "Packages",
	kind: "Kinds of code" };
// Side by side to one scale, unless one side is so much smaller.
const SCALE_MIN = 0.25;

return function (read) {
const head = read.head, F = read.functions;
const words = flameWords(head, F);
const whole = head.is_reversed ? flameTree.reverse(read.frames) : read.frames;
// Of all requests: what is put into the head and the functions in turn.
const all = { whole: head.whole[0], exposure: head.scale.exposure[0],
	scale: head.baseline_scale, total: F.total[0] };
let own = null, isOwn = false;
let n = whole, top = flameTree.top(n, F, head.baseline_scale), trees = new Map();

// ---- packages and kinds ----

const packages = [];

function packageOf(fn) {
	return packages[fn] || (packages[fn] = fn < F.count ?
		flamePackages.of(F.name[fn], F.language[fn]) : F.name[fn]);
}

function kindOf(fn) {
	return fn < F.count ? head.legends.kind[F.kind[fn]][1] : F.name[fn];
}

// ---- what is shown of the frames ----

// Runtime, collector, kernel and waiting count for whoever called them.
function setFrames(isHidden, isFolded, isNarrow) {
	const from = isNarrow ? ownFrames() : whole;
	const isOut = isHidden &&
		F.name.map((name, fn) => head.runtime_kinds.includes(F.kind[fn]));

	isOwn = isNarrow;
	head.whole[0] = isOwn ? own.total[0][0] : all.whole;
	head.scale.exposure[0] = isOwn ? 1 : all.exposure;
	head.baseline_scale = all.scale / (isOwn ? all.exposure : 1);
	F.total[0] = isOwn ? flameData.totalsOf(own, F.name.length) : all.total;
	n = isHidden || isFolded ? flameTree.filter(from, isOut, isFolded) : from;
	top = flameTree.top(n, F, head.baseline_scale);
	trees = new Map();
}

// Samples of one span of the trace, where the page has such.
function ownFrames() {
	own = own || flameData.narrow(whole, F.name, read.own);
	return own;
}

// ---- the trees, each made when a view needs it ----

function lazy(key, make) {
	if (!trees.has(key)) {
		if (trees.size > TREES_MAX)
			trees.clear();
		trees.set(key, make());
	}
	return trees.get(key);
}

const TREES_MAX = 12;

function groupColor(tree) {
	tree.groupColor = function (i) {
		const kind = head.legends.kind.find(k => k[1] === tree.name(i));

		return kind ? kind[0] : flameColors.ofPackage(tree.name(i));
	};
	return tree;
}

function bottom(view, scope) {
	const groups = { bottom: [], package: [i => packageOf(n.fn[i])],
		kind: [i => kindOf(n.fn[i]), i => packageOf(n.fn[i])] };

	return lazy(view + scope, () => groupColor(flameSums.bottom(n, F,
		head.baseline_scale, scope, view, groups[view])));
}

function measure(name) {
	const column = new Float64Array(n.count);

	for (let i = 0; i < n.count; i++)
		column[i] = top.width(i, name);
	return column;
}

function weigher() {
	return name => lazy("measure" + name, () => measure(name));
}

function sandwich(which, scope, fn) {
	return lazy(which + scope + "." + fn, () =>
		flameSums[which](n, F, weigher(), scope, fn));
}

// The function that takes most itself, where none is chosen.
function hottest() {
	const most = new Map();
	let best = -1;

	for (let i = 1; i < n.count; i++) {
		const fn = n.fn[i];

		if (fn >= F.count)
			continue;
		most.set(fn, (most.get(fn) || 0) + n.self[0][i]);
		if (best < 0 || F.isToBlame[fn] > F.isToBlame[best] ||
		    F.isToBlame[fn] === F.isToBlame[best] &&
		    most.get(fn) > most.get(best))
			best = fn;
	}
	return best;
}

// ---- panes ----

function zoomOf(state, tree) {
	if (tree === top)
		return state.scope;
	return state.deep && state.deep.tree === tree ? state.deep.i : 0;
}

function pane(state, tree, measure, title, isUp) {
	return { tree: tree, measure: measure, title: title || "", isUp: isUp,
		zoom: zoomOf(state, tree), skip: 0, foldBy: [measure] };
}

function sidePane(state, measure, label, side) {
	const p = pane(state, top, measure, "", state.isFlame);
	const totals = top.totals(state.scope);

	p.title = label + ": " + words.brief(totals, side);
	// Rows of both sides are to stand beside each other.
	p.foldBy = ["before", "after"];
	return p;
}

// Whether both sides are drawn to one scale.
function isOneScale(state) {
	const widths = ["before", "after"].map(m => top.width(state.scope, m));

	if (state.view !== "sides")
		return true;
	return state.isOneScale === null ? Math.min(...widths) >=
		SCALE_MIN * Math.max(...widths) : state.isOneScale;
}

function changePane(state, measure, label) {
	const p = pane(state, top, measure, "", state.isFlame);

	p.title = label + ": " + words.amount(top.width(state.scope, measure));
	return p;
}

function sandwichPanes(state) {
	const fn = state.center, scope = state.scope, m = state.measure;
	const up = pane(state, sandwich("callers", scope, fn), m,
		"callers above, callees below " + F.name[fn], true);
	const down = pane(state, sandwich("callees", scope, fn), m, "", false);

	up.isJoined = true;
	down.skip = down.zoom ? 0 : 1;
	return [up, down];
}

function panes(state) {
	const view = state.view;

	if (view === "sandwich")
		return state.center >= 0 ? sandwichPanes(state) : [];
	if (view === "sides")
		return [sidePane(state, "before", "baseline", 1),
			sidePane(state, "after", "after", 0)];
	if (view === "diff")
		return [changePane(state, "grew", "grew"),
			changePane(state, "shrank", "shrank")];
	if (view === "top")
		return [pane(state, top, state.measure, "", state.isFlame)];
	return [pane(state, bottom(view, state.scope), state.measure, "",
		state.isFlame)];
}

// ---- what a node says ----

// In trees of callers a value belongs to what is called.
function pathLabel(tree, i) {
	if (!i)
		return tree.id === "callers" || tree.id === "callees" ?
			"here" : "total";
	if (tree.id === "top" || tree.id === "callees")
		return "this path";
	if (tree.isGroup(i))
		return "all of it";
	return tree.fn(tree.parent(i)) === null ? "in itself" : "through here";
}

function lines(tree, i) {
	const fn = tree.fn(i), list = [tree.name(i)];
	const selfs = tree.id === "top" || tree.id === "callees" ?
		tree.selfs(i) : null;

	if (fn !== null && fn < F.count)
		list.push(words.place(fn) + (packageOf(fn) === flamePackages.NONE ?
			"" : ", " + packageOf(fn)),
		...words.whole(fn).slice(0, isOwn ? 1 : 2));
	return list.concat(words.path(pathLabel(tree, i), fn, tree.totals(i),
		selfs));
}

function sum(tree, nodes) {
	return nodes.reduce(function (s, i) {
		const totals = tree.totals(i);

		return [s[0] + totals[0], s[1] + totals[1]];
	}, [0, 0]);
}

// Frames that are too narrow to be told apart.
function fusedLines(tree, nodes) {
	const up = tree.parent(nodes[0]);
	const list = [words.count(nodes.length) + " frames of " + tree.name(up) +
		", too narrow to draw each"];

	return list.concat(words.path("together", null, sum(tree, nodes), null),
		"the widest: " + tree.name(widest(tree, nodes)));
}

const TOLD_MAX = 12;

// Frames that lead to one another with all that they take.
function runLines(tree, run) {
	const rest = run.length - TOLD_MAX;

	return [words.count(run.length) + " callers of " + tree.name(run.end) +
		", one through the other"].concat(
		words.path("through them", null, tree.totals(run[0]), null),
		run.slice(0, TOLD_MAX).map(i => tree.name(i)),
		rest > 0 ? "and " + words.count(rest) + " more" : [],
		"a click shows each");
}

// What a box of several frames says; null of one frame.
function manyLines(f) {
	return f.fused ? fusedLines(f.pane.tree, f.fused) :
		f.run && runLines(f.pane.tree, f.run);
}

function widest(tree, nodes) {
	return nodes.reduce((a, b) => tree.width(b, "larger") >
		tree.width(a, "larger") ? b : a);
}

function brief(tree, i) {
	const fn = tree.fn(i);

	return words.brief(tree.totals(i)) + (head.has_baseline && fn !== null &&
		fn < F.count ? ", " + words.moved(fn, tree.totals(i)) : "");
}

// What a reader of screens hears: as the tooltip, without what is less.
function spoken(tree, i) {
	const fn = tree.fn(i);

	return [tree.name(i), pathLabel(tree, i) + " " + brief(tree, i)]
		.concat(fn === null ? [] : words.whole(fn).slice(0, 1),
			"level " + (tree.depth(i) + 1)).join("; ");
}

// What is drawn, callers or callees below what they belong to: [pane, node],
// the widest ones, `most` at most.
function outline(panes, most) {
	const found = [];

	panes.forEach(function (p) {
		const whole = p.tree.width(p.zoom, p.measure), open = [p.zoom];
		let at = 0;

		while (open.length && at < most) {
			const i = open.pop();
			const kids = p.tree.kids(i).filter(k =>
				p.tree.width(k, p.measure) >= OUTLINE_PART * whole);

			kids.sort((a, b) => p.tree.width(a, p.measure) -
				p.tree.width(b, p.measure));
			open.push(...kids);
			found.push([p, i]);
			at++;
		}
	});
	return found;
}

// Less is no line of a text.
const OUTLINE_PART = 0.01;

return { head: head, own: read.own || null, functions: F, outline: outline, words: words, names: NAMES,
	views: Object.keys(NAMES).filter(name => head.has_baseline ||
		!COMPARED.includes(name)),
	frames: () => n, top: () => top, setFrames: setFrames, panes: panes,
	isOneScale: isOneScale,
	packageOf: packageOf, hottest: hottest, lines: lines,
	manyLines: manyLines, widest: widest, brief: brief, spoken: spoken };
};
}());
