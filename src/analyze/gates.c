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

/* A baseline value is computed as a difference: smaller ones are rounding
 * errors. */
#define GATES_NOTHING 1e-9

/* Returns the significant part of a growth; all of it if no interval is
 * known. */
static double hit_certain(const struct gate_hit *hit)
{
	return isnan(hit->low) ? hit->growth : fmin(hit->low, hit->growth);
}

static struct gate_hit row_growth(const struct function_row *row, double drift)
{
	double now = !row->is_part		? row->total
		     : row->measure == RANK_SELF ? row->self
						 : row->self_lib;
	double before = now - row->delta;
	struct gate_hit hit = { .gate = GATE_FUNCTION,
				.row = row,
				.is_self = row->is_part,
				.growth = INFINITY,
				.low = NAN,
				.high = NAN,
				.q = row->q };

	if (before > GATES_NOTHING) {
		hit.growth = fmax(-1, row->delta / before);
		hit.low = row->growth_low;
		hit.high = row->growth_high;
	}
	hit.beside = (1 + hit.growth) / drift - 1;
	if (!isnan(hit.low))
		hit.beside = fmin(hit.beside, row->beside_low);
	return hit;
}

/* Returns the growth of a function's self time, which is relative to the
 * others. */
static struct gate_hit self_growth(const struct function_row *row, double drift)
{
	const struct self_change *self = &row->self_change;

	return (struct gate_hit){ .gate = GATE_FUNCTION,
				  .row = row,
				  .is_self = true,
				  .growth = (1 + self->growth) * drift - 1,
				  .low = self->low,
				  .high = self->high,
				  .q = self->q,
				  .beside = self->beside_low };
}

struct gate_hit gates_row_growth(const struct function_row *row,
				 const struct result *result)
{
	return row_growth(row, result->rank_facts->drift);
}

_Static_assert(GATES_POWERS == RANK_POWER_SHARES, "a growth each");

/* ---- what is broken ---- */

struct judging {
	struct gates *g;
	const struct result *result;
	double drift;    /* that growth is told beside */
	struct map rows; /* by name, rank - 1 */
};

/* Beyond its limit beside the others, and by its own samples: where those did not
 * grow, it is the others that shrank. */
static bool is_beyond(const struct judging *j, const struct gate_hit *hit)
{
	return hit->beside > j->g->limits.limit[hit->gate] &&
	       (j->g->is_relative || hit->gate == GATE_NEW ||
		(1 + hit->beside) * j->drift > 1);
}

/* Finds the limit that a row itself breaks, by the growth that is significantly
 * beyond it. Returns false if none. */
static bool row_breaks(const struct judging *j, const struct function_row *row,
		       struct gate_hit *hit)
{
	if (row->change == CHANGE_NEW) {
		*hit = (struct gate_hit){ .gate = GATE_NEW,
					  .row = row,
					  .growth = row->total,
					  .low = row->delta_low,
					  .high = row->delta_high,
					  .q = row->q };
		hit->beside = hit_certain(hit);
		return gates_has(j->g, GATE_NEW) && is_beyond(j, hit);
	}
	*hit = row_growth(row, j->drift);
	if (!gates_has(j->g, GATE_FUNCTION))
		return false;
	if (row->change == CHANGE_GROWN && !row->is_part && is_beyond(j, hit))
		return true;
	if (!change_is_up(row->self_change.change))
		return false;
	*hit = self_growth(row, j->drift);
	return is_beyond(j, hit);
}

/* Returns whether a row only passes on the change of another that breaks a
 * limit and is reported instead. */
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
		if (row_breaks(j, row, &hit))
			return true;
	}
	return false;
}

/* Self time with at least this part of the total's growth is reported with the
 * total. */
#define GATES_SELF_PART 0.1

/* Judges a row that breaks a limit, unless it is reported elsewhere: growth of
 * self time is always its own. */
static void judge_broken(struct judging *j, const struct function_row *row,
			 struct gate_hit hit)
{
	const struct self_change *self = &row->self_change;
	struct gates *g = j->g;

	if (!hit.is_self && is_told_elsewhere(j, row)) {
		double grown = row->self - row->self / (1 + self->growth);

		if (!change_is_up(self->change) || row->is_asked ||
		    !isfinite(self->growth) ||
		    !(grown >= GATES_SELF_PART * row->delta))
			return;
		hit = self_growth(row, j->drift);
		if (!is_beyond(j, &hit))
			return;
	}
	g->hits[g->hit_count++] = hit;
}

static void judge_row(struct judging *j, const struct function_row *row)
{
	struct gates *g = j->g;
	struct gate_hit hit, own;

	if (row_breaks(j, row, &hit)) {
		judge_broken(j, row, hit);
		return;
	}
	own = row_growth(row, j->drift);
	/* The one that moved most beside the others is told of those that may
	 * only have held while the others shrank. */
	if (gates_has(g, GATE_FUNCTION) && row->change == CHANGE_GROWN &&
	    g->limits.is_total_open &&
	    own.beside > g->limits.limit[GATE_FUNCTION] && !row->through.len &&
	    (!g->beside || row->delta > g->beside->delta))
		g->beside = row;
	g->shrunk_count += change_is_down(row->change);
	if (!change_is_up(row->change) || !(own.growth > 0))
		return;
	g->grown_count++;
	if (!row->through.len &&
	    (!g->largest.row || row->delta > g->largest.row->delta))
		g->largest = own;
}

/* One pipeline in a hundred whose sum did not grow may be told that it did. */
#define GATES_FALSE_TOTAL 0.01

static void judge_total(struct gates *g, const struct result *result)
{
	const struct whole_change *w = &result->whole;
	double *limit = &g->limits.limit[GATE_TOTAL];
	bool is_judged = result->normalize != NORMALIZE_SHARE && !g->is_relative;

	g->has_total = !isnan(w->q);
	g->total = (struct gate_hit){
		.gate = GATE_TOTAL,
		.growth = w->delta / fmax(1e-12, 1 - w->delta),
		.low = w->growth_low,
		.high = w->growth_high,
		.q = w->q,
	};
	g->is_total_certain =
		g->has_total && !g->is_relative && w->q <= GATES_FALSE_TOTAL;
	if (!is_judged && g->limits.is_total_open)
		*limit = -1;
	if (*limit < 0)
		return;
	if (!is_judged)
		g->lacks[GATE_TOTAL] = GATES_LACK_TRAFFIC;
	else if (!g->is_total_certain || !(hit_certain(&g->total) > *limit))
		return;
	else if (g->limits.is_total_open)
		g->lacks[GATE_TOTAL] = GATES_LACK_WHOLE;
	else
		g->hits[g->hit_count++] = g->total;
}

/* Code that depends on the machine: a host that is starved or busy changes
 * dozens of such functions at once. */
bool gate_hit_is_of_machine(const struct gate_hit *hit)
{
	enum code_kind kind;

	return hit->row && hit->row->kind &&
	       code_kind_parse(str_from(hit->row->kind), &kind) &&
	       (kind == CODE_RUNTIME || kind == CODE_KERNEL ||
		kind == CODE_GC_ALLOC || kind == CODE_IDLE);
}

/* The whole first, then code by what it costs, then what follows the machine. */
static int compare_hits(const void *left, const void *right)
{
	const struct gate_hit *a = left, *b = right;
	int order;

	if (!a->row || !b->row)
		return (a->row != NULL) - (b->row != NULL);
	order = gate_hit_is_of_machine(a) - gate_hit_is_of_machine(b);
	order = order ? order : compare_f64(b->row->delta, a->row->delta);
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
	judge_total(g, result);
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

/* Finds the lack of data common to all limits of profiles. */
static enum gates_lack find_common_lack(const struct result *result)
{
	const struct rank_facts *f = result->rank_facts;

	if (!result->is_compared)
		return GATES_LACK_SIDE;
	if (f->is_uncountable || !f->is_judged || f->method == DIFF_UNTESTED)
		return GATES_LACK_TEST;
	if (f->is_split)
		return GATES_LACK_SPLIT;
	return has_few(result->profile.samples) ||
			       has_few(result->baseline.samples)
		       ? GATES_LACK_SAMPLES
		       : GATES_LACK_NONE;
}

/* Where hardly a growth of functions would have been seen, new ones are no
 * better known. */
static void find_lacks(struct gates *g, const struct result *result)
{
	enum gates_lack all = find_common_lack(result);
	enum gates_lack functions = all;

	if (!all && gates_has(g, GATE_FUNCTION))
		functions = !(g->seen_growth <= GATES_BLIND) ? GATES_LACK_POWER
			    : g->beside ? GATES_LACK_BESIDE
					: GATES_LACK_NONE;
	g->lacks[GATE_FUNCTION] = functions;
	g->lacks[GATE_NEW] =
		functions == GATES_LACK_BESIDE ? GATES_LACK_NONE : functions;
	if (all)
		g->lacks[GATE_TOTAL] = all;
	else if (!g->lacks[GATE_TOTAL] && g->has_total &&
		 !(result->whole.detectable <= GATES_BLIND))
		g->lacks[GATE_TOTAL] = GATES_LACK_POWER;
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

static void find_nearest(struct gates *g, const struct result *result)
{
	for (size_t i = 0; i < result->function_count; i++) {
		const struct function_row *row = &result->functions[i];
		size_t at = g->nearest_count;

		if (!(row->delta > 0) || !(row->deviations > 0) ||
		    row->through.len)
			continue;
		while (at && row->deviations > g->nearest[at - 1]->deviations) {
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

static void gates_settle(struct gates *g)
{
	static const enum gate_kind order[] = { GATE_FUNCTION, GATE_NEW,
						GATE_TOTAL, GATE_LATENCY };
	bool is_broken[GATE_COUNT] = { false };
	size_t first = 0;

	for (size_t i = 0; i < g->hit_count; i++)
		is_broken[g->hits[i].gate] = true;
	for (int k = 0; k < GATE_COUNT; k++)
		if (!gates_has(g, (enum gate_kind)k) || is_broken[k])
			g->lacks[k] = GATES_LACK_NONE;
	/* Only one is reported: growth of the total is more informative than a
	 * lack of power. */
	while (first + 1 < COUNT_OF(order) && !g->lacks[order[first]])
		first++;
	g->lacking = g->lacks[GATE_TOTAL] == GATES_LACK_WHOLE ? GATE_TOTAL
							      : order[first];
	g->outcome = g->hit_count    ? GATES_BROKEN
		     : gates_lack(g) ? GATES_UNKNOWN
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
	const struct rank_facts *f = result->rank_facts;

	gates_init(g, limits);
	g->is_relative = f->is_relative;
	g->common = f->drift > 0 ? f->drift - 1 : 0;
	g->other_common = f->other_drift - 1;
	if (!judge_rows(g, result, err))
		return false;
	g->has_power = f->is_judged && f->method != DIFF_UNTESTED;
	if (g->has_power)
		find_power(g, f);
	find_lacks(g, result);
	if (!result->is_compared || !g->has_power || f->is_uncountable || f->is_split)
		g->hit_count = 0;
	gates_settle(g);
	if (g->outcome == GATES_UNKNOWN &&
	    g->lacks[GATE_FUNCTION] == GATES_LACK_POWER)
		find_nearest(g, result);
	return true;
}

bool gates_lack_data(const struct gates *g)
{
	for (int k = 0; k < GATE_COUNT; k++)
		if (g->lacks[k] >= GATES_LACK_WHOLE)
			return false;
	return true;
}

/* ---- latency ---- */

static int compare_growth(const void *left, const void *right)
{
	const struct gate_hit *a = left, *b = right;
	int order = compare_f64(b->growth, a->growth);

	return order ? order
		     : str_compare(a->operation->name, b->operation->name);
}

bool gates_judge_latency(struct gates *g, const struct latency_row *rows,
			 size_t count, struct arena *arena, struct error *err)
{
	size_t before = g->hit_count, busiest = 0;
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
				.beside = rows[i].growth,
			};
	if (g->hit_count > before)
		qsort(hits + before, g->hit_count - before, sizeof *hits,
		      compare_growth);
	while (busiest < count && rows[busiest].change == LATENCY_FEW)
		busiest++;
	/* For the busiest operation a growth by half must be detectable. */
	g->lacks[GATE_LATENCY] =
		busiest == count ? GATES_LACK_REQUESTS
		: rows[busiest].detectable <= GATES_BLIND
			? GATES_LACK_NONE
			: GATES_LACK_LATENCY;
	gates_settle(g);
	return true;
}

void gates_miss_latency(struct gates *g)
{
	g->lacks[GATE_LATENCY] = GATES_LACK_ANSWER;
	gates_settle(g);
}
