// SPDX-License-Identifier: Apache-2.0
// The flame graph of a page, used: what is looked at, in step with the address
// and with what is selected elsewhere on the page. Names go into the page only
// as text.
(function () {
"use strict";
const page = tracefindPage;

function id(name) {
	return document.getElementById("flame-" + name);
}

function run(section, read) {
const model = flameViews(read), F = model.functions, head = model.head;
// A frame is looked at as { pane, i, fused, run }; deep: { tree, i }, a zoom in a
// tree that sums frames up; scope: a zoom for all views; lit: what is in full
// colour, null for all; fn: the function chosen, wanted: by another view; center:
// that of the sandwich.
const state = { view: "top", measure: "larger", unit: "table", palette: "",
	isFlame: false, isOneScale: null, isHidden: false, isFolded: false,
	isUnfolded: false, isOwn: false, scope: 0, deep: null, wanted: -1, fn: -1, center: -1, focus: null, hover: null, isMatch: null, isLit: null, lit: null,
	find: "" };
const initial = { view: head.is_reversed ? "bottom" : "top",
	isFlame: head.layout === "flame", palette: id("palette").value };
const graph = flameGraph(section, model, state);
const search = flameSearch(model, state), tip = flameTip(model, graph, state);
const act = {};
let past = [], next = -1, controls = null;

// ---- what is chosen ----

const numbers = new Map();

function functionOf(key) {
	if (key === null)
		return -1;
	if (!numbers.size)
		F.name.forEach(function (name, fn) {
			if (fn < F.count)
				numbers.set(page.functionKey(name), fn);
		});
	return numbers.has(key) ? numbers.get(key) : -1;
}

// Keys walk faster than all of the page can follow.
const FOLLOW_MS = 100;
let following = 0;

function choose(fn, isWalk) {
	if (fn === null || fn < 0 || fn >= F.count || fn === state.fn)
		return;
	state.fn = fn;
	controls.showChosen();
	clearTimeout(following);
	if (isWalk)
		following = setTimeout(tellPage, FOLLOW_MS, true);
	else
		tellPage(false);
}

function tellPage(isReplaced) {
	page.select({ function: F.name[state.fn] }, "flame", isReplaced);
}

// ---- zoom ----

function screenTop(f) {
	const box = graph.boxOf(f);

	return box && graph.view.getBoundingClientRect().top + box.y;
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
	else if (top + 26 > window.innerHeight - 8)
		window.scrollBy(0, top + 100 - window.innerHeight);
}

function keep(isReplaced) {
	const hidden = [state.isHidden && "runtime", state.isFolded && "recursion"];
	const top = model.top(), deep = state.deep;
	const kept = {
		flame: state.view !== initial.view ? state.view : null,
		zoom: state.scope ? top.hash(state.scope) : null,
		of: state.view === "sandwich" ?
			page.functionKey(F.name[state.center]) : null,
		in: deep ? deep.tree.id + "." + deep.tree.hash(deep.i) : null,
		width: state.measure !== "larger" ? state.measure : null,
		unit: state.unit !== "table" ? state.unit : null,
		layout: state.isFlame === initial.isFlame ? null :
			state.isFlame ? "flame" : "icicle",
		scale: state.isOneScale === null ? null :
			state.isOneScale ? "one" : "each",
		colour: state.palette !== initial.palette ? state.palette : null,
		hide: hidden.filter(x => x).join(",") || null,
		callers: state.isUnfolded ? "each" : null,
		samples: state.isOwn ? "span" : null,
		light: state.lit, find: state.find || null };

	if (Object.values(kept).some(v => v !== null))
		kept.view = "flame";
	page.address.set(kept, isReplaced);
}

// Lays out anew after the state changed.
function show() {
	graph.layout();
	if (state.deep && !graph.panes().some(p => p.tree === state.deep.tree))
		state.deep = null;
	if (graph.canvas === document.activeElement && !state.focus)
		state.focus = rootFrame();
	controls.show();
	tellMatched();
	tip.hide();
	if (state.focus)
		tip.mark(state.focus);
}

function zoom(scope, deep) {
	state.scope = scope;
	state.deep = deep;
	show();
	keep();
}

function zoomTo(tree, i) {
	past.push([state.scope, state.deep]);
	if (tree === model.top())
		zoom(i, null);
	else
		zoom(state.scope, i ? { tree: tree, i: i } : null);
}

// What was zoomed to stays where it is on the screen.
function zoomIn(f) {
	const before = screenTop(f);
	let i, after;

	if (!f)
		return;
	if (f.run) {
		f.pane.tree.opened = new Set([...f.pane.tree.opened || [],
			...f.run]);
		show();
		focus(state.focus);
		return;
	}
	i = !f.fused ? f.i : f.pane.tree.parent(f.i);
	if (f.fused && i === f.pane.zoom)
		i = model.widest(f.pane.tree, f.fused);
	if (i === f.pane.zoom)
		return;
	zoomTo(f.pane.tree, i);
	after = screenTop(state.focus);
	if (before !== null && after !== null)
		window.scrollBy(0, after - before);
}

function zoomBack() {
	const last = past.pop();

	if (!state.scope && !state.deep)
		return false;
	if (last)
		zoom(last[0], last[1]);
	else
		zoom(state.deep ? state.scope : 0, null);
	return true;
}

function reset() {
	past = [];
	zoom(0, null);
}

// ---- focus ----

function rootFrame() {
	const pane = graph.panes().find(p => p.rows.length);

	return pane ? { pane: pane, i: pane.zoom, fused: null, run: null } :
		null;
}

function focus(f, isQuiet, at) {
	if (!f)
		return;
	state.focus = f;
	tip.announce(f);
	if (!isQuiet) {
		scrollTo(f);
		tip.tell(f, at);
		choose(f.fused || f.run ? null : f.pane.tree.fn(f.i), !at);
	}
	graph.paint();
}

// ---- search ----

function tellMatched(isLate) {
	const pane = graph.panes()[0];
	let text = "";

	if (state.isMatch && search.widest(state.isMatch) < 0) {
		text = "nothing found";
	} else if (state.isMatch && pane) {
		text = "matched " + model.words.share(search.share(pane.tree,
			pane.zoom, 0));
		if (head.has_baseline)
			text += ", baseline " + model.words.share(search.share(
				pane.tree, pane.zoom, 1));
	}
	if (isLate)
		text += " (stopped: the pattern takes too long)";
	id("matched").textContent = text;
}

// Letters follow one another faster than an address should.
const KEEP_MS = 250;
let isKept = 0;

function find(text, isFromPage) {
	state.find = text;
	if (isFromPage)
		id("find").value = text;
	const isLate = search.run(text ? flameNames.matcher(text) : null);

	next = -1;
	controls.showMatches(search);
	graph.showMatches();
	tellMatched(isLate);
	clearTimeout(isKept);
	if (!isFromPage)
		isKept = setTimeout(() => keep(!text ||
			page.address.get("find") !== null), KEEP_MS);
}

function walk(step) {
	const found = state.isMatch ? search.boxes(graph.panes(), state.isMatch) :
		[];

	if (!found.length) {
		const i = state.isMatch ? search.widest(state.isMatch) : -1;

		if (i >= 0)
			showNode(i);
		return;
	}
	next = (next + step + (next < 0 && step < 0 ? 1 : 0) + found.length) %
		found.length;
	focus(found[next]);
}

// A frame of the whole, wherever it is: in the view, else top-down, zoomed to
// the first caller from which on it can be seen.
function showNode(i) {
	const top = model.top();
	const at = () => graph.panes().filter(p => p.tree === top)
		.map(p => flameLayout.frameOf(p, i))
		.find(f => f && !f.fused && !f.run);

	if (!graph.panes().some(p => p.tree === top))
		state.view = "top";
	past.push([state.scope, state.deep]);
	zoom(0, null);
	if (!at())
		zoom(i, null);
	if (at())
		focus(at());
}

function showFunction(fn) {
	const isWanted = new Uint8Array(F.name.length);
	let found, i;

	isWanted[fn] = 1;
	choose(fn);
	if (state.view === "sandwich") {
		center(fn);
		return;
	}
	state.wanted = fn;
	graph.layout();
	found = search.boxes(graph.panes(), isWanted);
	if (found.length) {
		focus(found[0]);
		return;
	}
	i = search.widest(isWanted);
	if (i >= 0)
		showNode(i);
}

// ---- full colour for some ----

function light(text, isWanted) {
	const is = text === null || text === state.lit;

	state.lit = is ? null : text;
	state.isLit = is ? null :
		Uint8Array.from(F.name, (name, fn) => isWanted(fn) ? 1 : 0);
	controls.show();
	showLegend();
	keep(true);
	graph.paint();
}

function lightPlace(place, text) {
	light(text, fn => fn < F.count &&
		graph.colors.place(state.palette, fn) === place);
}

function lightPackage(name) {
	light(name, fn => model.packageOf(fn) === name);
}

function showLegend() {
	const used = new Uint8Array(F.name.length), n = model.frames();

	for (let i = 1; i < n.count; i++)
		used[n.fn[i]] = 1;
	controls.showLegend(graph.colors, used);
}

// ---- what controls and keys do ----

function change(name, value) {
	state[name] = value;
	show();
	keep(true);
}

function setView(name) {
	if (!model.views.includes(name))
		return;
	if (name === "sandwich" && state.view !== name)
		state.center = state.fn >= 0 ? state.fn : model.hottest();
	state.view = name;
	state.deep = null;
	past = past.filter(p => !p[1]);
	if (name === "sandwich" && state.fn < 0)
		choose(state.center);
	show();
	keep();
}

// Callers and callees of a function.
function center(fn) {
	choose(fn);
	setView("sandwich");
	if (fn < 0 || fn === state.center)
		return;
	state.center = fn;
	show();
	keep();
}

function setFrames() {
	const top = model.top(), hash = state.scope ? top.hash(state.scope) : null;

	model.setFrames(state.isHidden, state.isFolded, state.isOwn);
	search.forget();
	state.deep = null;
	past = [];
	state.scope = hash ? Math.max(0, model.top().find(hash)) : 0;
	state.focus = null;
}

function filterBy(name) {
	state[name] = !state[name];
	setFrames();
	show();
	keep(true);
}

function foldCallers() {
	graph.panes().forEach(p => { p.tree.opened = null; });
	change("isUnfolded", !state.isUnfolded);
}

// As a person reads it: a line each, the outermost caller first.
function copyStack(f) {
	const tree = f.pane.tree, names = [];
	const last = f.run ? f.run[f.run.length - 1] :
		f.fused ? tree.parent(f.i) : f.i;

	for (let i = last; i >= 0; i = tree.parent(i))
		if (tree.fn(i) !== null && (i || tree.id !== "top"))
			names.push(tree.name(i));
	if (tree.id === "top" || tree.id === "callees")
		names.reverse();
	tracefindDom.copy(names.join("\n")).then(is => tip.say(is ?
		"stack copied" : "the browser does not let it be copied"));
}

function nextOf(options, now) {
	return options[(options.indexOf(now) + 1) % options.length];
}

function setUnit(name) {
	model.words.setUnit(name);
	change("unit", name);
	controls.showMatches(search);
}

function save(kind) {
	if (kind === "png")
		graph.png(document.title, blob =>
			tracefindDom.save(blob, "flame.png"));
	else
		tracefindDom.saveSvg(graph.svg(document.title), "flame.svg");
}

Object.assign(act, {
	view: setView, viewNumber: k => setView(model.views[k - 1]),
	measure: name => change("measure", name),
	nextMeasure: () => head.has_baseline && change("measure", nextOf(
		["larger", "after", "before", "change"], state.measure)),
	unit: setUnit,
	nextUnit: () => head.has_baseline && setUnit(nextOf(
		["table", "share", "value"], state.unit)),
	turn: () => change("isFlame", !state.isFlame),
	scale: () => change("isOneScale", !model.isOneScale(state)),
	narrow: () => filterBy("isOwn"),
	hideRuntime: () => filterBy("isHidden"),
	foldRecursion: () => filterBy("isFolded"), foldCallers: foldCallers,
	save: save, reset: reset, zoomIn: zoomIn, zoomBack: zoomBack,
	scope: i => zoomTo(model.top(), i), deep: (tree, i) => zoomTo(tree, i),
	nextMatch: () => walk(1), previousMatch: () => walk(-1),
	showFunction: showFunction, lightPlace: lightPlace,
	lightFunction: fn => lightPackage(state.lit === null ?
		model.packageOf(fn) : null),
	light: f => f && !f.run && f.pane.tree.fn(f.i) !== null &&
		lightPackage(model.packageOf(f.pane.tree.fn(f.i))),
	copy: f => f && copyStack(f), center: center,
	sandwich: function (f) {
		const fn = f && !f.fused && !f.run ? f.pane.tree.fn(f.i) : null;

		center(fn === null ? state.fn : fn);
	},
	home: function () {
		reset();
		focus(rootFrame());
	},
	escape: function () {
		tip.hide();
		if (!zoomBack())
			find("", true), keep(true);
	},
	focus: focus, enter: function () {
		focus(state.focus && graph.boxOf(state.focus) ? state.focus :
			rootFrame(), true);
	},
	leave: function () {
		tip.hide();
		graph.paint();
	},
	hover: function (at) {
		const f = at && graph.hit(at), last = state.hover;

		state.hover = f;
		graph.canvas.style.cursor = f ? "pointer" : "";
		if (!f !== !last || f && (f.pane !== last.pane || f.i !== last.i))
			graph.paintSoon();
		tip.follow(f, at);
	},
});

// ---- the page around it ----

function listen() {
	id("find").addEventListener("input", e => find(e.target.value));
	id("find").addEventListener("keydown", function (e) {
		if (e.key === "Escape") {
			find("", true);
			keep(true);
			graph.canvas.focus();
		} else if (e.key === "Enter") {
			if (state.isMatch && search.widest(state.isMatch) >= 0)
				graph.canvas.focus();
			walk(e.shiftKey ? -1 : 1);
		} else if (e.key === "ArrowDown" && id("matches").firstChild) {
			id("matches").querySelector("button").focus();
		} else {
			return;
		}
		e.preventDefault();
	});
	id("matches").addEventListener("keydown", walkList);
	id("palette").addEventListener("change", function (e) {
		state.palette = e.target.value;
		state.lit = state.isLit = null;
		showLegend();
		change("palette", e.target.value);
	});
	window.addEventListener("scroll", function () {
		tip.again();
		if (graph.isTall())
			graph.paintSoon();
	}, { passive: true });
	window.addEventListener("resize", graph.layout);
	new ResizeObserver(graph.fit).observe(graph.view);
	[window.matchMedia("(prefers-color-scheme: dark)"),
		window.matchMedia("(prefers-contrast: more)")].forEach(m =>
		m.addEventListener("change", readTheme));
	new MutationObserver(readTheme).observe(document.documentElement,
		{ attributes: true });
	window.addEventListener("beforeprint", () => id("print")
		.replaceChildren(graph.svg(pathText())));
}

// Where one has zoomed to.
function pathText() {
	const top = model.top(), names = [];

	for (let i = state.scope; i > 0; i = top.parent(i))
		names.unshift(top.name(i));
	return names.length ? "zoomed to " + names.join(" > ") : "";
}

function walkList(e) {
	const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
	const buttons = Array.from(id("matches").querySelectorAll("button"));
	const to = buttons[buttons.indexOf(e.target) + step];

	if (e.key === "Escape" || step < 0 && !to)
		id("find").focus();
	else if (to)
		to.focus();
	else
		return;
	e.preventDefault();
}

function readTheme() {
	graph.readTheme();
	showLegend();
}

// From the address, all of it.
function restore() {
	const get = page.address.get, hidden = (get("hide") || "").split(",");
	const of = (key, known, other) => known.includes(get(key)) ? get(key) :
		other;
	const isHidden = hidden.includes("runtime");
	const isFolded = hidden.includes("recursion");

	clearTimeout(following);
	state.view = of("flame", model.views, initial.view);
	state.measure = head.has_baseline ? of("width",
		["larger", "after", "before", "change"], "larger") : "after";
	state.unit = of("unit", ["table", "share", "value"], "table");
	model.words.setUnit(state.unit);
	state.isFlame = of("layout", ["flame", "icicle"],
		initial.isFlame ? "flame" : "icicle") === "flame";
	state.isUnfolded = get("callers") === "each";
	state.isOneScale = { one: true, each: false }[get("scale")];
	if (state.isOneScale === undefined)
		state.isOneScale = null;
	state.palette = of("colour", Array.from(id("palette").options,
		o => o.value), initial.palette);
	const isOwn = Boolean(model.own) && get("samples") === "span";

	if (isHidden !== state.isHidden || isFolded !== state.isFolded ||
	    isOwn !== state.isOwn) {
		Object.assign(state, { isHidden: isHidden, isFolded: isFolded,
			isOwn: isOwn });
		setFrames();
	}
	state.scope = get("zoom") ? Math.max(0, model.top().find(get("zoom"))) : 0;
	state.fn = state.wanted = functionOf(page.selected().function);
	state.center = functionOf(get("of"));
	if (state.center < 0)
		state.center = state.fn;
	if (state.view === "sandwich" && state.center < 0)
		state.center = model.hottest();
	state.deep = null;
	restoreDeep(get("in") || "");
	show();
	find(get("find") || "", true);
	restoreLight(get("light"));
}

// The address of a node in a tree that sums up: the tree, and its hash.
function restoreDeep(text) {
	const [name, hash] = text.split(".");
	const pane = hash && model.panes(state).find(p => p.tree.id === name);
	const i = pane ? pane.tree.find(hash) : -1;

	state.deep = i > 0 ? { tree: pane.tree, i: i } : null;
}

function restoreLight(name) {
	const legend = head.legends[state.palette] || [];
	const place = legend.findIndex(line => line[1] === name);

	state.lit = state.isLit = null;
	if (name && place >= 0 && state.palette !== "diff")
		lightPlace(place, name);
	else if (name)
		lightPackage(name);
	showLegend();
}

function tellRest() {
	if (head.left_out)
		id("rest").textContent = "Frames narrower than " +
			(100 * head.min_share).toPrecision(1) +
			" % of the whole are left out: " +
			model.words.count(head.left_out) + ".";
}

// From the span that has samples of its own to the graph of these.
function addToSpan() {
	const place = model.own && document.querySelector("[data-span='" +
		model.own.span + "'] .says");
	const button = document.createElement("button");

	if (!place)
		return;
	button.textContent = "Its own samples in the flame graph";
	button.addEventListener("click", function () {
		if (!state.isOwn)
			act.narrow();
		page.reveal("flame");
	});
	place.append(button);
}

section.classList.add("on");
controls = flameControls(model, state, act, graph.panes);
graph.readTheme();
flameKeys.listen(section, graph, state, act);
restore();
listen();
tellRest();
addToSpan();
page.keys("Flame graph", flameKeys.HELP);
page.address.onChange(restore);
page.onSelect(function (e) {
	const fn = functionOf(e.function);

	if (e.from === "flame" || !e.changed.has("function"))
		return;
	clearTimeout(following);
	if (e.from === "address") {
		state.fn = fn;
		show();
	} else if (fn >= 0) {
		showFunction(fn);
	} else if (e.function) {
		id("matched").textContent = "too narrow to be in this page";
	}
});
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

function readOwn(read) {
	if (id("own"))
		read.own = JSON.parse(id("own").textContent);
	return read;
}

function start() {
	const section = document.getElementById("flame");

	if (!window.DecompressionStream && id("data").type !== "application/json")
		return;
	readData().then(data => run(section, readOwn(flameData.read(data))))
		.catch(function (e) {
			section.classList.remove("on");
			throw e;
		});
}

if (id("data"))
	start();
}());
