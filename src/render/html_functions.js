// SPDX-License-Identifier: Apache-2.0
// The table of functions, used: sorted, filtered, and in step with what is
// selected. The address has "sort", the name of a column, "-" before it from
// the largest on, and "f", what names or files hold.
(function () {
"use strict";
const page = tracefindPage, dom = tracefindDom;
const table = document.getElementById("table");

function sortKey(cell) {
	return cell.dataset.v === undefined ?
		cell.textContent.toLowerCase() : Number(cell.dataset.v);
}

function compare(a, b) {
	return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function nameOf(row) {
	return row.cells[0].firstElementChild.textContent;
}

// Name and file, without the function that it passes on.
function filterText(row) {
	return Array.from(row.cells[0].children).filter(part =>
		!part.classList.contains("through")).map(part =>
		part.textContent).join(" ").toLowerCase();
}

function run() {
const body = table.tBodies[0], ranked = Array.from(body.rows);
const heads = Array.from(table.tHead.rows[0].cells);
const first = ranked.filter(row => !row.classList.contains("more")).length;
const names = heads.map(head => head.textContent);
const filter = dom.element("input", "", { type: "search", placeholder:
	"Filter by name or file", "aria-label":
	"Filter functions by name or file", spellcheck: "false" });
const status = dom.element("span", "", { role: "status", "class": "hint" });
const callers = document.getElementById("callers");
const more = dom.element("button", "", { "aria-expanded": "false" });
let order = ranked, marked = null, isWhole = false;

// ---- which rows ----

// As many as at first, whatever their order, without callers that only pass a
// change on; with a filter all of it.
function show() {
	const wanted = filter.value.trim().toLowerCase();
	const isAll = isWhole || wanted !== "";
	let shown = 0;

	order.forEach(function (row) {
		const is = row === marked || (isAll || shown < first &&
			!row.classList.contains("caller")) &&
			(!wanted || filterText(row).indexOf(wanted) >= 0);

		row.hidden = !is;
		shown += is;
	});
	if (callers)
		callers.hidden = isAll;
	more.hidden = first === ranked.length || wanted !== "";
	more.textContent = isWhole ? "Show the first " + first :
		"Show all " + ranked.length;
	more.setAttribute("aria-expanded", String(isWhole));
	status.textContent = shown + " of " + ranked.length + " functions";
}

// Its row is shown wherever it stands; a null key: none any more.
function mark(key) {
	if (marked)
		marked.removeAttribute("aria-current");
	marked = key && ranked.find(row =>
		page.functionKey(nameOf(row)) === key) || null;
	if (marked)
		marked.setAttribute("aria-current", "true");
	show();
}

// ---- their order ----

function sort(column, direction) {
	const sign = direction === "descending" ? -1 : 1;

	heads.forEach(head => head.removeAttribute("aria-sort"));
	order = ranked;
	if (direction) {
		heads[column].setAttribute("aria-sort", direction);
		order = ranked.map((row, at) => ({ row: row, at: at,
			key: sortKey(row.cells[column]) }))
			.sort((a, b) => sign * compare(a, b) || a.at - b.at)
			.map(item => item.row);
	}
	body.append.apply(body, order);
	show();
}

// The first order that is of use, its reverse, and that of the ranks.
function turn(column) {
	const head = heads[column], was = head.getAttribute("aria-sort");
	const first = head.className === "num" ? "descending" : "ascending";
	const second = first === "descending" ? "ascending" : "descending";
	const next = !was ? first : was === first ? second : null;

	sort(column, next);
	page.address.set({ sort: next && (next === "descending" ? "-" : "") +
		names[column] });
}

function addSort(head, column) {
	const button = dom.element("button", head.textContent);

	if (head.className === "range" || head.className === "graph")
		return;
	head.textContent = "";
	head.append(button);
	button.addEventListener("click", () => turn(column));
}

function readAddress() {
	const wanted = page.address.get("sort") || "";
	const column = names.indexOf(wanted.replace(/^-/, ""));

	filter.value = page.address.get("f") || "";
	sort(column, column < 0 || !wanted ? null :
		wanted[0] === "-" ? "descending" : "ascending");
}

// ---- the start ----

function addTools() {
	const tools = dom.element("div", "", { "class": "tools" });

	filter.addEventListener("input", function () {
		page.address.set({ f: filter.value || null }, true);
		show();
	});
	more.addEventListener("click", function () {
		isWhole = !isWhole;
		show();
	});
	tools.append(filter, more, status);
	table.parentNode.before(tools);
}

// A click into a row selects; its name leads to the flame graph, too.
function onClick(e) {
	const row = e.target.closest("tr");
	const isOther = e.target.closest("a") &&
		!e.target.closest("a[href='#flame']");

	if (row && !isOther && String(getSelection()) === "")
		page.select({ "function": nameOf(row) }, "functions");
}

table.classList.add("all");
addTools();
heads.forEach(addSort);
body.addEventListener("click", onClick);
page.onSelect(function (now) {
	if (now.changed.has("function"))
		mark(now["function"]);
});
page.address.onChange(function (changed) {
	if (changed.has("sort") || changed.has("f"))
		readAddress();
});
readAddress();
mark(page.selected()["function"]);
}

if (table)
	run();
}());
