// SPDX-License-Identifier: Apache-2.0
// Reads what html_flame.c wrote: functions and frames as columns. Knows
// nothing of the page, nor of what is drawn.
const flameData = (function () {
"use strict";
// As html_flame.c writes it.
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" +
	"abcdefghijklmnopqrstuvwxyz-_";
// What is too narrow for the page, as a function behind all others.
const REST = "frames left out, too narrow for this page";

function reader(text) {
	const values = new Uint8Array(128);
	let at = 0;

	for (let i = 0; i < DIGITS.length; i++)
		values[DIGITS.charCodeAt(i)] = i;
	return function () {
		let digit = values[text.charCodeAt(at++)];
		let value = digit & 31, weight = 32;

		while (digit > 31) {
			digit = values[text.charCodeAt(at++)];
			value += (digit & 31) * weight;
			weight *= 32;
		}
		return value;
	};
}

// Negative ones are odd.
function signedReader(text) {
	const next = reader(text);

	return function () {
		const word = next();

		return word % 2 ? -(word + 1) / 2 : word / 2;
	};
}

function readTexts(rests, shared) {
	const next = reader(shared);
	let before = "";

	return rests.map(rest => before = before.slice(0, next()) + rest);
}

function readColumn(column, next) {
	for (let i = 0; i < column.length; i++)
		column[i] = next();
	return column;
}

// Values of one side, of which the data has the common divisor.
function readValues(data, count, name) {
	return ["after", "before"].map(function (side, s) {
		const text = data[name + "_" + side];

		return text ? readColumn(new Float64Array(count),
			signedReader(text)).map(v => v * data.divisor[s]) : null;
	});
}

// One more than the data has: what is left out.
function readFunctions(data) {
	const count = data.names.length, next = signedReader(data.file);
	const numbers = text => readColumn(new Uint32Array(count + 1),
		reader(text + "0"));
	const change = numbers(data.change);
	let file = 0;

	return { count: count,
		name: readTexts(data.names, data.name_shared).concat(REST),
		files: readTexts(data.files, data.file_shared),
		file: Uint32Array.from(data.names.concat(""),
			(name, i) => i < count ? file += next() : 0),
		line: numbers(data.line),
		kind: numbers(data.kind),
		language: numbers(data.language),
		total: readValues(data, count, "function"),
		measured: readValues(data, count, "measured"),
		change: change.map(word => word & 7),
		isToBlame: change.map(word => word >> 3 & 1),
		hasVerdict: change.map(word => word >> 4) };
}

// Frames in depth-first order, as columns that grow.
function makeFrames(most) {
	const n = { count: 0, fn: new Uint32Array(most),
		depth: new Uint32Array(most), parent: new Int32Array(most),
		self: [new Float64Array(most), new Float64Array(most)] };

	n.add = function (fn, depth, parent, after, before) {
		const i = n.count++;

		n.fn[i] = fn;
		n.depth[i] = depth;
		n.parent[i] = parent;
		n.self[0][i] = after;
		n.self[1][i] = before;
		return i;
	};
	return n;
}

// Sums, and where what is beneath a frame ends.
function finishFrames(n) {
	n.end = new Uint32Array(n.count);
	n.total = n.self.map(self => self.slice(0, n.count));
	for (let i = n.count - 1; i >= 0; i--) {
		const up = n.parent[i];

		n.end[i] = Math.max(n.end[i], i + 1);
		if (up < 0)
			continue;
		n.end[up] = Math.max(n.end[up], n.end[i]);
		n.total[0][up] += n.total[0][i];
		n.total[1][up] += n.total[1][i];
	}
	return n;
}

// What is left out beneath a frame stands behind its other callees.
function readFrames(data) {
	const count = data.frame_count;
	const flags = readColumn(new Uint8Array(count), reader(data.flags));
	const step = reader(data.step), fn = reader(data.function);
	const self = [reader(data.self_after), reader(data.self_before)];
	const rest = [reader(data.left_out_after), reader(data.left_out_before)];
	const n = makeFrames(2 * count), open = [];
	const value = (from, bits, bit, s) => bits & bit << s ?
		from[s]() * data.divisor[s] : 0;
	let depth = -1;

	function close(to) {
		while (open.length > to) {
			const o = open.pop();

			if (o.rest[0] || o.rest[1])
				n.add(data.names.length, open.length + 1, o.i,
					o.rest[0], o.rest[1]);
		}
	}
	for (let k = 0; k < count; k++) {
		const bits = flags[k];

		depth += 1 - (bits & 1 ? step() : 0);
		close(depth);
		open.push({ i: n.add(fn(), depth, depth ? open[depth - 1].i : -1,
				value(self, bits, 2, 0), value(self, bits, 2, 1)),
			rest: [value(rest, bits, 8, 0), value(rest, bits, 8, 1)] });
	}
	close(0);
	return finishFrames(n);
}

// The same frames with the samples of one span alone on the slow side, beside
// the baseline: own.stacks are [value, shared, name, ...], the root's callee first,
// behind so many names of the stack before. What is too narrow for the page counts
// for its callers.
function narrow(n, names, own) {
	const self = new Float64Array(n.count), numbers = new Map();
	let path = [];

	names.forEach((name, fn) => numbers.set(name, fn));
	own.stacks.forEach(function ([value, shared, ...rest]) {
		let at = 0;

		path = path.slice(0, shared).concat(rest);
		for (const name of path) {
			let kid = at + 1;

			while (kid < n.end[at] && n.fn[kid] !== numbers.get(name))
				kid = n.end[kid];
			if (kid >= n.end[at])
				break;
			at = kid;
		}
		self[at] += value;
	});
	return finishFrames(Object.assign({}, n, { self: [self, n.self[1]] }));
}

// What is spent in each function and beneath it, each stack once.
function totalsOf(n, count) {
	const totals = new Float64Array(count), open = new Uint32Array(count);
	const path = [];

	for (let i = 1; i < n.count; i++) {
		while (path.length && n.end[path[path.length - 1]] <= i)
			open[n.fn[path.pop()]]--;
		if (!open[n.fn[i]]++)
			totals[n.fn[i]] += n.total[0][i];
		path.push(i);
	}
	return totals;
}

return { narrow: narrow, totalsOf: totalsOf, makeFrames: makeFrames, finishFrames: finishFrames,
	read: data => ({ head: data, functions: readFunctions(data),
		frames: readFrames(data) }) };
}());
