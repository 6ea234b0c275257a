// SPDX-License-Identifier: Apache-2.0
// The waterfall, used: rows fold, open and are walked by keys; one is selected;
// a part of the time is looked at closely. The address has "t", the part, as
// FROM-TO in millionths of the trace.
(function () {
"use strict";
const page = tracefindPage, dom = tracefindDom;
const PARTS = 1e6, LEAST = 1e-6, WHOLE = [0, 1];
const fall = document.querySelector(".fall");
const rows = dom.all(".rows > [aria-level]");
let shown = WHOLE, isPathOnly = false;

// ---- folds ----

function level(row) {
	return Number(row.getAttribute("aria-level") || 1);
}

function isFolded(row) {
	return Boolean(row.folder) &&
		row.folder.getAttribute("aria-expanded") === "false";
}

function isOnPath(row) {
	return row.matches(".path,.guilty");
}

function showRows() {
	let limit = Infinity;

	rows.forEach(function (row) {
		const at = level(row);

		if (at <= limit)
			limit = isFolded(row) ? at : Infinity;
		row.hidden = at > limit || isPathOnly && !isOnPath(row);
	});
}

function fold(row, is) {
	if (!row.folder)
		return false;
	row.folder.setAttribute("aria-expanded", String(!is));
	showRows();
	return true;
}

function above(row) {
	const own = level(row);
	let at = rows.indexOf(row);

	while (at > 0 && level(rows[at]) >= own)
		at--;
	return level(rows[at]) < own ? rows[at] : null;
}

function unfold(row) {
	for (let up = above(row); up; up = above(up))
		if (isFolded(up))
			fold(up, false);
}

function addFold(row, next) {
	if (!next || level(next) <= level(row))
		return;
	row.folder = dom.element("button", "", { "class": "fold",
		"aria-expanded": "true", "tabindex": "-1", "aria-label":
		"spans below " + row.querySelector("b").textContent });
	row.folder.addEventListener("click", () => fold(row, !isFolded(row)));
	row.prepend(row.folder);
}

// ---- keys ----

function handle(row) {
	return row.querySelector("summary");
}

function step(from, by) {
	let at = from + by;

	while (rows[at] && (rows[at].hidden || !handle(rows[at])))
		at += by;
	if (rows[at])
		handle(rows[at]).focus();
}

function toParent(row) {
	const up = above(row);

	if (up && handle(up))
		handle(up).focus();
}

function rowKey(row, key) {
	const at = rows.indexOf(row);

	if (key === "ArrowDown")
		step(at, 1);
	else if (key === "ArrowUp")
		step(at, -1);
	else if (key === "Home")
		step(-1, 1);
	else if (key === "End")
		step(rows.length, -1);
	else if (key === "ArrowRight")
		fold(row, false);
	else if (key === "ArrowLeft" && (isFolded(row) || !fold(row, true)))
		toParent(row);
	else if (key === "z")
		look(timeOf(row));
	else if (key === "0")
		look(WHOLE);
	else if (key !== "ArrowLeft")
		return false;
	return true;
}

// ---- the part of the time that is shown ----

function parts(rect) {
	const read = name => parseFloat(rect.getAttribute(name)) / 100;

	return [read("x"), read("x") + read("width")];
}

function timeOf(row) {
	const own = row.bars[0].time, room = (own[1] - own[0]) * 0.05;

	return [own[0] - room, own[1] + room];
}

function durationText(ns) {
	const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];
	const unit = units.find(u => ns >= u[1]) || units[3];

	return Number((ns / unit[1]).toPrecision(3)) + " " + unit[0];
}

function place(rect, time, isOutside) {
	const length = shown[1] - shown[0];
	const at = part => 100 * (part - shown[0]) / length;
	const from = Math.max(-1, at(time[0])), to = Math.min(101, at(time[1]));

	rect.setAttribute("x", from + "%");
	rect.setAttribute("width", Math.max(0, to - from) + "%");
	rect.setAttribute("visibility", isOutside ? "hidden" : "visible");
}

function draw() {
	const length = Number(fall.dataset.length), ticks =
		dom.all(".axis span", fall);

	rows.forEach(row => row.bars.forEach(bar => place(bar.rect, bar.time,
		bar.time[1] < shown[0] || bar.time[0] > shown[1])));
	ticks.forEach(function (tick, i) {
		const at = shown[0] + (shown[1] - shown[0]) * i /
			(ticks.length - 1);

		tick.textContent = shown === WHOLE ? tick.dataset.whole :
			durationText(at * length);
	});
	fall.classList.toggle("close", shown !== WHOLE);
	whole.hidden = shown === WHOLE;
}

function clamp(range) {
	const from = Math.max(0, range[0]), to = Math.min(1, range[1]);

	return to - from < LEAST || from <= 0 && to >= 1 ? WHOLE : [from, to];
}

function look(range) {
	shown = clamp(range);
	draw();
	page.address.set({ t: shown === WHOLE ? null :
		shown.map(part => Math.round(part * PARTS)).join("-") });
}

function readTime() {
	const found = /^(\d{1,7})-(\d{1,7})$/.exec(page.address.get("t") || "");

	shown = found ? clamp([found[1] / PARTS, found[2] / PARTS]) : WHOLE;
	draw();
}

// Across the bars and their axis: the part that was drawn over.
function addDrag() {
	const mark = dom.element("div", "", { "class": "drag", hidden: "" });
	let begin = null, isDragged = false;

	function part(e) {
		const box = begin.box;

		return Math.min(1, Math.max(0, (e.clientX - box.left) / box.width));
	}
	function end(e, isDone) {
		const from = begin && Math.min(begin.at, part(e));
		const to = begin && Math.max(begin.at, part(e));
		const length = shown[1] - shown[0];

		isDragged = Boolean(isDone && begin && begin.isMoved);
		if (isDragged)
			look([shown[0] + from * length, shown[0] + to * length]);
		begin = null;
		mark.hidden = true;
	}
	fall.append(mark);
	fall.addEventListener("pointerdown", function (e) {
		const area = e.target.closest(".bar,.axis");

		isDragged = false;
		if (!area || e.button || e.pointerType === "touch")
			return;
		begin = { x: e.clientX, box: area.getBoundingClientRect() };
		begin.at = part(e);
		e.preventDefault();
	});
	addEventListener("pointermove", function (e) {
		const whole = fall.getBoundingClientRect();

		if (!begin || !begin.isMoved && Math.abs(e.clientX - begin.x) < 4)
			return;
		begin.isMoved = true;
		mark.hidden = false;
		mark.style.left = begin.box.left - whole.left +
			begin.box.width * Math.min(begin.at, part(e)) + "px";
		mark.style.width = begin.box.width *
			Math.abs(part(e) - begin.at) + "px";
	});
	addEventListener("pointerup", e => end(e, true));
	addEventListener("pointercancel", e => end(e, false));
	// What was dragged over is not to open.
	fall.addEventListener("click", function (e) {
		if (isDragged)
			e.preventDefault();
		if (isDragged)
			e.stopPropagation();
		isDragged = false;
	}, true);
	fall.addEventListener("dblclick", function (e) {
		if (e.target.closest(".axis"))
			look(WHOLE);
	});
}

// ---- what is selected ----

let marked = null;

function rowOf(span) {
	return span && rows.find(row => row.dataset.span === span) || null;
}

function mark(span, isFound) {
	if (marked)
		marked.removeAttribute("aria-current");
	marked = rowOf(span);
	if (!marked)
		return;
	marked.setAttribute("aria-current", "true");
	if (!isFound)
		return;
	unfold(marked);
	if (marked.querySelector("details"))
		marked.querySelector("details").open = true;
	marked.scrollIntoView({ block: "nearest" });
}

function addSelect(row) {
	const summary = handle(row);

	if (!summary)
		return;
	summary.addEventListener("click", function () {
		const isOpen = summary.parentElement.open;

		// It is about to be the other.
		page.select({ span: isOpen ? null : row.dataset.span }, "trace");
	});
	summary.addEventListener("keydown", function (e) {
		if (dom.isFree(e) && rowKey(row, e.key))
			e.preventDefault();
	});
}

// ---- the start ----

const whole = dom.element("button", "Whole trace", { hidden: "" });

function addTools() {
	const tools = dom.element("div", "", { "class": "tools" });
	const path = dom.element("button", "Critical path only",
		{ "aria-pressed": "false" });

	path.addEventListener("click", function () {
		isPathOnly = !isPathOnly;
		path.setAttribute("aria-pressed", String(isPathOnly));
		showRows();
	});
	whole.addEventListener("click", () => look(WHOLE));
	if (rows.some(isOnPath) && !rows.every(isOnPath))
		tools.append(path);
	tools.append(whole, tracefindPicture(fall, "trace"));
	fall.before(tools);
}

function start() {
	rows.forEach(function (row, i) {
		addFold(row, rows[i + 1]);
		addSelect(row);
		row.bars = dom.all(".bar rect", row).map(rect =>
			({ rect: rect, time: parts(rect) }));
	});
	dom.all(".axis span", fall).forEach(tick => {
		tick.dataset.whole = tick.textContent; });
	addTools();
	addDrag();
	if (page.address.get("t"))
		readTime();
	mark(page.selected().span, true);
	page.onSelect(function (now) {
		if (now.changed.has("span"))
			mark(now.span, now.from !== "trace");
	});
	page.address.onChange(function (changed) {
		if (changed.has("t"))
			readTime();
	});
	page.keys("Trace", [
		["\u2191 \u2193 Home End", "walk through the spans"],
		["\u2190 \u2192", "fold and unfold, or go to the caller"],
		["Enter", "open a span and select it"],
		["z", "look closely at its time; so does dragging over the bars"],
		["0", "the whole trace"],
	]);
}

if (fall)
	start();
}());
