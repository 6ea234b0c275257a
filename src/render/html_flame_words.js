// SPDX-License-Identifier: Apache-2.0
// Values in words: as render/units.c, base/timefmt.c and render/flame_text.c
// write them, so that page, table and picture say the same.
const flameWords = (function () {
"use strict";
const NEW = 1, GROWN = 2, SHRUNK = 3, GONE = 4, NOISE = 6;

function share(part) {
	const t = Math.round(Math.abs(part) * 1000);

	return (part < 0 && t ? "-" : "") + Math.floor(t / 10) + "." + t % 10 +
		" %";
}

function count(value) {
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

function time(ns) {
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

function size(bytes) {
	const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
	let s = bytes / 1024, unit = 0;

	if (bytes < 1024)
		return Math.round(bytes) + " B";
	for (; s >= 1023.5 && unit < units.length - 1; unit++)
		s /= 1024;
	return s.toFixed(Math.round(s * 100) < 1000 ? 2 :
		Math.round(s * 10) < 1000 ? 1 : 0) + " " + units[unit];
}

// What is told of values of one page; head: of its data. The unit may be
// changed: "table", "share", "value".
function make(head, F) {
const scale = head.scale;
let unit = "table";

function value(v) {
	if (head.unit_ns)
		return (v < 0 ? "-" : "") + time(Math.abs(v) * head.unit_ns);
	return head.is_bytes ? size(v) : count(v);
}

function part(side, v) {
	return head.whole[side] > 0 ? v / head.whole[side] : 0;
}

// ---- in whole steps of what is shown, as render/units.c ----

function steps(side, v) {
	const exact = unit === "share" ? part(side, v) * 1000 :
		v / scale.exposure[side] / scale.step;

	return Math.sign(exact) * Math.round(Math.abs(exact));
}

function digits(n) {
	const decimals = unit === "share" ? 1 : scale.decimals;
	const ten = Math.pow(10, decimals);
	const whole = Math.abs(n), sign = n < 0 ? "-" : "";

	return sign + count(Math.floor(whole / ten)) + (decimals ? "." +
		String(whole % ten).padStart(decimals, "0") : "");
}

function withUnit(text, name) {
	return text + (name ? " " + name : "");
}

function inSteps(n) {
	return withUnit(digits(n), unit === "share" ? "%" : scale.unit);
}

function per() {
	return unit === "table" ? scale.per : "";
}

// "1,200 ms per second, before 20 ms, change +1,180 ms".
function sides(values) {
	const now = steps(0, values[0]), before = steps(1, values[1]);
	const points = unit === "share" || head.is_share;

	if (unit === "value")
		return value(values[0]) + ", baseline " + value(values[1]);
	return inSteps(now) + per() + ", baseline " + inSteps(before) +
		", change " + (now > before ? "+" : "") +
		withUnit(digits(now - before), points ? "points" : scale.unit);
}

// "65.0 %, 1.19 s, 119 samples", of what is not compared.
function alone(v, hasSamples) {
	const sample = head.sample_value[0];
	const text = share(part(0, v)) + ", " + value(v);

	if (!hasSamples || !(sample > 0) || sample === 1)
		return text;
	return text + ", " + count(Math.floor(v / sample + 0.5)) + " samples";
}

function samples(totals) {
	const sample = head.sample_value;

	if (!sample.every(v => v > 0 && v !== 1))
		return "";
	return "; samples " + totals.map((v, s) =>
		count(Math.floor(v / sample[s] + 0.5))).join(", baseline ");
}

// ---- of functions and frames ----

function isUp(change) {
	return change === NEW || change === GROWN;
}

function isDown(change) {
	return change === GONE || change === SHRUNK;
}

// How a frame went, where its function changed for certain.
function moved(fn, values) {
	const change = F.change[fn];
	const more = values[0] - values[1] * head.baseline_scale;

	if (change === NOISE)
		return "may be noise";
	if (!isUp(change) && !isDown(change))
		return "the function no more than the rest";
	if (isUp(change) ? !(more > 0) : !(more < 0))
		return "the function as a whole " +
			(isUp(change) ? "grew" : "shrank");
	if (isDown(change))
		return values[0] ? "shrank" : "gone";
	return values[1] ? "grew" : "new";
}

function place(fn) {
	const file = F.file[fn];

	return (file ? F.files[file - 1] + (F.line[fn] ? ":" + F.line[fn] : "") +
		", " : "") + head.legends.kind[F.kind[fn]][1];
}

// What tables say of the function: its total, and the measure they compare.
function whole(fn) {
	const total = F.total, own = F.measured;
	const both = column => [column[0][fn], column[1] ? column[1][fn] : 0];
	const tell = column => head.has_baseline ? sides(both(column)) :
		alone(column[0][fn]);

	if (fn >= F.count)
		return [];
	return ["total " + tell(total) +
		(F.isToBlame[fn] ? " (the function to blame)" : ""),
	head.measure + " " + tell(own)];
}

// The figures alone, for lists.
function wholeBrief(fn) {
	return brief([0, 1].map(s => F.total[s] ? F.total[s][fn] : 0));
}

// Of a frame or a sum of frames: label, values of both sides, of itself.
function path(label, fn, totals, selfs) {
	let text = label + " ";

	if (!head.has_baseline)
		return [text + alone(totals[0], true) + (selfs ? "; self here " +
			alone(selfs[0], true) : "")];
	text += sides(totals) + (fn === null ? "" : ": " + moved(fn, totals));
	if (fn !== null && totals[0] && !(head.is_share || unit === "share"))
		text += "; " + share(part(0, totals[0])) + " of the profile";
	return [text].concat(selfs ? "self here " + brief(selfs) + samples(totals) :
		[]);
}

function ofSide(side, v) {
	return unit === "value" ? value(v) : inSteps(steps(side, v));
}

// "1,200 ms, before 20 ms", or "12.0 %"; of one side with it alone.
function brief(totals, side) {
	if (!head.has_baseline)
		return share(part(0, totals[0]));
	return side === undefined ? ofSide(0, totals[0]) + ", baseline " +
		ofSide(1, totals[1]) : ofSide(side, totals[side]) + per();
}

// The same in cells of a table.
function cells(totals) {
	const now = steps(0, totals[0]), was = steps(1, totals[1]);

	if (!head.has_baseline)
		return [value(totals[0]), share(part(0, totals[0]))];
	return unit === "value" ? [value(totals[0]), value(totals[1])] :
		[inSteps(now), inSteps(was), (now > was ? "+" : "") +
			digits(now - was)];
}

function cellNames() {
	if (!head.has_baseline)
		return ["value", "share"];
	return ["after" + per(), "baseline", "change"].slice(0, unit === "value" ?
		2 : 3);
}

return { cells: cells, cellNames: cellNames, share: share, count: count,
	brief: brief, amount: v => ofSide(0, v) + per(), whole: whole,
	wholeBrief: wholeBrief, path: path, place: place, moved: moved, isUp: fn => isUp(F.change[fn]),
	isDown: fn => isDown(F.change[fn]),
	isNoise: fn => F.change[fn] === NOISE,
	setUnit: function (name) { unit = name; } };
}

make.count = count;
return make;
}());
