// SPDX-License-Identifier: Apache-2.0
// What a person does with the picture, see svg.js.
// ---- width ----

// Else the tools have a line of their own, below the title.
function isWide() {
	return width > 800;
}

// Lines of the head, broken anew for this width; what is below moves.
function wrap() {
	var most = Math.max(20, Math.floor((width - 2 * MARGIN) / LETTER));
	var y = isWide() ? 40 : 40 + TOOLS, before = 0, after = 0;
	var title = root.querySelector(".h");

	// Letters of the title are a third wider.
	title.textContent = flameNames.cut(root.querySelector("title").textContent,
		Math.floor((width - 2 * MARGIN - (isWide() ? 380 : 0)) * 0.75 /
			LETTER));
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
	if (root.classList.contains("fluid") || !isWide())
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

// shared: what says of how many frames it is drawn as one; or null.
function tell(f, shared) {
	var most = Math.max(20, Math.floor((width - 2 * MARGIN) / LETTER));
	var lines = f ? titleOf(f).split("\n").slice(0, 7) : [], y;

	if (shared)
		lines.push("drawn as one here: " + shared.textContent);
	y = infoTop(lines.length);
	told = f;
	info.textContent = "";
	if (!lines.length)
		back.style.display = "none";
	lines.forEach(function (line, i) {
		var t = make("tspan", { x: MARGIN, y: px(y + i * LINE) }, info);
		t.textContent = flameNames.cut(line, most);
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
	count();
	placeTools();
	remember(true);
}

// ---- search ----

// The part of the width that matching frames cover, each place once.
function count() {
	var sum = 0, end = 0, whole = 0, lane = null, share;

	if (!isMatching) {
		result.textContent = "";
		return;
	}
	frames().forEach(function (f) {
		var from = Math.max(f.x, view.x);
		var to = Math.min(f.x + f.w, view.x + view.w);

		if (f.lane !== (view.node ? view.node.lane : lanes[0]))
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
		" % of the width";
}

function mark(f, is) {
	if (f.isMatch === is)
		return;
	f.isMatch = is;
	if (f.g)
		f.g.classList.toggle("m", is);
}

function search(pattern) {
	var known = new Map(), test = pattern ? flameNames.matcher(pattern) : null;
	var started = Date.now(), isLate = false, wasMatching = isMatching;

	function isWanted(name) {
		if (!known.has(name) && !isLate) {
			known.set(name, test(name));
			isLate = Date.now() - started > flameNames.BUSY_MS;
		}
		return !isLate && known.get(name);
	}
	isMatching = !!test;
	wanted = pattern;
	if (isMatching || wasMatching) {
		frames().forEach(function (f) {
			mark(f, isMatching && namesOf(f).some(isWanted));
		});
		layout();
	}
	count();
	remember(false);
	if (isLate)
		result.textContent += " (stopped: the pattern takes too long)";
	placeTools();
}

var findBox = null, isRestoring = false;

function openFind() {
	if (!findBox) {
		findBox = make("foreignObject", { id: "find", width: FIND,
			height: TARGET }, root);
		find = document.createElementNS(XHTML, "input");
		find.setAttribute("type", "text");
		find.setAttribute("maxlength", PATTERN_MAX);
		find.setAttribute("aria-label", "search, a regular expression");
		find.setAttribute("placeholder", "regular expression");
		find.setAttribute("style", "width:100%;height:100%;" +
			"font:12px monospace;box-sizing:border-box;padding:2px");
		find.value = wanted;
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
	find.focus({ preventScroll: true });
}

function closeFind() {
	findBox.style.display = "none";
	placeTools();
	if (current && current.g)
		current.g.focus();
	else
		find.blur();
}

// ---- address ----

// Two FNV-1a of 32 bits, as text.
function hash(text) {
	var a = 0x811c9dc5, b = 0x050c5d1f, i;

	for (i = 0; i < text.length; i++) {
		a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
		b = Math.imul(b ^ (text.charCodeAt(i) + i), 0x01000193);
	}
	a = (a ^ a >>> 15) >>> 0;
	b = (b ^ b >>> 13) >>> 11;
	return (a * 0x200000 + b).toString(36);
}

// Frames go by the names from the root to them: a link is good for another
// picture of the same functions, too.
function hashFrames() {
	var open = [];

	frames().forEach(function (f) {
		f.hash = f.d ? namesOf(f).reduce(function (above, name) {
			return hash(above + ";" + name);
		}, open[f.d - 1]) : "all";
		open[f.d] = f.hash;
	});
}

function hashOf(f) {
	if (f.hash === null)
		hashFrames();
	return f.hash;
}

// So that a link to this file shows what is seen now. A step: Back returns to
// what was seen before.
function remember(isStep) {
	var parts = [];

	if (isRestoring)
		return;
	if (view.node)
		parts.push("frame=" + hashOf(view.node));
	if (isMatching)
		parts.push("search=" + encodeURIComponent(wanted));
	parts = parts.length ? "#" + parts.join("&") : "";
	if (parts === location.hash)
		return;
	try {
		history[isStep ? "pushState" : "replaceState"](null, "",
			location.href.split("#")[0] + parts);
	} catch (e) {
		// A frame of a page that does not let it.
		return;
	}
}

function restore() {
	var state = {}, f = null;

	location.hash.slice(1).split("&").forEach(function (part) {
		var at = part.indexOf("=");

		try {
			state[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
		} catch (e) {
			return;
		}
	});
	if (isFlame && state.frame)
		f = frames().find(function (each) {
			return hashOf(each) === state.frame;
		});
	isRestoring = true;
	search((state.search || "").slice(0, PATTERN_MAX));
	if (find)
		find.value = wanted;
	zoom(f || null);
	isRestoring = false;
}

// ---- keyboard ----

var current = null;

function focusOn(f) {
	if (!f || !f.g)
		return;
	if (current && current.g)
		current.g.setAttribute("tabindex", -1);
	current = f;
	f.g.setAttribute("tabindex", 0);
	f.g.setAttribute("role", "button");
	f.g.focus();
}

function near(f, step, isWanted) {
	var list = frames(), i = f.index + step;

	while (list[i] && list[i].lane === f.lane) {
		if (list[i].isShown && isWanted(list[i]))
			return list[i];
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
	var list = frames(), best = null, i;

	for (i = f.index + 1; list[i] && list[i].lane === f.lane &&
	     list[i].d > f.d; i++)
		if (list[i].d === f.d + 1 && list[i].isShown &&
		    (!best || list[i].w > best.w))
			best = list[i];
	return best;
}

function firstShown() {
	return frames().find(function (f) {
		return f.isShown;
	});
}

function move(key) {
	var f = current, isDown = key === "ArrowDown";

	if (!f || !f.isShown)
		return firstShown();
	if (key === "ArrowLeft" || key === "ArrowRight")
		return near(f, key === "ArrowLeft" ? -1 : 1, function (o) {
			return o.d === f.d;
		});
	if (!isFlame)
		return frames()[f.index + (isDown ? 1 : -1)];
	return isDown === f.lane.step > 0 ? childOf(f) : parentOf(f);
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
	} else if (/^Arrow/.test(e.key)) {
		focusOn(move(e.key));
	} else {
		return;
	}
	e.preventDefault();
}

// ---- tools ----

function button(text, act) {
	var g = make("g", { "class": "button", role: "button", tabindex: 0 },
		root);
	make("rect", { width: px(letters(text) * LETTER + 12), height: TARGET }, g);
	make("text", {}, g).textContent = text;
	g.act = act;
	g.addEventListener("click", act);
	return g;
}

function placeButton(g, x, y) {
	g.firstChild.setAttribute("x", px(x - 6));
	g.firstChild.setAttribute("y", y - 4 - TARGET / 2);
	g.lastChild.setAttribute("x", px(x));
	g.lastChild.setAttribute("y", y);
}

// From the right: what opens the search or its box, the way out of a zoom, and
// how much matched.
function placeTools() {
	var y = isWide() ? 4 + TARGET / 2 : 20 + TOOLS, x = width - MARGIN;
	var isOpen = findBox && findBox.style.display !== "none";
	var down = Math.max(0, (window.scrollY || 0) - y + 4 + TARGET / 2);

	// They stay in sight.
	y += down;
	x -= isOpen ? FIND : 58;
	tools.style.display = isOpen ? "none" : "";
	placeButton(tools, x, y);
	if (isOpen) {
		findBox.setAttribute("x", px(x));
		findBox.setAttribute("y", y - 4 - TARGET / 2);
	}
	if (view.node)
		x -= 88;
	placeButton(reset, x, y);
	result.setAttribute("x", px(x - 14));
	result.setAttribute("y", y);
	x -= 20 + letters(result.textContent) * LETTER;
	shade.style.display = down ? "" : "none";
	shade.setAttribute("x", px(x));
	shade.setAttribute("y", y - 4 - TARGET / 2);
	shade.setAttribute("width", px(width - x));
}

var body = document.getElementById("body"), reached;
back = make("rect", { id: "back", x: 0 }, body);
back.style.display = "none";
body.appendChild(info);
var shade = make("rect", { id: "shade", height: TARGET }, root);
var tools = button("search /", openFind);
var reset = button("reset zoom", function () {
	zoom(null);
});
var result = make("text", { "class": "p3", "text-anchor": "end" }, root);
result.setAttribute("aria-live", "polite");
reset.style.display = "none";
root.classList.add("on");
reached = root.querySelector(".f");
if (reached)
	reached.setAttribute("tabindex", 0);

// What the pointer is on, where that is drawn as one with others.
function sharedAt(e) {
	var g = e.target.tagName === "rect" && e.target.parentNode;

	return g && g.parentNode.classList.contains("n") ?
		g.querySelector("title") : null;
}

// A finger has no way to point: its first tap tells, another one zooms.
var tapped = null, isTouch = false;

root.addEventListener("pointerdown", function (e) {
	isTouch = e.pointerType === "touch";
});
root.addEventListener("click", function (e) {
	var f = isFlame && frameOf(e), isFirst = isTouch && f !== tapped;

	if (!f)
		return;
	tapped = f;
	if (isFirst)
		tell(f, sharedAt(e));
	else
		zoom(f);
	focusOn(f);
});
root.addEventListener("mouseover", function (e) {
	var shared = sharedAt(e);

	pointerY = e.clientY;
	tell(frameOf(e) || (shared ? null : current), shared);
});
// Where many slivers are drawn together.
root.addEventListener("mousemove", function (e) {
	var shared = sharedAt(e);
	var f = (shared || e.target.tagName === "path") && frameOf(e);

	if (f && f !== told) {
		pointerY = e.clientY;
		tell(f, shared);
	}
});
root.addEventListener("focusin", function (e) {
	var f = frameOf(e);

	if (f) {
		current = f;
		pointerY = 0;
		tell(f);
	}
});
window.addEventListener("scroll", function () {
	tell(told);
	placeTools();
});
document.addEventListener("keydown", onKey);
window.addEventListener("resize", resize);
window.addEventListener("hashchange", restore);
resize();
if (location.hash)
	restore();
}());
