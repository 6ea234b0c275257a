/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/change_of_time.h"

#include <math.h>

#include "analyze/findings.h"
#include "analyze/typical.h"
#include "base/num.h"

/* An operation as symbols of this trace; TEXT_NONE: does not occur. */
struct wanted {
	uint32_t service;
	uint32_t name;
	uint32_t count; /* spans in the tree */
};

static uint32_t find_operation(const struct time_changes *g,
			       const struct wanted *wanted, uint32_t span)
{
	const struct trace *t = g->calls->t;
	const struct span *s = &t->spans[span];
	uint32_t service = t->resources[s->resource].service;

	for (uint32_t i = 0; i < g->typical->operation_count; i++)
		if (s->name == wanted[i].name &&
		    s->kind == (uint8_t)g->typical->operations[i].kind &&
		    service == wanted[i].service)
			return i;
	return OPERATION_NONE;
}

static void set_known(struct time_changes *g, struct wanted *wanted)
{
	const struct trace *t = g->calls->t;
	const struct typical *u = g->typical;

	for (uint32_t i = 0; i < u->operation_count; i++)
		wanted[i] = (struct wanted){
			symtab_find(&t->symtab, u->operations[i].service),
			symtab_find(&t->symtab, u->operations[i].name), 0
		};
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t found = find_operation(g, wanted, i);

		g->all[i] = found;
		if (found != OPERATION_NONE &&
		    g->times->tree[i] == g->times->root)
			wanted[found].count++;
		if (found != OPERATION_NONE &&
		    typical_is_known(u, &u->items[found]))
			g->known[i] = &u->items[found];
	}
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t n = g->all[i] == OPERATION_NONE
				     ? 0
				     : wanted[g->all[i]].count;

		g->all[i] = n ? n : 1;
	}
}

static int64_t change_clamp(int64_t value, int64_t most)
{
	return max_i64(0, min_i64(value, most));
}

/* Returns the growth of the children on the path: at most their time on it. */
static int64_t change_below(const struct time_changes *g, uint32_t span)
{
	const struct trace *t = g->calls->t;
	const struct span *s = &t->spans[span];
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->child_count; i++) {
		uint32_t child = t->children[s->child_first + i];

		if (g->times->tree[child] == g->times->tree[span])
			sum = sat_add_i64(
				sum, change_clamp(g->span_ns[child],
						  g->times->through_ns[child]));
	}
	return sum;
}

static int64_t own_time(const struct time_changes *g, uint32_t span)
{
	return min_i64(g->times->self_ns[span], g->times->critical_ns[span]);
}

/* Spans that nothing is known of share what the others leave unexplained of
 * the trace's growth; when that is not known either, half of their time is
 * taken for growth. */
#define TIME_CHANGE_UNKNOWN_SHARE 0.5

/* Growth of the trace that known spans do not explain belongs to the others, in
 * proportion to their time. */
static void set_unknown_share(struct time_changes *g)
{
	const struct trace *t = g->calls->t;
	uint32_t root = g->times->root;
	int64_t left = 0, unknown = 0;

	g->unknown_share = TIME_CHANGE_UNKNOWN_SHARE;
	if (!g->known[root])
		return;
	left = change_clamp(g->span_ns[root], g->times->path_ns);
	for (uint32_t i = 0; i < t->span_count; i++) {
		int64_t own = own_time(g, i);

		if (g->times->tree[i] != root)
			continue;
		if (!g->known[i])
			unknown = sat_add_i64(unknown, own);
		else
			left = sat_sub_i64(
				left,
				change_clamp(sat_sub_i64(g->span_ns[i],
							 change_below(g, i)),
					     own));
	}
	g->unknown_share = 0;
	if (left > 0 && unknown > 0)
		g->unknown_share =
			left < unknown ? (double)left / (double)unknown : 1;
}

static void set_span_change(struct time_changes *g)
{
	const struct trace *t = g->calls->t;

	for (uint32_t i = 0; i < t->span_count; i++)
		if (g->known[i])
			g->span_ns[i] = sat_sub_i64(
				span_duration_ns(&t->spans[i]),
				typical_duration(g->typical, g->known[i], 1,
						 g->all[i]));
	set_unknown_share(g);
	for (uint32_t i = 0; i < t->span_count; i++)
		if (!g->known[i])
			g->span_ns[i] =
				sat_from_f64((double)g->times->through_ns[i] *
					     g->unknown_share);
}

static bool is_part_of_path(const struct time_changes *g, int64_t change_ns,
			    int64_t percent)
{
	return change_ns > 0 && sat_mul_i64(change_ns, 100) >=
					sat_mul_i64(g->times->path_ns, percent);
}

/* Returns whether the typical self time of the candidate's calls is known: that
 * of single calls is not valid for more calls than typical. */
static bool has_typical_self(const struct time_changes *g,
			     const struct candidate *c)
{
	const struct typical_operation *o = g->known[c->span];

	return o && !typical_is_new(g->typical, o) &&
	       o->own_count >= TYPICAL_MIN && g->all[c->span] <= o->calls_p90;
}

#define TIME_CHANGE_MANIFOLD_PERCENT 5

#define TIME_CHANGE_MANIFOLD_SPANS 20u

/* A large factor of the typical self time, and longer for most requests of the
 * slow window, is significant even if it is less than a tenth of a mostly idle
 * path (a session that waits for its client, a poller between two polls). Needs
 * as many spans as a 90th percentile; below a twentieth of the path it is
 * negligible. */
#define TIME_CHANGE_MANIFOLD_RATIO 10.0

static bool is_manifold(const struct time_changes *g, const struct candidate *c,
			int64_t change_ns)
{
	const struct typical_operation *o = g->known[c->span];
	int64_t own_ns = min_i64(c->self_ns, c->critical_ns);
	double typical;

	if (!has_typical_self(g, c) || !o->has_own_moved ||
	    o->own_count < TIME_CHANGE_MANIFOLD_SPANS)
		return false;
	typical = (double)sat_mul_i64(o->own_p50_ns, c->count);
	return (double)own_ns >= TIME_CHANGE_MANIFOLD_RATIO * typical &&
	       is_part_of_path(g, change_ns, TIME_CHANGE_MANIFOLD_PERCENT);
}

/* Returns whether the time between a call and its server side grew beyond the
 * typical one, and the server side's self time did not: by less than half as
 * much. */
static bool is_gap(const struct time_changes *g,
		   const struct candidates *candidates,
		   const struct candidate *c, int64_t grown_ns)
{
	const struct trace *t = g->calls->t;
	int64_t served_ns = 0;

	if (!has_typical_self(g, c) || !g->known[c->span]->is_gap)
		return false;
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t server = span_server_side(
			t, candidates->members[c->member_first + i]);
		int64_t change_ns;

		if (server == SPAN_NONE)
			continue;
		change_ns = sat_sub_i64(g->span_ns[server],
					change_below(g, server));
		served_ns = sat_add_i64(
			served_ns,
			change_clamp(change_ns, own_time(g, server)));
	}
	return grown_ns > 0 && served_ns <= grown_ns / 2;
}

static void fill_known(const struct time_changes *g, const struct candidate *c,
		       int64_t own_ns, struct time_change *out)
{
	const struct typical_operation *o = g->known[c->span];

	out->is_known = true;
	out->is_new = typical_is_new(g->typical, o);
	out->typical_count =
		out->is_new ? g->typical->trace_count : o->trace_count;
	out->called_count =
		o->share > 0 ? (uint32_t)lround(o->share * out->typical_count)
			     : 0;
	out->calls = out->is_new ? 0 : o->calls_p50;
	if (!out->is_new)
		out->typical_ns = typical_duration(g->typical, o, c->count,
						   g->all[c->span]);
	/* Beyond scatter as a whole, or by its own time. */
	out->is_longer =
		out->is_new ||
		(c->duration_ns > typical_long_duration(g->typical, o, c->count,
							g->all[c->span]) &&
		 (double)c->duration_ns >=
			 TIME_CHANGE_RATIO * (double)out->typical_ns);
	if (has_typical_self(g, c) &&
	    own_ns > sat_mul_i64(o->own_p90_ns, c->count))
		out->is_longer |=
			o->has_own_moved ||
			(double)own_ns >=
				TIME_CHANGE_RATIO *
					(double)sat_mul_i64(o->own_p50_ns,
							    c->count);
	out->is_alone = o->is_own_compared && !o->has_own_moved;
}

static void time_changes_fill(const struct time_changes *g,
			      const struct candidates *candidates, size_t index,
			      struct time_change *out)
{
	const struct candidate *c = &candidates->items[index];
	int64_t own = 0, below = 0, total = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t span = candidates->members[c->member_first + i];

		own = sat_add_i64(own, own_time(g, span));
		below = sat_add_i64(below, change_below(g, span));
		total = sat_add_i64(total, g->span_ns[span]);
	}
	*out = (struct time_change){
		.own_ns = change_clamp(sat_sub_i64(total, below), own),
		.total_ns = max_i64(total, 0),
		.typical_ns = -1,
	};
	if (!g->known[c->span])
		out->own_ns = sat_from_f64((double)own * g->unknown_share);
	else if (has_typical_self(g, c))
		out->own_ns = change_clamp(
			sat_sub_i64(own,
				    sat_mul_i64(g->known[c->span]->own_p50_ns,
						c->count)),
			own);
	out->grown_ns = out->own_ns;
	out->is_gap = is_gap(g, candidates, c, out->grown_ns);
	if (!out->is_gap && span_server_side(g->calls->t, c->span) != SPAN_NONE)
		out->own_ns /= 2;
	if (g->known[c->span])
		fill_known(g, c, own, out);
}

/* SIZE_MAX: nothing is known of it. */
static size_t operation_of(const struct time_changes *g,
			   const struct candidate *c)
{
	const struct typical_operation *o = g->known[c->span];

	return o ? (size_t)(o - g->typical->items) : SIZE_MAX;
}

/* Ten calls from ten places that each grew by a little are one finding: the
 * threshold applies to the total growth of an operation. */
static bool time_changes_judge(struct time_changes *g,
			       const struct candidates *candidates,
			       struct arena *arena, struct error *err)
{
	int64_t *sums = arena_array(arena, g->typical->operation_count,
				    sizeof *sums);

	if (!sums)
		return arena_fail(arena, "the trace", err);
	for (size_t i = 0; i < g->count; i++) {
		size_t o = operation_of(g, &candidates->items[i]);

		if (o != SIZE_MAX && g->items[i].is_longer)
			sums[o] = sat_add_i64(sums[o], g->items[i].own_ns);
	}
	for (size_t i = 0; i < g->count; i++) {
		const struct candidate *c = &candidates->items[i];
		struct time_change *item = &g->items[i];
		size_t o = operation_of(g, c);

		if (o == SIZE_MAX || !item->is_longer)
			continue;
		item->is_manifold = is_manifold(g, c, sums[o]);
		item->is_grown =
			is_part_of_path(g, sums[o], TIME_CHANGE_PATH_PERCENT) ||
			item->is_manifold;
	}
	return true;
}

bool time_changes_find(const struct calls *c, const struct trace_times *times,
		       const struct typical *typical,
		       const struct candidates *candidates, struct arena *arena,
		       struct time_changes *out, struct error *err)
{
	size_t n = c->t->span_count;
	struct wanted *wanted =
		arena_array(arena, typical->operation_count, sizeof *wanted);

	*out = (struct time_changes){ .calls = c,
				      .times = times,
				      .typical = typical,
				      .count = candidates->count };
	out->known = arena_array(arena, n, sizeof(void *));
	out->all = arena_array(arena, n, sizeof *out->all);
	out->span_ns = arena_array(arena, n, sizeof *out->span_ns);
	out->items = arena_array(arena, candidates->count, sizeof *out->items);
	if (!wanted || !out->known || !out->all || !out->span_ns || !out->items)
		return arena_fail(arena, "the trace", err);
	set_known(out, wanted);
	set_span_change(out);
	for (size_t i = 0; i < candidates->count; i++)
		time_changes_fill(out, candidates, i, &out->items[i]);
	return time_changes_judge(out, candidates, arena, err);
}

/* ---- the choice ---- */

struct entries {
	uint32_t *entry;   /* by span: first span of its process */
	size_t *candidate; /* by span: SIZE_MAX not a candidate */
	int64_t *code_ns;  /* by candidate: growth of the process' code */
	bool *has_grown;   /* by candidate: one of that code did */
	int64_t *weight;   /* by candidate: what of it counts */
	int64_t *all_ns;   /* by candidate: code_ns of its whole operation */
};

/* Code of the process, not a call that it waits for. */
static bool is_code(const struct time_changes *g, uint32_t span)
{
	uint8_t kind = g->calls->t->spans[span].kind;

	return kind != SPAN_KIND_CLIENT && kind != SPAN_KIND_PRODUCER &&
	       g->calls->kind[span] == CALL_NONE &&
	       calls_set_up(g->calls, span) == SPAN_NONE;
}

/* The way up is walked twice, then remembered: linear in all. */
static void set_entry(const struct trace *t, uint32_t *entry, uint32_t span)
{
	uint32_t top = span;

	while (entry[top] == SPAN_NONE) {
		uint32_t parent = t->spans[top].parent;

		if (parent == SPAN_NONE ||
		    t->spans[parent].resource != t->spans[top].resource)
			break;
		top = parent;
	}
	if (entry[top] != SPAN_NONE)
		top = entry[top];
	while (entry[span] == SPAN_NONE) {
		entry[span] = top;
		if (span == top)
			break;
		span = t->spans[span].parent;
	}
}

static bool entries_init(struct entries *e, const struct time_changes *g,
			 const struct candidates *candidates,
			 struct arena *arena, struct error *err)
{
	const struct trace *t = g->calls->t;

	e->entry = arena_array(arena, t->span_count, sizeof *e->entry);
	e->candidate = arena_array(arena, t->span_count, sizeof *e->candidate);
	e->code_ns = arena_array(arena, g->count, sizeof *e->code_ns);
	e->has_grown = arena_array(arena, g->count, sizeof *e->has_grown);
	e->weight = arena_array(arena, g->count, sizeof *e->weight);
	e->all_ns = arena_array(arena, g->count, sizeof *e->all_ns);
	if (!e->entry || !e->candidate || !e->code_ns || !e->has_grown ||
	    !e->weight || !e->all_ns)
		return arena_fail(arena, "the trace", err);
	for (uint32_t i = 0; i < t->span_count; i++) {
		e->entry[i] = SPAN_NONE;
		e->candidate[i] = SIZE_MAX;
	}
	for (uint32_t i = 0; i < t->span_count; i++)
		set_entry(t, e->entry, i);
	for (size_t i = 0; i < g->count; i++) {
		const struct candidate *c = &candidates->items[i];

		for (uint32_t j = 0; j < c->count; j++)
			e->candidate[candidates->members[c->member_first + j]] =
				i;
	}
	return true;
}

/* The candidate at whose entry span a candidate's growth counts: itself for a
 * call and where the entry span is no candidate. */
static size_t counted_at(const struct time_changes *g, const struct entries *e,
			 uint32_t span, size_t own)
{
	size_t entry = e->candidate[e->entry[span]];

	return is_code(g, span) && is_code(g, e->entry[span]) &&
			       entry != SIZE_MAX
		       ? entry
		       : own;
}

static void sum_code(const struct time_changes *g, struct entries *e,
		     const struct candidates *candidates)
{
	for (size_t i = 0; i < g->count; i++) {
		uint32_t span = candidates->items[i].span;
		size_t at = counted_at(g, e, span, i);

		e->code_ns[at] =
			sat_add_i64(e->code_ns[at], g->items[i].own_ns);
		e->has_grown[at] |= g->items[i].is_grown;
		e->weight[at] = sat_add_i64(e->weight[at],
					    g->items[i].is_alone
						    ? g->items[i].own_ns / 2
						    : g->items[i].own_ns);
	}
}

/* A service's own code is one candidate, at its entry span; a span inside
 * that holds this part of the growth is named instead. What an entry span
 * that took hardly longer seems to have grown by is scatter, and no part of
 * it. */
#define TIME_CHANGE_INNER_PERCENT 80

/* The span inside that holds nearly all that its process grew by. */
static void find_inner(const struct time_changes *g, const struct entries *e,
		       const struct candidates *candidates,
		       struct change_choice *out)
{
	size_t entry = out->best;
	const struct time_change *item = &g->items[entry];
	int64_t scatter_ns =
		item->is_longer || !item->is_known ? 0 : item->own_ns;
	int64_t code_ns = sat_sub_i64(e->code_ns[entry], scatter_ns);
	bool is_scatter = code_ns < e->code_ns[entry];

	for (size_t i = 0; i < g->count; i++) {
		if (counted_at(g, e, candidates->items[i].span, i) != entry ||
		    (is_scatter && i == entry) ||
		    sat_mul_i64(g->items[i].own_ns, 100) <
			    sat_mul_i64(code_ns, TIME_CHANGE_INNER_PERCENT))
			continue;
		out->best = i;
		if (i != entry)
			out->change_ns = code_ns;
		return;
	}
}

static bool has_grown(const struct time_changes *g, const struct entries *e,
		      size_t index)
{
	return e->has_grown[index] ||
	       (g->items[index].is_longer &&
		is_part_of_path(g, e->code_ns[index],
				TIME_CHANGE_PATH_PERCENT));
}

/* From ten places, of ten entries: see time_changes_judge(). */
static bool join_operations(const struct time_changes *g, struct entries *e,
			    const struct candidates *candidates,
			    struct arena *arena, struct error *err)
{
	size_t count = g->typical->operation_count;
	int64_t *all = arena_array(arena, count, sizeof *all);
	int64_t *weight = arena_array(arena, count, sizeof *weight);

	if (!all || !weight)
		return arena_fail(arena, "the trace", err);
	for (size_t i = 0; i < g->count; i++) {
		size_t o = operation_of(g, &candidates->items[i]);

		if (o == SIZE_MAX || !has_grown(g, e, i))
			continue;
		all[o] = sat_add_i64(all[o], e->code_ns[i]);
		weight[o] = sat_add_i64(weight[o], e->weight[i]);
	}
	for (size_t i = 0; i < g->count; i++) {
		size_t o = operation_of(g, &candidates->items[i]);
		bool is_joined = o != SIZE_MAX && has_grown(g, e, i);

		e->all_ns[i] = is_joined ? all[o] : e->code_ns[i];
		if (is_joined)
			e->weight[i] = weight[o];
	}
	return true;
}

static bool is_more(const struct entries *e, size_t index, size_t than)
{
	return e->code_ns[index] > 0 &&
	       (than == SIZE_MAX || e->weight[index] > e->weight[than]);
}

/* Candidates come by their time on the path: of equal growth the first. */
static void find_best(const struct time_changes *g, const struct entries *e,
		      const struct candidates *candidates,
		      struct change_choice *out)
{
	bool is_any_grown = false;
	size_t next = SIZE_MAX, of_best;

	for (size_t i = 0; i < g->count; i++) {
		is_any_grown |= has_grown(g, e, i);
		if ((has_grown(g, e, i) || !g->items[i].is_known) &&
		    is_more(e, i, out->best))
			out->best = i;
	}
	if (!is_any_grown)
		out->best = SIZE_MAX;
	if (out->best == SIZE_MAX)
		return;
	of_best = operation_of(g, &candidates->items[out->best]);
	for (size_t i = 0; i < g->count; i++) {
		size_t o = operation_of(g, &candidates->items[i]);

		if (i != out->best && (o == SIZE_MAX || o != of_best) &&
		    is_more(e, i, next))
			next = i;
	}
	out->change_ns = e->code_ns[out->best];
	out->others_ns = sat_sub_i64(e->all_ns[out->best], out->change_ns);
	out->next_ns = next == SIZE_MAX ? 0 : e->all_ns[next];
}

bool time_changes_choose(const struct time_changes *g,
			 const struct candidates *candidates,
			 struct arena *arena, struct change_choice *out,
			 struct error *err)
{
	uint32_t root = g->times->root;
	struct entries e;

	*out = (struct change_choice){ .best = SIZE_MAX };
	if (g->known[root])
		out->trace_ns =
			change_clamp(g->span_ns[root], g->times->path_ns);
	if (!entries_init(&e, g, candidates, arena, err))
		return false;
	sum_code(g, &e, candidates);
	if (!join_operations(g, &e, candidates, arena, err))
		return false;
	find_best(g, &e, candidates, out);
	if (out->best != SIZE_MAX)
		find_inner(g, &e, candidates, out);
	return true;
}

/* Returns the operation of the call, or of its server side if the caller's own
 * span has no typical values: there are as many of both. */
static uint32_t known_side(const struct time_changes *g, uint32_t leaf)
{
	uint32_t server = span_server_side(g->calls->t, leaf);

	return !g->known[leaf] && server != SPAN_NONE && g->known[server]
		       ? server
		       : leaf;
}

/* Mean duration of that side's spans. */
static double mean_duration(const struct time_changes *g,
			    const struct repeats *repeats,
			    const struct repeat *loop, bool is_server)
{
	const struct trace *t = g->calls->t;
	const uint32_t *members = repeats->members + loop->member_first;
	int64_t sum = 0;

	for (uint32_t i = 0; i < loop->count; i++) {
		uint32_t call = calls_inside(g->calls, members[i]);
		uint32_t server;

		call = call == SPAN_NONE ? members[i] : call;
		server = is_server ? span_server_side(t, call) : call;
		if (server != SPAN_NONE)
			sum = sat_add_i64(sum,
					  span_duration_ns(&t->spans[server]));
	}
	return (double)sum / loop->count;
}

bool time_changes_is_by_number(const struct time_changes *g,
			       const struct repeats *repeats,
			       const struct repeat *loop)
{
	uint32_t side = known_side(g, loop->leaf);
	const struct typical_operation *o = g->known[side];
	double number, each;

	if (!o || typical_has_calls(g->typical, o, g->all[side]))
		return false;
	if (typical_is_new(g->typical, o) || !o->calls_p50 ||
	    o->span_p50_ns <= 0)
		return true;
	number = (double)g->all[side] / o->calls_p50;
	each = mean_duration(g, repeats, loop, side != loop->leaf) /
	       (double)o->span_p50_ns;
	return number >= each;
}

int64_t time_changes_of_loop(const struct time_changes *g,
			     const struct repeats *repeats,
			     const struct repeat *loop)
{
	int64_t sum = 0;

	if (g->known[known_side(g, loop->leaf)] &&
	    !time_changes_is_by_number(g, repeats, loop))
		return 0;
	for (uint32_t i = 0; i < loop->count; i++)
		sum = sat_add_i64(
			sum,
			g->span_ns[repeats->members[loop->member_first + i]]);
	return change_clamp(sum, loop->through_ns);
}
