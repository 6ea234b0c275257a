// SPDX-License-Identifier: Apache-2.0
// Keys and pointers over a flame graph: what they mean, as calls of `act`.
const flameKeys = (function () {
"use strict";

// The frame that an arrow leads to: by what is on the screen.
function beside(graph, f, step) {
	const box = graph.boxOf(f), panes = graph.panes();
	const to = box ? box.at + step : -1;
	const next = panes[panes.indexOf(f.pane) + step];

	if (!box)
		return null;
	if (box.row.node[to] !== undefined)
		return flameLayout.frame(f.pane, box.row, to);
	return next && next.rows[0] && next.rows[0].node.length ?
		flameLayout.frame(next, next.rows[0], 0) : null;
}

function widestKid(f) {
	const tree = f.pane.tree, box = flameLayout.boxOf(f.pane, f.i);
	const row = f.pane.rows[box ? box.depth + 1 : f.pane.skip];
	const up = f.run ? f.run[f.run.length - 1] : f.i;
	let best = -1;

	if (!row || f.fused)
		return null;
	row.node.forEach(function (i, k) {
		if (tree.parent(i) === up && (best < 0 || row.w[k] > row.w[best]))
			best = k;
	});
	return best < 0 ? null : flameLayout.frame(f.pane, row, best);
}

// Towards the root: beyond it, the pane that is joined there.
function towardsRoot(graph, f) {
	const up = f.pane.tree.parent(f.i), panes = graph.panes();
	const other = panes.find(p => p !== f.pane && p.isUp !== f.pane.isUp);

	if (up >= 0 && flameLayout.boxOf(f.pane, up))
		return flameLayout.frameOf(f.pane, up);
	if (!other || up < 0 && f.pane.skip)
		return null;
	return f.pane.skip ? flameLayout.frameOf(other, 0) :
		widestKid({ pane: other, i: 0 });
}

function move(graph, f, key) {
	if (key === "ArrowLeft" || key === "ArrowRight")
		return beside(graph, f, key === "ArrowLeft" ? -1 : 1);
	if ((key === "ArrowUp") === Boolean(f.pane.isUp))
		return widestKid(f);
	return towardsRoot(graph, f);
}

// Keys that need a frame and those that do not; by act's names.
const OF_FRAME = { Enter: "zoomIn", " ": "zoomIn", s: "sandwich", p: "light",
	y: "copy" };
const OF_ALL = { Backspace: "zoomBack", Home: "home", n: "nextMatch",
	N: "previousMatch", t: "turn", r: "hideRuntime", c: "foldRecursion",
	u: "nextUnit", w: "nextMeasure", f: "foldCallers" };

function onCanvas(graph, state, act) {
	return function (e) {
		const key = e.key;

		if (e.altKey || e.metaKey || e.ctrlKey)
			return;
		if (/^Arrow(Left|Right|Up|Down)$/.test(key)) {
			if (state.focus)
				act.focus(move(graph, state.focus, key));
		} else if (OF_FRAME[key]) {
			act[OF_FRAME[key]](state.focus);
		} else if (key === "Escape") {
			act.escape();
		} else if (OF_ALL[key]) {
			act[OF_ALL[key]]();
		} else if (/^[1-9]$/.test(key)) {
			act.viewNumber(+key);
		} else {
			return;
		}
		e.preventDefault();
	};
}

// "/" from anywhere on the page, and the browser's own search over the canvas.
function onPage(section, canvas, find) {
	return function (e) {
		const isHere = e.target === document.body ||
			section.contains(e.target);
		const isSlash = e.key === "/" && !e.ctrlKey && !e.metaKey &&
			!/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
		const isFind = e.key === "f" && (e.ctrlKey || e.metaKey) &&
			e.target === canvas;

		if (!isHere || e.altKey || e.defaultPrevented ||
		    !isSlash && !isFind)
			return;
		e.preventDefault();
		find.focus();
		find.select();
	};
}

function listen(section, graph, state, act) {
	const canvas = graph.canvas;

	canvas.addEventListener("keydown", onCanvas(graph, state, act));
	document.addEventListener("keydown", onPage(section, canvas,
		document.getElementById("flame-find")));
	canvas.addEventListener("focus", act.enter);
	canvas.addEventListener("blur", act.leave);
	canvas.addEventListener("pointermove", function (e) {
		if (e.pointerType !== "touch")
			act.hover({ clientX: e.clientX, clientY: e.clientY });
	});
	canvas.addEventListener("pointerleave", function (e) {
		if (e.pointerType !== "touch")
			act.hover(null);
	});
	canvas.addEventListener("click", function (e) {
		const f = graph.hit(e), last = state.focus;
		const isAgain = f && last && f.pane === last.pane && f.i === last.i;

		if (!f)
			return;
		act.focus(f, false, e);
		if (e.pointerType !== "touch" || isAgain)
			act.zoomIn(f);
	});
	// A finger that rests has no button to mean that.
	canvas.addEventListener("contextmenu", function (e) {
		const f = e.pointerType === "touch" ? null : graph.hit(e);

		if (!f)
			return;
		e.preventDefault();
		act.focus(f, false, e);
		act.copy(f);
	});
}

const HELP = [
	["arrows", "move from frame to frame"],
	["Enter, click", "zoom to a frame"],
	["Esc, Backspace", "one zoom back; Esc ends the search, too"],
	["Home", "all of it"],
	["/", "search; Enter goes to what is found"],
	["n, N", "next and previous frame found"],
	["s", "callers and callees of the frame's function"],
	["y, right button", "copy the frame's stack"],
	["p", "only the frame's package in full colour"],
	["1 to 7", "the views"],
	["t", "root at the top or the bottom"],
	["f", "callers of one width as one frame, or each"],
	["r", "hide frames of runtime, collector and kernel"],
	["c", "each function once per stack"],
	["w, u", "what widths are of; the unit"],
];

return { listen: listen, HELP: HELP };
}());
