/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/latency.h"
#include "analyze/rank_facts.h"
#include "base/map.h"
#include "base/num.h"
#include "model/result.h"

/* Of what it was, in parts of what it is now, and beside what most functions
 * did. INFINITY where it was not there. */
static double growth_of(double now, double delta, double drift)
{
	double before = now - delta;

	return before > 0 ? now / before / drift - 1 : INFINITY;
}

static double share_of(const struct function_row *row)
{
	if (!row->is_part)
		return row->total;
	return row->measure == RANK_SELF ? row->self : row->self_lib;
}

static struct gate_hit row_growth(const struct function_row *row, double drift)
{
	double now = share_of(row);

	return (struct gate_hit){
		.gate = GATE_FUNCTION,
		.row = row,
		.is_self = row->is_part,
		.growth = growth_of(now, row->delta, drift),
		.low = row->growth_low,
		.high = row->growth_high,
		.q = row->q,
	};
}

struct gate_hit gates_row_growth(const struct function_row *row,
				 const struct result *result)
{
	return row_growth(row, result->rank_facts->drift);
}

/* What is certain of a growth: where no interval is known, all of it. */
static double beyond(const struct gate_hit *hit)
{
	return isnan(hit->low) ? hit->growth : fmin(hit->low, hit->growth);
}

static struct gate_hit total_growth(const struct whole_change *w)
{
	double before = fmax(1e-12, 1 - w->delta);

	return (struct gate_hit){
		.gate = GATE_TOTAL,
		.growth = w->delta / before,
		.low = w->growth_low,
		.high = w->growth_high,
		.q = w->q,
	};
}

_Static_assert(GATES_POWERS == RANK_POWER_SHARES, "a growth each");

/* ---- what is broken ---- */

struct judging {
	struct gates *g;
	const struct result *result;
	double drift;    /* that growth is told beside */
	struct map rows; /* by name, rank - 1 */
};

/* What a row breaks by itself: of the two growths the one that certainly lies
 * beyond the limit. False: none. */
static bool breaks(const struct judging *j, const struct function_row *row,
		   struct gate_hit *hit)
{
	const double *limit = j->g->limits.limit;
	const struct self_change *self = &row->self_change;

	*hit = row_growth(row, j->drift);
	if (row->change == CHANGE_NEW) {
		*hit = (struct gate_hit){ .gate = GATE_NEW,
					  .row = row,
					  .growth = row->total,
					  .low = row->delta_low,
					  .high = row->delta_high,
					  .q = row->q };
		return limit[GATE_NEW] >= 0 && beyond(hit) > limit[GATE_NEW];
	}
	if (limit[GATE_FUNCTION] < 0)
		return false;
	if (row->change == CHANGE_GROWN && !row->is_part &&
	    beyond(hit) > limit[GATE_FUNCTION])
		return true;
	if (!change_is_up(self->change) || !(self->low > limit[GATE_FUNCTION]))
		return false;
	*hit = (struct gate_hit){ .gate = GATE_FUNCTION,
				  .row = row,
				  .is_self = true,
				  .growth = self->growth,
				  .low = self->low,
				  .high = self->high,
				  .q = self->q };
	return true;
}

/* What only passes on the change of another that breaks a limit is told with
 * that one. */
static bool is_told_elsewhere(const struct judging *j,
			      const struct function_row *row)
{
	const struct result *r = j->result;
	struct gate_hit hit;

	for (size_t steps = 0; row->through.ptr && steps < r->function_count;
	     steps++) {
		uint32_t at = map_find(&j->rows, row->through);

		if (at == MAP_NONE)
			return false;
		row = &r->functions[at];
		if (breaks(j, row, &hit))
			return true;
	}
	return false;
}

static void judge_row(struct judging *j, const struct function_row *row)
{
	struct gates *g = j->g;
	struct gate_hit hit;

	if (breaks(j, row, &hit)) {
		if (!is_told_elsewhere(j, row) || hit.is_self)
			g->hits[g->hit_count++] = hit;
		return;
	}
	g->shrunk_count += change_is_down(row->change);
	if (!change_is_up(row->change))
		return;
	g->grown_count++;
	if (!row->through.len &&
	    (!g->largest.row || row->delta > g->largest.row->delta))
		g->largest = row_growth(row, j->drift);
}

/* One pipeline in a hundred whose sum did not grow may be told that it did. */
#define GATES_FALSE_TOTAL 0.01

static void judge_total(struct gates *g, const struct whole_change *w)
{
	double limit = g->limits.limit[GATE_TOTAL];

	g->has_total = !isnan(w->q);
	g->total = total_growth(w);
	g->is_total_certain =
		g->has_total && !g->is_relative && w->q <= GATES_FALSE_TOTAL;
	if (limit >= 0 && g->is_total_certain && !g->limits.is_total_told &&
	    beyond(&g->total) > limit)
		g->hits[g->hit_count++] = g->total;
}

/* The whole first, then by what it costs. */
static int compare_hits(const void *left, const void *right)
{
	const struct gate_hit *a = left, *b = right;
	int order;

	if (!a->row || !b->row)
		return (a->row != NULL) - (b->row != NULL);
	order = compare_f64(b->row->delta, a->row->delta);
	return order ? order : str_compare(a->row->name, b->row->name);
}

static bool judge_rows(struct gates *g, struct result *result,
		       struct error *err)
{
	struct judging j = { .g = g,
			     .result = result,
			     .drift = result->rank_facts->drift };
	uint32_t id;

	map_init(&j.rows, &result->arena);
	g->hits = arena_array(&result->arena, result->function_count + 1,
			      sizeof *g->hits);
	if (!g->hits)
		return arena_fail(&result->arena, "the limits", err);
	for (size_t i = 0; i < result->function_count; i++)
		if (!map_insert(&j.rows, result->functions[i].name, (uint32_t)i,
				&id))
			return arena_fail(&result->arena, "the limits", err);
	judge_total(g, &result->whole);
	for (size_t i = 0; i < result->function_count; i++)
		judge_row(&j, &result->functions[i]);
	qsort(g->hits, g->hit_count, sizeof *g->hits, compare_hits);
	return true;
}

/* ---- what could have been seen ---- */

static void find_power(struct gates *g, const struct rank_facts *f)
{
	double limit = g->limits.limit[GATE_FUNCTION];

	for (size_t i = RANK_POWER_SHARES;
	     i-- > 0 && f->detectable[i] <= limit;)
		g->seen_share = rank_power_shares[i];
	for (size_t i = 0; i < RANK_POWER_SHARES; i++) {
		g->powers[i] = (struct gates_power){ rank_power_shares[i],
						     f->detectable[i] };
		if (rank_power_shares[i] == GATES_BLIND_SHARE)
			g->seen_growth = f->detectable[i];
	}
}

static bool has_few(int64_t samples)
{
	return samples >= 0 && samples < GATES_MIN_SAMPLES;
}

static bool has_limit(const struct gates *g, enum gate_kind gate)
{
	return g->limits.limit[gate] >= 0;
}

static enum gates_lack find_lack(const struct gates *g,
				 const struct result *result)
{
	const struct rank_facts *f = result->rank_facts;
	bool is_blind =
		(has_limit(g, GATE_FUNCTION) &&
		 !(g->seen_growth <= GATES_BLIND)) ||
		(has_limit(g, GATE_TOTAL) && g->has_total && !g->is_relative &&
		 !g->limits.is_total_told && !(result->whole.detectable <= GATES_BLIND));

	if (!result->is_compared)
		return GATES_LACK_SIDE;
	if (f->is_uncountable || !f->is_judged || f->method == DIFF_UNTESTED)
		return GATES_LACK_TEST;
	if (has_few(result->profile.samples) ||
	    has_few(result->baseline.samples))
		return GATES_LACK_SAMPLES;
	return is_blind ? GATES_LACK_POWER : GATES_LACK_NONE;
}

static bool is_relative(const struct result *result)
{
	const struct rank_facts *f = result->rank_facts;

	return f->is_judged && f->has_drift && !f->is_of_runs &&
	       result->normalize == NORMALIZE_RATE;
}

/* More is no advice. */
#define GATES_MOST_RUNS 1000

/* Noise of more runs is smaller by the root of their number. */
static size_t runs_lacking(const struct gates *g, const struct rank_facts *f)
{
	size_t runs = f->slices[0] < f->slices[1] ? f->slices[0] : f->slices[1];
	double ratio = log1p(g->seen_growth) / log1p(GATES_BLIND);
	double lacking;

	runs = runs ? runs : 1;
	lacking = ceil((double)runs * (ratio * ratio - 1));
	return lacking > 0 && lacking <= GATES_MOST_RUNS ? (size_t)lacking : 0;
}

static bool is_nearer(const struct function_row *a,
		      const struct function_row *b)
{
	return !b || a->deviations > b->deviations;
}

static void find_nearest(struct gates *g, const struct result *result)
{
	for (size_t i = 0; i < result->function_count; i++) {
		const struct function_row *row = &result->functions[i];
		size_t at = g->nearest_count;

		if (!(row->delta > 0) || !(row->deviations > 0) ||
		    row->through.len)
			continue;
		while (at && is_nearer(row, g->nearest[at - 1])) {
			if (at < GATES_NEAREST)
				g->nearest[at] = g->nearest[at - 1];
			at--;
		}
		if (at == GATES_NEAREST)
			continue;
		g->nearest[at] = row;
		g->nearest_count += g->nearest_count < GATES_NEAREST;
	}
	g->runs_lacking = runs_lacking(g, result->rank_facts);
}

static void settle(struct gates *g)
{
	g->outcome = g->hit_count ? GATES_BROKEN
		     : g->lack    ? GATES_UNKNOWN
				  : GATES_HELD;
}

void gates_init(struct gates *g, const struct gate_limits *limits)
{
	*g = (struct gates){ .limits = *limits,
			     .seen_share = NAN,
			     .seen_growth = NAN };
}

bool gates_judge(struct gates *g, const struct gate_limits *limits,
		 struct result *result, struct error *err)
{
	gates_init(g, limits);
	g->is_relative = is_relative(result);
	if (!judge_rows(g, result, err))
		return false;
	g->has_power = result->rank_facts->is_judged &&
		       result->rank_facts->method != DIFF_UNTESTED;
	if (g->has_power)
		find_power(g, result->rank_facts);
	g->lack = find_lack(g, result);
	if (g->lack == GATES_LACK_TEST || g->lack == GATES_LACK_SIDE)
		g->hit_count = 0;
	settle(g);
	if (g->outcome == GATES_UNKNOWN && g->lack == GATES_LACK_POWER)
		find_nearest(g, result);
	return true;
}

/* ---- latency ---- */

/* Of the busiest operation a growth by a half has to be seen. */
static enum gates_lack find_latency_lack(const struct latency_row *rows,
					 size_t count)
{
	size_t i = 0;

	while (i < count && rows[i].change == LATENCY_FEW)
		i++;
	if (i == count)
		return GATES_LACK_REQUESTS;
	return rows[i].detectable <= GATES_BLIND ? GATES_LACK_NONE
						 : GATES_LACK_LATENCY;
}

static int compare_growth(const void *left, const void *right)
{
	const struct gate_hit *a = left, *b = right;
	int order = compare_f64(b->growth, a->growth);

	return order ? order
		     : str_compare(a->operation->name, b->operation->name);
}

bool gates_judge_latency(struct gates *g, const struct latency_row *rows,
			 size_t count, bool is_needed, struct arena *arena,
			 struct error *err)
{
	size_t before = g->hit_count;
	struct gate_hit *hits =
		arena_array(arena, before + count + 1, sizeof *hits);

	if (!hits)
		return arena_fail(arena, "the limits", err);
	if (before)
		memcpy(hits, g->hits, before * sizeof *hits);
	g->hits = hits;
	for (size_t i = 0; i < count; i++)
		if (rows[i].change == LATENCY_LONGER &&
		    rows[i].growth > g->limits.limit[GATE_LATENCY])
			hits[g->hit_count++] = (struct gate_hit){
				.gate = GATE_LATENCY,
				.operation = &rows[i],
				.growth = rows[i].growth,
				.low = rows[i].low,
				.high = rows[i].high,
				.q = rows[i].q,
			};
	if (g->hit_count > before)
		qsort(hits + before, g->hit_count - before, sizeof *hits,
		      compare_growth);
	g->latency_lack = find_latency_lack(rows, count);
	if (is_needed && !g->lack)
		g->lack = g->latency_lack;
	settle(g);
	return true;
}
