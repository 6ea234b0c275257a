'use strict';
// Work in three functions, of which one keeps what it makes.
const kept = (globalThis.kept = []);
function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
function sortWords(n) {
	const words = [];
	for (let i = 0; i < n; i++) words.push(String((i * 7919) % n));
	return words.sort().length;
}
function keepRecords(n) {
	for (let i = 0; i < n; i++) kept.push({ id: i, name: 'record ' + i, tags: [i, i + 1] });
	return kept.length;
}
function main() {
	let sum = 0;
	for (let round = 0; round < 6; round++) {
		sum += fibonacci(24);
		sum += sortWords(20000);
		sum += keepRecords(4000);
	}
	return sum;
}
console.log(main());
setTimeout(() => console.log(main()), 30);
