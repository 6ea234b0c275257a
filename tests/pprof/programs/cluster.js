// SPDX-License-Identifier: Apache-2.0
// Two workers of node's cluster: argument 1 is how often each round parses.
const cluster = require('cluster');

function parse(count) {
	let sum = 0;
	for (let i = 0; i < count; i++)
		sum = (sum * 31 + i) % 65521;
	return sum;
}

function render(count) {
	let sum = 0;
	for (let i = 0; i < count; i++)
		sum = (sum * 17 + i) % 65519;
	return sum;
}

function work(parses) {
	for (let round = 0; round < 150; round++) {
		for (let i = 0; i < parses; i++)
			parse(600000);
		render(600000);
	}
}

if (cluster.isPrimary) {
	for (let i = 0; i < 2; i++)
		cluster.fork();
} else {
	work(Number(process.argv[2]));
	process.exit(0);
}
