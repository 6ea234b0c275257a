/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans that share what should be theirs alone: an id, or time and id. Which
 * is kept, and which comes first, says what they hold, not where they stood in
 * the input: numbers of texts and of resources depend on that.
 */
#include <stdlib.h>

#include "base/num.h"
#include "base/system.h"
#include "model/trace_build.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_texts(const struct trace *t, uint32_t a, uint32_t b)
{
	return a == b ? 0 : str_compare(trace_text(t, a), trace_text(t, b));
}

/* What has more of them comes first. */
static int compare_attrs(const struct trace *t, const struct attr *a,
			 size_t a_count, const struct attr *b, size_t b_count)
{
	int order = compare_numbers(b_count, a_count);

	for (size_t i = 0; !order && i < a_count; i++) {
		order = compare_texts(t, a[i].key, b[i].key);
		if (!order)
			order = compare_texts(t, a[i].value, b[i].value);
	}
	return order;
}

static int compare_details(const struct trace *t, const struct detail *a,
			   size_t a_count, const struct detail *b,
			   size_t b_count)
{
	int order = compare_numbers(b_count, a_count);

	for (size_t i = 0; !order && i < a_count; i++) {
		order = compare_numbers(a[i].kind, b[i].kind);
		if (!order)
			order = compare_numbers((uint64_t)a[i].time_ns,
						(uint64_t)b[i].time_ns);
		if (!order)
			order = compare_texts(t, a[i].key, b[i].key);
		if (!order)
			order = compare_texts(t, a[i].value, b[i].value);
	}
	return order;
}

static int compare_resources(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct resource *x = &t->resources[a], *y = &t->resources[b];
	int order = 0;

	if (a != b)
		order = compare_texts(t, x->service, y->service);
	if (a != b && !order)
		order = compare_attrs(t, t->attrs + x->attr_first,
				      x->attr_count, t->attrs + y->attr_first,
				      y->attr_count);
	if (a != b && !order)
		order = compare_details(
			t, t->details + x->detail_first, x->detail_count,
			t->details + y->detail_first, y->detail_count);
	return order;
}

static int compare_heads(const struct span *a, const struct span *b)
{
	int order = compare_numbers((uint64_t)span_duration_ns(b),
				    (uint64_t)span_duration_ns(a));

	if (!order)
		order = compare_numbers((uint64_t)a->start_ns,
					(uint64_t)b->start_ns);
	if (!order)
		order = compare_numbers(a->kind, b->kind);
	if (!order)
		order = compare_numbers(a->parent_id, b->parent_id);
	if (!order)
		order = compare_numbers(a->flags, b->flags);
	return order;
}

/* The longest first; 0 only of those that nothing tells apart. */
static int compare_spans(const struct trace *t, const struct span *a,
			 const struct span *b)
{
	int order = compare_heads(a, b);

	if (!order)
		order = compare_texts(t, a->name, b->name);
	if (!order)
		order = compare_texts(t, a->status_message, b->status_message);
	if (!order)
		order = compare_resources(t, a->resource, b->resource);
	if (!order)
		order = compare_attrs(t, t->attrs + a->attr_first,
				      a->attr_count, t->attrs + b->attr_first,
				      b->attr_count);
	if (!order)
		order = compare_details(
			t, t->details + a->detail_first, a->detail_count,
			t->details + b->detail_first, b->detail_count);
	return order;
}

/* ---- copies ---- */

/* Of copies of one span, keys[first] to keys[last - 1], marks all but one as
 * dropped. */
static void merge_copies(const struct trace *t, const struct span_key *keys,
			 size_t first, size_t last, bool *is_dropped,
			 struct trace_oddities *r)
{
	uint32_t best = keys[first].index;

	for (size_t i = first + 1; i < last; i++)
		if (compare_spans(t, &t->spans[keys[i].index],
				  &t->spans[best]) < 0)
			best = keys[i].index;
	for (size_t i = first; i < last; i++) {
		uint32_t copy = keys[i].index;

		is_dropped[copy] = copy != best;
		r->duplicate_count +=
			compare_spans(t, &t->spans[copy], &t->spans[best]) != 0;
	}
}

/* Of spans that share id and kind: whether they are one that was sent twice,
 * before and after it ended perhaps, and not those of two processes that were
 * forked with the same numbers to come. b starts no earlier than a. */
static bool is_copy(const struct trace *t, const struct span *a,
		    const struct span *b)
{
	if (t->resources[a->resource].service !=
	    t->resources[b->resource].service)
		return false;
	return b->start_ns - a->start_ns <= SPAN_ROUNDING_NS ||
	       (((a->flags | b->flags) & SPAN_IS_UNFINISHED) &&
		a->name == b->name);
}

/* Of the spans that share id and kind, which are more than one: each that is no
 * copy of another stays. */
static void merge_group(const struct trace *t, const struct span_sort *sort,
			size_t count, bool *is_dropped,
			struct trace_oddities *r)
{
	struct span_key *keys = sort->keys;
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		const struct span *s = &t->spans[keys[i].index];

		keys[i].major = t->resources[s->resource].service;
		keys[i].minor = (uint64_t)s->start_ns;
	}
	span_keys_sort(sort, count);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && is_copy(t, &t->spans[keys[first].index],
					 &t->spans[keys[i].index]))
			continue;
		merge_copies(t, keys, first, i, is_dropped, r);
		r->twin_count += first > 0;
		first = i;
	}
}

/* Spans without an id (0) are never each other's copies. */
void trace_copies_drop(struct trace *t, const struct span_sort *sort,
		       bool *is_dropped, struct trace_oddities *r)
{
	size_t count = t->span_count, first = 0;
	struct span_key *keys = sort->keys;
	uint32_t kept = 0;

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct span_key){ t->spans[i].span_id,
					     t->spans[i].kind, (uint32_t)i };
	span_keys_sort(sort, count);
	for (size_t i = 1; i <= count; i++) {
		const struct span_sort group = { keys + first, sort->spare };

		if (i < count && keys[i].major == keys[first].major &&
		    keys[i].minor == keys[first].minor)
			continue;
		if (keys[first].major != 0 && i > first + 1)
			merge_group(t, &group, i - first, is_dropped, r);
		first = i;
	}
	for (size_t i = 0; i < count; i++)
		if (!is_dropped[i])
			t->spans[kept++] = t->spans[i];
	t->span_count = kept;
}

/* ---- ties ---- */

static int compare_ties(const void *a, const void *b, void *trace)
{
	return compare_spans(trace, a, b);
}

void trace_ties_order(struct trace *t)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i <= t->span_count; i++) {
		if (i < t->span_count &&
		    t->spans[i].start_ns == t->spans[first].start_ns &&
		    t->spans[i].span_id == t->spans[first].span_id)
			continue;
		if (i > first + 1)
			system_sort(t->spans + first, i - first,
				    sizeof *t->spans, compare_ties, t);
		first = i;
	}
}
