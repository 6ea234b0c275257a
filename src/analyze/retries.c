/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/retries.h"

#include <stdlib.h>

#include "base/num.h"

struct search {
	const struct calls *calls;
	const struct trace *t;
	const struct trace_times *times;
	struct retries *out;
};

/* A server side explains its attempt when it lasts half as long. */
#define SERVER_SHARE 2

/* Levels looked down for the failure that began it. */
#define ERROR_SPANS 64

static uint32_t call_of(const struct calls *c, uint32_t span)
{
	uint32_t leaf = calls_inside(c, span);

	return leaf == SPAN_NONE ? span : leaf;
}

bool call_has_failed(const struct calls *c, uint32_t span)
{
	return calls_has_failed(c, span) ||
	       calls_has_failed(c, call_of(c, span));
}

/* One attempt after the other: those side by side are hedged or fanned out. */
static bool is_next_attempt(const struct search *s, uint32_t before,
			    uint32_t after)
{
	uint32_t first = call_of(s->calls, before);
	uint32_t again = call_of(s->calls, after);

	if (s->t->spans[after].start_ns < s->t->spans[before].end_ns ||
	    (!call_has_failed(s->calls, before) &&
	     !calls_is_resent(s->calls, again)))
		return false;
	return calls_is_same_request(s->calls, first, again);
}

/* The failure an attempt ends in: down through the first failed child. */
static uint32_t deepest_error(const struct trace *t, uint32_t span)
{
	uint32_t found = span;

	for (int depth = 0; depth < ERROR_SPANS; depth++) {
		const struct span *s = &t->spans[span];
		uint32_t next = SPAN_NONE;

		for (uint32_t i = 0; i < s->child_count; i++) {
			uint32_t child = t->children[s->child_first + i];

			if (t->spans[child].flags & SPAN_IS_ERROR)
				next = child;
		}
		if (next == SPAN_NONE)
			break;
		found = span = next;
	}
	return found;
}

static void add_server(const struct search *s, struct retry *r, uint32_t call)
{
	const struct span *spans = s->t->spans;
	uint32_t server = span_server_side(s->t, call);
	int64_t ns;

	if (server == SPAN_NONE)
		return;
	ns = span_duration_ns(&spans[server]);
	if (ns < span_duration_ns(&spans[call]) / SERVER_SHARE ||
	    (r->server != SPAN_NONE && ns <= r->server_ns))
		return;
	r->server = server;
	r->server_ns = ns;
}

static void add_attempt(const struct search *s, struct retry *r, uint32_t span)
{
	uint32_t call = call_of(s->calls, span);
	const struct span *attempt = &s->t->spans[span];

	s->out->members[s->out->member_count++] = span;
	s->out->is_member[span] = true;
	s->out->is_member[call] = true;
	r->count++;
	r->has_succeeded = !call_has_failed(s->calls, span);
	if (!r->has_succeeded) {
		r->error_count++;
		r->error = deepest_error(s->t, span);
	}
	r->pause_ns = sat_add_i64(r->pause_ns,
				  sat_sub_i64(attempt->start_ns, r->end_ns));
	r->end_ns = attempt->end_ns;
	r->through_ns = sat_add_i64(r->through_ns, s->times->through_ns[span]);
	add_server(s, r, call);
}

static void add_retry(struct search *s, const struct sibling_group *g,
		      const uint32_t *list, uint32_t count)
{
	const struct span *spans = s->t->spans;
	int64_t last_start = spans[list[count - 1]].start_ns;
	struct retry *r = &s->out->items[s->out->count++];

	*r = (struct retry){
		.parent = g->parent,
		.call = call_of(s->calls, list[0]),
		.member_first = (uint32_t)s->out->member_count,
		.server = SPAN_NONE,
		.error = SPAN_NONE,
		.start_ns = spans[list[0]].start_ns,
		.end_ns = spans[list[0]].start_ns,
	};
	for (uint32_t i = 0; i < count; i++)
		add_attempt(s, r, list[i]);
	r->lost_ns = sat_sub_i64(r->has_succeeded ? last_start : r->end_ns,
				 r->start_ns);
}

static void search_group(struct search *s, const struct siblings *siblings,
			 const struct sibling_group *g)
{
	const uint32_t *list = siblings->members + g->member_first;
	uint32_t run;

	for (uint32_t i = 0; i < g->count; i += run) {
		for (run = 1; i + run < g->count; run++) {
			if (!is_next_attempt(s, list[i + run - 1],
					     list[i + run]))
				break;
		}
		if (run > 1)
			add_retry(s, g, list + i, run);
	}
}

static int compare_retry(const void *left, const void *right)
{
	const struct retry *a = left;
	const struct retry *b = right;
	int order = compare_i64(b->lost_ns, a->lost_ns);

	return order ? order : compare_i64(a->call, b->call);
}

bool retries_find(const struct calls *c, const struct trace_times *times,
		  const struct siblings *siblings, struct arena *arena,
		  struct retries *out, struct error *err)
{
	uint32_t n = c->t->span_count;
	struct search s = { .calls = c, .t = c->t, .times = times, .out = out };

	*out = (struct retries){ 0 };
	out->items = arena_array(arena, n, sizeof *out->items);
	out->members = arena_array(arena, n, sizeof *out->members);
	out->is_member = arena_array(arena, n, sizeof *out->is_member);
	if (!out->items || !out->members || !out->is_member)
		return arena_fail(arena, "the trace", err);
	for (uint32_t i = 0; i < siblings->count; i++) {
		const struct sibling_group *g = &siblings->groups[i];

		if (g->leaf != SPAN_NONE)
			search_group(&s, siblings, g);
	}
	if (out->count)
		qsort(out->items, out->count, sizeof *out->items,
		      compare_retry);
	return true;
}
