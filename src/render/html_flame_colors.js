// SPDX-License-Identifier: Apache-2.0
// The colours of a flame graph: by change, kind of code, language, package or
// name, on light and dark ground.
const flameColors = (function () {
"use strict";

function channels(color) {
	return [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
}

function luminance(c) {
	const [r, g, b] = c.map(v => v / 255 <= 0.04045 ? v / 255 / 12.92 :
		Math.pow((v / 255 + 0.055) / 1.055, 2.4));

	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const hex = v => Math.round(v).toString(16).padStart(2, "0");

function fnv(name) {
	let hash = 2166136261;

	new TextEncoder().encode(name).forEach(function (byte) {
		hash = Math.imul(hash ^ byte, 16777619) >>> 0;
	});
	return (hash ^ hash >>> 15) >>> 0;
}

// As render/flame_colors.c.
function hot(name) {
	const hash = fnv(name);

	return "#" + hex(215 + hash % 40) + hex(100 + (hash >>> 8) % 125) +
		hex(40 + (hash >>> 16) % 40);
}

// Light enough for dark letters; neighbours in hue differ in lightness.
function ofPackage(name) {
	const hash = fnv(name), hue = hash % 24 * 15;
	const light = [72, 80, 64][(hash >>> 8) % 3] / 100, room = 0.28;
	const channel = function (k) {
		const t = (k + hue / 30) % 12;

		return 255 * (light - room * 0.6 *
			Math.max(-1, Math.min(t - 3, 9 - t, 1)));
	};

	return "#" + hex(channel(0)) + hex(channel(8)) + hex(channel(4));
}

function make(data, F, tell) {
const tones = new Map(), byFunction = new Map();
let isDark = false;

// On dark ground the white in a colour goes: grey stays near the ground.
function tone(color) {
	let t = tones.get(color), c;

	if (!t) {
		c = channels(color);
		if (isDark)
			c = c.map(v => Math.round(v - 0.8 * Math.min(...c) + 14));
		t = { fill: "#" + c.map(hex).join(""),
			ink: luminance(c) > 0.179 ? "#111111" : "#f4f4f4" };
		tones.set(color, t);
	}
	return t;
}

function step(part) {
	let i = data.steps.length - 1;

	while (i > 0 && part < data.steps[i])
		i--;
	return i;
}

// By how much of it came or went, where the function changed for certain.
// Where only what came or went is shown, what went the other way leads there.
function change(fn, totals, measure) {
	const was = totals[1] * data.baseline_scale, more = totals[0] - was;
	const most = Math.max(totals[0], was);

	if (fn === null || !(most > 0))
		return data.none;
	if (more > 0 ? measure === "shrank" : measure === "grew")
		return data.none;
	if (tell.isUp(fn) && more > 0 && !totals[1])
		return data.new;
	if (tell.isUp(fn) && more > 0)
		return data.up[step(more / most)];
	if (tell.isDown(fn) && more < 0)
		return data.down[step(-more / most)];
	return tell.isNoise(fn) ? data.noise : data.none;
}

// The kernel stands behind the languages.
function place(palette, fn) {
	if (palette === "kind")
		return F.kind[fn];
	return F.kind[fn] === data.kernel_kind ? data.legends.java.length - 1 :
		F.language[fn];
}

function plain(palette, fn) {
	if (palette === "package")
		return ofPackage(flamePackages.of(F.name[fn], F.language[fn]));
	return palette === "hot" ? hot(F.name[fn]) :
		data.legends[palette][place(palette, fn)][0];
}

function ofNode(palette, tree, i, measure) {
	const fn = tree.fn(i);
	let colors = byFunction.get(palette);

	if (palette === "diff")
		return change(fn, tree.totals(i), measure);
	if (fn === null || fn >= F.count)
		return i && tree.groupColor ? tree.groupColor(i) : data.none;
	if (!colors)
		byFunction.set(palette, colors = []);
	return colors[fn] || (colors[fn] = plain(palette, fn));
}

// Lines [colour, words, place, texture]; used: of functions.
function legend(palette, used) {
	const places = new Set();

	if (palette === "diff")
		return [[data.new, "new: not in the baseline", , "new"],
			[data.up[data.up.length - 1], "grew"],
			...data.legends.diff.slice(1, -1),
			[data.down[data.down.length - 1], "shrank"],
			[data.down[data.down.length - 1],
				"gone in the comparison", , "gone"]];
	if (!data.legends[palette])
		return [];
	for (let fn = 0; fn < F.count; fn++)
		if (used[fn])
			places.add(place(palette, fn));
	return data.legends[palette].map((line, k) => line.concat(k))
		.filter((line, k) => places.has(k));
}

return { tone: tone, ofNode: ofNode, legend: legend, place: place,
	isDark: () => isDark,
	setGround: function (color) {
		isDark = luminance(channels(color)) < 0.2;
		tones.clear();
	} };
}

make.ofPackage = ofPackage;
return make;
}());
