/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile_build.h"

#include <stdbool.h>
#include <string.h>

/* How far ahead of the merge items are prefetched: they are scattered in
 * memory, and waiting for them takes most of the time. */
#define AHEAD 4

struct run {
	const struct sequence *at;
	const struct sequence *end;
};

static uint32_t least_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Returns the first index from `at` on where the two differ, at most count. */
static uint32_t skip_equal(const uint32_t *a, const uint32_t *b, uint32_t at,
			   uint32_t count, const uint32_t *rank)
{
	while (at < count &&
	       (a[at] == b[at] || (rank && rank[a[at]] == rank[b[at]])))
		at++;
	return at;
}

/* With ranks a sequence is compared by its ranks, an end mark, then its
 * items. */
static uint64_t item_at(const struct sequence *s, uint32_t at,
			const uint32_t *rank)
{
	if (at < s->count)
		return (uint64_t)(rank ? rank[s->items[at]] : s->items[at]) + 1;
	if (at == s->count || at - s->count - 1 >= s->count)
		return 0;
	return (uint64_t)s->items[at - s->count - 1] + 1;
}

/* Returns the length of the common prefix of a and b, which is at least
 * `at`. */
static uint32_t count_common(const struct sequence *a, const struct sequence *b,
			     uint32_t at, const uint32_t *rank)
{
	uint32_t count = least_of(a->count, b->count);

	if (at <= count) {
		at = skip_equal(a->items, b->items, at, count, rank);
		if (at < count || a->count != b->count || !rank)
			return at;
		at++;
	}
	return count + 1 +
	       skip_equal(a->items, b->items, at - count - 1, count, NULL);
}

/* Returns whether x <= y. Invariant: both heads have the length of the prefix
 * they share with the sequence written last. The one that shares more comes
 * first; if equal, the items after the prefix decide, and only if these are
 * equal, too, the sequences are compared. The later one's length is then
 * updated to what it shares with the earlier one. */
static bool is_in_order(struct sequence *x, struct sequence *y,
			const uint32_t *rank)
{
	uint32_t common;
	uint64_t x_next;
	uint64_t y_next;

	if (x->common != y->common)
		return x->common > y->common;
	if (x->next != y->next)
		return x->next < y->next;
	common = count_common(x, y, x->common, rank);
	x_next = item_at(x, common, rank);
	y_next = item_at(y, common, rank);
	if (x_next <= y_next) {
		y->common = common;
		y->next = y_next;
		return true;
	}
	x->common = common;
	x->next = x_next;
	return false;
}

static void copy_run(struct sequence *out, struct sequence head,
		     struct run rest)
{
	*out++ = head;
	memcpy(out, rest.at, (size_t)(rest.end - rest.at) * sizeof *out);
}

static struct sequence run_take(struct run *r)
{
	if (r->end - r->at > AHEAD) {
		const struct sequence *later = r->at + AHEAD;

		__builtin_prefetch(later->items +
				   least_of(later->common, later->count));
	}
	return *r->at++;
}

/* Neither run may be empty. */
static void merge_runs(struct run a, struct run b, const uint32_t *rank,
		       struct sequence *out)
{
	struct sequence x = run_take(&a);
	struct sequence y = run_take(&b);

	for (;;) {
		if (is_in_order(&x, &y, rank)) {
			*out++ = x;
			if (a.at == a.end) {
				copy_run(out, y, b);
				return;
			}
			x = run_take(&a);
		} else {
			*out++ = y;
			if (b.at == b.end) {
				copy_run(out, x, a);
				return;
			}
			y = run_take(&b);
		}
	}
}

static void merge_pass(const struct sequence *from, size_t count, size_t width,
		       const uint32_t *rank, struct sequence *to)
{
	for (size_t at = 0; at < count; at += 2 * width) {
		size_t middle = at + width < count ? at + width : count;
		size_t end = middle + width < count ? middle + width : count;

		if (middle == end)
			memcpy(to + at, from + at, (end - at) * sizeof *to);
		else
			merge_runs((struct run){ from + at, from + middle },
				   (struct run){ from + middle, from + end },
				   rank, to + at);
	}
}

void sequence_sort(struct sequence *sequences, size_t count,
		   const uint32_t *rank, struct sequence *scratch)
{
	struct sequence *from = sequences;
	struct sequence *to = scratch;

	for (size_t i = 0; i < count; i++) {
		sequences[i].common = 0;
		sequences[i].next = item_at(&sequences[i], 0, rank);
	}
	for (size_t width = 1; width < count; width *= 2) {
		struct sequence *swap = to;

		merge_pass(from, count, width, rank, to);
		to = from;
		from = swap;
	}
	if (from != sequences)
		memcpy(sequences, from, count * sizeof *sequences);
}

static void count_in_run(struct sequence *run, size_t count,
			 const uint32_t *rank)
{
	for (size_t i = 0; i < count; i++) {
		struct sequence *s = &run[i];

		s->common = i ? count_common(s - 1, s, 0, rank) : 0;
		s->next = item_at(s, s->common, rank);
	}
}

void sequence_merge(struct sequence *sequences, size_t first, size_t count,
		    const uint32_t *rank, struct sequence *out)
{
	count_in_run(sequences, first, rank);
	count_in_run(sequences + first, count - first, rank);
	if (first == 0 || first == count)
		memcpy(out, sequences, count * sizeof *out);
	else
		merge_runs((struct run){ sequences, sequences + first },
			   (struct run){ sequences + first, sequences + count },
			   rank, out);
}
