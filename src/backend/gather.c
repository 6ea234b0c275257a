/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/profile_backend.h"

#include <stdlib.h>

#include "base/limits.h"

/* ---- names ---- */

void name_gatherer_init(struct name_gatherer *g, struct arena *arena,
			struct name_list *list)
{
	*g = (struct name_gatherer){ .arena = arena, .list = list };
	*list = (struct name_list){ .items = NULL };
}

void name_gatherer_add(struct name_gatherer *g, struct str name)
{
	void *items = g->list->items;

	if (g->is_failed || g->list->count >= LIMIT_NAMES)
		return;
	name = arena_str(g->arena, name);
	if (!name.ptr ||
	    !arena_reserve(g->arena, &items, &g->cap, g->list->count + 1,
			   sizeof *g->list->items)) {
		g->is_failed = true;
		return;
	}
	g->list->items = items;
	g->list->items[g->list->count++] = name;
}

void name_gatherer_read(struct json_reader *r, void *name_gatherer)
{
	struct str text;

	if (!json_enter(r, JSON_ARRAY))
		return;
	while (json_next_item(r))
		if (json_text(r, &text))
			name_gatherer_add(name_gatherer, text);
}

static int compare_names(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

void name_list_sort(struct name_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof *list->items,
		      compare_names);
	for (size_t i = 0; i < list->count; i++)
		if (i == 0 || !str_equal(list->items[i], list->items[kept - 1]))
			list->items[kept++] = list->items[i];
	list->count = kept;
}

bool name_gatherer_finish(struct name_gatherer *g, struct error *err)
{
	if (g->is_failed)
		return arena_fail(g->arena, "the server's names", err);
	name_list_sort(g->list);
	return true;
}

bool name_list_add(struct name_list *list, struct arena *arena,
		   const struct name_list *part, struct error *err)
{
	size_t count = list->count + part->count;
	struct str *items =
		arena_array(arena, count ? count : 1, sizeof *items);

	if (!items)
		return arena_fail(arena, "the server's names", err);
	for (size_t i = 0; i < list->count; i++)
		items[i] = list->items[i];
	for (size_t i = 0; i < part->count; i++)
		items[list->count + i] = part->items[i];
	*list = (struct name_list){ items, count };
	name_list_sort(list);
	return true;
}

/* ---- series ---- */

bool series_list_add(struct series_list *list, struct arena *arena,
		     const struct series_list *part, struct error *err)
{
	size_t had = list->count * part->label_count;
	size_t came = part->count * part->label_count;
	struct str *values;

	if (!list->count) {
		*list = *part;
		return true;
	}
	if (!came || list->count + part->count > LIMIT_SERIES)
		return true;
	values = arena_array(arena, had + came, sizeof *values);
	if (!values)
		return arena_fail(arena, "the server's series", err);
	memcpy(values, list->values, had * sizeof *values);
	memcpy(values + had, part->values, came * sizeof *values);
	list->values = values;
	list->count += part->count;
	return true;
}

/* ---- totals ---- */

void total_gatherer_init(struct total_gatherer *g,
			 const struct totals_query *query, struct arena *arena,
			 struct totals *totals)
{
	*g = (struct total_gatherer){ .query = query,
				      .arena = arena,
				      .totals = totals };
	*totals = (struct totals){ .items = NULL };
}

struct total *total_gatherer_add(struct total_gatherer *g)
{
	struct totals *list = g->totals;
	void *items = list->items;
	struct total *into;

	if (g->is_failed || list->count >= LIMIT_NAMES)
		return NULL;
	if (!arena_reserve(g->arena, &items, &g->cap, list->count + 1,
			   sizeof *list->items)) {
		g->is_failed = true;
		return NULL;
	}
	list->items = items;
	into = &list->items[list->count];
	*into = (struct total){ .name = STR(""), .beside = STR("") };
	into->values = arena_array(g->arena, g->query->step_count,
				   sizeof *into->values);
	g->is_failed |= !into->values;
	if (into->values)
		list->count++;
	return into->values ? into : NULL;
}

bool total_gatherer_finish(const struct total_gatherer *g, struct error *err)
{
	return !g->is_failed ||
	       arena_fail(g->arena, "the server's series", err);
}
