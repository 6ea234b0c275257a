// SPDX-License-Identifier: Apache-2.0
// Trees that sum the frames up in another order: callers of what took the time,
// by package and kind of code, callers and callees of one function. They grow
// where they are looked at. Answers as html_flame_tree.js says.
const flameSums = (function () {
"use strict";
const T = flameTree;

// A stack of the profile that a node stands for: at: the frame whose function
// the node is, own: the frame whose value counts. In columns, both.
function itemsOf(count) {
	return { at: new Int32Array(count), own: new Int32Array(count), count: 0 };
}

function add(items, at, own) {
	items.at[items.count] = at;
	items.own[items.count++] = own;
}

// Parts of the items by a key, in order of the keys; kept: what is beneath.
function split(items, keyOf, next) {
	const counts = new Map(), parts = new Map();

	for (let k = 0; k < items.count; k++) {
		const key = keyOf(items.at[k]);

		if (key !== null)
			counts.set(key, (counts.get(key) || 0) + 1);
	}
	Array.from(counts.keys()).sort((a, b) => a - b)
		.forEach(key => parts.set(key, itemsOf(counts.get(key))));
	for (let k = 0; k < items.count; k++) {
		const key = keyOf(items.at[k]);

		if (key !== null)
			add(parts.get(key), next(items.at[k]), items.own[k]);
	}
	return parts;
}

// n: frames; values: column of a side, of what counts; weigh(name): column of
// a measure; groups: functions from a frame to the name of a group, outermost
// first, then functions follow by step(frame): -1 for none.
function grow(n, F, want) {
	const nodes = [], levels = want.groups || [];
	const total = i => nodes[i].totals || (nodes[i].totals = [0, 1].map(s =>
		sum(nodes[i].items, want.values(s))));

	function sum(items, column) {
		let value = 0;

		for (let k = 0; k < items.count; k++)
			value += column[items.own[k]];
		return value;
	}
	function node(parent, name, fn, items) {
		const up = nodes[parent];

		return nodes.push({ parent: parent, name: name, fn: fn,
			items: items, depth: up ? up.depth + 1 : 0, kids: null,
			hash: up ? T.mix(up.hash, T.hashOf(name)) : T.ROOT,
			widths: {} }) - 1;
	}
	function groups(i, level) {
		const names = [], numbers = new Map();
		const number = function (name) {
			if (!numbers.has(name))
				numbers.set(name, names.push(name) - 1);
			return numbers.get(name);
		};

		return ordered(Array.from(split(nodes[i].items,
			at => number(level(at)), at => at),
		([key, items]) => node(i, names[key], null, items)));
	}
	// The heaviest first: what is too narrow to draw is one box behind them.
	function ordered(kids) {
		return kids.sort((a, b) => width(b, "larger") -
			width(a, "larger") || a - b);
	}
	function functions(i) {
		const from = nodes[i].fn === null ? at => at : want.step;

		return ordered(Array.from(split(nodes[i].items, function (at) {
			const to = from(at);

			return to > 0 ? n.fn[to] : null;
		}, from), ([fn, items]) => node(i, F.name[fn], fn, items)));
	}
	function kids(i) {
		const x = nodes[i];

		if (!x.kids)
			x.kids = want.kids ? want.kids(i, nodes, node) :
				x.depth < levels.length ?
				groups(i, levels[x.depth]) : functions(i);
		return x.kids;
	}
	function width(i, name) {
		const widths = nodes[i].widths;

		if (widths[name] === undefined)
			widths[name] = sum(nodes[i].items, want.weigh(name));
		return widths[name];
	}
	// What counts for the node itself: what none of those beneath it has.
	function selfs(i) {
		const left = total(i).slice();

		kids(i).forEach(k => total(k).forEach((v, s) => { left[s] -= v; }));
		return left;
	}
	function find(hash) {
		const open = [0];
		let seen = 0;

		while (open.length && seen++ < FIND_MAX) {
			const i = open.shift();

			if (T.hashText(nodes[i].hash) === hash)
				return i;
			open.push(...kids(i));
		}
		return -1;
	}
	node(-1, want.name, want.fn === undefined ? null : want.fn, want.items);
	return { id: want.id, parent: i => nodes[i].parent,
		depth: i => nodes[i].depth, kids: kids, fn: i => nodes[i].fn,
		name: i => nodes[i].name, totals: total, selfs: selfs,
		width: width, hash: i => T.hashText(nodes[i].hash), find: find,
		frames: i => ranges(nodes[i].items),
		isGroup: i => i > 0 && nodes[i].fn === null };

	function ranges(items) {
		return Array.from(items.own.subarray(0, items.count), k =>
			[k, want.isWhole ? n.end[k] : k + 1]);
	}
}

// Nodes that an address is looked for among, the widest levels first.
const FIND_MAX = 20000;

// ---- the trees ----

// Frames with a value of their own in [from, end).
function ownItems(n, from, end) {
	const items = itemsOf(end - from);

	for (let i = from; i < end; i++)
		if (n.self[0][i] || n.self[1][i])
			add(items, i, i);
	return items;
}

function ownColumns(n, scale) {
	const columns = {};

	return { values: s => n.self[s], weigh: function (name) {
		const of = T.MEASURES[name];

		if (!columns[name])
			columns[name] = Float64Array.from(n.self[0], (v, i) =>
				of(v, n.self[1][i] * scale));
		return columns[name];
	} };
}

// Callers of what took the time, beneath groups of it. scope: the frame that
// all stacks pass; callers above it are not shown.
function bottom(n, F, scale, scope, id, groups) {
	const up = i => i === scope ? -1 : n.parent[i];

	return grow(n, F, Object.assign({ id: id, name: F.name[n.fn[0]],
		groups: groups, step: up,
		items: ownItems(n, scope, n.end[scope]) }, ownColumns(n, scale)));
}

// The outermost frames of a function, each with all that is beneath it.
function outermost(n, fn, scope) {
	const items = itemsOf(n.end[scope] - scope);

	for (let i = scope; i < n.end[scope];) {
		if (n.fn[i] === fn) {
			add(items, i, i);
			i = n.end[i];
		} else {
			i++;
		}
	}
	return items;
}

function callers(n, F, measure, scope, fn) {
	return grow(n, F, { id: "callers", name: F.name[fn], fn: fn,
		isWhole: true, items: outermost(n, fn, scope),
		step: i => i === scope ? -1 : n.parent[i],
		values: s => n.total[s], weigh: measure });
}

// Frames beneath stand for themselves.
function callees(n, F, measure, scope, fn) {
	function kids(i, nodes, node) {
		const items = nodes[i].items, parts = new Map();
		let count = 0;

		for (let k = 0; k < items.count; k++)
			for (let j = items.at[k] + 1; j < n.end[items.at[k]];
				j = n.end[j])
				count++;
		const all = itemsOf(count);

		for (let k = 0; k < items.count; k++)
			for (let j = items.at[k] + 1; j < n.end[items.at[k]];
				j = n.end[j])
				add(all, j, j);
		split(all, at => n.fn[at], at => at)
			.forEach((found, key) => parts.set(key, found));
		return Array.from(parts, ([key, found]) =>
			node(i, F.name[key], key, found));
	}
	return grow(n, F, { id: "callees", name: F.name[fn], fn: fn,
		isWhole: true, items: outermost(n, fn, scope), kids: kids,
		values: s => n.total[s], weigh: measure });
}

return { bottom: bottom, callers: callers, callees: callees };
}());
