// SPDX-License-Identifier: Apache-2.0
// The flame graph of a page on its canvas: which boxes there are and where, and
// their colours and labels. What is looked at is in its state, which others
// change.
const flameView = (function () {
"use strict";
const ROW = 18, BOX = 17, HEAD = 24, PAD = 3;
// Letters below which a name that is cut says nothing.
const LETTERS_MIN = 4;
// Narrower frames are not drawn, nor found by the pointer.
const MIN_PX = 0.4;
const FONT = "12px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\"," +
	"\"Liberation Mono\",monospace";
// Told from the colours of changes by the colour-blind, too.
const MATCH = { fill: "#5b0f7a", ink: "#fff" };
const MATCH_DARK = { fill: "#f0c8ff", ink: "#111" };

return function (section, model) {
const data = model.data, F = model.functions, N = model.frames;
const view = document.getElementById("flame-view");
const canvas = document.getElementById("flame-canvas");
const context = canvas.getContext("2d");
// A frame is looked at in a lane: { lane, i }. isMatch: of functions.
const state = { show: "both", palette: "", isInverted: data.layout !== "flame",
	zoom: null, focus: null, hover: null, isMatch: null };
let width = 0, letter = 7.22, shown = [];

// ---- colours ----

let isDark = false, tones = new Map(), byFunction = null;

function channels(color) {
	return [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
}

// On dark ground the white in a colour goes: grey stays near the ground.
function shade(color) {
	let c = channels(color);

	if (isDark)
		c = c.map(v => Math.round(v - 0.8 * Math.min(...c) + 14));
	return c;
}

function luminance(c) {
	const [r, g, b] = c.map(v => v / 255 <= 0.04045 ? v / 255 / 12.92 :
		Math.pow((v / 255 + 0.055) / 1.055, 2.4));

	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// A colour of the data as it is painted, and that of letters on it.
function tone(color) {
	let t = tones.get(color);

	if (!t) {
		const c = shade(color);

		t = { fill: "rgb(" + c.join(",") + ")",
			ink: luminance(c) > 0.179 ? "#111" : "#f4f4f4" };
		tones.set(color, t);
	}
	return t;
}

function hotColor(name) {
	const hex = v => v.toString(16).padStart(2, "0");
	let hash = 2166136261;

	new TextEncoder().encode(name).forEach(function (byte) {
		hash = Math.imul(hash ^ byte, 16777619) >>> 0;
	});
	hash = (hash ^ hash >>> 15) >>> 0;
	return "#" + hex(215 + hash % 40) + hex(100 + (hash >>> 8) % 125) +
		hex(40 + (hash >>> 16) % 40);
}

function step(part) {
	let i = data.steps.length - 1;

	while (i > 0 && part < data.steps[i])
		i--;
	return i;
}

function diffColor(i) {
	const was = model.before(i);
	const moved = N.total[0][i] - was, most = Math.max(N.total[0][i], was);

	if (!i || !(most > 0))
		return data.none;
	if (model.isUp(i) && moved > 0)
		return data.up[step(moved / most)];
	if (model.isDown(i) && moved < 0)
		return data.down[step(-moved / most)];
	return model.isNoise(i) ? data.noise : data.none;
}

function goneColor(i) {
	return model.isBeneathGone(i) ?
		data.down[model.isGone(i) ? data.down.length - 1 : 1] : data.none;
}

// The kernel stands behind the languages.
function functionColors(palette) {
	const legend = data.legends[palette];

	return F.name.map(function (name, fn) {
		const isKernel = F.kind[fn] === data.kernel_kind;

		if (palette === "kind")
			return legend[F.kind[fn]][0];
		if (palette === "java")
			return legend[isKernel ? legend.length - 1 :
				F.language[fn]][0];
		return hotColor(name);
	});
}

function colorOf(lane, i) {
	if (state.palette === "diff")
		return lane.name === "gone" ? goneColor(i) : diffColor(i);
	if (!i)
		return data.none;
	byFunction = byFunction || functionColors(state.palette);
	return byFunction[N.fn[i]];
}

// ---- layout ----

// The lanes that are shown, by what there is: they lie to one scale.
function shownLanes() {
	const after = model.lane("after"), which = state.show;
	let both;

	if (!data.has_baseline || which === "after")
		return [after];
	both = [after, model.lane("gone")].filter(lane => lane.w[0] > 0);
	return which === "before" || !both.length ? [model.lane("before")] : both;
}

// What is drawn of a lane, in rows by depth, from left to right.
function collect(lane, unit) {
	const z = state.zoom ? state.zoom.i : 0;
	const scale = width / (state.zoom ? lane.w[z] : unit);
	const rows = [];

	function add(i, x, w) {
		const row = rows[N.depth[i]] ||
			(rows[N.depth[i]] = { node: [], x: [], w: [] });

		row.node.push(i);
		row.x.push(x);
		row.w.push(w);
	}
	for (let i = N.parent[z]; i >= 0; i = N.parent[i])
		add(i, 0, width);
	for (let i = z; i < N.end[z];) {
		const w = lane.w[i] * scale;

		if (w >= MIN_PX) {
			add(i, (lane.x[i] - lane.x[z]) * scale, w);
			i++;
		} else {
			i = N.end[i];
		}
	}
	return rows;
}

function laneWords(lane) {
	const gone = "gone since the baseline: " + model.shareText(model.share(1,
		lane.w[0] / data.baseline_scale));

	if (lane.name === "gone")
		return gone + (width > 80 * letter ?
			" of what was before, to the same scale" : "");
	return lane.name === "before" ? "before, by itself" : "";
}

function layout() {
	let unit = 0, y = 0;

	width = view.clientWidth;
	shown = state.zoom ? [state.zoom.lane] : shownLanes();
	shown.forEach(lane => unit = Math.max(unit, lane.w[0]));
	shown.forEach(function (lane) {
		lane.rows = collect(lane, unit);
		y += laneWords(lane) ? HEAD : 0;
		lane.top = y;
		y += lane.rows.length * ROW + 4;
	});
	view.style.height = y + "px";
	show(state.focus);
	paint();
}

function fit() {
	if (view.clientWidth !== width)
		layout();
}

// For whoever looks at the page from outside: what has the focus, and where.
function show(f) {
	const box = boxOf(f);

	if (f)
		Object.assign(canvas.dataset, { name: F.name[N.fn[f.i]],
			lane: f.lane.name, depth: N.depth[f.i],
			after: N.total[0][f.i], before: N.total[1][f.i],
			x: box ? box.x : "", y: box ? box.y : "",
			width: box ? box.w : "" });
}

function rowTop(lane, depth) {
	return lane.top + ROW * (state.isInverted ? depth :
		lane.rows.length - 1 - depth);
}

// The drawn box of a frame: null when there is none.
function boxOf(f) {
	const row = f && shown.includes(f.lane) && f.lane.rows[N.depth[f.i]];
	const at = row ? row.node.indexOf(f.i) : -1;

	return at < 0 ? null : { x: row.x[at], w: row.w[at], at: at, row: row,
		y: rowTop(f.lane, N.depth[f.i]) };
}

// ---- painting ----

function label(name, room) {
	const most = Math.floor(room / letter);

	return most < 2 ? "" : flameNames.fit(name, most, LETTERS_MIN);
}

// Edges on whole points of the screen, with a gap where there is room.
function paintBox(lane, i, x, w, y, dpr) {
	const from = Math.round(x * dpr) / dpr, to = Math.round((x + w) * dpr) / dpr;
	const isMatch = state.isMatch && state.isMatch[N.fn[i]];
	const t = !isMatch ? tone(colorOf(lane, i)) : isDark ? MATCH_DARK : MATCH;
	const gap = w > 2 ? 1 / dpr : 0, drawn = Math.max(to - from - gap, 0.5);
	const text = label(F.name[N.fn[i]], w - 2 * PAD);

	context.fillStyle = t.fill;
	context.fillRect(from, y, drawn, BOX);
	if (F.isRanked[N.fn[i]] && w > 3) {
		context.strokeStyle = isDark ? "#ffd9a0" : "#5a1e00";
		context.lineWidth = 1.5;
		context.strokeRect(from + 0.75, y + 0.75, drawn - 1.5, BOX - 1.5);
	}
	if (text) {
		context.fillStyle = t.ink;
		context.fillText(text, from + PAD, y + 12.5);
	}
}

function paintLane(lane, from, to, dpr) {
	const up = state.zoom ? N.depth[state.zoom.i] : 0, words = laneWords(lane);

	if (words) {
		context.fillStyle = pageColor("--text");
		context.fillText(words, 0, lane.top - 8);
	}
	lane.rows.forEach(function (row, depth) {
		const y = rowTop(lane, depth);

		if (y + ROW < from || y > to)
			return;
		context.globalAlpha = depth < up ? 0.55 : 1;
		for (let k = 0; k < row.node.length; k++)
			paintBox(lane, row.node[k], row.x[k], row.w[k], y, dpr);
	});
	context.globalAlpha = 1;
}

function paintEdge(f, stroke, line) {
	const box = boxOf(f);

	if (!box)
		return;
	context.strokeStyle = stroke;
	context.lineWidth = line;
	context.strokeRect(box.x + line / 2, box.y + line / 2,
		Math.max(box.w - line, 1), BOX - line);
}

function pageColor(name) {
	return getComputedStyle(section).getPropertyValue(name).trim() || "#111";
}

// Only what the window shows: the canvas stays in it while the view scrolls.
function paint() {
	const dpr = window.devicePixelRatio || 1;
	const most = view.clientHeight, height = Math.min(most, window.innerHeight);
	const wide = Math.round(width * dpr), tall = Math.round(height * dpr);
	let top;

	canvas.style.height = height + "px";
	if (canvas.width !== wide || canvas.height !== tall) {
		canvas.width = wide;
		canvas.height = tall;
	}
	top = canvas.getBoundingClientRect().top - view.getBoundingClientRect().top;
	context.setTransform(dpr, 0, 0, dpr, 0, 0);
	context.clearRect(0, 0, width, height);
	context.translate(0, -top);
	context.font = FONT;
	letter = context.measureText("0").width || letter;
	shown.forEach(lane => paintLane(lane, top, top + height, dpr));
	paintEdge(state.hover, pageColor("--text"), 1.5);
	if (document.activeElement === canvas)
		paintEdge(state.focus, pageColor("--focus"), 3);
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

function hit(e) {
	const frame = view.getBoundingClientRect();
	const x = e.clientX - frame.left, y = e.clientY - frame.top;

	for (const lane of shown) {
		let d = Math.floor((y - lane.top) / ROW), row, low = 0, high;

		if (!state.isInverted)
			d = lane.rows.length - 1 - d;
		row = lane.rows[d];
		if (!row || y < lane.top)
			continue;
		high = row.x.length;
		while (high - low > 1) {
			const mid = low + high >> 1;

			if (row.x[mid] <= x)
				low = mid;
			else
				high = mid;
		}
		if (x >= row.x[low] && x < row.x[low] + row.w[low])
			return { lane: lane, i: row.node[low] };
	}
	return null;
}

function writeLegend() {
	const list = document.getElementById("flame-legend");
	const used = new Set(), palette = state.palette;
	const isDrawn = new Uint8Array(F.name.length);

	list.textContent = "";
	for (let i = 1; i < N.count; i++)
		isDrawn[N.fn[i]] = 1;
	if (palette === "kind")
		F.kind.forEach((k, fn) => isDrawn[fn] && used.add(k));
	else if (palette === "java")
		F.language.forEach((k, fn) => isDrawn[fn] &&
			used.add(F.kind[fn] === data.kernel_kind ?
				data.legends.java.length - 1 : k));
	(data.legends[palette] || []).forEach(function ([color, words], k) {
		const item = document.createElement("li");
		const mark = document.createElement("i");

		if (palette !== "diff" && !used.has(k))
			return;
		mark.style.background = tone(color).fill;
		item.append(mark, words);
		list.appendChild(item);
	});
}

function readTheme() {
	const probe = document.createElement("canvas").getContext("2d");

	probe.fillStyle = "#ffffff";
	probe.fillStyle = pageColor("--ground");
	isDark = luminance(channels(probe.fillStyle)) < 0.2;
	tones = new Map();
	writeLegend();
	paint();
}

function setPalette(palette) {
	state.palette = palette;
	byFunction = null;
	writeLegend();
	paint();
}

return { state: state, view: view, canvas: canvas, row: ROW, layout: layout,
	fit: fit, show: show, paint: paint, paintSoon: paintSoon, boxOf: boxOf,
	hit: hit, shown: () => shown, setPalette: setPalette,
	readTheme: readTheme };
};
}());
