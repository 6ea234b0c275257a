// SPDX-License-Identifier: Apache-2.0
// What a search of a flame graph finds: which functions, what part of the
// profile, and which boxes, to walk through.
const flameSearch = (function () {
"use strict";
const LISTED_MAX = 50;

return function (model, state) {
const F = model.functions;
let covered = null; // frames that match, and all beneath them

function run(test) {
	const started = Date.now();
	let isLate = false;

	covered = null;
	state.isMatch = test && new Uint8Array(F.name.length);
	for (let fn = 0; test && fn < F.count && !isLate; fn++) {
		state.isMatch[fn] = test(F.name[fn]) ? 1 : 0;
		isLate = Date.now() - started > flameNames.BUSY_MS;
	}
	return isLate;
}

function cover() {
	const n = model.frames();

	covered = new Uint8Array(n.count);
	for (let i = 1; i < n.count; i++)
		covered[i] = covered[n.parent[i]] || state.isMatch[n.fn[i]];
}

// Of a node: the part that matching frames cover, each stack once.
function share(tree, z, side) {
	const n = model.frames(), whole = tree.totals(z)[side];
	let found = 0;

	if (tree.id === "top")
		return shareBelow(n, z, side);
	if (!covered)
		cover();
	tree.frames(z).forEach(function ([from, end]) {
		for (let i = from; i < end; i++)
			found += covered[i] ? n.self[side][i] : 0;
	});
	return whole > 0 ? found / whole : 0;
}

function shareBelow(n, z, side) {
	const total = n.total[side];
	let found = 0;

	for (let i = z; i < n.end[z];) {
		if (state.isMatch[n.fn[i]]) {
			found += total[i];
			i = n.end[i];
		} else {
			i++;
		}
	}
	return total[z] > 0 ? found / total[z] : 0;
}

// Functions, those that take most first.
function functions() {
	const found = [];
	const most = fn => Math.max(F.total[0][fn], F.total[1] ?
		F.total[1][fn] * model.head.baseline_scale : 0);

	for (let fn = 0; state.isMatch && fn < F.count; fn++)
		if (state.isMatch[fn])
			found.push(fn);
	found.sort((a, b) => most(b) - most(a) || a - b);
	return { count: found.length, list: found.slice(0, LISTED_MAX) };
}

// Boxes of functions, the widest first. isWanted: of functions.
function boxes(panes, isWanted) {
	const found = [];

	panes.forEach((p, k) => p.rows.forEach(row => row.node.forEach(
		function (i, at) {
			if (!row.fused[at] && !row.run[at] &&
			    p.tree.fn(i) !== null && isWanted[p.tree.fn(i)])
				found.push({ pane: p, i: i, fused: null,
					run: null, k: k, w: row.w[at] });
		})));
	return found.sort((a, b) => b.w - a.w || a.k - b.k || a.i - b.i);
}

// The widest frame of these functions in all of the profile, drawn or not.
function widest(isWanted) {
	const n = model.frames(), top = model.top();
	let best = -1;

	for (let i = 1; i < n.count; i++)
		if (isWanted[n.fn[i]] && (best < 0 ||
		    top.width(i, "larger") > top.width(best, "larger")))
			best = i;
	return best;
}

return { run: run, share: share, functions: functions, boxes: boxes,
	widest: widest, forget: function () { covered = null; } };
};
}());
