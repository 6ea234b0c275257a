/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/affected.h"

#include <stdlib.h>

/* More are no one's to warn. */
#define CALLERS_MOST 8u
#define OTHERS_MOST 8u

static void find_callers(const struct affected_want *want,
			 struct affected_info *x)
{
	const struct trace *t = want->trace;
	struct str own = span_service(t, want->entry);

	for (uint32_t span = want->entry;
	     span != SPAN_NONE && x->caller_count < CALLERS_MOST;
	     span = t->spans[span].parent) {
		struct str service = span_service(t, span);

		if (!str_equal(service, own) &&
		    !str_is_among(service, x->callers, x->caller_count))
			x->callers[x->caller_count++] = service;
	}
}

/* The most frequent first, equal ones by name. */
static int compare_others(const void *left, const void *right)
{
	const struct affected_request *a = left, *b = right;
	int order = (a->count < b->count) - (a->count > b->count);

	if (!order)
		order = str_compare(a->service, b->service);
	return order ? order : str_compare(a->name, b->name);
}

/* Finds other requests in which the operation took long: by the roots of traces
 * that were queried with any caller, except this one's root. */
static void find_others(const struct affected_want *want,
			const struct history_window *w, struct affected_info *x)
{
	const struct history *h = want->history;
	const struct trace *t = want->trace;
	uint32_t root = want->entry;

	while (t->spans[root].parent != SPAN_NONE)
		root = t->spans[root].parent;
	for (uint32_t i = 0; i < w->trace_count; i++) {
		struct affected_request one = {
			.service = history_text(h, w->traces[i].root_service),
			.name = history_text(h, w->traces[i].root_name),
			.count = 1,
		};
		size_t at = 0;

		if (!w->traces[i].root_service || !w->traces[i].root_name ||
		    (str_equal(one.service, span_service(t, root)) &&
		     str_equal(one.name, span_name(t, root))))
			continue;
		while (at < x->other_count &&
		       !(str_equal(x->others[at].service, one.service) &&
			 str_equal(x->others[at].name, one.name)))
			at++;
		if (at < x->other_count)
			x->others[at].count++;
		else if (at < OTHERS_MOST)
			x->others[x->other_count++] = one;
	}
}

bool affected_find(const struct affected_want *want, struct arena *arena,
		   struct affected_info *out, struct error *err)
{
	const struct request_history *r = want->requests;

	*out = (struct affected_info){ .requests = 0 };
	if (!r || !r->threshold_ns)
		return true;
	out->callers = arena_array(arena, CALLERS_MOST, sizeof *out->callers);
	out->others = arena_array(arena, OTHERS_MOST, sizeof *out->others);
	if (!out->callers || !out->others)
		return arena_fail(arena, "the answer", err);
	for (size_t i = 0; i < r->bucket_count; i++)
		out->slow += r->buckets[i].slow_count;
	for (size_t i = 0; i < r->window_count; i++)
		if (r->windows[i].role == REQUESTS_NOW) {
			out->requests = r->windows[i].count + 1;
			out->is_sample = r->windows[i].is_sample;
		}
	/* The request in question is in none of the counts. */
	out->slow += r->this_duration_ns >= r->threshold_ns;
	find_callers(want, out);
	for (uint32_t i = 0; i < want->history->window_count; i++)
		if (want->operation != OPERATION_NONE &&
		    want->history->windows[i].slow_operation == want->operation)
			find_others(want, &want->history->windows[i], out);
	qsort(out->others, out->other_count, sizeof *out->others,
	      compare_others);
	return true;
}
