// SPDX-License-Identifier: Apache-2.0
// The controls of a flame graph: views, widths, colours, units, filters, where
// one has zoomed to, what is chosen, what was found. They call `act` and show
// the state when they are told to.
const flameControls = (function () {
"use strict";
const MEASURES = { larger: "the larger side", after: "comparison", before: "baseline",
	change: "the change" };
// Of a path, the first and the last ones.
const CRUMBS_MAX = 5;

const CAPTIONS = {
	top: "Callers first, callees beyond them",
	bottom: "Self time first, then its callers: a frame beyond another " +
		"shows through whom that time was spent",
	sandwich: "A function with all its callers above and all its callees " +
		"below, wherever it was called",
	sides: "Both profiles, one zoom for both",
	diff: "Left growth, right shrinkage, stack by stack, on one scale: " +
		"their difference is the change as a whole",
	package: "By package, by self time: then the " +
		"function, then its callers",
	kind: "By kind of code, by self time: then package, " +
		"function and callers",
};
const WIDTHS = {
	larger: "the larger side of its stacks, baseline or comparison",
	after: "its value in the comparison",
	before: "its value in the baseline",
	change: "the sum of the changes in its stacks",
	alone: "its value",
};

function id(name) {
	return document.getElementById("flame-" + name);
}

function element(name, text, props) {
	const e = document.createElement(name);

	if (text)
		e.textContent = text;
	if (name === "button")
		e.type = "button";
	Object.entries(props || {}).forEach(([key, value]) =>
		e.setAttribute(key, value));
	return e;
}

// graph: () => the panes that are shown.
return function (model, state, act, graph) {
const tools = id("tools"), F = model.functions;
const hasBaseline = model.head.has_baseline;

function button(text, run, props) {
	const b = element("button", text, props);

	b.addEventListener("click", run);
	return b;
}

function choice(name, label, options, run) {
	const select = element("select", "", { id: "flame-" + name });
	const l = element("label", label + " ");

	Object.entries(options).forEach(([value, text]) =>
		select.append(element("option", text, { value: value })));
	select.addEventListener("change", () => run(select.value));
	l.append(select);
	return l;
}

function toggle(name, text, title, run) {
	return button(text, run, { id: "flame-" + name, "aria-pressed": "false",
		title: title });
}

// ---- what there is ----

function units() {
	const head = model.head;
	const table = (head.scale.unit || "as counted") + head.scale.per;

	return { table: head.is_share ? "share, as the table" :
		table + ", as the table", share: "share of the profile",
		value: head.unit_ns ? "time in the profile" : head.is_bytes ?
			"size in the profile" : "count in the profile" };
}

function build() {
	const views = element("div", "", { id: "flame-views", role: "group",
		"aria-label": "View", class: "flame-views" });

	model.views.forEach((name, k) => views.append(button(
		model.names[name], () => act.view(name), { "data-view": name,
			title: CAPTIONS[name] + " (" + (k + 1) + ")" })));
	tools.before(views);
	id("matched").after(button("\u2039", act.previousMatch,
		{ id: "flame-previous", "aria-label": "previous frame found" }),
		button("\u203a", act.nextMatch, { id: "flame-next",
			"aria-label": "next frame found" }));
	const more = button("Options", () => more.setAttribute("aria-expanded",
		String(more.getAttribute("aria-expanded") !== "true")),
	{ id: "flame-more", "aria-expanded": "false",
		"aria-controls": "flame-options" });
	const options = element("div", "", { id: "flame-options" });

	options.append(id("palette").parentNode);
	tools.append(more, options);
	if (hasBaseline)
		options.append(choice("width", "Width", MEASURES, act.measure),
			choice("unit", "Unit", units(), act.unit));
	options.append(
		toggle("turn", "Root at the bottom", "(t)", act.turn),
		toggle("scale", "To one scale", "both sides", act.scale),
		toggle("callers", "Fold callers", "callers of one width as " +
			"one frame (f)", act.foldCallers),
		toggle("runtime", "Hide runtime", "frames of the runtime, the " +
			"collector and the kernel count for their callers (r)",
		act.hideRuntime),
		toggle("recursion", "Collapse recursion", "each function once " +
			"per stack (c)", act.foldRecursion),
		choice("save", "Save", { "": "picture\u2026", svg: "SVG",
			png: "PNG" }, function (kind) {
			id("save").value = "";
			if (kind)
				act.save(kind);
		}));
	if (model.own)
		options.prepend(toggle("narrow", "This request only", "samples of the " +
			"span " + model.own.span + " alone", act.narrow));
	id("view").before(element("nav", "", { id: "flame-path",
		class: "flame-crumbs", "aria-label": "Zoom" }),
	element("div", "", { id: "flame-chosen", class: "flame-chosen" }));
	id("find").parentNode.after(element("ol", "", { id: "flame-matches",
		class: "flame-matches", hidden: "", tabindex: "-1",
		"aria-label": "functions found" }));
	id("keys").after(textOf());
	document.querySelectorAll("#flame > .flame-how").forEach(sentence);
	id("palette").append(element("option", "package", { value: "package" }));
}

// What stands above a picture without a script follows it, as one text.
function sentence(p) {
	const text = p.textContent.trim();

	if (p.id !== "flame-caption")
		p.textContent = text[0].toUpperCase() + text.slice(1) + ". ";
	id("keys").before(p, " ");
}

// ---- what is shown ----

function crumb(tree, i, run) {
	const b = button(flameNames.shortest(tree.name(i), 40), run,
		{ title: tree.name(i) });

	return b;
}

function addPath(nav, tree, i, run) {
	const path = [];

	for (; i >= 0; i = tree.parent(i))
		path.unshift(i);
	path.forEach(function (k, at) {
		if (at && path.length > CRUMBS_MAX && at < path.length - 3) {
			if (at === 1)
				nav.append(element("span", "\u2026"));
			return;
		}
		nav.append(crumb(tree, k, () => run(k)));
	});
}

function showPath() {
	const nav = id("path"), deep = state.deep;

	nav.textContent = "";
	nav.hidden = !state.scope && !deep;
	if (nav.hidden)
		return;
	nav.append(button("Show all", act.reset, { id: "flame-reset" }));
	addPath(nav, model.top(), state.scope, act.scope);
	if (deep) {
		nav.append(element("span", "in this view"));
		addPath(nav, deep.tree, deep.i, k =>
			act.deep(deep.tree, k));
	}
}

// The function chosen, with all that can be done with it.
function showChosen() {
	const bar = id("chosen"), fn = state.fn;

	bar.textContent = "";
	bar.hidden = fn < 0;
	if (bar.hidden)
		return;
	bar.append(element("b", F.name[fn]), element("span",
		model.words.whole(fn)[0]));
	if (state.view !== "sandwich" || state.center !== fn)
		bar.append(button("Callers and callees", () => act.center(fn),
			{ id: "flame-sandwich" }));
	bar.append(button(state.lit === null ? "Highlight its package" :
		"Highlight all", () => act.lightFunction(fn),
	{ id: "flame-light", "aria-pressed": String(state.lit !== null) }));
}

function showCaption() {
	const isFixed = state.view === "sides" || state.view === "diff";
	const how = !hasBaseline ? WIDTHS.alone : WIDTHS[state.measure];

	id("caption").textContent = (state.isOwn ? "This request only, " +
		"against the baseline. " : "") + CAPTIONS[state.view] + "." + (isFixed ? "" :
		" Frame width: " + how + ".") + (hasBaseline ? (state.palette === "diff" ?
		"" : " +: grew or new, -: shrank or gone.") + " Dotted: grew from " +
		"nothing; hatched: gone in the comparison. " : " ") + "Striped: frames too narrow to draw each." +
		(state.lit === null ? "" : " In full colour: " + state.lit + ".");
	if (id("width"))
		id("width").disabled = isFixed;
	id("turn").disabled = state.view === "sandwich";
}

function showLegend(colors, used) {
	const list = id("legend");

	list.textContent = "";
	colors.legend(state.palette, used).forEach(function ([color, text, place,
		texture]) {
		const item = element("li"), mark = element("canvas", "",
			{ width: 12, height: 12 });

		flamePaint.canvasPen(mark.getContext("2d")).rect(0, 0, 12, 12,
			colors.tone(color).fill, texture, "#00000099");
		if (place === undefined)
			item.append(mark, text);
		else
			item.append(button("", () => act.lightPlace(place, text),
				{ "aria-pressed": String(state.lit === text) }));
		if (place !== undefined)
			item.firstChild.append(mark, text);
		list.append(item);
	});
}

function showMatches(search) {
	const list = id("matches"), isOpen = Boolean(state.isMatch);
	const found = isOpen ? search.functions() : { count: 0, list: [] };

	list.textContent = "";
	list.hidden = !found.count;
	id("previous").hidden = id("next").hidden = !found.count;
	found.list.forEach(function (fn) {
		const item = element("li");
		const b = button("", () => act.showFunction(fn));

		b.append(element("code", F.name[fn]), element("span",
			model.words.wholeBrief(fn)));
		item.append(b);
		list.append(item);
	});
	if (found.count > found.list.length)
		list.append(element("li", "and " + model.words.count(found.count -
			found.list.length) + " more functions"));
}

// The view for those who do not see the picture, or want to copy it.
function textOf() {
	const details = element("details", "", { id: "flame-text" });

	details.append(element("summary", "This view as a table"),
		element("div", "", { class: "scroll" }));
	details.addEventListener("toggle", showText);
	return details;
}

function textRow(pane, i) {
	const tree = pane.tree, row = element("tr");
	const level = tree.depth(i) - tree.depth(pane.zoom);
	const name = element("th", "", { scope: "row" });

	name.append(element("span", "\u00a0\u00a0".repeat(Math.min(level, INDENTED_MAX)), {
		"aria-hidden": "true" }), element("code", tree.name(i)));
	row.append(element("td", String(level + 1)), name);
	model.words.cells(tree.totals(i)).forEach(text =>
		row.append(element("td", text, { class: "num" })));
	return row;
}

function showText() {
	const details = id("text"), place = details.lastChild;
	const heads = ["level", "function"].concat(model.words.cellNames());
	let table, body;

	place.textContent = "";
	if (!details.open)
		return;
	graph().forEach(function (pane) {
		table = element("table");
		body = element("tbody");
		if (pane.title)
			table.append(element("caption", pane.title));
		const head = element("tr");

		heads.forEach((text, k) => head.append(element("th", text,
			{ scope: "col", class: k > 1 ? "num" : "" })));
		table.append(element("thead"), body);
		table.tHead.append(head);
		model.outline([pane], OUTLINE_ROWS).forEach(([p, i]) =>
			body.append(textRow(p, i)));
		place.append(table);
	});
}

const OUTLINE_ROWS = 100, INDENTED_MAX = 16;

function press(name, is) {
	id(name).setAttribute("aria-pressed", String(Boolean(is)));
}

function show() {
	document.querySelectorAll("#flame-views button").forEach(b =>
		b.setAttribute("aria-pressed",
			String(b.dataset.view === state.view)));
	press("turn", state.isFlame);
	press("scale", model.isOneScale(state));
	id("scale").hidden = state.view !== "sides";
	if (model.own)
		press("narrow", state.isOwn);
	press("callers", !state.isUnfolded);
	press("runtime", state.isHidden);
	press("recursion", state.isFolded);
	id("palette").value = state.palette;
	if (hasBaseline) {
		id("width").value = state.measure;
		id("unit").value = state.unit;
	}
	document.querySelectorAll("#flame [data-palette]").forEach(function (p) {
		p.hidden = p.dataset.palette !== state.palette;
	});
	showPath();
	showChosen();
	showCaption();
	showText();
}

build();
return { show: show, showLegend: showLegend, showMatches: showMatches,
	showChosen: showChosen };
};
}());
