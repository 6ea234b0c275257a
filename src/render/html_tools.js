// SPDX-License-Identifier: Apache-2.0
// Around the views: light and dark, copies of commands, links, and what the
// keys do.
(function () {
"use strict";
const page = tracefindPage, dom = tracefindDom, root = document.documentElement;
const bar = document.querySelector("header");

// ---- light and dark ----

const system = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
	return root.dataset.theme ? root.dataset.theme === "dark" :
		system.matches;
}

function addTheme() {
	const button = dom.element("button", "", { id: "theme" });
	const label = () => {
		button.textContent = isDark() ? "Light" : "Dark"; };

	button.addEventListener("click", function () {
		root.dataset.theme = isDark() ? "light" : "dark";
		label();
	});
	system.addEventListener("change", label);
	label();
	bar.append(button);
}

// ---- copies ----

function selectText(node) {
	const range = document.createRange();

	range.selectNodeContents(node);
	getSelection().removeAllRanges();
	getSelection().addRange(range);
}

// Where nobody may write the clipboard the text is selected, at least.
function copy(text, button, node) {
	const was = button.textContent;

	dom.copy(text).then(function (is) {
		if (!is && node)
			selectText(node);
		button.textContent = is ? "Copied" : "Selected";
		setTimeout(() => { button.textContent = was; }, 2000);
	});
}

function addCopy(pre) {
	const button = dom.element("button", "Copy", { "aria-live": "polite" });
	const line = dom.element("div", "", { "class": "command" });
	const code = pre.firstElementChild;

	if (pre.parentElement.className === "command")
		return;
	button.addEventListener("click", () => copy(code.textContent, button,
		code));
	pre.before(line);
	line.append(pre, button);
}

// ---- what the keys do ----

let help = null;

function addHelpOf(part) {
	const list = dom.element("dl", "", { "class": "evidence" });

	part.list.forEach(function (pair) {
		const dt = dom.element("dt");

		dt.append(dom.element("kbd", pair[0]));
		list.append(dt, dom.element("dd", pair[1]));
	});
	help.append(dom.element("h3", part.title), list);
}

function showHelp() {
	if (!help) {
		const close = dom.element("button", "Close");

		help = dom.element("dialog", "", { "aria-label": "Keys" });
		help.append(dom.element("h2", "Keys"));
		page.helps.forEach(addHelpOf);
		close.addEventListener("click", () => help.close());
		help.append(close);
		document.body.append(help);
	}
	if (!help.open)
		help.showModal();
}

function addHelp() {
	const button = dom.element("button", "Keys", { id: "keys" });

	button.addEventListener("click", showHelp);
	bar.append(button);
	document.addEventListener("keydown", function (e) {
		if (e.key !== "?" || !dom.isFree(e))
			return;
		e.preventDefault();
		showHelp();
	});
	page.keys("Page", [
		["?", "this help"],
		["Tab, Enter", "go through links and buttons, and follow them"],
		["Alt \u2190 \u2192", "back and forward through what was looked at"],
	]);
}

// ---- the link to what is shown ----

function addLink() {
	const button = dom.element("button", "Copy link", { id: "link" });

	button.addEventListener("click", () => copy(location.href, button));
	bar.append(button);
}

// Where the head ends, for what is gone to and for sections of other scripts.
function fitHead() {
	const isSticky = getComputedStyle(bar).position === "sticky";

	root.style.scrollPaddingTop = (isSticky ? bar.offsetHeight : 0) + 12 +
		"px";
}

// ---- the section that is looked at ----

function addHere() {
	const links = dom.all("nav a");
	const sections = links.map(a =>
		document.getElementById(a.getAttribute("href").slice(1)));
	let isAsked = false;

	function tell() {
		const edge = bar.offsetHeight + 60;
		let here = -1;

		isAsked = false;
		sections.forEach(function (section, i) {
			if (section && section.getBoundingClientRect().top < edge)
				here = i;
		});
		links.forEach((link, i) => i === here ?
			link.setAttribute("aria-current", "true") :
			link.removeAttribute("aria-current"));
	}
	function ask() {
		if (!isAsked)
			requestAnimationFrame(tell);
		isAsked = true;
	}
	addEventListener("scroll", ask, { passive: true });
	addEventListener("resize", ask);
	ask();
}

// ---- the case that the page holds ----

function addSave() {
	const data = document.getElementById("case");
	const button = dom.element("button", "Save the case");

	if (!data)
		return;
	button.addEventListener("click", function () {
		const raw = atob(data.textContent);

		dom.save(new Blob([Uint8Array.from(raw, c => c.charCodeAt(0))],
			{ type: "application/gzip" }), "case.har.gz");
	});
	document.getElementById("case-save").after(button);
}

function addPicture() {
	const history = document.getElementById("history");
	const tools = dom.element("div", "", { "class": "tools" });

	if (!history)
		return;
	tools.append(tracefindPicture(history, "history"));
	history.querySelector(".charts").before(tools);
}

addSave();
addPicture();
addLink();
addHelp();
addTheme();
addHere();
fitHead();
addEventListener("resize", fitHead);
dom.all("#commands pre").forEach(addCopy);
document.addEventListener("toggle", e =>
	dom.all("td > pre", e.target).forEach(addCopy), true);
page.reveal(page.address.get("view"));
}());
