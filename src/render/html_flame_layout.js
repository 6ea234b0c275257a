// SPDX-License-Identifier: Apache-2.0
// Where the boxes of a flame graph lie. Panes of a view lie beside each other,
// or below where there is no room; a pane has
//   tree, measure, isUp   what is drawn, with the root at the bottom
//   title                 above it; empty for none
//   zoom                  the node that fills it
//   skip                  levels that another pane has, not drawn here
//   foldBy                measures by which frames are of one width
// and gets left, top, width, height, above (rows of the zoom's callers) and
// rows, each with boxes from left to right: node, x, w, fused (siblings in it)
// and run (frames one above the other in it), both null for one frame.
const flameLayout = (function () {
"use strict";
// Neighbours narrower than this become one box, which says so; what is narrower
// than MIN_PX by itself is not drawn.
const FUSED_PX = 1.5, MIN_PX = 0.3;
const GAP = 16, HEAD = 26;
// So many frames that each call the next with all but a hundredth of what they
// take are one box; of fewer a row at most would be won.
const RUN_LEAST = 3, RUN_PART = 0.99;

function push(row, node, x, w, fused, run) {
	row.node.push(node);
	row.x.push(x);
	row.w.push(w);
	row.fused.push(fused || null);
	row.run.push(run || null);
}

function makeRow() {
	return { node: [], x: [], w: [], fused: [], run: [] };
}

// Frames of one width from node i on; end: where they lead, which is drawn by
// itself. path: the nodes that they have to be, null for any. isKept: of nodes
// that are in no run.
function runFrom(pane, i, path, isKept) {
	const tree = pane.tree, run = [];
	const least = pane.foldBy.map(m => [m, RUN_PART * tree.width(i, m)]);
	const isWide = k => least.every(([m, w]) => tree.width(k, m) >= w);

	for (run.end = i; !isKept(tree, run.end);) {
		const next = (path ? [path[tree.depth(run.end) + 1]] :
			tree.kids(run.end)).find(isWide);

		if (next === undefined)
			break;
		run.push(run.end);
		run.end = next;
	}
	return run.length >= RUN_LEAST ? run : null;
}

// How far right in a frame its callee begins, in values.
function startOf(pane, kid) {
	const tree = pane.tree;
	let x = 0;

	for (const k of tree.kids(tree.parent(kid))) {
		if (k === kid)
			break;
		x += tree.width(k, pane.measure);
	}
	return x;
}

function pushEnd(next, pane, run, x, scale) {
	for (const k of run.slice(1).concat(run.end))
		x += startOf(pane, k) * scale;
	push(next, run.end, x, pane.tree.width(run.end, pane.measure) * scale);
}

// The callees of the boxes of a row. Only those of real ones.
function nextRow(pane, row, scale, isKept) {
	const next = makeRow(), tree = pane.tree;
	let run = [], from = 0, to = 0;

	function flush() {
		if (run.length && to - from >= MIN_PX)
			push(next, run[0], from, to - from,
				run.length > 1 ? run : null, run.length > 1 ?
				null : runFrom(pane, run[0], null, isKept));
		run = [];
	}
	row.node.forEach(function (i, k) {
		let x = row.x[k];

		if (row.run[k])
			pushEnd(next, pane, row.run[k], x, scale);
		if (row.fused[k] || row.run[k])
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
				push(next, kid, x, w, null,
					runFrom(pane, kid, null, isKept));
			}
			x += w;
		}
		flush();
	});
	return next;
}

function fill(pane, scale, isKept) {
	const rows = pane.rows = [], tree = pane.tree, z = pane.zoom, path = [z];
	const w = tree.width(z, pane.measure) * scale;
	const isOwn = (t, i) => !i || i === z || isKept(t, i);
	let row, run = null;

	while (tree.parent(path[0]) >= 0)
		path.unshift(tree.parent(path[0]));
	for (let k = 0; k + 1 < path.length;) {
		run = run ? null : runFrom(pane, path[k], path, isOwn);
		row = makeRow();
		push(row, path[k], 0, w, null, run);
		rows.push(row);
		k += run ? run.length : 1;
	}
	pane.above = rows.length;
	row = makeRow();
	if (w > 0)
		push(row, z, 0, w);
	for (; row.node.length; row = nextRow(pane, row, scale, isKept))
		rows.push(row);
	pane.places = null;
}

// By node: its row, and where in it; made when it is asked for.
function placesOf(pane) {
	pane.places = new Map();
	pane.rows.forEach((row, depth) => row.node.forEach((i, at) =>
		(row.run[at] || [i]).forEach(k =>
			pane.places.set(k, [depth, at]))));
	return pane.places;
}

// Panes of one scale are as wide as the widest of them, others fill their
// place. Returns the height.
function layout(panes, width, rowHeight, isStacked, isOneScale, isKept) {
	const count = isStacked ? 1 : panes.length;
	const room = (width - GAP * (count - 1)) / count;
	const widths = panes.map(p => p.tree.width(p.zoom, p.measure));
	let y = 0, tall = 0;

	panes.forEach(function (p, k) {
		const whole = isOneScale ? Math.max(...widths) : widths[k];

		p.width = room;
		fill(p, whole > 0 ? room / whole : 0, isKept);
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

function frame(pane, row, at) {
	return { pane: pane, i: row.node[at], fused: row.fused[at],
		run: row.run[at] };
}

// The box of a node, or that of the run that it is in; null where none is drawn.
function boxOf(pane, i) {
	const [depth, at] = pane.rows && (pane.places || placesOf(pane)).get(i) ||
		[-1];
	const row = depth >= pane.skip && pane.rows[depth];

	return row ? { row: row, depth: depth, at: at, x: pane.left + row.x[at],
		w: row.w[at], y: rowTop(pane, depth) } : null;
}

// The frame that a node is drawn as; null.
function frameOf(pane, i) {
	const box = boxOf(pane, i);

	return box && frame(pane, box.row, box.at);
}

// What is at a place; null.
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
			return frame(p, row, low);
	}
	return null;
}

return { layout: layout, rowTop: rowTop, boxOf: boxOf, frame: frame,
	frameOf: frameOf, hit: hit };
}());
