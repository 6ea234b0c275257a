// SPDX-License-Identifier: Apache-2.0
// The packages of functions, by their names.
const flamePackages = (function () {
"use strict";
// Of model/flame.h.
const GO = 1, JVM = 2, DOTNET = 5, RUBY = 6;
const NONE = "no package";
// Packages, then a class.
const CLASS = /^([a-z_]\w*\.)+[A-Z]\w*\./;

// Up to the arguments; what comes in brackets before has dots of its own.
function head(name) {
	const end = name.search(/[(<[ ]/);

	return end > 0 ? name.slice(0, end) : name;
}

function ofGo(name) {
	const slash = name.lastIndexOf("/", name.search(/[([]|$/));
	const dot = name.indexOf(".", slash + 1);

	return dot < 0 ? NONE : name.slice(0, dot);
}

// Packages of the JVM are lower case, a class begins otherwise.
function ofJvm(name) {
	const parts = head(name).replace(/\//g, ".").split(".");
	const at = parts.findIndex(p => /^[A-Z_$]/.test(p));

	parts.length = Math.max(at >= 0 ? at : parts.length - 2, 0);
	return parts.join(".") || NONE;
}

function upTo(name, mark, count) {
	const parts = head(name).split(mark);

	parts.length = Math.max(0, Math.min(parts.length - 1, count));
	return parts.join(mark) || NONE;
}

// What the name says; NONE where it says nothing.
function of(name, language) {
	if (language === GO)
		return ofGo(name);
	if (language === JVM || CLASS.test(name))
		return ofJvm(name);
	if (name.includes("::"))
		return upTo(name, "::", language === RUBY ? 1 : 2);
	if (language === DOTNET)
		return upTo(name, ".", 2);
	if (name.includes("/"))
		return ofGo(name);
	return upTo(name, ".", 2);
}

return { of: of, NONE: NONE };
}());
