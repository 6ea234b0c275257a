// SPDX-License-Identifier: Apache-2.0
// A part of the page as a picture: its texts and drawings where they stand, in
// the colours that they have. Drawn with the pens of html_flame_paint.js.
const tracefindPicture = (function () {
"use strict";
const dom = tracefindDom;
const PAD = 12, SCALE = 2, SIDE_MAX = 16000;

const isDrawn = color => color !== "none" && !/^rgba.*, 0\)$/.test(color);

// Words of a text on each of its lines, from where the line begins.
function drawText(pen, node, at, style) {
	const range = document.createRange(), size = parseFloat(style.fontSize);
	const words = /\S+\s*/g, lines = [];
	const color = node.parentElement.ownerSVGElement ? style.fill : style.color;

	for (let w; (w = words.exec(node.data));) {
		range.setStart(node, w.index);
		range.setEnd(node, words.lastIndex);
		const r = range.getClientRects()[0], last = lines[lines.length - 1];

		if (r && last && Math.abs(last.r.top - r.top) < size / 2)
			last.text += w[0];
		else if (r)
			lines.push({ r: r, text: w[0] });
	}
	lines.forEach(l => pen.text(l.r.left - at.left, l.r.top - at.top +
		l.r.height / 2 + 0.35 * size, l.text.trim().replace(/\s+/g, " "),
	color, { "font-size": size, "font-weight": style.fontWeight,
		"font-family": style.fontFamily }));
}

// A line, level or upright, as what is left of its dashes.
function drawLine(pen, [x1, y1, x2, y2], style) {
	const wide = parseFloat(style.strokeWidth), length = y2 - y1 || x2 - x1;
	const [dash, gap] = style.strokeDasharray === "none" ? [length, 1] :
		style.strokeDasharray.split(",").map(parseFloat);

	for (let at = 0; at < length; at += dash + gap)
		pen.rect(x1 + (y1 === y2 ? at : -wide / 2),
			y1 + (y1 === y2 ? -wide / 2 : at),
			y1 === y2 ? Math.min(dash, length - at) : wide,
			y1 === y2 ? wide : Math.min(dash, length - at),
			style.stroke);
}

function drawShape(pen, e, at, style) {
	const svg = e.ownerSVGElement.getBoundingClientRect();
	const x = svg.left - at.left, y = svg.top - at.top;
	const read = (k, by) => e[k] ? e[k].baseVal.value + by : 0;
	const box = [read("x", x), read("y", y), read("width", 0),
		read("height", 0)];
	const [right, bottom] = [box[0] + box[2], box[1] + box[3]];

	if (e.tagName === "line" && isDrawn(style.stroke))
		drawLine(pen, [read("x1", x), read("y1", y), read("x2", x),
			read("y2", y)], style);
	if (e.tagName === "circle")
		pen.ring(x + e.cx.baseVal.value, y + e.cy.baseVal.value,
			e.r.baseVal.value, style.fill, style.stroke);
	if (e.tagName !== "rect" || style.visibility === "hidden")
		return;
	pen.fade(Number(style.fillOpacity));
	if (isDrawn(style.fill))
		pen.rect(...box, style.fill);
	pen.fade(1);
	if (isDrawn(style.stroke))
		[[box[0], box[1], right, box[1]], [box[0], bottom, right, bottom],
			[box[0], box[1], box[0], bottom],
			[right, box[1], right, bottom]].forEach(side =>
			drawLine(pen, side, style));
}

function draw(pen, root, at) {
	const walk = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT |
		NodeFilter.SHOW_TEXT);

	for (let n; (n = walk.nextNode());) {
		const e = n.nodeType === Node.TEXT_NODE ? n.parentElement : n;
		const style = getComputedStyle(e);

		if (!e.checkVisibility() || e.closest(".vh,button,.tools"))
			continue;
		if (e !== n)
			drawText(pen, n, at, style);
		else if (e.ownerSVGElement)
			drawShape(pen, e, at, style);
		else if (e.tagName !== "svg")
			drawGround(pen, e, at, style);
	}
}

// And the square of colour that some have in front.
function drawGround(pen, e, at, style) {
	const r = e.getBoundingClientRect(), front = getComputedStyle(e, "::before");
	const x = r.left - at.left, y = r.top - at.top;
	const [w, h] = [front.width, front.height].map(parseFloat);

	if (isDrawn(style.backgroundColor))
		pen.rect(x, y, r.width, r.height, style.backgroundColor);
	if (front.content !== "\"\"" || !w)
		return;
	if (isDrawn(front.backgroundColor))
		pen.rect(x, y + (r.height - h) / 2, w, h, front.backgroundColor);
	else
		pen.edge(x, y + (r.height - h) / 2, w, h, front.borderTopColor, 1);
}

function save(root, name, kind) {
	const box = root.getBoundingClientRect();
	const at = { left: box.left - PAD, top: box.top - PAD };
	const size = [root.scrollWidth + 2 * PAD, root.scrollHeight + 2 * PAD];
	const sheet = document.createElement("canvas");
	const scale = Math.min(SCALE, SIDE_MAX / Math.max(...size));
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	let pen = flamePaint.svgPen(svg);

	if (kind === "png") {
		[sheet.width, sheet.height] = size.map(v => v * scale);
		sheet.getContext("2d").scale(scale, scale);
		pen = flamePaint.canvasPen(sheet.getContext("2d"));
	}
	["width", "height"].forEach((k, i) => svg.setAttribute(k, size[i]));
	pen.rect(0, 0, size[0], size[1], getComputedStyle(document.body)
		.backgroundColor);
	draw(pen, root, at);
	if (kind === "png")
		sheet.toBlob(blob => dom.save(blob, name + ".png"));
	else
		dom.saveSvg(svg, name + ".svg");
}

// The choice of a kind; long lists are laid out as a whole for it.
return function (root, name) {
	const select = dom.element("select"), label = dom.element("label", "Save ");

	[["", "picture\u2026"], ["svg", "SVG"], ["png", "PNG"]].forEach(([value,
		text]) => select.append(dom.element("option", text, { value: value })));
	select.addEventListener("change", function () {
		root.classList.add("whole");
		save(root, name, select.value);
		root.classList.remove("whole");
		select.value = "";
	});
	label.append(select);
	return label;
};
}());
