/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/operations.h"

#include <stdlib.h>

#include "analyze/calls.h"
#include "analyze/messages.h"
#include "analyze/trace_analysis.h"
#include "base/num.h"
#include "model/history.h"

/* A span on its way into an operation: equal symbols meet by sorting. */
struct item {
	uint32_t service;
	uint32_t name;
	uint32_t kind;
	uint32_t span;
	int64_t through_ns; /* summed over the operation once they met */
	bool is_root;
};

uint32_t span_entry(const struct trace *t, uint32_t span)
{
	uint32_t parent = t->spans[span].parent;

	while (parent != SPAN_NONE &&
	       t->spans[parent].resource == t->spans[span].resource) {
		span = parent;
		parent = t->spans[span].parent;
	}
	return span;
}

static int compare_operation(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;
	int order = compare_i64(a->service, b->service);

	if (!order)
		order = compare_i64(a->name, b->name);
	return order ? order : compare_i64(a->kind, b->kind);
}

static int compare_item(const void *left, const void *right)
{
	int order = compare_operation(left, right);

	if (order)
		return order;
	return compare_i64(((const struct item *)left)->span,
			   ((const struct item *)right)->span);
}

static int compare_weight(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;
	int order = compare_i64(b->is_root, a->is_root);

	if (!order)
		order = compare_i64(b->through_ns, a->through_ns);
	return order ? order : compare_i64(a->span, b->span);
}

static struct item item_of(const struct trace *t,
			   const struct trace_times *times, uint32_t span,
			   int64_t through_ns)
{
	const struct span *s = &t->spans[span];

	return (struct item){
		.service = t->resources[s->resource].service,
		.name = s->name,
		.kind = s->kind,
		.span = span,
		.through_ns = through_ns,
		.is_root = span == times->root,
	};
}

/* Below this percentage of the path growth cannot be relevant. */
#define OPERATIONS_TREE_PERCENT 10

/* All that is worth asking about; *items lives in the arena. */
static bool items_collect(const struct trace *t,
			  const struct trace_times *times, struct arena *arena,
			  struct item **items, size_t *count, struct error *err)
{
	struct messages messages;

	if (!messages_find(t, times, arena, &messages, err))
		return false;
	*items = arena_array(arena, t->span_count + 2 * messages.count,
			     sizeof **items);
	if (!*items)
		return arena_fail(arena, "the trace", err);
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t top = times->tree[i];
		int64_t through_ns = times->through_ns[i];

		/* Roots and trees that may have grown by much compete with the
		 * request. */
		if (top != times->root && t->spans[top].parent != SPAN_NONE &&
		    sat_mul_i64(times->through_ns[top], 100) <
			    sat_mul_i64(times->path_ns,
					OPERATIONS_TREE_PERCENT))
			continue;
		if (through_ns > 0 || i == times->root)
			(*items)[(*count)++] = item_of(t, times, i, through_ns);
	}
	/* Who sent a message and who took it tell how long it lay between them:
	 * they weigh as much as that. */
	for (size_t i = 0; i < messages.count; i++) {
		const struct message *m = &messages.items[i];
		int64_t wait_ns = m->wait_ns;

		if (wait_ns < MESSAGE_WAIT_NS)
			continue;
		(*items)[(*count)++] = item_of(t, times, m->sender, wait_ns);
		(*items)[(*count)++] = item_of(t, times, m->receiver, wait_ns);
	}
	return true;
}

/* Leaves one item an operation, with the sums. */
static size_t items_merge(struct item *items, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct item *last = kept ? &items[kept - 1] : NULL;

		if (!last || compare_operation(last, &items[i])) {
			items[kept++] = items[i];
			continue;
		}
		last->through_ns =
			sat_add_i64(last->through_ns, items[i].through_ns);
		last->is_root |= items[i].is_root;
	}
	return kept;
}

static uint32_t item_find(const struct trace *t, const struct item *items,
			  uint32_t count, uint32_t span)
{
	const struct span *s = &t->spans[span];
	struct item wanted = { .service = t->resources[s->resource].service,
			       .name = s->name,
			       .kind = s->kind };

	for (uint32_t i = 0; i < count; i++)
		if (!compare_operation(&items[i], &wanted))
			return i;
	return OPERATION_NONE;
}

/* Self time is computed only from spans of the same service: those of others
 * are on another clock. */
static void set_below(const struct trace *t, const struct trace_times *times,
		      const struct item *items, struct operations *out)
{
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t parent = t->spans[i].parent, above, below;

		if (times->tree[i] == i || parent == SPAN_NONE)
			continue;
		above = item_find(t, items, out->count, parent);
		if (above == OPERATION_NONE)
			continue;
		below = item_find(t, items, out->count, i);
		if (below != OPERATION_NONE && span_is_served_call(t, i))
			out->served[above] |= 1u << below;
		if (t->spans[parent].resource != t->spans[i].resource)
			out->below[above] = OPERATIONS_BELOW_UNKNOWN;
		else if (below != OPERATION_NONE)
			out->below[above] |= 1u << below;
	}
}

static void set_foreign(const struct trace *t, const struct item *items,
			struct operations *out)
{
	uint32_t own = 0, root = SPAN_NONE;

	if (!t->joined_root_id)
		return;
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];
		uint32_t found = item_find(t, items, out->count, i);

		if (!(s->flags & SPAN_IS_LINKED)) {
			if (found != OPERATION_NONE)
				own |= 1u << found;
			continue;
		}
		/* Its first span in a trace that was joined. */
		if ((s->parent == SPAN_NONE ||
		     !(t->spans[s->parent].flags & SPAN_IS_LINKED)) &&
		    (root == SPAN_NONE ||
		     span_duration_ns(s) > span_duration_ns(&t->spans[root])))
			root = i;
	}
	for (uint32_t i = 0; i < out->count; i++)
		if (!(own & (1u << i)))
			out->foreign |= 1u << i;
	if (root == SPAN_NONE)
		return;
	out->foreign_service = span_service(t, root);
	out->foreign_name = span_name(t, root);
}

static void set_root(const struct trace *t, const struct trace_times *times,
		     struct operations *out)
{
	uint32_t root = times->root, parent = t->spans[root].parent, count = 0;

	/* Roots of what was joined aside, and those that hang below it. */
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];

		count += !(s->flags & SPAN_IS_LINKED) &&
			 (s->parent == SPAN_NONE ||
			  (t->spans[s->parent].flags & SPAN_IS_LINKED));
	}
	out->has_single_root = count == 1 && !times->session.request_count;
	if (!out->has_single_root)
		return;
	/* Stay within the span's own trace, whatever was joined to it. */
	while (parent != SPAN_NONE &&
	       !((t->spans[parent].flags ^ t->spans[root].flags) &
		 SPAN_IS_LINKED)) {
		root = parent;
		parent = t->spans[root].parent;
	}
	/* A page is below the request that delivered it, as servers have it. */
	if (t->spans[root].parent == SPAN_NONE && t->spans[root].parent_id &&
	    !(t->spans[root].flags & (SPAN_IS_ORPHAN | SPAN_IS_CUT_CYCLE)))
		root = trace_find_span(t, t->spans[root].parent_id);
	out->root_service = span_service(t, root);
	out->root_name = span_name(t, root);
	out->is_root_called = t->spans[root].flags & SPAN_IS_ORPHAN;
}

bool operations_collect(const struct trace *t, const struct trace_times *times,
			struct operations *out, struct error *err)
{
	struct arena scratch;
	struct item *items;
	size_t count = 0;

	*out = (struct operations){ .root = OPERATION_NONE };
	if (!t->span_count)
		return true;
	arena_init(&scratch, LIMIT_DECODE_HEAP_BYTES);
	if (!items_collect(t, times, &scratch, &items, &count, err)) {
		arena_release(&scratch);
		return false;
	}
	qsort(items, count, sizeof *items, compare_item);
	count = items_merge(items, count);
	qsort(items, count, sizeof *items, compare_weight);
	for (; out->count < count && out->count < OPERATIONS_MAX; out->count++)
		out->items[out->count] = (struct operation){
			.service = span_service(t, items[out->count].span),
			.name = span_name(t, items[out->count].span),
			.kind = (enum span_kind)items[out->count].kind,
		};
	out->left_out = (uint32_t)count - out->count;
	set_below(t, times, items, out);
	set_foreign(t, items, out);
	out->root = 0;
	set_root(t, times, out);
	arena_release(&scratch);
	return true;
}

uint32_t operations_find_span(const struct operation *items, uint32_t count,
			      const struct trace *t, uint32_t span)
{
	for (uint32_t i = 0; i < count; i++) {
		if ((uint8_t)items[i].kind == t->spans[span].kind &&
		    str_equal(items[i].name, span_name(t, span)) &&
		    str_equal(items[i].service, span_service(t, span)))
			return i;
	}
	return OPERATION_NONE;
}
