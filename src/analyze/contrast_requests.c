/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrast_requests.h"

#define WHAT "requests of the operation"

/* Of a trace of the window: none, or added before. */
#define REQUEST_NONE UINT32_MAX

void contrast_requests_init(struct contrast_requests *r,
			    const struct history *history, uint32_t operation,
			    struct arena *arena)
{
	*r = (struct contrast_requests){ .arena = arena,
					 .history = history,
					 .operation = operation };
	map_init(&r->by_id, arena);
}

static bool append(struct contrast_requests *r, bool is_slow_only,
		   struct error *err)
{
	uint32_t width = r->history->operation_count;
	void *items = r->items, *spans = r->spans;

	if (!arena_reserve(r->arena, &items, &r->cap, (size_t)r->count + 1,
			   sizeof *r->items) ||
	    !arena_reserve(r->arena, &spans, &r->span_cap,
			   ((size_t)r->count + 1) * width, sizeof *r->spans))
		return arena_fail(r->arena, WHAT, err);
	r->items = items;
	r->spans = spans;
	r->items[r->count] =
		(struct contrast_request){ .is_of_slow_only = is_slow_only };
	for (uint32_t i = 0; i < width; i++)
		r->spans[(size_t)r->count * width + i] = NULL;
	r->count++;
	return true;
}

/* A trace without an id cannot be met again. */
static bool is_known(struct contrast_requests *r,
		     const struct history_trace *trace, bool *is_new,
		     struct error *err)
{
	struct str id = { (const char *)trace->id.bytes,
			  sizeof trace->id.bytes };
	uint32_t at;

	*is_new = true;
	if (trace_id_is_zero(&trace->id))
		return true;
	if (!map_insert(&r->by_id, id, r->count, &at))
		return arena_fail(r->arena, WHAT, err);
	*is_new = at == r->count;
	return true;
}

/* The request of each trace. */
static bool find_requests(struct contrast_requests *r,
			  const struct history_window *w,
			  struct time_range range, bool is_slow_only,
			  uint32_t *requests, struct error *err)
{
	for (uint32_t i = 0; i < w->trace_count; i++)
		requests[i] = REQUEST_NONE;
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		bool is_new;

		if (s->operation != r->operation ||
		    requests[s->trace] != REQUEST_NONE ||
		    !time_range_has(range, s->start_ns))
			continue;
		if (!is_known(r, &w->traces[s->trace], &is_new, err))
			return false;
		if (!is_new)
			continue;
		requests[s->trace] = r->count;
		if (!append(r, is_slow_only, err))
			return false;
	}
	return true;
}

static void mark_mixed(struct contrast_requests *r,
		       const struct history_span *a,
		       const struct history_span *b)
{
	const struct history *h = r->history;

	for (uint32_t i = 0; i < b->attr_count; i++) {
		uint32_t key = h->attrs[b->attr_first + i].key;

		if (history_attr(h, a, key) != history_attr(h, b, key))
			r->mixed_keys[a->operation] |= 1u << key;
	}
}

static void take_spans(struct contrast_requests *r,
		       const struct history_window *w, const uint32_t *requests)
{
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		const struct history_span **longest;

		if (requests[s->trace] == REQUEST_NONE)
			continue;
		longest = &r->spans[(size_t)requests[s->trace] *
					    r->history->operation_count +
				    s->operation];
		if (*longest)
			mark_mixed(r, *longest, s);
		if (!*longest || s->duration_ns > (*longest)->duration_ns)
			*longest = s;
	}
}

bool contrast_requests_add(struct contrast_requests *r, uint32_t window,
			   struct time_range range, bool is_slow_only,
			   struct error *err)
{
	const struct history *h = r->history;
	const struct history_window *w;
	uint32_t first = r->count, *requests;

	if (window >= h->window_count)
		return true;
	w = &h->windows[window];
	requests = arena_array(r->arena, w->trace_count, sizeof *requests);
	if (!r->mixed_keys)
		r->mixed_keys = arena_array(r->arena, h->operation_count,
					    sizeof *r->mixed_keys);
	if (!requests || !r->mixed_keys)
		return arena_fail(r->arena, WHAT, err);
	if (!find_requests(r, w, range, is_slow_only, requests, err))
		return false;
	take_spans(r, w, requests);
	for (uint32_t i = first; i < r->count; i++) {
		const struct history_span *s =
			contrast_request_span(r, i, r->operation);

		r->items[i].start_ns = s->start_ns;
		r->items[i].duration_ns = s->duration_ns;
	}
	return true;
}
