// SPDX-License-Identifier: Apache-2.0
// Frames as a tree to draw: by what they are wide, by what hash an address
// names them, which are taken out. Knows nothing of the page.
//
// A tree numbers its nodes, 0 is the root, and answers
//   parent(i)         -1 for the root
//   depth(i)
//   kids(i)           nodes, from left to right
//   fn(i)             the function; null of the root and of groups
//   name(i)
//   totals(i), selfs(i)  of both sides: [after, before]
//   width(i, measure) in values of the slow side
//   hash(i), find(hash)  by the path of names; find() is -1 for none
//   frames(i)         ranges of the frames it stands for: [[from, end], ...]
const flameTree = (function () {
"use strict";

// ---- widths ----

// What the own part of a frame counts for; sums of these nest, whatever the
// tree. before: in values of the slow side.
const MEASURES = {
	after: (after, before) => after,
	before: (after, before) => before,
	larger: (after, before) => Math.max(after, before),
	grew: (after, before) => Math.max(after - before, 0),
	shrank: (after, before) => Math.max(before - after, 0),
	change: (after, before) => Math.abs(after - before),
};

// A column of sums for each measure, made when it is asked for.
function measures(n, scale) {
	const columns = {};

	return function (name) {
		const of = MEASURES[name];
		let column = columns[name];

		if (column)
			return column;
		columns[name] = column = new Float64Array(n.count);
		for (let i = n.count - 1; i >= 0; i--) {
			column[i] += of(n.self[0][i], n.self[1][i] * scale);
			if (i)
				column[n.parent[i]] += column[i];
		}
		return column;
	};
}

// ---- names of nodes ----

// Of the names from the root on, as a number of 52 bits.
function mix(up, name) {
	const a = Math.imul((up[0] ^ name[0]) + 0x9e3779b9, 0x85ebca6b);
	const b = Math.imul((up[1] ^ name[1]) + 0x7f4a7c15, 0xc2b2ae35);

	return [a ^ a >>> 15, b ^ b >>> 13];
}

function nameHash(name) {
	let a = 0x811c9dc5, b = 0x1b873593;

	for (let i = 0; i < name.length; i++) {
		a = Math.imul(a ^ name.charCodeAt(i), 0x01000193);
		b = Math.imul(b + name.charCodeAt(i), 0x5bd1e995) ^ b >>> 15;
	}
	return [a, b];
}

function hashText(h) {
	return ((h[0] >>> 0) * 0x100000 + (h[1] >>> 0 & 0xfffff)).toString(36);
}

const hashes = new Map();

function hashOf(name) {
	let h = hashes.get(name);

	if (!h)
		hashes.set(name, h = nameHash(name));
	return h;
}

const ROOT = [0, 0];

// ---- frames taken out ----

// Callees of frames that are taken out are their callers'; so is their time.
// isOut: of functions; a function that comes back in a stack is where it was
// at first, with isFolded.
function filter(n, isOut, isFolded) {
	const to = new Int32Array(n.count), nodes = [], seen = new Map();
	const base = n.fn.reduce((most, fn) => Math.max(most, fn), 0) + 1;

	function outermost(node, fn) {
		for (let k = node; k > 0; k = nodes[k].parent)
			if (nodes[k].fn === fn)
				return k;
		return -1;
	}
	function place(up, fn) {
		const key = up * base + fn;
		let node = isFolded ? outermost(up, fn) : -1;

		if (node >= 0)
			return node;
		node = seen.get(key);
		if (node === undefined) {
			node = nodes.push({ fn: fn, parent: up, kids: [],
				self: [0, 0] }) - 1;
			seen.set(key, node);
			nodes[up].kids.push(node);
		}
		return node;
	}
	nodes.push({ fn: n.fn[0], parent: -1, kids: [], self: [0, 0] });
	for (let i = 0; i < n.count; i++) {
		const up = i ? to[n.parent[i]] : 0;

		to[i] = !i || isOut && isOut[n.fn[i]] ? up : place(up, n.fn[i]);
		nodes[to[i]].self[0] += n.self[0][i];
		nodes[to[i]].self[1] += n.self[1][i];
	}
	return lay(nodes);
}

// In depth-first order, functions in theirs.
function lay(nodes) {
	const n = flameData.makeFrames(nodes.length), open = [[0, -1, 0]];

	while (open.length) {
		const [k, up, depth] = open.pop(), from = nodes[k];
		const i = n.add(from.fn, depth, up, from.self[0], from.self[1]);

		from.kids.sort((a, b) => nodes[b].fn - nodes[a].fn);
		from.kids.forEach(kid => open.push([kid, i, depth + 1]));
	}
	return flameData.finishFrames(n);
}

// Stacks that were told callees first, turned.
function reverse(n) {
	const nodes = [{ fn: n.fn[0], parent: -1, kids: [], self: [0, 0] }];
	const seen = new Map();
	const base = n.fn.reduce((most, fn) => Math.max(most, fn), 0) + 1;

	for (let i = 0; i < n.count; i++) {
		let at = 0;

		if (!n.self[0][i] && !n.self[1][i])
			continue;
		for (let k = i; k > 0; k = n.parent[k]) {
			const key = at * base + n.fn[k];
			let node = seen.get(key);

			if (node === undefined) {
				node = nodes.push({ fn: n.fn[k], kids: [],
					self: [0, 0] }) - 1;
				seen.set(key, node);
				nodes[at].kids.push(node);
			}
			at = node;
		}
		nodes[at].self[0] += n.self[0][i];
		nodes[at].self[1] += n.self[1][i];
	}
	return lay(nodes);
}

// ---- callers first ----

function top(n, F, scale) {
	const measure = measures(n, scale);
	const nameOf = i => hashOf(F.name[n.fn[i]]);

	// Only of the path: most frames are never asked for.
	function hash(i) {
		const path = [];
		let h = ROOT;

		for (; i > 0; i = n.parent[i])
			path.push(i);
		while (path.length)
			h = mix(h, nameOf(path.pop()));
		return hashText(h);
	}
	function find(text) {
		const hashed = [ROOT];

		for (let i = 1; i < n.count; i++) {
			hashed.push(mix(hashed[n.parent[i]], nameOf(i)));
			if (hashText(hashed[i]) === text)
				return i;
		}
		return -1;
	}
	return {
		id: "top",
		parent: i => n.parent[i],
		depth: i => n.depth[i],
		kids: function (i) {
			const kids = [];

			for (let k = i + 1; k < n.end[i]; k = n.end[k])
				kids.push(k);
			return kids;
		},
		fn: i => i ? n.fn[i] : null,
		name: i => F.name[n.fn[i]],
		totals: i => [n.total[0][i], n.total[1][i]],
		selfs: i => [n.self[0][i], n.self[1][i]],
		width: (i, name) => measure(name)[i],
		hash: hash,
		find: find,
		frames: i => [[i, n.end[i]]],
	};
}

return { MEASURES: MEASURES, ROOT: ROOT, mix: mix, hashOf: hashOf,
	hashText: hashText, filter: filter, reverse: reverse, top: top };
}());
