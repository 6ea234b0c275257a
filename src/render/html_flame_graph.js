// SPDX-License-Identifier: Apache-2.0
// The canvas of a page's flame graph: lays out and paints what its state says,
// finds what is at a place, and makes pictures of it. Changes no state.
const flameGraph = (function () {
"use strict";
// Finger tips are wider than pointers.
const ROW_PX = 18, TOUCH_ROW_PX = 26;
// Panes that are narrower lie below each other.
const PANE_MIN_PX = 340;
// Taller ones are painted where the window is: browsers have limits.
const CANVAS_MAX_PX = 8000;
const PICTURE_PX = 1200, PICTURE_HEAD_PX = 30, PICTURE_MAX_PX = 16000;

// state: view, measure, palette, isFlame, scope, deep, fn, focus, hover (each
// { pane, i, fused, run }), isMatch, isLit: of functions, isUnfolded,
// wanted.
return function (section, model, state) {
const view = document.getElementById("flame-view");
const canvas = document.getElementById("flame-canvas");
const context = canvas.getContext("2d"), pen = flamePaint.canvasPen(context);
const probe = document.createElement("canvas").getContext("2d");
const theme = new Map();
const colors = flameColors(model.head, model.functions, model.words);
const fine = window.matchMedia("(pointer: coarse)");
const stark = window.matchMedia("(prefers-contrast: more)");
const forced = window.matchMedia("(forced-colors: active)");
const grey = window.matchMedia("(monochrome)");
let width = 0, height = 0, letter = 7.22, panes = [], hasParted = false;

// A colour of the page as "#rrggbb", asked for once per theme.
function pageColor(name) {
	let color = theme.get(name);

	if (!color) {
		probe.fillStyle = "#111111";
		probe.fillStyle = getComputedStyle(section)
			.getPropertyValue(name).trim();
		theme.set(name, color = probe.fillStyle);
	}
	return color;
}

// ---- layout ----

function lay(list, room) {
	const isStacked = state.view === "sandwich" ||
		room < 2 * PANE_MIN_PX || list.length < 2;

	return flameLayout.layout(list, room,
		fine.matches ? TOUCH_ROW_PX : ROW_PX, isStacked,
		model.isOneScale(state), isKept);
}

// Drawn by itself, though it is as wide as what it calls. Where callers come
// last, what took the time is not one of them.
function isKept(tree, i) {
	const fn = tree.fn(i);

	return state.isUnfolded || fn === null || fn === state.wanted ||
		model.functions.isToBlame[fn] ||
		model.functions.hasVerdict[fn] || Boolean(state.isMatch &&
		state.isMatch[fn]) || tree.id !== "top" &&
		tree.fn(tree.parent(i)) === null || Boolean(tree.opened && tree.opened.has(i));
}

// The same node of the panes that are there now; null when it is not drawn.
function again(f) {
	const pane = f && panes.find(p => p.tree === f.pane.tree &&
		p.measure === f.pane.measure);

	return pane && (flameLayout.frameOf(pane, f.i) ||
		(f.fused ? Object.assign({}, f, { pane: pane }) : null));
}

function layout() {
	width = view.clientWidth;
	hasParted = Boolean(state.isMatch);
	panes = model.panes(state);
	height = Math.max(lay(panes, width), 2 * ROW_PX);
	state.focus = again(state.focus);
	state.hover = null;
	view.style.height = height + "px";
	paint();
}

// What a search finds stands by itself: laid out anew only where it was, or is,
// in a run.
function showMatches() {
	const had = hasParted;
	const is = state.isMatch && panes.some(p => p.rows.some(row =>
		row.run.some(run => run && run.some(i =>
			state.isMatch[p.tree.fn(i)]))));

	if (is || had)
		layout();
	else
		paintSoon();
	hasParted = Boolean(is || had && state.isMatch);
}

function boxOf(f) {
	return f && panes.includes(f.pane) ? flameLayout.boxOf(f.pane, f.i) : null;
}

function hit(e) {
	const frame = view.getBoundingClientRect();

	return flameLayout.hit(panes, e.clientX - frame.left,
		e.clientY - frame.top);
}

// ---- painting ----

// Where colours tell no change, to this reader at least.
function hasMarks() {
	return model.head.has_baseline && (state.palette !== "diff" ||
		stark.matches || forced.matches || grey.matches);
}

function look(dpr) {
	return { state: state, colors: colors, palette: state.palette,
		letter: letter, dpr: dpr, tell: model.words,
		isStark: stark.matches || forced.matches,
		hasBaseline: model.head.has_baseline, hasMarks: hasMarks(),
		scale: model.head.baseline_scale, ink: pageColor("--text"), none: model.head.none,
		line: colors.isDark() ? "#ffffff59" : "#00000059",
		isToBlame: fn => fn !== null && model.functions.isToBlame[fn],
		hasVerdict: fn => fn !== null &&
			model.functions.hasVerdict[fn] };
}

function edges(to, ink) {
	panes.forEach(p => p.rows.forEach(function (row, depth) {
		const y = flameLayout.rowTop(p, depth);

		row.node.forEach(function (i, k) {
			if (p.tree.fn(i) === state.fn && !row.fused[k] &&
			    !row.run[k] && row.w[k] > 3)
				to.edge(p.left + row.x[k], y, row.w[k],
					p.rowHeight - 1, ink, 1.5);
		});
	}));
}

// Of the frame, and of the same one in another pane.
function edge(f, stroke, line) {
	panes.forEach(function (p) {
		const box = f && p.tree === f.pane.tree &&
			flameLayout.boxOf(p, f.i);

		if (box)
			pen.edge(box.x, box.y, Math.max(box.w, 2),
				p.rowHeight - 1, stroke, p === f.pane ? line : 1.5);
	});
}

// All of it; of what is very tall the part in the window, where the canvas
// stays while the view scrolls.
function paint() {
	const dpr = window.devicePixelRatio || 1;
	const tall = Math.min(height, height * dpr <= CANVAS_MAX_PX ? height :
		window.innerHeight);
	const size = [Math.round(width * dpr), Math.round(tall * dpr)];
	let from;

	canvas.style.height = tall + "px";
	if (canvas.width !== size[0] || canvas.height !== size[1]) {
		[canvas.width, canvas.height] = size;
		pen.forget();
	}
	from = tall >= height ? 0 : canvas.getBoundingClientRect().top -
		view.getBoundingClientRect().top;
	context.setTransform(dpr, 0, 0, dpr, 0, 0);
	context.clearRect(0, 0, width, tall);
	context.translate(0, -from);
	context.font = flamePaint.FONT;
	letter = context.measureText("0").width || letter;
	flamePaint.paint(pen, panes, look(dpr), from, from + tall);
	if (state.fn >= 0)
		edges(pen, pageColor("--accent"));
	edge(state.hover, pageColor("--text"), 1.5);
	if (document.activeElement === canvas)
		edge(state.focus, pageColor("--focus"), 3);
}

let isDue = false;

function paintSoon() {
	if (isDue)
		return;
	isDue = true;
	requestAnimationFrame(function () {
		isDue = false;
		paint();
	});
}

function readTheme() {
	theme.clear();
	colors.setGround(pageColor("--ground"));
	pen.forget();
	paint();
}

// ---- pictures of what is shown ----

// Runs with the panes laid out for a page of light paper.
function onPaper(run) {
	const shown = panes;
	let tall;

	panes = model.panes(state);
	tall = lay(panes, PICTURE_PX);
	colors.setGround("#ffffff");
	try {
		return run(tall);
	} finally {
		panes = shown;
		colors.setGround(pageColor("--ground"));
	}
}

function paintOn(to, tall, title) {
	to.rect(0, -PICTURE_HEAD_PX, PICTURE_PX, tall + PICTURE_HEAD_PX,
		"#ffffff");
	title = [title, model.head.has_baseline && "+ grew, - shrank"]
		.filter(text => text).join("; ");
	if (title)
		to.text(0, -12, flameNames.fit(title,
			Math.floor(PICTURE_PX / letter)), "#111111");
	flamePaint.paint(to, panes, Object.assign(look(2),
		{ ink: "#111111", line: "#00000059",
			hasMarks: model.head.has_baseline }), 0, tall);
}

function svg(title) {
	return onPaper(function (tall) {
		const root = document.createElementNS("http://www.w3.org/2000/svg",
			"svg");

		root.setAttribute("viewBox", [0, -PICTURE_HEAD_PX, PICTURE_PX,
			tall + PICTURE_HEAD_PX].join(" "));
		root.setAttribute("width", PICTURE_PX);
		root.setAttribute("height", tall + PICTURE_HEAD_PX);
		root.setAttribute("font-family", "ui-monospace, Menlo, Consolas, " +
			"DejaVu Sans Mono, Liberation Mono, monospace");
		root.setAttribute("font-size", "12");
		paintOn(flamePaint.svgPen(root), tall, title);
		return root;
	});
}

function png(title, done) {
	onPaper(function (tall) {
		const sheet = document.createElement("canvas");
		const c = sheet.getContext("2d");

		sheet.width = 2 * PICTURE_PX;
		sheet.height = Math.min(2 * (tall + PICTURE_HEAD_PX),
			PICTURE_MAX_PX);
		c.scale(2, 2);
		c.translate(0, PICTURE_HEAD_PX);
		c.font = flamePaint.FONT;
		paintOn(flamePaint.canvasPen(c), tall, title);
		sheet.toBlob(done, "image/png");
	});
}

[fine, stark, forced, grey].forEach(m => m.addEventListener("change", layout));
return { view: view, canvas: canvas, colors: colors, layout: layout,
	paint: paint, paintSoon: paintSoon, showMatches: showMatches, boxOf: boxOf, hit: hit,
	panes: () => panes, readTheme: readTheme, svg: svg, png: png,
	isTall: () => canvas.clientHeight < view.clientHeight - 1,
	fit: function () {
		if (view.clientWidth !== width)
			layout();
	} };
};
}());
