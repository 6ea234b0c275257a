// SPDX-License-Identifier: Apache-2.0
// The flame graph of a page, on a canvas: zoom, search, what a frame says.
// Names come from the data and go into the page only as text.
(function () {
"use strict";
const ROW = 18, BOX = 17, HEAD = 24, LETTER_MIN = 4, PAD = 3;
// Narrower frames are not drawn, nor found by the pointer.
const MIN_PX = 0.4;
// A pattern typed by the viewer must not keep the page busy.
const PATTERN_MAX = 200, NAME_MAX = 1000, BUSY_MS = 400;
const NONE = 0, NEW = 1, GROWN = 2, SHRUNK = 3, GONE = 4, NOISE = 6;
const section = document.getElementById("flame");
if (!section)
	return;

function id(name) {
	return document.getElementById("flame-" + name);
}

// ---- data ----

// As html_flame_data.c writes it.
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" +
	"abcdefghijklmnopqrstuvwxyz-_";

function reader(text) {
	const values = new Uint8Array(128);
	let at = 0;

	for (let i = 0; i < DIGITS.length; i++)
		values[DIGITS.charCodeAt(i)] = i;
	return function () {
		let digit = values[text.charCodeAt(at++)];
		let value = digit & 31, weight = 32;

		while (digit > 31) {
			digit = values[text.charCodeAt(at++)];
			value += (digit & 31) * weight;
			weight *= 32;
		}
		return value;
	};
}

function readTexts(rests, shared) {
	const next = reader(shared);
	let before = "";

	return rests.map(rest => before = before.slice(0, next()) + rest);
}

function readColumn(count, text) {
	const next = reader(text), column = new Uint32Array(count);

	for (let i = 0; i < count; i++)
		column[i] = next();
	return column;
}

function readFunctions(data) {
	const count = data.names.length, next = reader(data.file);
	const change = readColumn(count, data.change);
	let last = 0;

	return { name: readTexts(data.names, data.name_shared),
		files: readTexts(data.files, data.file_shared),
		file: Uint32Array.from(data.names, function () {
			const step = next();

			return last += step & 1 ? -(step + 1) / 2 : step / 2;
		}),
		line: readColumn(count, data.line),
		kind: readColumn(count, data.kind),
		language: readColumn(count, data.language),
		change: change.map(word => word & 7),
		isRanked: change.map(word => word >> 3) };
}

// Frames in depth-first order, as columns; sums from the last to the first.
function readFrames(data) {
	const count = data.frame_count, flags = readColumn(count, data.flags);
	const step = reader(data.step);
	const self = [reader(data.self_after), reader(data.self_before)];
	const rest = [reader(data.left_out_after), reader(data.left_out_before)];
	const n = { count: count, fn: readColumn(count, data.function),
		depth: new Uint32Array(count), parent: new Int32Array(count),
		end: new Uint32Array(count),
		self: [new Float64Array(count), new Float64Array(count)],
		total: [new Float64Array(count), new Float64Array(count)] };
	const path = [];
	let depth = -1;

	for (let i = 0; i < count; i++) {
		depth += 1 - (flags[i] & 1 ? step() : 0);
		n.depth[i] = depth;
		n.parent[i] = depth ? path[depth - 1] : -1;
		path[depth] = i;
		for (let s = 0; s < 2; s++) {
			if (flags[i] & 2 << s)
				n.self[s][i] = self[s]() * data.divisor[s];
			n.total[s][i] = n.self[s][i] + (flags[i] & 8 << s ?
				rest[s]() * data.divisor[s] : 0);
		}
	}
	for (let i = count - 1; i >= 0; i--) {
		const up = n.parent[i];

		n.end[i] = Math.max(n.end[i], i + 1);
		if (up < 0)
			continue;
		n.end[up] = Math.max(n.end[up], n.end[i]);
		n.total[0][up] += n.total[0][i];
		n.total[1][up] += n.total[1][i];
	}
	return n;
}

let data, F, N;

// ---- numbers in words, as render/units.c and base/timefmt.c ----

function tenths(value) {
	const t = Math.round(Math.abs(value) * 1000);

	return [(value < 0 && t ? "-" : ""), Math.floor(t / 10) + "." + t % 10];
}

function shareText(share) {
	return tenths(share).join("") + " %";
}

function pointsText(share) {
	const [sign, text] = tenths(share);

	return (sign || (text === "0.0" ? "" : "+")) + text;
}

function countText(value) {
	return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

const LARGE = [["d", 864e11, "h", 36e11], ["h", 36e11, "m", 6e10],
	["m", 6e10, "s", 1e9]];
const SMALL = [["s", 1e9, 60], ["ms", 1e6, 1000], ["us", 1e3, 1000],
	["ns", 1, 1000]];

function smallTime(ns, unit) {
	const whole = Math.floor(ns / unit[1]);
	const decimals = unit[1] === 1 || whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
	const scale = Math.pow(10, decimals), step = unit[1] / scale;
	const rounded = Math.floor((ns + Math.floor(step / 2)) / step);
	let text;

	if (rounded >= unit[2] * scale)
		return null;
	text = (rounded / scale).toFixed(decimals);
	return (decimals ? text.replace(/\.?0+$/, "") : text) + " " + unit[0];
}

function largeTime(ns, i) {
	const [name, size, less, small] = LARGE[i], ratio = size / small;
	const rounded = Math.floor((ns + small / 2) / small);
	const rest = rounded % ratio;

	if (i && rounded >= LARGE[i - 1][1] / small)
		return null;
	return Math.floor(rounded / ratio) + " " + name +
		(rest ? " " + rest + " " + less : "");
}

function timeText(ns) {
	let i = LARGE.findIndex(u => ns >= u[1]), j, text;

	if (!ns)
		return "0 s";
	if (i < 0) {
		j = Math.max(0, SMALL.findIndex(u => ns >= u[1]));
		for (; j >= 0; j--)
			if ((text = smallTime(ns, SMALL[j])))
				return text;
		i = LARGE.length - 1;
	}
	while (i > 0 && !(text = largeTime(ns, i)))
		i--;
	return text || largeTime(ns, i);
}

function sizeText(bytes) {
	const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
	let size = bytes / 1024, unit = 0;

	if (bytes < 1024)
		return Math.round(bytes) + " B";
	for (; size >= 1023.5 && unit < units.length - 1; unit++)
		size /= 1024;
	return size.toFixed(Math.round(size * 100) < 1000 ? 2 :
		Math.round(size * 10) < 1000 ? 1 : 0) + " " + units[unit];
}

function valueText(value) {
	if (data.unit_ns)
		return timeText(value * data.unit_ns);
	return data.is_bytes ? sizeText(value) : countText(value);
}

// ---- what a frame says, as render/flame_text.c ----

function share(side, value) {
	return data.whole[side] > 0 ? value / data.whole[side] : 0;
}

function before(i) {
	return N.total[1][i] * data.baseline_scale;
}

function sideText(side, value) {
	const sample = data.sample_value[side];
	let text = shareText(share(side, value)) + ", " + valueText(value);

	if (sample > 0 && sample !== 1)
		text += ", " + countText(Math.floor(value / sample + 0.5)) +
			" samples";
	return text;
}

function isUp(change) {
	return change === NEW || change === GROWN;
}

function isDown(change) {
	return change === GONE || change === SHRUNK;
}

function isGone(i) {
	return !N.total[0][i] && N.total[1][i] > 0 &&
		isDown(F.change[N.fn[i]]);
}

function changeWords(i) {
	const change = F.change[N.fn[i]], moved = N.total[0][i] - before(i);

	if (change === NOISE)
		return "may be noise";
	if (!isUp(change) && !isDown(change))
		return "the function is the same";
	if (isUp(change) ? !(moved > 0) : !(moved < 0))
		return "the function as a whole " +
			(isUp(change) ? "grew" : "shrank");
	if (isDown(change))
		return N.total[0][i] ? "shrank" : "gone";
	return N.total[1][i] ? "grew" : "new";
}

function placeText(i) {
	const fn = N.fn[i], file = F.file[fn];
	let text = "";

	if (!i)
		return text;
	if (file)
		text = F.files[file - 1] + (F.line[fn] ? ":" + F.line[fn] : "") +
			", ";
	return text + data.legends.kind[F.kind[fn]][1];
}

function lines(i) {
	const list = [F.name[N.fn[i]]], words = ["after   ", "before  "];

	if (i)
		list.push(placeText(i));
	for (let s = 0; s < (data.has_baseline ? 2 : 1); s++)
		list.push((data.has_baseline ? words[s] : "") + "total " +
			sideText(s, N.total[s][i]) + "; self " +
			sideText(s, N.self[s][i]));
	if (data.has_baseline && i)
		list.push("change " +
			pointsText(share(0, N.total[0][i] - before(i))) +
			" points: " + changeWords(i) + (F.isRanked[N.fn[i]] ?
				" (one of the functions to blame)" : ""));
	return list;
}

// ---- lanes ----

function makeLane(name, side, values) {
	const starts = new Float64Array(N.count), next = new Float64Array(N.count);

	for (let i = 1; i < N.count; i++) {
		const up = N.parent[i];

		starts[i] = next[i] = next[up];
		next[up] += values[i];
	}
	return { name: name, side: side, w: values, x: starts, rows: [] };
}

// What is gone, all beneath it, and above it as much as leads there.
function goneValues() {
	const w = new Float64Array(N.count), isBeneath = new Uint8Array(N.count);

	goneMark = new Uint8Array(N.count);
	for (let i = 0; i < N.count;) {
		const end = isGone(i) ? N.end[i] : i + 1;

		w[i] = end > i + 1 || isGone(i) ? before(i) : 0;
		goneMark[i] = w[i] > 0 ? 1 : 0;
		while (++i < end) {
			w[i] = before(i);
			isBeneath[i] = goneMark[i] = 1;
		}
	}
	for (let i = N.count - 1; i > 0; i--)
		if (!isBeneath[i])
			w[N.parent[i]] += w[i];
	return w;
}

let goneMark; // frames that are gone, or beneath one

const lanes = new Map();

function laneOf(name) {
	let lane = lanes.get(name);

	if (lane)
		return lane;
	if (name === "after")
		lane = makeLane(name, 0, N.total[0]);
	else
		lane = makeLane(name, 1, name === "gone" ? goneValues() :
			N.total[1].map(value => value * data.baseline_scale));
	lanes.set(name, lane);
	return lane;
}

// The lanes that are shown, by what there is: they lie to one scale.
function shownLanes() {
	const after = laneOf("after"), which = state.show;
	let both;

	if (!data.has_baseline || which === "after")
		return [after];
	both = [after, laneOf("gone")].filter(lane => lane.w[0] > 0);
	return which === "before" || !both.length ? [laneOf("before")] : both;
}

// ---- colours ----

const state = { show: "both", palette: "", isInverted: false, zoom: null,
	past: [], focus: null, hover: null, test: null };
let isDark = false, ground = "", tones = new Map(), byFunction = null;

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
	const change = F.change[N.fn[i]], was = before(i);
	const moved = N.total[0][i] - was, most = Math.max(N.total[0][i], was);

	if (!i || !(most > 0))
		return data.none;
	if (isUp(change) && moved > 0)
		return data.up[step(moved / most)];
	if (isDown(change) && moved < 0)
		return data.down[step(-moved / most)];
	return change === NOISE ? data.noise : data.none;
}

function goneColor(i) {
	return !goneMark[i] ? data.none : data.down[isGone(i) ? 3 : 1];
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

const view = id("view"), canvas = id("canvas"), tip = id("tip");
const context = canvas.getContext("2d");
let width = 0, letter = 7.22, shown = [];

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
	const gone = "gone since the baseline: " + shareText(share(1,
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
	paint();
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

function letters(text) {
	let count = 0;

	for (const c of text)
		count += c.codePointAt(0) >= 0x1100 ? 2 : 1;
	return count;
}

// Behind the path of a package, or the class and method of the JVM.
function shortName(name) {
	const end = name.search(/[(<[ ]/);
	const head = end < 0 ? name : name.slice(0, end);
	const at = head.lastIndexOf("/"), dots = head.split(".");

	if (at >= 0)
		return at + 1 < name.length ? name.slice(at + 1) : name;
	if (dots.length < 3 || !dots[dots.length - 1])
		return name;
	return dots.slice(-2).join(".") + name.slice(head.length);
}

function label(name, room) {
	const most = Math.floor(room / letter);

	if (most < 2)
		return "";
	if (letters(name) <= most)
		return name;
	name = shortName(name);
	if (letters(name) <= most)
		return name;
	if (most < LETTER_MIN)
		return "";
	name = Array.from(name).slice(0, most - 1);
	while (letters(name.join("")) > most - 1)
		name.pop();
	return name.join("") + "\u2026";
}

// Edges on whole points of the screen, with a gap where there is room.
function paintBox(lane, i, x, w, y, dpr) {
	const from = Math.round(x * dpr) / dpr, to = Math.round((x + w) * dpr) / dpr;
	const isMatch = state.test && F.isMatch[N.fn[i]];
	const t = isMatch ? matchTone : tone(colorOf(lane, i));
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

const matchTone = { fill: "#c026d3", ink: "#fff" };

function paintLane(lane, from, to, dpr) {
	const up = state.zoom ? N.depth[state.zoom.i] : 0, words = laneWords(lane);

	if (words) {
		context.fillStyle = color("--text");
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

function color(name) {
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
	paintEdge(state.hover, color("--text"), 1.5);
	if (document.activeElement === canvas)
		paintEdge(state.focus, color("--focus"), 3);
}

const FONT = "12px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\"," +
	"\"Liberation Mono\",monospace";
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

// ---- details ----

function tell(f, x, y) {
	const box = boxOf(f), frame = view.getBoundingClientRect();
	let left, top;

	tip.hidden = !box;
	if (!box)
		return;
	tip.textContent = "";
	lines(f.i).forEach(function (line, k) {
		const p = document.createElement(k ? "span" : "b");

		p.textContent = line;
		tip.appendChild(p);
	});
	left = x === undefined ? frame.left + Math.max(0, box.x) : x + 14;
	top = y === undefined ? frame.top + box.y + ROW + 4 : y + 18;
	left = Math.min(left, document.documentElement.clientWidth -
		tip.offsetWidth - 4);
	if (top + tip.offsetHeight > window.innerHeight - 4)
		top -= tip.offsetHeight + (y === undefined ? ROW + 8 : 30);
	tip.style.left = Math.max(4, left) + "px";
	tip.style.top = Math.max(4, top) + "px";
}

let pointer = null; // where it is over the canvas

function tellAgain() {
	if (tip.hidden)
		return;
	if (pointer)
		hover(pointer);
	else
		tell(state.focus);
}

// What a reader of screens hears, and tests look at.
function announce(f) {
	const i = f.i, box = boxOf(f), a = share(0, N.total[0][i]);
	let text = F.name[N.fn[i]] + ", " + shareText(a);

	if (data.has_baseline)
		text += ", before " + shareText(share(1, N.total[1][i])) + ", " +
			(i ? changeWords(i) : "");
	id("live").textContent = text + ", level " + (N.depth[i] + 1);
	Object.assign(canvas.dataset, { name: F.name[N.fn[i]],
		lane: f.lane.name, depth: N.depth[i], after: N.total[0][i],
		before: N.total[1][i], x: box ? box.x : "", y: box ? box.y : "",
		width: box ? box.w : "" });
}

// ---- zoom and focus ----

function keepState() {
	const z = state.zoom, q = id("find").value;
	const parts = [state.show !== "both" ? "s=" + state.show : "",
		z ? "z=" + z.lane.name + "." + z.i : "",
		q ? "q=" + encodeURIComponent(q) : ""].filter(p => p);

	if (!parts.length && !location.hash.startsWith("#flame&"))
		return;
	try {
		history.replaceState(null, "", "#flame" + parts.map(p =>
			"&" + p).join(""));
	} catch (e) {
		return; // kept by nobody then
	}
}

function zoomTo(f) {
	const before = boxOf(f), z = f && f.i ? f : null;
	let after;

	state.zoom = z;
	layout();
	after = boxOf(f);
	if (before && after && before.y !== after.y)
		window.scrollBy(0, after.y - before.y);
	id("reset").hidden = !z;
	count();
	keepState();
	if (state.focus)
		focusOn(boxOf(state.focus) ? state.focus : f ||
			{ lane: shown[0], i: 0 }, true);
}

function zoomIn(f) {
	if (!f || isSame(f, state.zoom) || !state.zoom && !f.i)
		return;
	state.past.push(state.zoom);
	zoomTo(f);
}

function zoomBack() {
	const last = state.zoom;

	if (!last)
		return false;
	zoomTo(state.past.length ? state.past.pop() : null);
	return true;
}

function reset() {
	state.past = [];
	zoomTo(null);
}

function scrollTo(f) {
	const box = boxOf(f), top = view.getBoundingClientRect().top;
	// What the page keeps above everything.
	const cover = parseFloat(getComputedStyle(document.documentElement)
		.scrollPaddingTop) || 0;

	if (!box)
		return;
	if (top + box.y < cover + 8)
		window.scrollBy(0, top + box.y - cover - 60);
	else if (top + box.y + ROW > window.innerHeight - 8)
		window.scrollBy(0, top + box.y + 100 - window.innerHeight);
}

function focusOn(f, isQuiet) {
	if (!f)
		return;
	state.focus = f;
	announce(f);
	if (!isQuiet) {
		pointer = null;
		scrollTo(f);
		tell(f);
		document.dispatchEvent(new CustomEvent("tracefind-found",
			{ detail: { function: F.name[N.fn[f.i]] } }));
	}
	paint();
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

function isSame(f, g) {
	return f === g || f && g && f.i === g.i && f.lane === g.lane;
}

function hover(at) {
	const f = hit(at);

	if (!isSame(f, state.hover))
		paintSoon();
	state.hover = f;
	tell(f, at.clientX, at.clientY);
	canvas.style.cursor = f ? "pointer" : "";
}

// ---- search ----

// Groups that repeat what repeats take for ever on a name that nearly matches.
function isRunaway(pattern) {
	return /[*+}]\)*[*+{]/.test(pattern) ||
		/\([^()]*[*+|{][^()]*\)+[*+{]/.test(pattern) ||
		/\\[1-9]/.test(pattern) ||
		(pattern.match(/[*+]|\{\d+,/g) || []).length > 4;
}

function matcher(pattern) {
	const plain = pattern.toLowerCase();
	let regex = null;

	try {
		if (pattern.length <= PATTERN_MAX && !isRunaway(pattern))
			regex = new RegExp(pattern, /[A-Z]/.test(pattern) ? "" : "i");
	} catch (e) {
		regex = null;
	}
	if (regex)
		return name => regex.test(name.slice(0, NAME_MAX));
	return name => name.toLowerCase().includes(plain);
}

// The part of what is zoomed to that matching frames cover, each place once.
function matchedShare(side) {
	const z = state.zoom ? state.zoom.i : 0, total = N.total[side];
	let sum = 0;

	for (let i = z; i < N.end[z];) {
		if (F.isMatch[N.fn[i]]) {
			sum += total[i];
			i = N.end[i];
		} else {
			i++;
		}
	}
	return total[z] > 0 ? sum / total[z] : 0;
}

function count(isLate) {
	let text = "";

	if (state.test) {
		text = "matched " + shareText(matchedShare(0));
		if (data.has_baseline)
			text += ", before " + shareText(matchedShare(1));
	}
	if (isLate)
		text += " (stopped: the pattern takes too long)";
	id("matched").textContent = text;
}

function search(test) {
	const started = Date.now();
	let isLate = false;

	state.test = test;
	state.next = 0;
	F.isMatch = new Uint8Array(F.name.length);
	for (let fn = 0; test && fn < F.name.length && !isLate; fn++) {
		F.isMatch[fn] = test(F.name[fn]) ? 1 : 0;
		isLate = Date.now() - started > BUSY_MS;
	}
	count(isLate);
	keepState();
	paint();
}

function searchText(text) {
	id("find").value = text;
	search(text ? matcher(text) : null);
}

// Matching frames that are drawn, the widest first.
function matches() {
	const found = [];

	shown.forEach(lane => lane.rows.forEach(row => row.node.forEach(
		function (i, k) {
			if (F.isMatch[N.fn[i]])
				found.push({ lane: lane, i: i, w: row.w[k] });
		})));
	return found.sort((a, b) => b.w - a.w || a.i - b.i);
}

function nextMatch() {
	const found = state.test ? matches() : [];

	if (found.length)
		focusOn(found[state.next++ % found.length]);
}

// The page asks for a function.
function showFunction(name) {
	if (F.name.indexOf(name) < 0)
		return;
	id("find").value = name;
	search(other => other === name);
	if (!matches().length)
		reset();
	nextMatch();
	// A link that was followed to here may scroll after this.
	setTimeout(function () {
		scrollTo(state.focus);
		tell(state.focus);
	}, 50);
}

// ---- keyboard ----

function beside(f, step) {
	const box = boxOf(f), to = box && box.at + step;
	let lane;

	if (!box)
		return null;
	if (box.row.node[to] !== undefined)
		return { lane: f.lane, i: box.row.node[to] };
	lane = shown[shown.indexOf(f.lane) + step];
	return f.i === 0 && lane ? { lane: lane, i: 0 } : null;
}

function callee(f) {
	const row = f.lane.rows[N.depth[f.i] + 1];
	let best = -1;

	if (row)
		row.node.forEach(function (i, k) {
			if (N.parent[i] === f.i &&
			    (best < 0 || row.w[k] > row.w[best]))
				best = k;
		});
	return best < 0 ? null : { lane: f.lane, i: row.node[best] };
}

function move(key) {
	const f = state.focus;

	if (key === "ArrowLeft" || key === "ArrowRight")
		return beside(f, key === "ArrowLeft" ? -1 : 1);
	if ((key === "ArrowDown") === state.isInverted)
		return callee(f);
	return N.parent[f.i] < 0 ? null : { lane: f.lane, i: N.parent[f.i] };
}

function onKey(e) {
	const key = e.key;

	if (e.altKey || e.metaKey || e.ctrlKey)
		return;
	if (/^Arrow(Left|Right|Up|Down)$/.test(key)) {
		focusOn(move(key));
	} else if (key === "Enter" || key === " ") {
		zoomIn(state.focus);
	} else if (key === "Escape" || key === "Backspace") {
		tip.hidden = true;
		if (!zoomBack() && key === "Escape")
			searchText("");
	} else if (key === "Home") {
		reset();
		focusOn({ lane: shown[0], i: 0 });
	} else {
		return;
	}
	e.preventDefault();
}

function onAnyKey(e) {
	const isHere = e.target === document.body || section.contains(e.target);
	const isSlash = e.key === "/" && !e.ctrlKey && !e.metaKey &&
		!/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
	const isFind = e.key === "f" && (e.ctrlKey || e.metaKey) &&
		e.target === canvas;

	if (!isHere || e.altKey || !isSlash && !isFind)
		return;
	e.preventDefault();
	id("find").focus();
	id("find").select();
}

// ---- controls ----

function legend() {
	const list = id("legend"), used = new Set(), palette = state.palette;

	list.textContent = "";
	if (palette === "kind")
		F.kind.forEach((k, fn) => F.isDrawn[fn] && used.add(k));
	else if (palette === "java")
		F.language.forEach((k, fn) => F.isDrawn[fn] &&
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
	const text = color("--ground");

	probe.fillStyle = "#ffffff";
	probe.fillStyle = text;
	ground = probe.fillStyle;
	isDark = /^#......$/.test(ground) && luminance(channels(ground)) < 0.2;
	tones = new Map();
	legend();
	paint();
}

function setPalette(palette) {
	state.palette = palette;
	byFunction = null;
	legend();
	paint();
}

function turn() {
	state.isInverted = !state.isInverted;
	id("turn").setAttribute("aria-pressed", state.isInverted);
	layout();
	tip.hidden = true;
}

function button(name, text, act) {
	const b = document.createElement("button");

	b.type = "button";
	b.id = "flame-" + name;
	b.textContent = text;
	b.addEventListener("click", act);
	section.querySelector(".flame-tools").appendChild(b);
	return b;
}

function listenControls() {
	button("turn", "root on top", turn)
		.setAttribute("aria-pressed", state.isInverted);
	button("reset", "reset zoom", reset).hidden = true;
	id("find").addEventListener("input", e => searchText(e.target.value));
	id("find").addEventListener("keydown", function (e) {
		if (e.key === "Escape") {
			searchText("");
			canvas.focus();
		} else if (e.key === "Enter") {
			nextMatch();
		}
	});
	id("palette").addEventListener("change", e => setPalette(e.target.value));
	if (id("show"))
		id("show").addEventListener("change", function (e) {
			state.show = e.target.value;
			state.hover = state.focus = null;
			reset();
		});
}

function listenCanvas() {
	canvas.addEventListener("keydown", onKey);
	canvas.addEventListener("focus", function () {
		if (!boxOf(state.focus))
			state.focus = { lane: shown[0], i: 0 };
		announce(state.focus);
		paint();
	});
	canvas.addEventListener("blur", function () {
		tip.hidden = true;
		paint();
	});
	canvas.addEventListener("pointermove", function (e) {
		if (e.pointerType === "touch")
			return;
		pointer = { clientX: e.clientX, clientY: e.clientY };
		hover(pointer);
	});
	canvas.addEventListener("pointerleave", function (e) {
		if (e.pointerType === "touch")
			return;
		state.hover = pointer = null;
		tip.hidden = true;
		paintSoon();
	});
	canvas.addEventListener("click", function (e) {
		const f = hit(e), isAgain = isSame(f, state.focus);

		if (!f)
			return;
		focusOn(f);
		if (e.pointerType !== "touch" || isAgain)
			zoomIn(f);
	});
}

function listenPage() {
	document.addEventListener("keydown", onAnyKey);
	document.addEventListener("tracefind-find",
		e => showFunction(String(e.detail)));
	window.addEventListener("scroll", function () {
		tellAgain();
		if (view.clientHeight > canvas.clientHeight)
			paintSoon();
	}, { passive: true });
	window.addEventListener("resize", layout);
	new ResizeObserver(function () {
		if (view.clientWidth !== width)
			layout();
	}).observe(view);
	window.matchMedia("(prefers-color-scheme: dark)")
		.addEventListener("change", readTheme);
	new MutationObserver(readTheme).observe(document.documentElement,
		{ attributes: true });
}

function restore() {
	const parts = new URLSearchParams(location.hash.slice(1));
	const [name, i] = (parts.get("z") || "").split(".");
	let lane;

	if (!location.hash.startsWith("#flame&"))
		return;
	if (id("show") && /^(after|before)$/.test(parts.get("s"))) {
		id("show").value = state.show = parts.get("s");
		layout();
	}
	lane = shown.find(l => l.name === name);
	if (parts.get("q"))
		searchText(parts.get("q"));
	if (lane && lane.w[+i] > 0)
		zoomIn({ lane: lane, i: +i });
	section.scrollIntoView();
}

// Large data is packed. An old browser that cannot unpack it keeps the picture
// that is there without a script.
async function readData() {
	const element = id("data");
	let text = element.textContent;

	if (element.type === "application/gzip") {
		const raw = atob(text), bytes = new Uint8Array(raw.length);

		for (let i = 0; i < raw.length; i++)
			bytes[i] = raw.charCodeAt(i);
		text = await new Response(new Blob([bytes]).stream().pipeThrough(
			new DecompressionStream("gzip"))).text();
	}
	return JSON.parse(text);
}

function tellRest() {
	if (data.left_out)
		id("rest").textContent = countText(data.left_out) +
			" frames narrower than " + (100 * data.min_share)
			.toPrecision(1) + " % of the whole are not in this page.";
}

function start(object) {
	data = object;
	F = readFunctions(data);
	N = readFrames(data);
	F.isMatch = new Uint8Array(F.name.length);
	F.isDrawn = new Uint8Array(F.name.length);
	for (let i = 1; i < N.count; i++)
		F.isDrawn[N.fn[i]] = 1;
	state.isInverted = data.is_inverted;
	state.palette = id("palette").value;
	section.classList.add("on");
	layout();
	readTheme();
	listenControls();
	listenCanvas();
	listenPage();
	tellRest();
	restore();
}

// After the page has been painted: its text does not wait for the picture.
let isStarted = false;

function startOnce() {
	if (isStarted)
		return;
	isStarted = true;
	if (window.DecompressionStream || id("data").type === "application/json")
		readData().then(start);
}

requestAnimationFrame(() => setTimeout(startOnce, 0));
setTimeout(startOnce, 400);
}());
