/* SPDX-License-Identifier: Apache-2.0 */
#include "model/history.h"

void hits_init(struct hits *h)
{
	*h = (struct hits){ .count = 0 };
	arena_init(&h->arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&h->by_id, &h->arena);
}

void hits_release(struct hits *h)
{
	arena_release(&h->arena);
	h->items = NULL;
	h->count = 0;
}

static bool keep_text(struct hits *h, struct str *text)
{
	*text = arena_str(&h->arena, *text);
	return text->ptr;
}

static bool hits_append(struct hits *h, struct hit hit)
{
	void *items = h->items;

	if (!keep_text(h, &hit.root_service) || !keep_text(h, &hit.root_name) ||
	    !keep_text(h, &hit.service) || !keep_text(h, &hit.name) ||
	    !arena_reserve(&h->arena, &items, &h->cap, h->count + 1,
			   sizeof *h->items))
		return false;
	h->items = items;
	h->items[h->count++] = hit;
	return true;
}

bool hits_add(struct hits *h, const struct hit *hit, struct error *err)
{
	struct str key = { (const char *)hit->id.bytes, sizeof hit->id.bytes };
	uint32_t index = map_find(&h->by_id, key);

	if (index != MAP_NONE) {
		struct hit *old = &h->items[index];

		if (hit->duration_ns > old->duration_ns)
			old->duration_ns = hit->duration_ns;
		if (hit->trace_ns > old->trace_ns)
			old->trace_ns = hit->trace_ns;
		if (hit->span_ns > old->span_ns)
			old->span_ns = hit->span_ns;
		return true;
	}
	key = arena_str(&h->arena, key);
	if (key.ptr && map_insert(&h->by_id, key, (uint32_t)h->count, &index) &&
	    hits_append(h, *hit))
		return true;
	return arena_fail(&h->arena, "the traces found", err);
}
