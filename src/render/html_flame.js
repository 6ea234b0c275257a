// SPDX-License-Identifier: Apache-2.0
// The flame graph of a page, used: zoom, search, keys, pointer, controls. Names
// go into the page only as text.
(function () {
"use strict";
function id(name) {
	return document.getElementById("flame-" + name);
}

function isSame(f, g) {
	return f === g || f && g && f.i === g.i && f.lane === g.lane;
}

function run(section, model) {
const F = model.functions, N = model.frames, graph = flameView(section, model);
const view = graph.view, canvas = graph.canvas, state = graph.state;
const boxOf = graph.boxOf, ROW = graph.row, tip = id("tip");
let past = [], next = 0;

// ---- details ----

function tell(f, x, y) {
	const box = boxOf(f), frame = view.getBoundingClientRect();
	let left, top;

	tip.hidden = !box;
	if (!box)
		return;
	tip.textContent = "";
	model.lines(f.i).forEach(function (line, k) {
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
	id("live").textContent = F.name[N.fn[f.i]] + ", " +
		model.brief(f.i) + ", level " + (N.depth[f.i] + 1);
	graph.show(f);
}

// ---- zoom and focus ----

function keepState() {
	const z = state.zoom, q = id("find").value || null;
	const kept = { s: state.show !== "both" ? state.show : null,
		z: z && z.lane.name + "." + z.i, q: q };

	if (kept.s || kept.z || kept.q)
		kept.view = "flame";
	tracefindPage.address.set(kept, true);
}

function screenTop(f) {
	const box = boxOf(f);

	return box && view.getBoundingClientRect().top + box.y;
}

// What was zoomed to stays where it is on the screen.
function zoomTo(f) {
	const before = screenTop(f), z = f && f.i ? f : null;
	let after;

	state.zoom = z;
	graph.layout();
	id("reset").disabled = !z;
	count();
	keepState();
	after = screenTop(f);
	if (before !== null && after !== null)
		window.scrollBy(0, after - before);
	if (state.focus)
		focusOn(boxOf(state.focus) ? state.focus : f ||
			{ lane: graph.shown()[0], i: 0 }, true);
}

function zoomIn(f) {
	if (!f || isSame(f, state.zoom) || !state.zoom && !f.i)
		return;
	past.push(state.zoom);
	zoomTo(f);
}

function zoomBack() {
	const last = state.zoom;

	if (!last)
		return false;
	zoomTo(past.length ? past.pop() : null);
	return true;
}

function reset() {
	past = [];
	zoomTo(null);
}

function scrollTo(f) {
	const top = screenTop(f);
	// What the page keeps above everything.
	const cover = parseFloat(getComputedStyle(document.documentElement)
		.scrollPaddingTop) || 0;

	if (top === null)
		return;
	if (top < cover + 8)
		window.scrollBy(0, top - cover - 60);
	else if (top + ROW > window.innerHeight - 8)
		window.scrollBy(0, top + 100 - window.innerHeight);
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
	graph.paint();
}

function hover(at) {
	const f = graph.hit(at);

	if (!isSame(f, state.hover))
		graph.paintSoon();
	state.hover = f;
	tell(f, at.clientX, at.clientY);
	canvas.style.cursor = f ? "pointer" : "";
}

// ---- what matches ----

// The part of what is zoomed to that matching frames cover, each place once.
function matchedShare(side) {
	const z = state.zoom ? state.zoom.i : 0, total = N.total[side];
	let sum = 0;

	for (let i = z; i < N.end[z];) {
		if (state.isMatch[N.fn[i]]) {
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

	if (state.isMatch) {
		text = "matched " + model.shareText(matchedShare(0));
		if (model.data.has_baseline)
			text += ", before " + model.shareText(matchedShare(1));
	}
	if (isLate)
		text += " (stopped: the pattern takes too long)";
	id("matched").textContent = text;
}

function search(test) {
	const started = Date.now();
	let isLate = false;

	state.isMatch = test && new Uint8Array(F.name.length);
	next = 0;
	for (let fn = 0; test && fn < F.name.length && !isLate; fn++) {
		state.isMatch[fn] = test(F.name[fn]) ? 1 : 0;
		isLate = Date.now() - started > flameNames.BUSY_MS;
	}
	count(isLate);
	keepState();
	graph.paint();
}

function searchText(text) {
	id("find").value = text;
	search(text ? flameNames.matcher(text) : null);
}

// Matching frames that are drawn, the widest first.
function matches() {
	const found = [];

	graph.shown().forEach(lane => lane.rows.forEach(row => row.node.forEach(
		function (i, k) {
			if (state.isMatch[N.fn[i]])
				found.push({ lane: lane, i: i, w: row.w[k] });
		})));
	return found.sort((a, b) => b.w - a.w || a.i - b.i);
}

function nextMatch() {
	const found = state.isMatch ? matches() : [];

	if (found.length)
		focusOn(found[next++ % found.length]);
}

// The widest of all that match, drawn or not; null when there is none.
function widestMatch() {
	let best = null;

	graph.shown().forEach(function (lane) {
		for (let i = 0; i < N.count; i++)
			if (state.isMatch[N.fn[i]] &&
			    lane.w[i] > (best ? best.lane.w[best.i] : 0))
				best = { lane: lane, i: i };
	});
	return best;
}

// The page asks for a function.
function showFunction(name) {
	id("find").value = name;
	search(other => other === name);
	if (!matches().length)
		reset();
	if (!matches().length)
		zoomIn(widestMatch());
	if (F.name.indexOf(name) < 0)
		id("matched").textContent = "too narrow to be in this page";
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
	lane = graph.shown()[graph.shown().indexOf(f.lane) + step];
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
		focusOn({ lane: graph.shown()[0], i: 0 });
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

function turn() {
	state.isInverted = !state.isInverted;
	id("turn").setAttribute("aria-pressed", state.isInverted);
	graph.layout();
	tip.hidden = true;
}

function button(name, text, act) {
	const b = document.createElement("button");

	b.type = "button";
	b.id = "flame-" + name;
	b.textContent = text;
	b.addEventListener("click", act);
	id("matched").before(b);
	return b;
}

function listenControls() {
	button("turn", "root on top", turn)
		.setAttribute("aria-pressed", state.isInverted);
	button("reset", "show all", reset).disabled = true;
	id("find").addEventListener("input", e => searchText(e.target.value));
	id("find").addEventListener("keydown", function (e) {
		if (e.key === "Escape") {
			searchText("");
			canvas.focus();
		} else if (e.key === "Enter") {
			nextMatch();
		}
	});
	id("palette").addEventListener("change", function(e) {
		graph.setPalette(e.target.value);
		section.querySelectorAll("[data-palette]")
			.forEach(p => p.hidden =
					 p.dataset.palette !== e.target.value);
	});
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
			state.focus = { lane: graph.shown()[0], i: 0 };
		announce(state.focus);
		graph.paint();
	});
	canvas.addEventListener("blur", function () {
		tip.hidden = true;
		graph.paint();
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
		graph.paintSoon();
	});
	canvas.addEventListener("click", function (e) {
		const f = graph.hit(e), isAgain = isSame(f, state.focus);

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
			graph.paintSoon();
	}, { passive: true });
	window.addEventListener("resize", graph.layout);
	new ResizeObserver(graph.fit).observe(view);
	window.matchMedia("(prefers-color-scheme: dark)")
		.addEventListener("change", graph.readTheme);
	new MutationObserver(graph.readTheme).observe(document.documentElement,
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
		graph.layout();
	}
	lane = graph.shown().find(l => l.name === name);
	if (parts.get("q"))
		searchText(parts.get("q"));
	if (lane && lane.w[+i] > 0)
		zoomIn({ lane: lane, i: +i });
	section.scrollIntoView();
}

function tellRest() {
	if (model.data.left_out)
		id("rest").textContent = "Frames narrower than " +
			(100 * model.data.min_share).toPrecision(1) +
			" % of the whole are left out: " +
			model.countText(model.data.left_out) + ".";
}

state.palette = id("palette").value;
section.classList.add("on");
graph.layout();
graph.readTheme();
listenControls();
listenCanvas();
listenPage();
tellRest();
restore();
}

// ---- the start ----

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

// After the page has been painted: its text does not wait for the picture.
let isStarted = false;

function start() {
	const section = document.getElementById("flame");

	if (isStarted)
		return;
	isStarted = true;
	if (!window.DecompressionStream && id("data").type !== "application/json")
		return;
	readData().then(data => run(section, flameModel(data)))
		.catch(function (e) {
			section.classList.remove("on");
			throw e;
		});
}

if (id("data")) {
	requestAnimationFrame(() => setTimeout(start, 0));
	setTimeout(start, 400);
}
}());
