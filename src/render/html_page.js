// SPDX-License-Identifier: Apache-2.0
// What the views of a page share: its address and what is selected. Knows none
// of them.
//
// address   The part of the URL behind "#": "VIEW&KEY=VALUE&...". VIEW is the id
//           of the section that is looked at (key "view", "" none), the others
//           are the views': short keys of theirs, values of any text.
//   get(key)              the value, or null
//   set({key: value}, is_replaced)
//                         null removes. A new step of the history, unless
//                         is_replaced or nothing changes; all that one event of
//                         the user sets is one step.
//   onChange(callback)    callback(changed), a Set of keys, when the address
//                         changes by Back, Forward or a link, not by set().
// selection What is selected, in all views: {function, span}, null none.
//   select(what, from, is_replaced)
//                         what: {function: name}, {span: id}, both, or null for
//                         nothing; what is not named stays as it is. is_replaced
//                         as in set(): keys that walk are no steps.
//   selected()            {function, span}: a function by functionKey(name)
//   onSelect(callback)    callback({function, span, changed, from}): changed is
//                         a Set of "function" and "span", from is who selected
//                         it, "address" for Back, Forward and links.
//   functionKey(name)     by which functions are told apart: the name, or of a
//                         long one its begin and its hash
// hash(text)              the same in every page: 11 characters at most
// keys(title, list)       pairs of [keys, what they do], for the help of keys
const tracefindPage = (function () {
"use strict";
// Longer addresses are cut by programs that mail and chat them.
const NAME_MAX = 160, HASH_MAX = 8000, KEYS_MAX = 64;

// Two FNV-1a of 32 bits, from different starts; a last mix spreads low bits.
function hash(text) {
	let a = 0x811c9dc5, b = 0x050c5d1f;

	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);

		a = Math.imul(a ^ c, 0x01000193);
		b = Math.imul(b ^ (c + i), 0x01000193);
	}
	a = Math.imul(a ^ a >>> 15, 0x2c1b3c6d) >>> 0;
	b = Math.imul(b ^ b >>> 13, 0x297a2d39) >>> 11;
	return (a * 0x200000 + b).toString(36);
}

function functionKey(name) {
	return name.length <= NAME_MAX ? name :
		name.slice(0, NAME_MAX / 2) + "~" + hash(name);
}

// ---- the address ----

function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch (e) {
		return text;
	}
}

// Programs that find links in text end them at these.
function encode(text) {
	return encodeURIComponent(text).replace(/[!'()*]|\.$/g, c => "%" +
		c.charCodeAt(0).toString(16).toUpperCase());
}

function parse(text) {
	const parts = text.slice(0, HASH_MAX).replace(/^#/, "").split("&");
	const values = new Map();

	values.set("view", parts[0].includes("=") ? "" : decode(parts.shift()));
	parts.slice(0, KEYS_MAX).forEach(function (part) {
		const at = part.indexOf("=");

		if (at > 0)
			values.set(decode(part.slice(0, at)),
				decode(part.slice(at + 1)));
	});
	return values;
}

function format() {
	const parts = [encode(values.get("view") || "")];

	values.forEach(function (value, key) {
		if (key !== "view")
			parts.push(encode(key) + "=" + encode(value));
	});
	return parts.length > 1 || parts[0] ? "#" + parts.join("&") : "";
}

let values = parse(location.hash);
let written = location.hash; // not by others
let isStepNew = false;       // the step of this event of the user is there
let isFollowing = false;     // a link, to be told by the browser at once
const changeListeners = [];

// Where the history is refused, a new hash is a step all the same.
function write(isReplaced) {
	const text = format();

	try {
		history[isReplaced ? "replaceState" : "pushState"]({}, "",
			text || location.href.split("#")[0]);
	} catch (e) {
		if (!isReplaced)
			location.hash = text;
	}
	written = location.hash;
}

function beginStep() {
	isStepNew = true;
	setTimeout(() => { isStepNew = false; });
}

function set(changes, isReplaced) {
	let isChanged = false;

	if (location.hash !== written)
		values = parse(location.hash);
	Object.keys(changes).forEach(function (key) {
		const value = changes[key] === null ? undefined :
			String(changes[key]);

		if ((values.get(key) || undefined) === (value || undefined))
			return;
		isChanged = true;
		if (value || key === "view")
			values.set(key, value || "");
		else
			values.delete(key);
	});
	if (!isChanged)
		return;
	write(isReplaced || isStepNew);
	if (!isReplaced)
		beginStep();
}

function difference(before, after) {
	const changed = new Set();

	[before, after].forEach(map => map.forEach(function (_, key) {
		if ((before.get(key) || "") !== (after.get(key) || ""))
			changed.add(key);
	}));
	return changed;
}

// An address of our own has a state; where it has none somebody came by a link,
// and browsers find no section by an address with keys.
function follow() {
	const before = values;
	let changed;

	if (isFollowing || location.hash === written)
		return;
	values = parse(location.hash);
	written = location.hash;
	changed = difference(before, values);
	if (history.state)
		open(values.get("view"));
	else
		reveal(values.get("view"));
	if (!changed.size)
		return;
	readSelection();
	changeListeners.forEach(callback => callback(changed));
}

function open(id) {
	const target = id && document.getElementById(id);
	const closed = target && target.querySelector(":scope > h2 + details");

	for (let e = closed || target; e; e = e.parentElement)
		if (e.tagName === "DETAILS")
			e.open = true;
	return target;
}

function reveal(id) {
	const target = open(id);

	if (target)
		target.scrollIntoView();
}

// The browser goes there as by any link, then the other keys come back.
function onLink(e) {
	const link = e.target.closest && e.target.closest("a[href^='#']");
	const view = link && decode(link.getAttribute("href").slice(1));
	const kept = values;

	if (!link || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey ||
	    e.shiftKey || e.altKey)
		return;
	e.preventDefault();
	isFollowing = true;
	if (view === kept.get("view") || isStepNew)
		location.replace("#" + encode(view));
	else
		location.hash = encode(view);
	isFollowing = false;
	values = kept.set("view", view);
	write(true);
	beginStep();
	reveal(view);
}

// ---- what is selected ----

const fields = { function: "fn", span: "span" };
const selection = { function: null, span: null };
const selectListeners = [];

function tell(changed, from) {
	const detail = Object.assign({ changed: changed, from: from }, selection);

	if (changed.size)
		selectListeners.forEach(callback => callback(detail));
}

function take(wanted) {
	const changed = new Set();

	Object.keys(wanted).forEach(function (field) {
		if (selection[field] === wanted[field])
			return;
		selection[field] = wanted[field];
		changed.add(field);
	});
	return changed;
}

function readSelection() {
	tell(take({ function: values.get("fn") || null,
		span: values.get("span") || null }), "address");
}

function select(what, from, isReplaced) {
	const wanted = what ? {} : { function: null, span: null };
	const changes = {};
	let changed;

	if (what && "function" in what)
		wanted.function = what.function ? functionKey(what.function) :
			null;
	if (what && "span" in what)
		wanted.span = what.span || null;
	changed = take(wanted);
	changed.forEach(field => { changes[fields[field]] = selection[field]; });
	set(changes, isReplaced);
	tell(changed, from);
}

// ---- the start ----

const helps = [];

addEventListener("popstate", follow);
addEventListener("hashchange", follow);
document.addEventListener("click", onLink);
selection.function = values.get("fn") || null;
selection.span = values.get("span") || null;

return {
	address: {
		get: key => values.get(key) || null,
		set: set,
		onChange: callback => changeListeners.push(callback),
	},
	select: select,
	selected: () => Object.assign({}, selection),
	onSelect: callback => selectListeners.push(callback),
	functionKey: functionKey,
	hash: hash,
	keys: (title, list) => helps.push({ title: title, list: list }),
	helps: helps,
	reveal: reveal,
};
}());
