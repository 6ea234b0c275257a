// SPDX-License-Identifier: Apache-2.0
// What a flame graph does with names, in a page as in a picture that stands by
// itself: how they are cut, and what a search finds. Knows nothing of either.
const flameNames = (function () {
"use strict";
// A pattern typed by the viewer must not keep the page busy.
const PATTERN_MAX = 200, NAME_MAX = 1000, BUSY_MS = 400;

// ---- labels, as render/flame_text.c makes them ----

function letters(text) {
	let count = 0;

	for (const c of text)
		count += c.codePointAt(0) >= 0x1100 ? 2 : 1;
	return count;
}

// Behind the path of a package, or the class and method of the JVM.
function shortName(name) {
	const end = name.search(/[(<[ ]/);
	const head = end < 0 ? name : name.slice(0, end);
	const at = head.lastIndexOf("/"), dots = head.split(".");

	if (at >= 0)
		return at + 1 < name.length ? name.slice(at + 1) : name;
	if (dots.length < 3 || !dots[dots.length - 1])
		return name;
	return dots.slice(-2).join(".") + name.slice(head.length);
}

// The longest end that is a name by itself and fits, else the shortest one.
function endOf(name, most) {
	let start = name.length, used = 0, depth = 0;

	for (let at = name.length - 1; at > 0; at--) {
		const c = name[at];

		if (c === ")" || c === ">" || c === "]")
			depth++;
		else if (depth && (c === "(" || c === "<" || c === "["))
			depth--;
		if (depth || /[.: 0-9]/.test(c) ||
		    (name[at - 1] !== "." && name.slice(at - 2, at) !== "::"))
			continue;
		used += letters(name.slice(at, start));
		if (used > most && start < name.length)
			break;
		start = at;
		if (used > most)
			break;
	}
	return start < name.length ? name.slice(start) : name;
}

// So many letters from the front.
function front(chars, most) {
	let used = 0;
	const end = chars.findIndex(c => (used += letters(c)) > most);

	return end < 0 ? chars : chars.slice(0, end);
}

// Without the middle: names of one package differ in the last letters.
function cut(text, most) {
	const chars = Array.from(text), head = Math.floor((most - 1) / 3);

	return letters(text) <= most ? text : front(chars, head).join("") +
		"\u2026" + front(chars.reverse(), most - 1 - head)
		.reverse().join("");
}

// The longest form that fits, else the shortest one that is a name.
function shortest(name, most) {
	const end = letters(name) > most ? shortName(name) : name;

	return letters(end) > most ? endOf(end, most) : end;
}

// Letters below which a name that is cut says nothing.
const LEAST = 6;

// A form of the name with so many letters at most; "" where none says anything.
function fit(name, most) {
	const short = shortest(name, most);

	return most < LEAST && letters(short) > most ? "" : cut(short, most);
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
	const plain = pattern.toLowerCase();
	let regex = null;

	try {
		if (pattern.length <= PATTERN_MAX && !isRunaway(pattern))
			regex = new RegExp(pattern, /[A-Z]/.test(pattern) ? "" : "i");
	} catch (e) {
		regex = null;
	}
	if (regex)
		return name => regex.test(name.slice(0, NAME_MAX));
	return name => name.toLowerCase().includes(plain);
}

return { letters: letters, cut: cut, fit: fit, shortest: shortest,
	matcher: matcher, PATTERN_MAX: PATTERN_MAX, BUSY_MS: BUSY_MS };
}());
