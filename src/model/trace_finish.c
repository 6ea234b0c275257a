/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "model/trace_build.h"

#define WHAT "the trace"

/* Gives the spans of places their real resource. */
static bool resolve_locations(struct trace_build *b, struct error *err)
{
	for (uint32_t i = 0; i < b->out->span_count; i++) {
		uint32_t *resource = &b->out->spans[i].resource;
		uint32_t *place;

		if (!(*resource & RESOURCE_IS_PLACE))
			continue;
		place = &b->places[*resource & ~RESOURCE_IS_PLACE];
		if (*place == RESOURCE_NONE) {
			trace_build_attrs_begin(b);
			if (!trace_build_resource(b, place, err))
				return false;
		}
		*resource = *place;
	}
	return true;
}

/* ---- order ---- */

/* Moves spans[keys[i].index] to spans[i], for all i, cycle by cycle. */
static void permute(struct span *spans, struct span_key *keys, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct span first = spans[i];
		uint32_t at = i;

		while (keys[at].index != i) {
			uint32_t from = keys[at].index;

			spans[at] = spans[from];
			keys[at].index = at;
			at = from;
		}
		spans[at] = first;
		keys[at].index = at;
	}
}

static void sort_spans(struct trace *t, const struct span_sort *sort)
{
	struct span_key *keys = sort->keys;

	for (uint32_t i = 0; i < t->span_count; i++)
		keys[i] = (struct span_key){ (uint64_t)t->spans[i].start_ns,
					     t->spans[i].span_id, i };
	span_keys_sort(sort, t->span_count);
	permute(t->spans, keys, t->span_count);
}

static bool count_services(struct trace *t, struct arena *scratch,
			   struct error *err)
{
	bool *is_counted = arena_array(scratch, symtab_count(&t->symtab), 1);

	if (!is_counted)
		return arena_fail(scratch, WHAT, err);
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t service = t->resources[t->spans[i].resource].service;

		t->service_count += !is_counted[service];
		is_counted[service] = true;
	}
	return true;
}

static void find_extent(struct trace *t)
{
	t->start_ns = t->spans[0].start_ns;
	t->end_ns = t->spans[0].end_ns;
	for (uint32_t i = 1; i < t->span_count; i++)
		if (t->spans[i].end_ns > t->end_ns)
			t->end_ns = t->spans[i].end_ns;
}

/* ---- other traces ---- */

/* The one after this one, the longest first, or NULL. */
static const struct trace_seen *seen_after(const struct trace_build *b,
					   const struct trace_seen *last)
{
	const struct trace_seen *next = NULL;

	for (size_t i = 0; i < b->seen_count; i++) {
		const struct trace_seen *s = &b->seen[i];

		if (trace_seen_is_before(last, s) &&
		    (!next || trace_seen_is_before(s, next)))
			next = s;
	}
	return next;
}

/* The traces that were not taken, but for the shortest. */
static void keep_others(const struct trace_build *b, struct trace_oddities *out)
{
	const struct trace_seen *other = &b->seen[b->seen_at];

	out->trace_count = b->seen_count;
	while (out->other_count < TRACE_OTHER_IDS &&
	       (other = seen_after(b, other)))
		out->others[out->other_count++] = other->id;
}

/* ---- the door ---- */

static bool put_in_order(struct trace_build *b, struct trace_oddities *r,
			 struct error *err)
{
	struct trace *t = b->out;
	struct span_sort sort;
	bool *is_dropped;

	trace_times_repair(t, r);
	sort.keys = arena_array(&b->scratch, t->span_count, sizeof *sort.keys);
	sort.spare =
		arena_array(&b->scratch, t->span_count, sizeof *sort.spare);
	is_dropped = arena_array(&b->scratch, t->span_count, 1);
	if (!sort.keys || !sort.spare || !is_dropped)
		return arena_fail(&b->scratch, WHAT, err);
	trace_copies_drop(t, &sort, is_dropped, r);
	sort_spans(t, &sort);
	trace_ties_order(t);
	find_extent(t);
	return trace_link(t, &b->scratch, &sort, r, err) &&
	       count_services(t, &b->scratch, err);
}

bool trace_build_finish(struct trace_build *b, struct error *err)
{
	struct trace_oddities *odd = &b->out->oddities;

	if (b->phase == BUILD_SURVEY)
		return error_set(err, ERROR_INTERNAL,
				 "one trace of several was not chosen");
	if (b->has_want)
		b->out->id = b->want;
	else if (b->seen_count)
		b->out->id = b->seen[0].id;
	b->out->is_partial |= odd->is_cut_by_server;
	if (b->out->span_count > 0 &&
	    (!resolve_locations(b, err) || !put_in_order(b, odd, err)))
		return false;
	if (b->phase == BUILD_CHOSEN)
		keep_others(b, odd);
	b->out->wants_details = b->result->wants_details;
	b->out->wants_attrs = b->result->wants_attrs;
	trace_release(b->result);
	trace_move(b->result, b->out);
	return true;
}
