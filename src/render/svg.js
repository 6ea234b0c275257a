// SPDX-License-Identifier: Apache-2.0
// Zoom, search and details of a picture that stands by itself: its frames and
// where they are drawn; svg_use.js goes on within the same function. Names come
// from the <title> of each frame or from <metadata>, and go back only as text.
(function () {
"use strict";
var NS = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
var MARGIN = 10, FIND = 180, LETTER = 7.22, PARTS = 1e8, GAP = 0.6, LINE = 16;
// A finger needs more room than a mouse.
var isCoarse = !!window.matchMedia && matchMedia("(pointer: coarse)").matches;
var TARGET = isCoarse ? 44 : 26, TOOLS = isCoarse ? 44 : 22;
var STILL_MOST = 1.7, TALL = 17, MATCH = "#5b0f7a";
var PATTERN_MAX = flameNames.PATTERN_MAX, letters = flameNames.letters;
var root = document.getElementById("tracefind");
var isFlame = root.classList.contains("flame");
var info = document.getElementById("info");
var texture = document.getElementById("many");
var box = root.viewBox.baseVal;
var width = box.width, height = box.height, shift = 0, box0 = width;
var view = { x: 0, w: PARTS, node: null };
var find = null, isMatching = false, wanted = "";

function make(name, attributes, parent) {
	var e = document.createElementNS(NS, name);
	Object.keys(attributes).forEach(function (key) {
		e.setAttribute(key, attributes[key]);
	});
	parent.appendChild(e);
	return e;
}

function px(value) {
	return value.toFixed(2);
}

// ---- frames ----

// g and rect are null while it is too narrow for an element.
function Frame(lane, x, w, d, g) {
	this.lane = lane;
	this.x = x;
	this.w = w;
	this.d = d;
	this.g = g;
	this.rect = g && g.children[1];
	this.over = g && g.querySelector(".gone,.new");
	this.text = g && g.children[this.over ? 3 : 2];
	this.title = this.name = this.hash = null;
	this.isMade = false;
	this.isShown = true;
	this.isMatch = false;
	this.px = this.pw = -1;
	if (g)
		g.frame = this;
}

function titleOf(f) {
	if (f.title === null)
		f.title = f.g.firstElementChild.textContent;
	return f.title;
}

function nameOf(f) {
	if (f.name === null)
		f.name = titleOf(f).split("\n", 1)[0];
	return f.name;
}

// Those of the frames of a fold, which says three lines of itself first.
function namesOf(f) {
	return f.g && f.g.classList.contains("k") ?
		titleOf(f).split("\n").slice(3) : [nameOf(f)];
}

// still: slivers as the picture was written with; moving: as they are now.
var lanes = [], all = null, made = [];

Array.from(root.querySelectorAll(".lane")).forEach(function (g, number) {
	var lane = { g: g, number: number, wide: [], still: g.querySelector(".n"),
		y: +g.getAttribute("data-y"), step: +g.getAttribute("data-step"),
		moving: null, rows: null };

	Array.from(g.children).forEach(function (e) {
		if (e.classList.contains("f"))
			lane.wide.push(new Frame(lane, +e.getAttribute("data-x"),
				+e.getAttribute("data-w"),
				+e.getAttribute("data-d"), e));
	});
	if (isFlame)
		lane.moving = make("g", { "class": "n" }, g);
	lane.left = Array.from(g.querySelectorAll(".left")).map(function (e) {
		return { x: +e.getAttribute("data-x"), w: +e.getAttribute("data-w"),
			d: +e.getAttribute("data-d"),
			text: e.firstElementChild.textContent };
	});
	lanes.push(lane);
});

// Slivers have their texts in <metadata>, between "+3" for three that are
// elements.
function read(lane) {
	var at = 0, last = null;

	function add(f) {
		f.index = all.length;
		all.push(f);
	}
	lane.g.querySelectorAll("metadata").forEach(function (e) {
		e.textContent.split("\n").forEach(function (line) {
			var words, upTo;

			if (line[0] === " ") {
				last.title += (last.title ? "\n" : "") + line.slice(1);
			} else if (line[0] === "+") {
				upTo = Math.min(at + +line.slice(1), lane.wide.length);
				while (at < upTo)
					add(lane.wide[at++]);
			} else if (line) {
				words = line.split(" ");
				last = new Frame(lane, +words[0], +words[1], +words[2],
					null);
				last.color = words[3];
				last.isRanked = words.includes("r");
				last.texture = words.includes("g") ? "gone" :
					words.includes("n") ? "new" : "";
				last.title = "";
				last.isShown = false;
				add(last);
			}
		});
	});
	while (at < lane.wide.length)
		add(lane.wide[at++]);
}

// In depth-first order, lane after lane.
function frames() {
	if (!all) {
		all = [];
		lanes.forEach(read);
	}
	return all;
}

// Among those of a row the last that begins before a place.
function frameIn(lane, d, x) {
	var row, low = 0, high, middle;

	if (!lane.rows) {
		lane.rows = [];
		frames().forEach(function (f) {
			if (f.lane === lane)
				(lane.rows[f.d] = lane.rows[f.d] || []).push(f);
		});
	}
	row = lane.rows[d] || [];
	high = row.length;
	while (low < high) {
		middle = (low + high) >> 1;
		if (row[middle].x <= x)
			low = middle + 1;
		else
			high = middle;
	}
	middle = row[low - 1];
	return middle && middle.x + middle.w >= x ? middle : null;
}

function frameOf(e) {
	var target = e.target, lane, at;

	while (target && target !== root) {
		if (target.frame)
			return target.frame;
		if (target.classList && target.classList.contains("n"))
			break;
		target = target.parentNode;
	}
	lane = lanes.find(function (l) {
		return target && l.g === target.parentNode;
	});
	if (!lane)
		return null;
	at = new DOMPoint(e.clientX, e.clientY)
		.matrixTransform(lane.g.getScreenCTM().inverse());
	return frameIn(lane, Math.round((at.y - TALL / 2 - lane.y) / lane.step),
		view.x + (at.x - MARGIN) / (width - 2 * MARGIN) * view.w);
}

// ---- labels ----

// As the picture was written with.
function fit(name, room) {
	var most = Math.floor(room / LETTER);

	return most < 3 ? "" : flameNames.fit(name, most);
}

function label(f, x, w) {
	var text = w - 6 < 3 * LETTER ? "" : fit(nameOf(f), w - 6);
	if (!text) {
		if (f.text)
			f.text.remove();
		f.text = null;
		return;
	}
	if (!f.text)
		f.text = make("text", { y: px(+f.rect.getAttribute("y") + 13) },
			f.g);
	f.text.setAttribute("x", px(x + 3));
	if (f.text.textContent !== text)
		f.text.textContent = text;
}

// ---- layout ----

// What would touch the document only to say the same is left out: browsers
// are slow with thousands of elements.
function show(f, isShown) {
	if (f.isShown !== isShown)
		f.g.style.display = isShown ? "" : "none";
	f.isShown = isShown;
}

function makeElement(f) {
	f.g = make("g", { "class": "f" + (f.isRanked ? " r" : "") +
		(f.isMatch ? " m" : "") }, f.lane.g);
	make("title", {}, f.g).textContent = f.title;
	f.rect = make("rect", { y: px(f.lane.y + f.lane.step * f.d), height: TALL,
		fill: f.color }, f.g);
	if (f.texture)
		f.over = make("rect", { y: f.rect.getAttribute("y"), height: TALL,
			fill: "url(#" + f.texture + ")", "class": f.texture }, f.g);
	f.text = null;
	f.g.frame = f;
	f.px = f.pw = -1;
	f.isMade = f.isShown = true;
	made.push(f);
}

function dropElement(f) {
	f.g.remove();
	f.g = f.rect = f.over = f.text = null;
	f.isMade = f.isShown = false;
}

function placeElement(f, x, w) {
	if (!f.g)
		makeElement(f);
	show(f, true);
	if (f.px === x && f.pw === w)
		return;
	f.px = x;
	f.pw = w;
	[f.rect, f.over].forEach(function (rect) {
		if (!rect)
			return;
		rect.setAttribute("x", px(x));
		rect.setAttribute("width", px(w > 2 * GAP ? w - GAP : w));
	});
	label(f, x, w);
}

// Pieces of paths: by colour, neighbours in a row as one. Those that together
// could be taken for a frame are marked to be several.
function Slivers(lane) {
	this.lane = lane;
	this.open = [];
	this.paths = {};
	this.runs = [];
	this.fused = [];
}

Slivers.prototype.end = function (d) {
	var o = this.open[d], lane = this.lane;

	if (o)
		(this.paths[o.color] = this.paths[o.color] || []).push("M" +
			px(o.x) + " " + px(lane.y + lane.step * d) + "H" +
			px(o.to) + "v" + TALL + "H" + px(o.x) + "z");
	this.open[d] = null;
};

Slivers.prototype.add = function (f, x, w) {
	var o = this.open[f.d], color = f.isMatch ? MATCH :
		f.color || f.rect.getAttribute("fill");

	if (o && o.color === color && x - o.to < 0.01) {
		o.to = x + w;
		return;
	}
	this.end(f.d);
	this.open[f.d] = { x: x, to: x + w, color: color };
};

Slivers.prototype.count = function (f, x, w) {
	var run = this.runs[f.d];

	if (!run || x - run.to >= 0.01)
		this.fused.push(run = this.runs[f.d] = { x: x, d: f.d, count: 0 });
	run.to = x + w;
	run.count++;
};

Slivers.prototype.draw = function () {
	var paths = this.paths, g = this.lane.moving;

	this.open.forEach(function (o, d) {
		this.end(d);
	}, this);
	Object.keys(paths).sort().forEach(function (color) {
		make("path", { fill: color, d: paths[color].join("") }, g);
	});
	this.fused.forEach(function (run) {
		if (run.count > 1 && run.to - run.x > 2 * GAP)
			this.many(run, run.x, run.to - run.x,
				run.count.toLocaleString("en-US") +
				" frames, each too narrow to be drawn", []);
	}, this);
	// What the file has no frames of.
	this.lane.left.forEach(function (l) {
		var at = placeOf(l, this.lane);

		if (at && at.w > 2 * GAP)
			this.many(l, at.x, at.w, l.text, ["#e3e3e3"]);
	}, this);
};

Slivers.prototype.many = function (run, x, w, text, fills) {
	var g = make("g", {}, this.lane.moving), lane = this.lane;

	make("title", {}, g).textContent = text;
	fills.concat("url(#many)").forEach(function (fill) {
		make("rect", { x: px(x), y: px(lane.y + lane.step * run.d),
			width: px(w), height: TALL, fill: fill }, g);
	});
};

// Where something lies, in pixels; null where it is not seen.
function placeOf(f, lane) {
	var room = width - 2 * MARGIN, node = view.node;
	var from = Math.max(0, (f.x - view.x) / view.w);
	var to = Math.min(1, (f.x + f.w - view.x) / view.w);
	var isUp = !!node && f.d < node.d;
	var isIn = to > from && (!node || lane === node.lane && (isUp
		? f.x <= view.x && f.x + f.w >= view.x + view.w
		: f.d >= node.d));

	return isIn ? { x: MARGIN + from * room, w: (to - from) * room, isUp: isUp }
		: null;
}

function place(f, slivers) {
	var at = placeOf(f, f.lane);

	// Of a picture that is as it was written, slivers is null.
	if (at && (at.w > 2 * GAP || !slivers && f.g)) {
		placeElement(f, at.x, at.w);
		if (f.isUp !== at.isUp)
			f.g.classList.toggle("up", at.isUp);
		f.isUp = at.isUp;
		return;
	}
	if (at) {
		slivers[f.lane.number].add(f, at.x, at.w);
		slivers[f.lane.number].count(f, at.x, at.w);
	}
	if (f.isMade)
		dropElement(f);
	else if (f.g)
		show(f, false);
}

function scaleNow() {
	return (width - 2 * MARGIN) / (box0 - 2 * MARGIN);
}

// The slivers of the file serve as long as all is shown as it was written, at
// about that width.
function layoutWhole() {
	var scale = scaleNow();

	texture.setAttribute("patternTransform", "scale(" + 1 / scale + ",1)");
	made.forEach(function (f) {
		if (f.isMade)
			dropElement(f);
	});
	made = [];
	lanes.forEach(function (lane) {
		lane.wide.forEach(function (f) {
			place(f, null);
		});
		if (lane.still)
			lane.still.setAttribute("transform", "matrix(" + scale +
				",0,0,1," + (MARGIN - MARGIN * scale) + ",0)");
	});
}

function layout() {
	var isStill = !view.node && !isMatching && scaleNow() >= 1 &&
		scaleNow() < STILL_MOST, slivers;

	if (!isFlame)
		return;
	lanes.forEach(function (lane) {
		if (lane.still)
			lane.still.style.display = isStill ? "" : "none";
		lane.moving.textContent = "";
	});
	if (isStill) {
		layoutWhole();
		return;
	}
	texture.removeAttribute("patternTransform");
	slivers = lanes.map(function (lane) {
		return new Slivers(lane);
	});
	frames().forEach(function (f) {
		place(f, slivers);
	});
	made = made.filter(function (f) {
		return f.isMade;
	});
	slivers.forEach(function (s) {
		s.draw();
	});
}

