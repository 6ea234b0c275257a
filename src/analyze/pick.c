/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "analyze/choice.h"
#include "base/num.h"
#include "base/timefmt.h"

static struct str get_profile_id(const struct trace *t, uint32_t span)
{
	return span_attr(t, span, STR("pyroscope.profile.id"));
}

/* Tempo and Jaeger give the server span of a pair that shares its id a new
 * small number and keep the old id as its parent's: that one is the label of
 * its samples. */
static uint64_t label_of(const struct trace *t, uint32_t span)
{
	const struct span *s = &t->spans[span];

	if (s->kind == SPAN_KIND_SERVER && s->span_id < t->span_count &&
	    s->parent_id)
		return s->parent_id;
	return s->span_id;
}

/* The attribute normally holds the label; some agents send it empty, as a
 * mere mark. */
static bool find_profile(const struct trace *t, struct arena *arena,
			 struct guilty_pick *pick, struct error *err)
{
	uint32_t resource = t->spans[pick->owner].resource;
	uint32_t span = pick->owner;
	struct str id = { NULL, 0 };
	uint64_t label;
	char text[17];

	while (span != SPAN_NONE && t->spans[span].resource == resource) {
		id = get_profile_id(t, span);
		if (id.ptr)
			break;
		span = t->spans[span].parent;
	}
	if (!id.ptr)
		return true;
	if (!parse_hex_u64(id, &label) || !label)
		label = label_of(t, span);
	span_id_format(label, text);
	pick->profile_span = span;
	pick->profile_id = arena_str(arena, str_from(text));
	return pick->profile_id.ptr || arena_fail(arena, "the answer", err);
}

static bool is_gap_of_caller(const struct choice *c)
{
	return c->want->has_gap_of_caller && choice_is_gap(c);
}

static void pick_owner(const struct choice *c, struct guilty_pick *pick)
{
	const struct trace *t = c->t;
	const struct span *s = &t->spans[pick->span];
	bool is_call = s->kind == SPAN_KIND_CLIENT ||
		       s->kind == SPAN_KIND_PRODUCER ||
		       c->calls.kind[pick->span] != CALL_NONE;

	if (c->loop)
		pick->owner = c->loop->parent;
	else if (c->server_side != SPAN_NONE && !is_gap_of_caller(c))
		pick->owner = c->server_side;
	else if (is_call && s->parent != SPAN_NONE &&
		 t->spans[s->parent].resource == s->resource)
		pick->owner = s->parent;
}

/* What the choice grew by; for a loop, with its calls. */
static int64_t change_of(const struct choice *c)
{
	size_t best = (size_t)(c->best - c->candidates.items);

	if (c->is_by_change)
		return c->change.change_ns;
	if (!c->typical || !c->time_changes.items[best].is_known)
		return -1;
	return c->time_changes.items[best].own_ns;
}

/* On the way to a callee it is no change of the callee's. */
static bool has_manifold_change(const struct choice *c)
{
	return c->is_by_change && !c->loop &&
	       (!choice_is_gap(c) || is_gap_of_caller(c)) &&
	       c->time_changes.items[c->best - c->candidates.items].is_manifold;
}

static int compare_range(const void *left, const void *right)
{
	const struct time_range *a = left;
	const struct time_range *b = right;

	return compare_i64(a->from_ns, b->from_ns);
}

static int64_t without(const struct span *s, struct time_range *ranges,
		       size_t count)
{
	int64_t own = span_duration_ns(s);
	int64_t covered_to = s->start_ns;

	if (count)
		qsort(ranges, count, sizeof *ranges, compare_range);
	for (size_t i = 0; i < count; i++) {
		int64_t from = ranges[i].from_ns > covered_to
				       ? ranges[i].from_ns
				       : covered_to;
		int64_t to = ranges[i].to_ns < s->end_ns ? ranges[i].to_ns
							 : s->end_ns;

		if (to <= from)
			continue;
		own -= to - from;
		covered_to = to;
	}
	return own;
}

/* A call out of the process, or a span of another one right away. */
static bool is_outside(const struct choice *c, uint32_t span, uint32_t resource)
{
	return c->t->spans[span].resource != resource ||
	       calls_is_outside(&c->calls, span);
}

/* Of a call that dials for long the time on the wire is to be explained, not
 * that of its callee. */
static bool is_gap_call(const struct choice *c, uint32_t span)
{
	return span == c->best->span && is_gap_of_caller(c);
}

static bool is_loop_call(const struct choice *c, uint32_t span)
{
	return c->loop && c->t->spans[span].parent == c->loop->parent &&
	       c->calls.key[span] ==
		       c->calls.key[c->repeats.members[c->loop->member_first]];
}

/* What the process of the profile did itself within the span that carries
 * the profile id: the span without calls, but with those of the loop that is
 * to be explained. */
static bool fill_own_time(struct choice *c, struct guilty_pick *pick,
			  struct error *err)
{
	const struct trace *t = c->t;
	struct time_range *ranges =
		arena_array(&c->scratch, t->span_count, sizeof *ranges);
	uint32_t *stack =
		arena_array(&c->scratch, t->span_count, sizeof *stack);
	size_t count = 0, depth = 0;

	if (!ranges || !stack)
		return arena_fail(&c->scratch, "the trace", err);
	stack[depth++] = pick->profile_span;
	while (depth) {
		const struct span *s = &t->spans[stack[--depth]];

		for (uint32_t i = 0; i < s->child_count; i++) {
			uint32_t child = t->children[s->child_first + i];
			const struct span *below = &t->spans[child];

			if (c->times->tree[child] == child)
				continue;
			if (is_gap_call(c, child) ||
			    !is_outside(c, child, s->resource))
				stack[depth++] = child;
			else if (!is_loop_call(c, child))
				ranges[count++] =
					(struct time_range){ below->start_ns,
							     below->end_ns };
		}
	}
	pick->profile_own_ns =
		without(&t->spans[pick->profile_span], ranges, count);
	return true;
}

/* What a loop grew by, or attempts, is more than the span that was compared,
 * and a message's wait is none of its time. */
static bool is_alone(const struct choice *c)
{
	return c->is_by_change && !c->loop && !c->retry &&
	       choice_ground(c) != CHOICE_QUEUE &&
	       c->time_changes.items[c->best - c->candidates.items].is_alone;
}

/* Times of the guilty part on the clock of the process to be profiled. */
bool choice_pick(struct choice *c, struct result *result,
		 struct guilty_pick *pick, struct error *err)
{
	const struct trace *t = c->t;

	*pick = (struct guilty_pick){
		.span = c->loop ? c->repeats.members[c->loop->member_first]
				: c->best->span,
		.start_ns = c->loop ? c->loop->start_ns : c->best->start_ns,
		.end_ns = c->loop ? c->loop->end_ns : c->best->end_ns,
		.profile_span = SPAN_NONE,
		.change_ns = change_of(c),
		.has_manifold_change = has_manifold_change(c),
		.is_gap = choice_is_gap(c),
		.is_alone = is_alone(c),
		.is_queue = c->queue != NULL,
		.is_lone_queue = c->queue && !c->queue->has_moved,
	};
	pick->owner = pick->span;
	pick_owner(c, pick);
	pick->service = span_service(t, pick->owner);
	if (!c->loop && c->best->count == 1 && pick->owner == c->server_side) {
		pick->start_ns = t->spans[pick->owner].start_ns;
		pick->end_ns = t->spans[pick->owner].end_ns;
	}
	return find_profile(t, &result->arena, pick, err) &&
	       (pick->profile_span == SPAN_NONE || fill_own_time(c, pick, err));
}
