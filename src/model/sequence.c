/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sequence.h"

#include <stdbool.h>
#include <string.h>

struct sorter {
	const struct sequence *sequences;
	const uint32_t *rank;
};

struct run {
	const struct sequence_place *at;
	const struct sequence_place *end;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* First place from `at` on where the two differ, at most count. */
static uint32_t skip_equal(const uint32_t *a, const uint32_t *b, uint32_t at,
			   uint32_t count, const uint32_t *rank)
{
	while (at < count &&
	       (a[at] == b[at] || (rank && rank[a[at]] == rank[b[at]])))
		at++;
	return at;
}

/* True when a belongs before b or is equal. The first *common items are known
 * to be equal; *common is set to all that are. With ranks a sequence counts
 * as its ranks, an end mark, then its items. */
static bool is_in_order(const struct sorter *s, uint32_t index_a,
			uint32_t index_b, uint32_t *common)
{
	const struct sequence *a = &s->sequences[index_a];
	const struct sequence *b = &s->sequences[index_b];
	uint32_t count = least(a->count, b->count);
	uint32_t at = *common;

	if (at <= count) {
		at = skip_equal(a->items, b->items, at, count, s->rank);
		*common = at;
		if (at < count && s->rank)
			return s->rank[a->items[at]] < s->rank[b->items[at]];
		if (at < count)
			return a->items[at] < b->items[at];
		if (a->count != b->count || !s->rank)
			return a->count <= b->count;
		at++;
	}
	at = skip_equal(a->items, b->items, at - count - 1, count, NULL);
	*common = count + 1 + at;
	return at == count || a->items[at] < b->items[at];
}

static void copy_run(struct sequence_place *out, struct sequence_place head,
		     struct run rest)
{
	*out++ = head;
	memcpy(out, rest.at, (size_t)(rest.end - rest.at) * sizeof *out);
}

/* Both runs hold at least one place. Invariant: x.common and y.common count
 * what the heads share with the place written last; the head that shares more
 * comes first, and only a draw needs a look at the items. */
static void merge_runs(const struct sorter *s, struct run a, struct run b,
		       struct sequence_place *out)
{
	struct sequence_place x = *a.at++;
	struct sequence_place y = *b.at++;

	for (;;) {
		bool is_draw = x.common == y.common;
		uint32_t common = x.common;
		bool takes_x =
			is_draw ? is_in_order(s, x.index, y.index, &common)
				: x.common > y.common;

		*out++ = takes_x ? x : y;
		if (is_draw)
			(takes_x ? &y : &x)->common = common;
		if (takes_x && a.at == a.end) {
			copy_run(out, y, b);
			return;
		}
		if (!takes_x && b.at == b.end) {
			copy_run(out, x, a);
			return;
		}
		if (takes_x)
			x = *a.at++;
		else
			y = *b.at++;
	}
}

static void merge_pass(const struct sorter *s, size_t count, size_t width,
		       const struct sequence_place *from,
		       struct sequence_place *to)
{
	for (size_t at = 0; at < count; at += 2 * width) {
		size_t middle = at + width < count ? at + width : count;
		size_t end = middle + width < count ? middle + width : count;

		if (middle == end)
			memcpy(to + at, from + at, (end - at) * sizeof *to);
		else
			merge_runs(s, (struct run){ from + at, from + middle },
				   (struct run){ from + middle, from + end },
				   to + at);
	}
}

void sequence_sort(const struct sequence *sequences, size_t count,
		   const uint32_t *rank, struct sequence_place *order,
		   struct sequence_place *scratch)
{
	struct sorter s = { sequences, rank };
	struct sequence_place *from = order;
	struct sequence_place *to = scratch;

	for (size_t i = 0; i < count; i++)
		order[i] = (struct sequence_place){ (uint32_t)i, 0 };
	for (size_t width = 1; width < count; width *= 2) {
		struct sequence_place *swap = to;

		merge_pass(&s, count, width, from, to);
		to = from;
		from = swap;
	}
	if (from != order)
		memcpy(order, from, count * sizeof *order);
}
