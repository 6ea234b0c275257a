// SPDX-License-Identifier: Apache-2.0
// Zoom, search and details of a picture that stands by itself. Names come from
// the <title> of each frame and go back only as text.
(function () {
"use strict";
var NS = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
var MARGIN = 10, TOOLS = 22, FIND = 180, LETTER = 7.22, PARTS = 1e8, GAP = 0.6, LINE = 16;
// A pattern typed by the viewer must not keep the page busy.
var PATTERN_MAX = 200, NAME_MAX = 1000, BUSY_MS = 400;
var root = document.getElementById("tracefind");
var isFlame = root.classList.contains("flame");
var info = document.getElementById("info");
var box = root.viewBox.baseVal;
var width = box.width, height = box.height, shift = 0;
var view = { x: 0, w: PARTS, node: null };
var find = null, isMatching = false;

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

// Frames in depth-first order, lane after lane.
var lanes = Array.prototype.slice.call(root.querySelectorAll(".lane"));
var frames = [];
lanes.forEach(function (lane, number) {
	lane.querySelectorAll(".f").forEach(function (g) {
		var title = g.querySelector("title");
		frames.push({ g: g, title: title, lane: number,
			name: title.textContent.split("\n", 1)[0],
			rect: g.querySelector("rect"),
			text: g.querySelector("text"),
			x: +g.getAttribute("data-x"),
			w: +g.getAttribute("data-w"),
			d: +g.getAttribute("data-d"), index: frames.length, isShown: true });
	});
});

function frameOf(target) {
	while (target && target !== root) {
		if (target.classList && target.classList.contains("f"))
			return frames.find(function (f) {
				return f.g === target;
			});
		target = target.parentNode;
	}
	return null;
}

// ---- labels ----

// As the picture was written with: behind the path of a package, or the class
// and method of the JVM.
function shortName(name) {
	var end = name.search(/[(<[ ]/), head, at, dots;
	head = end < 0 ? name : name.slice(0, end);
	at = head.lastIndexOf("/");
	if (at >= 0)
		return at + 1 < name.length ? name.slice(at + 1) : name;
	dots = head.split(".");
	if (dots.length < 3 || !dots[dots.length - 1])
		return name;
	return dots.slice(-2).join(".") + name.slice(head.length);
}

function letters(text) {
	var count = 0;
	Array.from(text).forEach(function (c) {
		count += c.codePointAt(0) >= 0x1100 ? 2 : 1;
	});
	return count;
}

function fit(name, room) {
	var most = Math.floor(room / LETTER);
	if (most < 3)
		return "";
	if (letters(name) <= most)
		return name;
	name = shortName(name);
	if (letters(name) <= most)
		return name;
	name = Array.from(name);
	while (letters(name.join("")) > most - 1)
		name.length = Math.min(name.length - 1, most - 1);
	return name.join("") + "\u2026";
}

function label(f, x, w) {
	var text = fit(f.name, w - 6);
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
	f.text.textContent = text;
}

// ---- layout ----

function place(f) {
	var room = width - 2 * MARGIN;
	var from = (f.x - view.x) / view.w, to = (f.x + f.w - view.x) / view.w;
	var isUp = f.x <= view.x && f.x + f.w >= view.x + view.w &&
		view.node && f !== view.node && f.d < view.node.d;
	var inLane = !view.node || f.lane === view.node.lane;
	var x, w;

	from = Math.max(0, from);
	to = Math.min(1, to);
	x = MARGIN + from * room;
	w = (to - from) * room;
	f.isShown = inLane && w > 0.05 &&
		(isUp || !view.node || f.d >= view.node.d);
	f.g.style.display = f.isShown ? "" : "none";
	f.g.classList.toggle("up", !!isUp);
	if (!f.isShown)
		return;
	f.rect.setAttribute("x", px(x));
	f.rect.setAttribute("width", px(w > 2 * GAP ? w - GAP : w));
	label(f, x, w);
}

function layout() {
	if (isFlame)
		frames.forEach(place);
}

// Else the tools have a line of their own, below the title.
function isWide() {
	return width > 800 || !isFlame || !root.classList.contains("fluid");
}

// Lines of the head, broken anew for this width; what is below moves.
function wrap() {
	var most = Math.max(20, Math.floor((width - 2 * MARGIN) / LETTER));
	var y = isWide() ? 40 : 40 + TOOLS, before = 0, after = 0;
	var title = root.querySelector(".h");

	// Letters of the title are a third wider.
	title.textContent = fit(root.querySelector("title").textContent,
		(width - 2 * MARGIN - (isWide() ? 380 : 0)) * 0.75);
	root.querySelectorAll(".p").forEach(function (p) {
		var words, line = "";

		function end() {
			make("tspan", { x: MARGIN, y: y }, p).textContent = line;
			y += LINE;
			after++;
			line = "";
		}
		if (p.words === undefined) {
			p.words = p.textContent.split(" ");
			p.lines = p.childNodes.length;
		}
		before += p.lines;
		words = p.words;
		p.textContent = "";
		words.forEach(function (word) {
			if (line && letters(line) + 1 + letters(word) > most)
				end();
			line += (line ? " " : "") + word;
		});
		if (line)
			end();
	});
	shift = (after - before) * LINE + (isWide() ? 0 : TOOLS);
}

function resize() {
	if (root.classList.contains("fluid"))
		width = Math.max(320, window.innerWidth ||
			document.documentElement.clientWidth || width);
	if (isFlame && root.classList.contains("fluid"))
		wrap();
	body.setAttribute("transform", "translate(0," + shift + ")");
	root.setAttribute("width", width);
	root.setAttribute("height", height + shift);
	root.setAttribute("viewBox", "0 0 " + width + " " + (height + shift));
	layout();
	placeTools();
}

// ---- details ----

var told = null, pointerY = 0, back = null;

// Below the picture, or where the window ends before that: over the picture,
// away from the pointer.
function infoTop(lines) {
	var at = +info.getAttribute("data-y") + shift, tall = lines * LINE + 12;
	var top = window.scrollY || 0, room = window.innerHeight || 0;
	var isFloating = room > 3 * tall &&
		(at - LINE < top || at + tall - LINE > top + room);

	back.style.display = isFloating ? "" : "none";
	if (isFloating)
		at = (pointerY > room - 2 * tall ? top : top + room - tall) + 18;
	back.setAttribute("y", px(at - 18 - shift));
	back.setAttribute("width", px(width));
	back.setAttribute("height", px(tall));
	return at - shift;
}

function tell(title) {
	var most = Math.max(20, Math.floor((width - 2 * MARGIN) / LETTER));
	var lines = title ? title.textContent.split("\n").slice(0, 6) : [];
	var y = infoTop(lines.length);

	told = title;
	info.textContent = "";
	if (!title)
		back.style.display = "none";
	lines.forEach(function (line, i) {
		var t = make("tspan", { x: MARGIN, y: px(y + i * LINE) }, info);
		t.textContent = letters(line) > most
			? Array.from(line).slice(0, most - 1).join("") + "\u2026"
			: line;
		if (!i)
			t.setAttribute("font-weight", "bold");
	});
}

// ---- zoom ----

function zoom(f) {
	var isWhole = !f || f.d === 0;

	view = isWhole ? { x: 0, w: PARTS, node: null }
		: { x: f.x, w: f.w, node: f };
	layout();
	reset.style.display = isWhole ? "none" : "";
	placeTools();
	count();
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
	var plain = pattern.toLowerCase(), regex;

	try {
		if (pattern.length <= PATTERN_MAX && !isRunaway(pattern))
			regex = new RegExp(pattern, /[A-Z]/.test(pattern) ? "" : "i");
	} catch (e) {
		regex = null;
	}
	if (regex)
		return function (name) {
			return regex.test(name.slice(0, NAME_MAX));
		};
	return function (name) {
		return name.toLowerCase().indexOf(plain) >= 0;
	};
}

// The part of the width that matching frames cover, each place once.
function count() {
	var sum = 0, end = 0, whole = 0, lane = -1, share;

	if (!isMatching) {
		result.textContent = "";
		return;
	}
	frames.forEach(function (f) {
		var from = Math.max(f.x, view.x);
		var to = Math.min(f.x + f.w, view.x + view.w);

		if (f.lane !== (view.node ? view.node.lane : 0))
			return;
		if (f.d === (view.node ? view.node.d : 0) &&
		    (!view.node || f === view.node))
			whole += f.w;
		if (f.lane !== lane) {
			lane = f.lane;
			end = 0;
		}
		if (!f.isMatch || to <= from || to <= end)
			return;
		sum += to - Math.max(from, end);
		end = to;
	});
	share = whole ? 1000 * sum / whole : 0;
	result.textContent = "matched " + (Math.round(share) / 10).toFixed(1) +
		" %";
}

function search(pattern) {
	var known = new Map(), test = pattern ? matcher(pattern) : null;
	var started = Date.now(), isLate = false;

	isMatching = !!test;
	frames.forEach(function (f) {
		var is = false;

		if (test && !isLate) {
			if (!known.has(f.name)) {
				known.set(f.name, test(f.name));
				isLate = Date.now() - started > BUSY_MS;
			}
			is = known.get(f.name);
		}
		f.isMatch = is;
		f.g.classList.toggle("m", is);
	});
	count();
	if (isLate)
		result.textContent += " (stopped: the pattern takes too long)";
}

var findBox = null;

function openFind() {
	if (!findBox) {
		findBox = make("foreignObject", { id: "find", width: FIND,
			height: 26 }, root);
		find = document.createElementNS(XHTML, "input");
		find.setAttribute("type", "text");
		find.setAttribute("maxlength", PATTERN_MAX);
		find.setAttribute("aria-label", "search, a regular expression");
		find.setAttribute("placeholder", "regular expression");
		find.setAttribute("style", "width:100%;font:12px monospace;" +
			"box-sizing:border-box;padding:2px");
		findBox.appendChild(find);
		find.addEventListener("input", function () {
			search(find.value);
		});
		find.addEventListener("keydown", function (e) {
			e.stopPropagation();
			if (e.key === "Escape") {
				find.value = "";
				search("");
				closeFind();
			} else if (e.key === "Enter") {
				closeFind();
			}
		});
	}
	findBox.style.display = "";
	placeTools();
	find.focus();
}

function closeFind() {
	findBox.style.display = "none";
	placeTools();
	if (current)
		current.g.focus();
	else
		find.blur();
}

// ---- keyboard ----

var current = null;

function focusOn(f) {
	if (!f)
		return;
	if (current)
		current.g.setAttribute("tabindex", -1);
	current = f;
	f.g.setAttribute("tabindex", 0);
	f.g.focus();
}

function near(f, step, isWanted) {
	var i = f.index + step;

	while (frames[i] && frames[i].lane === f.lane) {
		if (frames[i].isShown && isWanted(frames[i]))
			return frames[i];
		i += step;
	}
	return null;
}

function parentOf(f) {
	return near(f, -1, function (o) {
		return o.d < f.d;
	});
}

function childOf(f) {
	var best = null, i;

	for (i = f.index + 1; frames[i] && frames[i].lane === f.lane &&
	     frames[i].d > f.d; i++)
		if (frames[i].d === f.d + 1 && frames[i].isShown &&
		    (!best || frames[i].w > best.w))
			best = frames[i];
	return best;
}

function isRootOnTop() {
	return frames.length > 1 && frames[1].lane === frames[0].lane &&
		+frames[1].rect.getAttribute("y") >
		+frames[0].rect.getAttribute("y");
}

function move(key) {
	var f = current || frames[0], isDown = key === "ArrowDown";

	if (key === "ArrowLeft" || key === "ArrowRight")
		return near(f, key === "ArrowLeft" ? -1 : 1, function (o) {
			return o.d === f.d;
		});
	if (!isFlame)
		return frames[f.index + (isDown ? 1 : -1)];
	return isDown === isRootOnTop() ? childOf(f) : parentOf(f);
}

function onKey(e) {
	if (e.ctrlKey || e.altKey || e.metaKey)
		return;
	if (e.key === "/") {
		openFind();
	} else if (e.key === "Escape") {
		if (isMatching && !view.node)
			search("");
		zoom(null);
	} else if (e.key === "Enter" || e.key === " ") {
		if (e.target.act)
			e.target.act();
		else if (isFlame && current)
			zoom(current);
	} else if (/^Arrow/.test(e.key) && frames.length) {
		focusOn(current ? move(e.key) : frames[0]);
	} else {
		return;
	}
	e.preventDefault();
}

// ---- tools ----

function button(text, act) {
	var g = make("g", { "class": "button", role: "button", tabindex: 0 },
		root);
	make("text", { y: 20 }, g).textContent = text;
	g.act = act;
	g.addEventListener("click", act);
	return g;
}

// From the right: what opens the search or its box, the way out of a zoom, and
// how much matched.
function placeTools() {
	var y = isWide() ? 20 : 20 + TOOLS, x = width - MARGIN;
	var isOpen = findBox && findBox.style.display !== "none";

	x -= isOpen ? FIND : 58;
	tools.style.display = isOpen ? "none" : "";
	tools.firstChild.setAttribute("x", px(x));
	tools.firstChild.setAttribute("y", y);
	if (isOpen) {
		findBox.setAttribute("x", px(x));
		findBox.setAttribute("y", y - 17);
	}
	if (view.node)
		x -= 88;
	reset.firstChild.setAttribute("x", px(x));
	reset.firstChild.setAttribute("y", y);
	result.setAttribute("x", px(x - 14));
	result.setAttribute("y", y);
}

var body = make("g", { id: "body" }, root);
Array.prototype.slice.call(root.children).forEach(function (e) {
	if (e.classList.contains("lane") || e.classList.contains("p2") ||
	    e.classList.contains("l") || e.classList.contains("legend") ||
	    e === info || e.classList.contains("axis"))
		body.appendChild(e);
});
back = make("rect", { id: "back", x: 0, fill: "#fff", stroke: "#999" }, body);
back.style.display = "none";
body.appendChild(info);
var tools = button("search /", openFind);
var reset = button("reset zoom", function () {
	zoom(null);
});
var result = make("text", { "class": "p3", "text-anchor": "end" }, root);
result.setAttribute("aria-live", "polite");
reset.style.display = "none";
root.classList.add("on");

frames.forEach(function (f, i) {
	f.g.setAttribute("tabindex", i ? -1 : 0);
	f.g.setAttribute("role", "button");
});
root.addEventListener("click", function (e) {
	var f = frameOf(e.target);

	if (f && isFlame) {
		focusOn(f);
		zoom(f);
	}
});
root.addEventListener("mouseover", function (e) {
	var f = frameOf(e.target);

	pointerY = e.clientY;
	tell(f ? f.title : current && current.title);
});
root.addEventListener("focusin", function (e) {
	var f = frameOf(e.target);

	if (f) {
		current = f;
		pointerY = 0;
		tell(f.title);
	}
});
window.addEventListener("scroll", function () {
	tell(told);
});
document.addEventListener("keydown", onKey);
window.addEventListener("resize", resize);
resize();
}());
