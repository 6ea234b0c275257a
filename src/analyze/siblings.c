/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/siblings.h"

#include <stdlib.h>

#include "base/num.h"

struct item {
	uint64_t key; /* what it does and what the call inside does */
	uint32_t parent;
	uint32_t span;
};

/* Spans are numbered by start. */
static int compare_item(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;
	int order = compare_i64(a->parent, b->parent);

	if (!order)
		order = compare_u64(a->key, b->key);
	return order ? order : compare_i64(a->span, b->span);
}

static struct item item_of(const struct calls *c, uint32_t span)
{
	uint32_t leaf = calls_inside(c, span);
	uint32_t inside = leaf == SPAN_NONE ? span : leaf;

	return (struct item){
		.key = (uint64_t)c->like[span] << 32 | c->like[inside],
		.parent = c->t->spans[span].parent,
		.span = span,
	};
}

static bool is_like(const struct item *a, const struct item *b)
{
	return a->parent == b->parent && a->key == b->key;
}

bool siblings_find(const struct calls *c, const struct trace_times *times,
		   struct arena *arena, struct siblings *out, struct error *err)
{
	uint32_t n = c->t->span_count;
	struct item *items = arena_array(arena, n, sizeof *items);
	uint32_t count = 0;

	*out = (struct siblings){ 0 };
	out->groups = arena_array(arena, n, sizeof *out->groups);
	out->members = arena_array(arena, n, sizeof *out->members);
	if (!items || !out->groups || !out->members)
		return arena_fail(arena, "the trace", err);
	for (uint32_t i = 0; i < n; i++) {
		if (times->tree[i] != i)
			items[count++] = item_of(c, i);
	}
	if (count)
		qsort(items, count, sizeof *items, compare_item);
	for (uint32_t i = 0; i < count; i++) {
		struct sibling_group *g = &out->groups[out->count];

		out->members[i] = items[i].span;
		if (!i || !is_like(&items[i], &items[i - 1]))
			*g = (struct sibling_group){ .member_first = i };
		g->count++;
		if (i + 1 < count && is_like(&items[i], &items[i + 1]))
			continue;
		g->parent = items[i].parent;
		g->leaf = calls_inside(c, out->members[g->member_first]);
		out->count += g->count > 1;
	}
	return true;
}
