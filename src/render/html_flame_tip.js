// SPDX-License-Identifier: Apache-2.0
// What is told of a frame of a flame graph: beside the pointer or the focus, to
// a reader of screens, and to whoever looks at the page from outside.
const flameTip = (function () {
"use strict";

return function (model, graph, state) {
const tip = document.getElementById("flame-tip");
let last = null; // the frame told of, and where

function fill(f) {
	const tree = f.pane.tree;
	const lines = model.manyLines(f) || model.lines(tree, f.i);

	tip.textContent = "";
	lines.forEach(function (line, k) {
		const e = document.createElement(k ? "span" : "b");

		e.textContent = line;
		tip.append(e);
	});
}

// at: of the pointer; else beside the frame, where its callers are: what it
// calls stays in sight.
function tell(f, at) {
	const box = graph.boxOf(f), frame = graph.view.getBoundingClientRect();
	const row = f ? f.pane.rowHeight : 0;
	let left, top;

	last = f && { f: f, at: at };
	tip.hidden = !f || !box;
	if (tip.hidden)
		return;
	fill(f);
	const over = frame.top + (box ? box.y : 0) - tip.offsetHeight - 4;

	left = at ? at.clientX + 14 : frame.left + Math.max(0, box.x);
	top = at ? at.clientY + 18 : frame.top + box.y + row + 4;
	left = Math.min(left, document.documentElement.clientWidth -
		tip.offsetWidth - 4);
	if (!at && !f.pane.isUp && over > 4)
		top = over;
	if (top + tip.offsetHeight > window.innerHeight - 4)
		top -= tip.offsetHeight + (at ? 30 : row + 8);
	tip.style.left = Math.max(4, left) + "px";
	tip.style.top = Math.max(4, top) + "px";
}

function hide() {
	last = null;
	tip.hidden = true;
}

// The frame in focus, and where it is.
function mark(f) {
	const tree = f.pane.tree, box = graph.boxOf(f), totals = tree.totals(f.i);

	Object.assign(graph.canvas.dataset, { name: tree.name(f.i),
		tree: tree.id, depth: tree.depth(f.i), fused: f.fused ?
			f.fused.length : 0, run: f.run ? f.run.length : 0,
		after: totals[0], before: totals[1], x: box ? box.x : "",
		y: box ? box.y : "", width: box ? box.w : "",
		pane: graph.panes().indexOf(f.pane) });
}

return { tell: tell, hide: hide, mark: mark,
	follow: (f, at) => f ? tell(f, at) : hide(),
	say: function (text) {
		const e = document.createElement("span");

		document.getElementById("flame-live").textContent = text;
		e.textContent = text;
		tip.append(e);
	},
	announce: function (f) {
		const many = model.manyLines(f);

		document.getElementById("flame-live").textContent = many ?
			many.join("; ") : model.spoken(f.pane.tree, f.i);
		mark(f);
	},
	// The page scrolls below what is told.
	again: function () {
		if (last && last.at)
			tell(graph.hit(last.at), last.at);
		else if (last)
			tell(last.f);
	} };
};
}());
