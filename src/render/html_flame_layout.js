// SPDX-License-Identifier: Apache-2.0
// Where the boxes of a flame graph lie. Panes of a view lie beside each other,
// or below where there is no room; a pane has
//   tree, measure, isUp   what is drawn, with the root at the bottom
//   title                 above it; empty for none
//   zoom                  the node that fills it
//   skip                  levels that another pane has, not drawn here
// and gets left, top, width, height and rows: by depth, each with boxes from
// left to right: node, x, w, count (frames fused into it), and which ones.
const flameLayout = (function () {
"use strict";
// Neighbours narrower than this become one box, which says so; what is narrower
// than MIN_PX by itself is not drawn.
const FUSED_PX = 1.5, MIN_PX = 0.3;
const GAP = 16, HEAD = 26;

function push(row, node, x, w, fused) {
	row.node.push(node);
	row.x.push(x);
	row.w.push(w);
	row.fused.push(fused);
}

function makeRow() {
	return { node: [], x: [], w: [], fused: [] };
}

// The callees of the boxes of a row. Only those of real ones.
function nextRow(pane, row, scale) {
	const next = makeRow(), tree = pane.tree;
	let run = [], from = 0, to = 0;

	function flush() {
		if (run.length && to - from >= MIN_PX)
			push(next, run[0], from, to - from,
				run.length > 1 ? run : null);
		run = [];
	}
	row.node.forEach(function (i, k) {
		let x = row.x[k];

		if (row.fused[k])
			return;
		for (const kid of tree.kids(i)) {
			const w = tree.width(kid, pane.measure) * scale;

			if (!(w > 0))
				continue;
			if (w < FUSED_PX) {
				from = run.length ? from : x;
				to = x + w;
				run.push(kid);
			} else {
				flush();
				push(next, kid, x, w, null);
			}
			x += w;
		}
		flush();
	});
	return next;
}

function fill(pane, scale) {
	const rows = pane.rows = [], tree = pane.tree, z = pane.zoom;
	const w = tree.width(z, pane.measure) * scale;
	let row = makeRow();

	for (let i = tree.parent(z); i >= 0; i = tree.parent(i)) {
		rows[tree.depth(i)] = makeRow();
		push(rows[tree.depth(i)], i, 0, w, null);
	}
	if (w > 0)
		push(row, z, 0, w, null);
	for (; row.node.length; row = nextRow(pane, row, scale))
		rows.push(row);
}

// Panes of one scale are as wide as the widest of them, others fill their
// place. Returns the height.
function layout(panes, width, rowHeight, isStacked, isOneScale) {
	const count = isStacked ? 1 : panes.length;
	const room = (width - GAP * (count - 1)) / count;
	const widths = panes.map(p => p.tree.width(p.zoom, p.measure));
	let y = 0, tall = 0;

	panes.forEach(function (p, k) {
		const whole = isOneScale ? Math.max(...widths) : widths[k];

		p.width = room;
		fill(p, whole > 0 ? room / whole : 0);
		p.left = isStacked ? 0 : k * (room + GAP);
		p.top = y + (p.title ? HEAD : 0);
		p.rowHeight = rowHeight;
		p.height = Math.max(0, p.rows.length - p.skip) * rowHeight;
		tall = Math.max(tall, p.top + p.height);
		if (isStacked)
			y = tall + (k + 1 < panes.length && !p.isJoined ? 6 : 0);
	});
	return tall + 2;
}

function rowTop(pane, depth) {
	return pane.top + pane.rowHeight * (pane.isUp ?
		pane.rows.length - 1 - depth : depth - pane.skip);
}

// The box of a node: null where it is not drawn as one.
function boxOf(pane, i) {
	const depth = pane.tree.depth(i), row = pane.rows && pane.rows[depth];
	const at = row && depth >= pane.skip ? row.node.indexOf(i) : -1;

	return at < 0 ? null : { row: row, at: at, x: pane.left + row.x[at],
		w: row.w[at], y: rowTop(pane, depth), fused: row.fused[at] };
}

// What is at a place: { pane, i }, with the frames fused there; null.
function hit(panes, x, y) {
	for (const p of panes) {
		let depth = Math.floor((y - p.top) / p.rowHeight), row, low = 0;
		let high;

		if (p.isUp)
			depth = p.rows.length - 1 - depth;
		row = p.rows[depth + p.skip];
		if (!row || y < p.top || x < p.left || x > p.left + p.width)
			continue;
		high = row.x.length;
		while (high - low > 1) {
			const mid = low + high >> 1;

			if (row.x[mid] <= x - p.left)
				low = mid;
			else
				high = mid;
		}
		if (x - p.left >= row.x[low] &&
		    x - p.left < row.x[low] + row.w[low])
			return { pane: p, i: row.node[low], fused: row.fused[low] };
	}
	return null;
}

return { layout: layout, rowTop: rowTop, boxOf: boxOf, hit: hit };
}());
