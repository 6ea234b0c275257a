// SPDX-License-Identifier: Apache-2.0
// Draws what html_flame_layout.js laid out: with a pen, which is a canvas or an
// SVG picture. A pen has rect(x, y, w, h, fill, texture), edge(x, y, w, h,
// stroke, line), ring(x, y, r, fill, stroke), text(x, y, text, fill, font), where
// a font is attributes of SVG, and fade(part).
const flamePaint = (function () {
"use strict";
const PAD = 3;
const FONT = "12px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\"," +
	"\"Liberation Mono\",monospace";
// Told from the colours of changes by the colour-blind, too.
const MATCH = { fill: "#5b0f7a", ink: "#ffffff" };
const MATCH_DARK = { fill: "#f0c8ff", ink: "#111111" };
const FADED = 0.3, ABOVE = 0.55;

// ---- textures: what is gone, what is new, and frames fused into one box ----

// Lines of a square that repeats, from and to.
const TEXTURES = {
	gone: { size: 6, lines: [[0, 6, 6, 0], [-1, 1, 1, -1], [5, 7, 7, 5]] },
	new: { size: 4, lines: [[1, 1, 2, 1], [3, 3, 4, 3]] },
	fused: { size: 3, lines: [[0.5, 0, 0.5, 3]] },
};

function canvasPen(context) {
	const patterns = new Map();

	function pattern(name, ink) {
		const key = name + ink, t = TEXTURES[name];
		const dpr = context.getTransform().a;
		let p = patterns.get(key), tile, c;

		if (p)
			return p;
		tile = document.createElement("canvas");
		tile.width = tile.height = t.size * Math.max(1, Math.round(dpr));
		c = tile.getContext("2d");
		c.scale(tile.width / t.size, tile.width / t.size);
		c.strokeStyle = ink;
		c.lineWidth = 1;
		t.lines.forEach(function ([x, y, x2, y2]) {
			c.beginPath();
			c.moveTo(x, y);
			c.lineTo(x2, y2);
			c.stroke();
		});
		p = context.createPattern(tile, "repeat");
		p.setTransform(new DOMMatrix().scale(t.size / tile.width));
		patterns.set(key, p);
		return p;
	}
	return {
		rect: function (x, y, w, h, fill, texture, ink) {
			context.fillStyle = fill;
			context.fillRect(x, y, w, h);
			if (!texture)
				return;
			context.fillStyle = pattern(texture, ink);
			context.fillRect(x, y, w, h);
		},
		edge: function (x, y, w, h, stroke, line) {
			context.strokeStyle = stroke;
			context.lineWidth = line;
			context.strokeRect(x + line / 2, y + line / 2,
				Math.max(w - line, 0.5), h - line);
		},
		ring: function (x, y, r, fill, stroke) {
			context.beginPath();
			context.arc(x, y, r, 0, 7);
			Object.assign(context, { fillStyle: fill,
				strokeStyle: stroke, lineWidth: 2 });
			context.fill();
			context.stroke();
		},
		text: function (x, y, text, fill, font) {
			if (font)
				context.font = font["font-weight"] + " " +
					font["font-size"] + "px " + font["font-family"];
			context.fillStyle = fill;
			context.fillText(text, x, y);
		},
		fade: function (part) {
			context.globalAlpha = part;
		},
		forget: () => patterns.clear(),
	};
}

// Elements below an <svg>; without styles, which the page does not let in.
function svgPen(svg) {
	const made = new Set();
	let alpha = 1;

	function element(name, attributes, to) {
		const e = document.createElementNS("http://www.w3.org/2000/svg", name);

		Object.entries(attributes).forEach(([key, value]) =>
			e.setAttribute(key, typeof value === "number" ?
				+value.toFixed(2) : value));
		if (alpha < 1)
			e.setAttribute("opacity", alpha);
		return (to || svg).appendChild(e);
	}
	function pattern(name, ink) {
		const id = "flame-" + name + ink.slice(1), t = TEXTURES[name];
		const faded = alpha;

		if (made.has(id))
			return "url(#" + id + ")";
		made.add(id);
		alpha = 1;
		const p = element("pattern", { id: id, width: t.size,
			height: t.size, patternUnits: "userSpaceOnUse" });

		t.lines.forEach(([x, y, x2, y2]) => element("path", {
			d: "M" + [x, y] + "L" + [x2, y2], stroke: ink }, p));
		alpha = faded;
		return "url(#" + id + ")";
	}
	return {
		rect: function (x, y, w, h, fill, texture, ink) {
			const box = { x: x, y: y, width: w, height: h };

			element("rect", Object.assign({ fill: fill }, box));
			if (texture)
				element("rect", Object.assign(box,
					{ fill: pattern(texture, ink) }));
		},
		edge: (x, y, w, h, stroke, line) => element("rect", {
			x: x + line / 2, y: y + line / 2, fill: "none",
			width: Math.max(w - line, 0.5), height: h - line,
			stroke: stroke, "stroke-width": line }),
		ring: (x, y, r, fill, stroke) => element("circle", { cx: x,
			cy: y, r: r, fill: fill, stroke: stroke,
			"stroke-width": 2 }),
		text: function (x, y, text, fill, font) {
			element("text", Object.assign({ x: x, y: y, fill: fill,
				"xml:space": "preserve" }, font)).textContent = text;
		},
		fade: function (part) { alpha = part; },
	};
}

// ---- boxes ----

// look: { state, colors, palette, letter, dpr, isStark, hasMarks, ink, line }:
// what is looked at, and how the page looks.
return { FONT: FONT, canvasPen: canvasPen, svgPen: svgPen,
	paint: function (pen, panes, look, from, to) {
const state = look.state, isDark = look.colors.isDark();
const snap = v => Math.round(v * look.dpr) / look.dpr;

function isMatch(tree, i, fused) {
	return fused ? fused.some(k => state.isMatch[tree.fn(k)]) :
		tree.fn(i) !== null && state.isMatch[tree.fn(i)];
}

function isFaded(tree, i, many) {
	const lit = state.isLit;

	if (!lit || tree.fn(i) === null)
		return false;
	return many ? !many.some(k => lit[tree.fn(k)]) : !lit[tree.fn(i)];
}

function textureOf(tree, i) {
	const [after, before] = tree.totals(i), fn = tree.fn(i);

	if (!i || after && before)
		return "";
	return !after ? before > 0 ? "gone" : "" :
		fn !== null && look.tell.isUp(fn) && look.hasBaseline ? "new" : "";
}

// Where colours say something else, or nothing to the reader.
function mark(tree, i) {
	const fn = tree.fn(i), [after, before] = tree.totals(i);

	if (!look.hasMarks || fn === null)
		return "";
	return look.tell.isUp(fn) && after > before * look.scale ? "+ " :
		look.tell.isDown(fn) && after < before * look.scale ? "- " : "";
}

function label(tree, i, fused, run, room) {
	const most = Math.floor(room / look.letter);

	if (most < 2)
		return "";
	if (fused)
		return room > 70 ? flameWords.count(fused.length) +
			" frames" : "";
	const sign = run ? "" : mark(tree, i);

	return run ? runLabel(tree, run, most) :
		sign + flameNames.fit(tree.name(i), most - sign.length);
}

const RUN_NAME = 30; // letters

// "17 callers: http.(*conn).serve to store.(*DB).query".
function runLabel(tree, run, most) {
	const text = "\u25b8 " + flameWords.count(run.length) + " callers";
	const name = i => flameNames.shortest(tree.name(i), RUN_NAME);
	const whole = text + ": " + name(run[0]) + " to " +
		name(run[run.length - 1]);

	return [whole, text, ""].find(t => flameNames.letters(t) <= most);
}

// That of most of its frames; of as many the first.
function runColor(tree, run, measure) {
	const counts = new Map();

	for (const i of run) {
		const color = look.colors.ofNode(look.palette, tree, i, measure);

		counts.set(color, (counts.get(color) || 0) + 1);
	}
	return [...counts].reduce((a, b) => b[1] > a[1] ? b : a)[0];
}

// Grey, but for what changed by itself.
function fusedColor(tree, fused, measure) {
	const i = fused.find(k => look.hasVerdict(tree.fn(k)));

	return i === undefined ? look.none :
		look.colors.ofNode(look.palette, tree, i, measure);
}

function paintBox(p, row, k, y, isAbove) {
	const i = row.node[k], fused = row.fused[k], run = row.run[k];
	const w = row.w[k], tree = p.tree, many = fused || run;
	const x = snap(p.left + row.x[k]), end = snap(p.left + row.x[k] + w);
	const t = state.isMatch && isMatch(tree, i, fused) ?
		isDark ? MATCH_DARK : MATCH : look.colors.tone(run ?
			runColor(tree, run, p.measure) : fused ?
			fusedColor(tree, fused, p.measure) : look.colors.ofNode(look.palette, tree, i,
				p.measure));
	const drawn = Math.max(end - x - (w > 2 ? 1 / look.dpr : 0), 0.5);
	const h = p.rowHeight - 1;
	const texture = fused ? "fused" : run ? "" : textureOf(tree, i);
	const text = label(tree, i, fused, run, w - 2 * PAD);

	pen.fade(isFaded(tree, i, many) ? FADED : isAbove ? ABOVE : 1);
	pen.rect(x, y, drawn, h, t.fill, texture, look.line);
	if (look.isToBlame(tree.fn(i)) && !many && w > 3)
		pen.edge(x, y, drawn, h, isDark ? "#ffd9a0" : "#5a1e00",
			look.isStark ? 3 : 1.5);
	else if (look.isStark && w > 2)
		pen.edge(x, y, drawn, h, look.ink, 1);
	if (!text)
		return;
	// Letters are read on the colour itself.
	if (texture)
		pen.rect(x + PAD - 1, y + 2, Math.min(drawn - PAD,
			flameNames.letters(text) * look.letter + 2), h - 4, t.fill);
	pen.text(x + PAD, y + h / 2 + 4, text, t.ink);
}

panes.forEach(function (p) {
	pen.fade(1);
	if (p.title)
		pen.text(p.left, p.top - 9, flameNames.cut(p.title,
			Math.max(4, Math.floor(p.width / look.letter))), look.ink);
	p.rows.forEach(function (row, depth) {
		const y = flameLayout.rowTop(p, depth);

		if (y + p.rowHeight < from || y > to || depth < p.skip)
			return;
		for (let k = 0; k < row.node.length; k++)
			paintBox(p, row, k, y, depth < p.above);
	});
});
pen.fade(1);
} };
}());
