// SPDX-License-Identifier: Apache-2.0
// The frames of a page's flame graph: reads what html_flame_data.c wrote, knows
// their sums, where they lie, and what each says. Knows nothing of the page.
const flameModel = (function () {
"use strict";
const NEW = 1, GROWN = 2, SHRUNK = 3, GONE = 4, NOISE = 6;

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

// Negative ones are odd.
function readSigned(count, text)
{
	const next = reader(text), column = new Float64Array(count);

	for (let i = 0; i < count; i++) {
		const word = next();

		column[i] = word % 2 ? -(word + 1) / 2 : word / 2;
	}
	return column;
}

function readFunctions(data) {
	const count = data.names.length, next = reader(data.file);
	const change = readColumn(count, data.change);
	let last = 0;

	return {
		name : readTexts(data.names, data.name_shared),
		files : readTexts(data.files, data.file_shared),
		file : Uint32Array.from(data.names,
					function() {
						const step = next();

						return last +=
						       step & 1
							       ? -(step + 1) / 2
							       : step / 2;
					}),
		line : readColumn(count, data.line),
		kind : readColumn(count, data.kind),
		language : readColumn(count, data.language),
		whole : [
			data.function_after, data.function_before
		].map((text, side) =>
			      text ? readSigned(count, text)
					      .map(value => value *
							    data.divisor[side])
				   : null),
		change : change.map(word => word & 7),
		isRanked : change.map(word => word >> 3)
	};
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

// ---- numbers in words, as render/units.c and base/timefmt.c ----

function shareText(share) {
	const t = Math.round(Math.abs(share) * 1000);

	return (share < 0 && t ? "-" : "") + Math.floor(t / 10) + "." + t % 10 +
		" %";
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

return function (data) {
const F = readFunctions(data), N = readFrames(data), lanes = new Map();
let goneMark; // frames that are gone, or beneath one

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

// Of what is not compared.
function aloneText(value) {
	const sample = data.sample_value[0];
	let text = shareText(share(0, value)) + ", " + valueText(value);

	if (sample > 0 && sample !== 1)
		text += ", " + countText(Math.floor(value / sample + 0.5)) +
			" samples";
	return text;
}

// Steps of the unit that the table has; as render/scale.c.
function steps(side, value) {
	const exact = value / data.scale.exposure[side] / data.scale.step;

	return Math.sign(exact) * Math.round(Math.abs(exact));
}

function digits(count) {
	const decimals = data.scale.decimals, part = Math.pow(10, decimals);
	const size = Math.abs(count), sign = count < 0 ? "-" : "";

	return sign + countText(Math.floor(size / part)) + (decimals ? "." +
		String(size % part).padStart(decimals, "0") : "");
}

function stepsText(count) {
	return digits(count) + (data.scale.unit ? " " + data.scale.unit : "");
}

function changeText(now, before) {
	const unit = data.is_share ? "points" : data.scale.unit;

	return ", before " + stepsText(before) + ", change " +
		(now > before ? "+" : "") + digits(now - before) +
		(unit ? " " + unit : "");
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
		return "the function no more than the rest";
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

function wholeText(fn) {
	const value = F.whole[0][fn], now = steps(0, value);

	if (!data.has_baseline)
		return "whole function " + shareText(share(0, value)) + ", " +
			valueText(value);
	return "whole function " + stepsText(now) + data.scale.per +
		changeText(now, steps(1, F.whole[1][fn])) +
		(F.isRanked[fn] ? " (the function to blame)" : "");
}

function pathText(i) {
	const label = i ? "this path " : "total ";
	const now = steps(0, N.total[0][i]);
	let text;

	if (!data.has_baseline)
		return label + aloneText(N.total[0][i]) + "; self " +
			aloneText(N.self[0][i]);
	text = label + stepsText(now) + data.scale.per;
	text += changeText(now, steps(1, N.total[1][i]));
	if (!i)
		return text;
	text += ": " + changeWords(i);
	return data.is_share || !N.total[0][i] ? text : text + "; " +
		shareText(share(0, N.total[0][i])) + " of the profile";
}

function selfText(i) {
	const sample = data.sample_value;
	const text = "self " + stepsText(steps(0, N.self[0][i])) + ", before " +
		stepsText(steps(1, N.self[1][i]));

	if (!sample.every(value => value > 0 && value !== 1))
		return text;
	return text + "; samples " + [0, 1].map(s => countText(Math.floor(
		N.total[s][i] / sample[s] + 0.5))).join(", before ");
}

// What matters most, in a few words.
function briefText(i) {
	if (!data.has_baseline)
		return shareText(share(0, N.total[0][i]));
	return stepsText(steps(0, N.total[0][i])) + ", before " +
		stepsText(steps(1, N.total[1][i])) +
		(i ? ", " + changeWords(i) : "");
}

function lines(i) {
	const list = [F.name[N.fn[i]]];

	if (i)
		list.push(placeText(i), wholeText(N.fn[i]));
	list.push(pathText(i));
	if (data.has_baseline)
		list.push(selfText(i));
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
	return { name: name, side: side, w: values, x: starts };
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

return { data: data, functions: F, frames: N, lane: laneOf, lines: lines,
	brief: briefText, before: before, share: share, isGone: isGone,
	isUp: i => isUp(F.change[N.fn[i]]), isDown: i => isDown(F.change[N.fn[i]]),
	isNoise: i => F.change[N.fn[i]] === NOISE,
	isBeneathGone: i => goneMark[i] > 0, shareText: shareText,
	countText: countText };
};
}());
