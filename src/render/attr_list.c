/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes as people and programs want them: those that analysis uses and
 * those read on demand in one list, by key.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "render/formats.h"

static int compare_items(const void *left, const void *right)
{
	const struct attr_text *a = left, *b = right;
	int order = str_compare(a->key, b->key);

	return order ? order : compare_u64(a->at, b->at);
}

static void add(struct attr_list *list, const struct trace *t, uint32_t key,
		uint32_t value)
{
	list->items[list->count] = (struct attr_text){
		.key = trace_text(t, key),
		.value = trace_text(t, value),
		.at = list->count,
	};
	list->count++;
}

/* Of equal keys the last counts, as where they are decoded. */
static void drop_repeats(struct attr_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (i + 1 == list->count ||
		    !str_equal(list->items[i].key, list->items[i + 1].key))
			list->items[kept++] = list->items[i];
	list->count = kept;
}

static void collect(const struct trace *t, const struct attr *attrs,
		    size_t attr_count, const struct detail *details,
		    size_t detail_count, enum detail_kind kind, struct out *out,
		    struct attr_list *list)
{
	*list = (struct attr_list){ .count = 0 };
	list->items =
		mem_calloc(attr_count + detail_count + 1, sizeof *list->items);
	if (!list->items) {
		out_fail_memory(out);
		return;
	}
	for (size_t i = 0; i < attr_count; i++)
		add(list, t, attrs[i].key, attrs[i].value);
	for (size_t i = 0; i < detail_count; i++)
		if (details[i].kind == kind)
			add(list, t, details[i].key, details[i].value);
	qsort(list->items, list->count, sizeof *list->items, compare_items);
	drop_repeats(list);
}

void attr_list_span(const struct trace *t, uint32_t span, struct out *out,
		    struct attr_list *list)
{
	const struct span *s = &t->spans[span];

	collect(t, t->attrs + s->attr_first, s->attr_count,
		t->details + s->detail_first, s->detail_count, DETAIL_ATTR, out,
		list);
}

void attr_list_resource(const struct trace *t, uint32_t resource,
			struct out *out, struct attr_list *list)
{
	const struct resource *r = &t->resources[resource];

	collect(t, t->attrs + r->attr_first, r->attr_count,
		t->details + r->detail_first, r->detail_count, DETAIL_ATTR, out,
		list);
}

void attr_list_part(const struct trace *t, const struct detail *part,
		    const struct detail *end, struct out *out,
		    struct attr_list *list)
{
	enum detail_kind kind = part->kind == DETAIL_EVENT ? DETAIL_EVENT_ATTR
							   : DETAIL_LINK_ATTR;
	const struct detail *first = part + 1;
	size_t count = 0;

	while (first + count < end && first[count].kind == kind)
		count++;
	collect(t, NULL, 0, first, count, kind, out, list);
}

void attr_list_release(struct attr_list *list)
{
	mem_free(list->items);
	*list = (struct attr_list){ .count = 0 };
}

void attr_list_json(const struct attr_list *list, struct jsonw *w)
{
	for (size_t i = 0; i < list->count; i++) {
		jsonw_key_str(w, list->items[i].key);
		jsonw_str(w, list->items[i].value);
	}
}
