/* SPDX-License-Identifier: Apache-2.0
 *
 * First reading of an input with several traces: records only the length and
 * places of each trace, to choose one. The second reading keeps that one.
 */
#include <string.h>

#include "base/num.h"
#include "model/history.h"
#include "model/trace_build.h"

#define WHAT "the list of traces"

bool trace_build_survey_begin(struct trace_build *b, struct error *err)
{
	struct trace *t = b->out;
	bool is_partial = t->is_partial;

	for (uint32_t i = 0; i < t->span_count; i++)
		trace_seen_add(&b->seen[0], &t->spans[i]);
	trace_release(t);
	t->is_partial = is_partial;
	trace_build_restart(b);
	b->phase = BUILD_SURVEY;
	return symtab_init(&t->symtab, &t->arena, err);
}

/* Finds the trace of a span, adding it when new. */
bool trace_build_see(struct trace_build *b, const struct trace_id *id,
		     struct error *err)
{
	void *seen = b->seen;

	if (b->seen_count && trace_id_equal(&b->seen[b->seen_at].id, id))
		return true;
	b->seen_at = trace_id_map_find(&b->seen_by_id, id);
	if (b->seen_at != MAP_NONE &&
	    trace_id_is_same(&b->seen[b->seen_at].id, id)) {
		/* Completes the id of a trace known by half of it. */
		if (!trace_id_is_half(&b->seen[b->seen_at].id) ||
		    trace_id_is_half(id))
			return true;
		b->seen[b->seen_at].id = *id;
		return trace_id_map_insert(&b->seen_by_id, id, b->seen_at) ||
		       arena_fail(&b->scratch, WHAT, err);
	}
	b->seen_at = (uint32_t)b->seen_count;
	if (!arena_reserve(&b->scratch, &seen, &b->seen_cap, b->seen_count + 1,
			   sizeof *b->seen) ||
	    !trace_id_map_insert(&b->seen_by_id, id, b->seen_at))
		return arena_fail(&b->scratch, WHAT, err);
	b->seen = seen;
	b->seen[b->seen_count++] = (struct trace_seen){
		.id = *id,
		.is_placed = true,
		.first = b->at,
		.plausible = EXTENT_NONE,
		.valid = EXTENT_NONE,
	};
	return true;
}

bool trace_seen_is_before(const struct trace_seen *a,
			  const struct trace_seen *b)
{
	int64_t length_a = trace_seen_length(a);
	int64_t length_b = trace_seen_length(b);

	if (length_a != length_b)
		return length_a > length_b;
	if (a->span_count != b->span_count)
		return a->span_count > b->span_count;
	return memcmp(&a->id, &b->id, sizeof a->id) < 0;
}

bool trace_build_again(struct trace_build *b)
{
	uint32_t best = 0;

	if (b->phase != BUILD_SURVEY)
		return false;
	for (uint32_t i = 1; i < b->seen_count; i++)
		if (trace_seen_is_before(&b->seen[i], &b->seen[best]))
			best = i;
	trace_build_restart(b);
	b->phase = BUILD_CHOSEN;
	b->want = b->seen[best].id;
	b->has_want = true;
	b->seen_at = best;
	return true;
}

size_t trace_build_count(const struct trace_build *b)
{
	return b->phase == BUILD_SURVEY ? b->seen_count : 1;
}

struct trace_build *trace_build_one(const struct trace_build *survey,
				    size_t index, struct trace *out,
				    struct error *err)
{
	struct trace_build *b =
		trace_build_new(out, &survey->seen[index].id, err);

	if (!b)
		return NULL;
	b->phase = BUILD_CHOSEN;
	/* The others are not needed. */
	b->seen = &survey->seen[index];
	b->seen_count = 1;
	return b;
}

struct trace_build *trace_build_linking(const struct trace_id *to,
					struct error *err)
{
	struct trace_build *b = trace_build_new(NULL, NULL, err);

	if (!b)
		return NULL;
	b->phase = BUILD_SURVEY;
	b->has_linking = true;
	b->linking = *to;
	return b;
}

bool trace_build_find(const struct trace_build *survey,
		      const struct trace_id *id, size_t *index)
{
	*index = trace_id_map_find(&survey->seen_by_id, id);
	return *index != MAP_NONE &&
	       trace_id_is_same(&survey->seen[*index].id, id);
}

/* As many as are requested from a server: more belong to a large batch, which a
 * few represent. */
#define LINKING_MOST 20u

/* Returns the trace that ends last after `last` in this order, NULL: the
 * first. */
static const struct trace_seen *linking_after(const struct trace_build *b,
					      const struct trace_seen *last)
{
	const struct trace_seen *found = NULL;

	for (size_t i = 0; i < b->seen_count; i++) {
		const struct trace_seen *seen = &b->seen[i];
		int64_t end_ns = trace_seen_end(seen);

		if (!seen->is_linking || trace_id_is_same(&seen->id, &b->linking))
			continue;
		if (last && (end_ns > trace_seen_end(last) ||
			     (end_ns == trace_seen_end(last) && seen <= last)))
			continue;
		if (!found || end_ns > trace_seen_end(found))
			found = seen;
	}
	return found;
}

bool trace_build_linking_hits(const struct trace_build *b, struct hits *hits,
			      struct error *err)
{
	const struct trace_seen *seen = NULL;

	for (unsigned i = 0;
	     i < LINKING_MOST && (seen = linking_after(b, seen)); i++) {
		int64_t length_ns = trace_seen_length(seen);
		const struct hit hit = {
			.id = seen->id,
			.root_service = STR(""),
			.root_name = STR(""),
			.service = STR(""),
			.name = STR(""),
			.start_ns = sat_sub_i64(trace_seen_end(seen),
						length_ns),
			.trace_ns = length_ns,
			.span_count = seen->span_count,
		};

		if (!hits_add(hits, &hit, err))
			return false;
	}
	return true;
}

void trace_build_unplaced(struct trace_build *b)
{
	b->is_unplaced = true;
}

bool trace_build_at(struct trace_build *b, const struct feed_place *place)
{
	const struct trace_seen *chosen = &b->seen[b->seen_at];

	if (b->is_unplaced)
		return true;
	if (b->phase == BUILD_CHOSEN)
		return !place || !chosen->is_placed ||
		       place->offset <= chosen->last_offset;
	b->is_placed = place;
	if (place)
		b->at = *place;
	return true;
}

bool trace_build_resume(const struct trace_build *b, struct feed_place *place)
{
	if (b->phase != BUILD_CHOSEN || !b->seen[b->seen_at].is_placed)
		return false;
	*place = b->seen[b->seen_at].first;
	return true;
}

bool trace_build_skips(const struct trace_build *b, const struct trace_id *id)
{
	return (b->phase == BUILD_SURVEY && !b->has_linking) ||
	       (b->has_want && !trace_id_is_zero(id) &&
		!trace_id_is_same(&b->want, id));
}
