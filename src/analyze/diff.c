/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/diff_noise.h"
#include "analyze/drift.h"
#include "base/num.h"
#include "base/thread.h"

/* Sampling of time below this is no sampling: mutex delays carry a period of
 * 1 ns, which is no sample. */
#define MIN_PERIOD_NS 100000.0

int64_t side_value(const struct side_values *v, enum rank_by by)
{
	switch (by) {
	case RANK_SELF:
		return v->self;
	case RANK_TOTAL:
	case RANK_DELTA:
		return v->total;
	case RANK_SELF_LIB:
		break;
	}
	return v->self_lib;
}

double side_share(const struct profile *p, int64_t value)
{
	if (!p || p->whole_total <= 0)
		return 0;
	return fmin(1, fmax(0, (double)value / (double)p->whole_total));
}

/* Bytes allocated, not bytes in use: those are no sum of samples. */
static bool is_allocation(const struct profile *p)
{
	return str_equal(profile_unit(p), STR("bytes")) &&
	       str_starts(profile_type_name(p), STR("alloc"));
}

double profile_sample_value(const struct profile *p)
{
	struct str type = profile_type_name(p);
	double ns = (double)time_unit_ns(profile_unit(p));

	if (p->is_gauge || str_equal(type, STR("delay")))
		return 0;
	if (ns > 0)
		return (double)p->period * ns >= MIN_PERIOD_NS
			       ? (double)p->period
			       : 0;
	if (is_allocation(p))
		return fmax(DIFF_ALLOC_SAMPLE_BYTES, (double)p->period);
	return str_equal(type, STR("samples")) && p->sample_count >= 0 ? 1 : 0;
}

/* Weights called samples that are too large to be counts, as folded stacks of
 * nanoseconds have them? */
static bool is_weighted(const struct profile *p)
{
	return str_equal(profile_type_name(p), STR("samples")) &&
	       p->sample_count < 0;
}

/* What all values of both sides are multiples of. A sample stands for no more,
 * so that there are at least as many; more of them would only be surer. */
static double common_step(const struct profile *const p[SIDE_COUNT])
{
	uint64_t slow = (uint64_t)profile_divisor(p[SIDE_SLOW]);

	return (double)gcd_u64(slow,
			       (uint64_t)profile_divisor(p[SIDE_BASELINE]));
}

/* All values whole multiples of what the other side's samples count? */
static bool is_sampled_with(const struct profile *p, double value)
{
	int64_t step = (int64_t)value;

	if (step <= 0 || time_unit_ns(profile_unit(p)) == 0 || p->is_gauge ||
	    str_equal(profile_type_name(p), STR("delay")))
		return false;
	return profile_divisor(p) % step == 0;
}

bool diff_sample_values(const struct profile *slow,
			const struct profile *baseline,
			double values[SIDE_COUNT])
{
	const struct profile *p[] = { slow, baseline };

	for (int s = 0; s < SIDE_COUNT; s++)
		values[s] = profile_sample_value(p[s]);
	if (is_weighted(slow) && is_weighted(baseline))
		values[SIDE_SLOW] = values[SIDE_BASELINE] = common_step(p);
	for (int s = 0; s < SIDE_COUNT; s++)
		if (values[s] <= 0 && values[!s] > 0 &&
		    is_sampled_with(p[s], values[!s]))
			values[s] = values[!s];
	/* Zero samples are zero samples of any size. */
	for (int s = 0; s < SIDE_COUNT; s++)
		if (p[s]->total == 0)
			values[s] = values[!s];
	return (values[SIDE_SLOW] > 0) == (values[SIDE_BASELINE] > 0);
}

/* ---- counts ---- */

bool diff_is_rate(const struct diff *d)
{
	return d->want->normalize != NORMALIZE_SHARE;
}

double diff_samples(const struct diff *d, enum side s, int64_t value)
{
	double samples = (double)value / d->period[s];

	return fmax(0, d->all.is_continuous ? samples : round(samples));
}

static double total_of(const struct diff *d, enum side s)
{
	return (double)d->t->sides[s].profile->whole_total;
}

static double slices_df(const struct slice_values *slices)
{
	double df = 0;

	for (int s = 0; slices && s < SIDE_COUNT; s++)
		if (slices->sides[s].count)
			df += (double)slices->sides[s].count - 1;
	return df;
}

static enum diff_method choose_method(const struct diff *d, bool is_counted)
{
	const struct profile *slow = d->t->sides[SIDE_SLOW].profile;
	const struct profile *base = d->t->sides[SIDE_BASELINE].profile;

	if (d->df >= DIFF_MIN_SLICE_DF) {
		if (is_counted)
			return DIFF_SLICES;
		/* Snapshots follow each other too closely to count as many. */
		if (!slow->is_gauge && !base->is_gauge)
			return DIFF_SLICE_VALUES;
	}
	return is_counted ? DIFF_ASSUMED : DIFF_UNTESTED;
}

bool diff_is_by_slices(const struct diff *d)
{
	return d->method == DIFF_SLICES || d->method == DIFF_SLICE_VALUES;
}

bool diff_is_narrow(const struct diff *d)
{
	return d->method == DIFF_SLICES && d->want->is_small_told;
}

bool diff_has_turns(const struct diff *d)
{
	return diff_is_narrow(d) && d->want->is_interleaved;
}

/* Samples of twice the period are half as many for the same work: the
 * exposure of rates is counted in samples that would take it up. */
static void diff_set_counts(struct diff *d)
{
	const struct func_side *sides = d->t->sides;
	double values[SIDE_COUNT];
	bool is_counted =
		diff_sample_values(sides[SIDE_SLOW].profile,
				   sides[SIDE_BASELINE].profile, values) &&
		values[SIDE_SLOW] > 0;

	d->df = slices_df(d->want->slices);
	d->method = choose_method(d, is_counted);
	d->all.is_continuous = !is_counted;
	for (int s = 0; s < SIDE_COUNT; s++)
		d->period[s] = is_counted ? values[s] : 1;
	d->all.a = diff_samples(d, SIDE_SLOW,
				sides[SIDE_SLOW].profile->whole_total);
	d->all.b = diff_samples(d, SIDE_BASELINE,
				sides[SIDE_BASELINE].profile->whole_total);
	d->all.exposure = diff_is_rate(d) ? EXPOSURE_RATE : EXPOSURE_SHARE;
	d->all.n_a = d->all.a;
	d->all.n_b = d->all.b;
	if (!diff_is_rate(d))
		return;
	d->all.n_a = d->want->exposure[SIDE_SLOW] / d->period[SIDE_SLOW];
	d->all.n_b =
		d->want->exposure[SIDE_BASELINE] / d->period[SIDE_BASELINE];
	/* Blocks show what comes of it, see diff_noise(). */
	if (diff_is_by_slices(d))
		return;
	d->all.n_a_variance = diff_counted_variance(d, SIDE_SLOW);
	d->all.n_b_variance = diff_counted_variance(d, SIDE_BASELINE);
}

/* ---- shares ---- */

static double value_share(const struct diff *d, uint32_t id, enum side s)
{
	return side_share(d->t->sides[s].profile, diff_value(d, id, s));
}

/* How many deviations the row is from the drift of all; 0 when against that it
 * went the other way: then only the others moved. */
static double drift_deviation(const struct diff *d, struct counts c,
			      struct noise noise)
{
	double before = c.b / c.n_b, after = c.a / c.n_a;

	if ((after > before) != (after > before * d->drift))
		return 0;
	c.exposure = EXPOSURE_RATE;
	c.n_a *= d->drift;
	return counts_deviation(&c, noise);
}

/* ---- what changed ---- */

/* From the values: periods may be unknown. */
double diff_delta(const struct diff *d, int64_t slow, int64_t baseline)
{
	struct counts c = d->all;

	c.a = (double)slow;
	c.b = (double)baseline;
	c.n_a = diff_is_rate(d) ? d->want->exposure[SIDE_SLOW]
				: total_of(d, SIDE_SLOW);
	c.n_b = diff_is_rate(d) ? d->want->exposure[SIDE_BASELINE]
				: total_of(d, SIDE_BASELINE);
	return counts_delta(&c, total_of(d, SIDE_SLOW));
}

static double entry_delta(const struct diff *d, uint32_t id)
{
	return diff_delta(d, diff_value(d, id, SIDE_SLOW),
			  diff_value(d, id, SIDE_BASELINE));
}

enum change diff_name_change(const struct func_entry *e, double delta)
{
	if (delta > 0)
		return e->values[SIDE_BASELINE].total ? CHANGE_GROWN
						      : CHANGE_NEW;
	return e->values[SIDE_SLOW].total ? CHANGE_SHRUNK : CHANGE_GONE;
}

/* All of a profile by share is all of it in any case. */
static bool is_everywhere(const struct diff *d, uint32_t id)
{
	struct counts c = diff_counts(d, id);

	/* One function can own all of a service and still have grown. */
	if (diff_is_rate(d))
		return false;
	return c.a >= DIFF_EVERYWHERE * d->all.a &&
	       c.b >= DIFF_EVERYWHERE * d->all.b;
}

/* Noise is what could be a change: a share that moved, and more than those of
 * all others did. */
static enum change unproven(const struct diff *d, uint32_t id)
{
	double delta = d->rows[id].delta;
	double after = value_share(d, id, SIDE_SLOW);
	double own_delta = after - (after - delta) * d->drift;

	if (fmin(fabs(delta), fabs(own_delta)) >= DIFF_MIN_DELTA)
		return CHANGE_NOISE;
	return d->is_equal || is_everywhere(d, id) || diff_is_visible(d, id)
		       ? CHANGE_SAME
		       : CHANGE_UNSEEN;
}

/* True when one is DIFF_UNTESTED_RATIO or more times the other, in the given
 * direction. */
static bool is_apart(double before, double after, bool is_change)
{
	if (is_change)
		return after >= DIFF_UNTESTED_RATIO * before;
	return before >= DIFF_UNTESTED_RATIO * after;
}

static enum change judge_untested(const struct diff *d, uint32_t id)
{
	double delta = d->rows[id].delta;
	double after = value_share(d, id, SIDE_SLOW);
	double before = fmax(0, after - delta);

	if (fabs(delta) < DIFF_UNTESTED_DELTA ||
	    !is_apart(before, after, delta > 0) ||
	    !is_apart(before * d->drift, after, delta > 0))
		return unproven(d, id);
	return diff_name_change(&d->t->entries[id], delta);
}

/* Values that are no samples must have been seen more than once. */
static bool is_seen_twice(const struct diff *d, uint32_t id)
{
	size_t seen = 0;

	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct slice_side *side = &d->want->slices->sides[s];

		for (size_t i = 0; i < side->count; i++)
			seen += side->values[id * side->count + i] > 0;
	}
	return seen >= 2;
}

static bool is_tested_elsewhere(const struct diff *d, uint32_t id)
{
	const struct side_values *v = d->t->entries[id].values;

	for (enum rank_by by = RANK_SELF_LIB; d->want->tested_by >> by; by++)
		if (d->want->tested_by >> by & 1 &&
		    side_value(&v[SIDE_SLOW], by) ==
			    diff_value(d, id, SIDE_SLOW) &&
		    side_value(&v[SIDE_BASELINE], by) ==
			    diff_value(d, id, SIDE_BASELINE))
			return true;
	return false;
}

static bool is_candidate(const struct diff *d, uint32_t id)
{
	struct counts c = diff_counts(d, id);

	if (is_tested_elsewhere(d, id))
		return false;
	if (d->method == DIFF_SLICE_VALUES ? !is_seen_twice(d, id)
					   : c.a + c.b < DIFF_MIN_SAMPLES)
		return false;
	return !is_everywhere(d, id) && !func_is_nameless(d->t, id);
}

static bool fit_prior(struct diff *d, struct error *err)
{
	struct arena *arena = d->t->arena;
	struct dispersion *rows = arena_array(arena, d->count, sizeof *rows);

	if (!rows)
		return arena_fail(arena, "comparing functions", err);
	for (size_t i = 0; i < d->count; i++)
		rows[i] = diff_dispersion(d, d->ids[i]);
	d->prior =
		dispersion_prior_of(rows, d->count, d->method == DIFF_SLICES);
	if (diff_is_narrow(d))
		dispersion_prior_narrow(&d->prior, rows, d->count);
	return true;
}

/* From no change and from what all have in common, whichever is nearer. */
static double deviation(const struct diff *d, struct counts c,
			struct noise noise)
{
	return fmin(counts_deviation(&c, noise), drift_deviation(d, c, noise));
}

double diff_deviations(const struct diff *d, uint32_t id)
{
	struct counts c = diff_counts(d, id);

	if (change_is_real(d->rows[id].change) || isnan(d->rows[id].q))
		return d->rows[id].deviations;
	return deviation(d, c, diff_noise(d, id, &c));
}

static void test_rows(struct thread_part *part)
{
	const struct diff *d = part->task;

	for (size_t i = part->first; i < part->end; i++) {
		struct counts c = diff_counts(d, d->ids[i]);
		struct noise noise = diff_noise(d, d->ids[i], &c);

		d->p[i] = student_two_sided(deviation(d, c, noise), noise.df);
	}
}

/* As so many rows take longer than handing half of them on. */
#define BESIDE_ROWS 1024u

/* Whether so much of both sides together could be a change that is claimed.
 * What could not is no test that the others pay for; the sum says nothing of
 * the difference. Of runs less is asked, since what is small is seldom told. */
static bool may_matter(const struct diff *d, uint32_t id)
{
	return diff_delta(d, diff_value(d, id, SIDE_SLOW), 0) -
		       diff_delta(d, 0, diff_value(d, id, SIDE_BASELINE)) >=
	       (diff_is_narrow(d) ? DIFF_MIN_DELTA : diff_least_delta(d));
}

static bool find_candidates(struct diff *d, struct error *err)
{
	size_t kept = 0;

	for (uint32_t id = 0; id < d->t->count; id++)
		if (is_candidate(d, id))
			d->ids[d->count++] = id;
	if (diff_is_by_slices(d) && !fit_prior(d, err))
		return false;
	for (size_t i = 0; i < d->count; i++)
		if (may_matter(d, d->ids[i]))
			d->ids[kept++] = d->ids[i];
	d->count = kept;
	return true;
}

/* Level of the interval of rows that were selected by their size: the more
 * are selected, the less each needs (false coverage rate, Benjamini and
 * Yekutieli). */
static double selected_level(const struct diff *d)
{
	size_t selected = 0;

	for (size_t i = 0; i < d->count; i++)
		selected += d->q[i] <= d->level;
	return d->level * (double)(selected ? selected : 1) /
	       (double)(d->count ? d->count : 1);
}

static double worst_case(struct interval range, double delta)
{
	return delta > 0 ? fmax(0, range.low) : fmin(0, range.high);
}

static struct level level_of(double p)
{
	return (struct level){ p, normal_two_sided_quantile(p) };
}

static struct interval interval_at(const struct diff *d, uint32_t id,
				   struct level level)
{
	struct counts c = diff_counts(d, id);
	struct noise noise = diff_noise(d, id, &c);
	double z = isinf(noise.df)
			   ? level.normal_z
			   : student_two_sided_quantile(level.p, noise.df);

	return counts_delta_interval(&c, d->all.a, noise.phi, z);
}

struct interval diff_range(const struct diff *d, uint32_t id)
{
	return isnan(d->rows[id].q) ? (struct interval){ NAN, NAN }
				    : interval_at(d, id, d->range_level);
}

/* Large enough to matter: in parts of the whole, or of its own. */
static bool is_material(const struct diff *d, uint32_t id, double effect)
{
	double delta = d->rows[id].delta;
	double after = value_share(d, id, SIDE_SLOW);

	if (fabs(delta) >= DIFF_MIN_DELTA)
		return true;
	/* Noise of runs is known well, and who asks has limits of his own. */
	if (diff_is_narrow(d))
		return fabs(delta) >= DIFF_MIN_DELTA_SMALL;
	if (d->want->is_small_told)
		return fabs(delta) >= DIFF_MIN_DELTA_SMALL &&
		       fabs(effect) >=
			       DIFF_SMALL_PART * fmax(after, after - delta);
	return d->want->normalize == NORMALIZE_REQUEST &&
	       fabs(delta) >= DIFF_MIN_DELTA_DOUBLED &&
	       fabs(effect) >= fmax(after, after - delta) / 2;
}

/* The candidates, with the level of the intervals of those that were
 * selected. */
struct judging {
	const struct diff *d;
	struct level selected;
};

static void judge_rows(struct thread_part *part)
{
	const struct judging *j = part->task;
	const struct diff *d = j->d;

	for (size_t i = part->first; i < part->end; i++) {
		uint32_t id = d->ids[i];
		struct entry_diff *row = &d->rows[id];
		double effect;

		row->q = d->q[i];
		if (row->q > d->level)
			continue;
		effect =
			worst_case(interval_at(d, id, j->selected), row->delta);
		if (effect == 0 || !is_material(d, id, effect))
			continue;
		row->effect = effect;
		row->deviations = diff_deviations(d, id);
		row->change = diff_name_change(&d->t->entries[id], row->delta);
	}
}

static bool diff_alloc(struct diff *d, struct error *err)
{
	struct arena *arena = d->t->arena;

	d->rows = arena_array(arena, d->t->count, sizeof *d->rows);
	d->ids = arena_array(arena, d->t->count, sizeof *d->ids);
	d->p = arena_array(arena, d->t->count, sizeof *d->p);
	d->q = arena_array(arena, d->t->count, sizeof *d->q);
	d->order = arena_array(arena, d->t->count, sizeof *d->order);
	if (!d->rows || !d->ids || !d->p || !d->q || !d->order)
		return arena_fail(arena, "comparing functions", err);
	return true;
}

/* Moved, but only as far as all the others. */
static bool is_follower(const struct diff *d, uint32_t id)
{
	return d->is_together && fabs(d->rows[id].delta) >= DIFF_MIN_DELTA &&
	       (d->rows[id].delta > 0) == (d->whole.delta > 0);
}

static void begin_rows(struct diff *d)
{
	bool is_tested = d->method != DIFF_UNTESTED;

	for (uint32_t id = 0; id < d->t->count; id++) {
		struct entry_diff *row = &d->rows[id];

		*row = (struct entry_diff){ .delta = entry_delta(d, id),
					    .q = NAN,
					    .deviations = NAN,
					    .through = ENTRY_NONE };
		row->change =
			is_tested ? unproven(d, id) : judge_untested(d, id);
		row->effect = is_tested ? 0 : row->delta;
	}
}

static bool is_equal(const struct diff *d)
{
	for (uint32_t id = 0; id < d->t->count; id++)
		if (diff_value(d, id, SIDE_SLOW) !=
		    diff_value(d, id, SIDE_BASELINE))
			return false;
	return true;
}

bool diff_test(struct diff *d, const struct func_table *t,
	       const struct diff_want *want, struct error *err)
{
	*d = (struct diff){ .t = t, .want = want };
	if (!diff_alloc(d, err))
		return false;
	diff_set_counts(d);
	if (d->method != DIFF_UNTESTED &&
	    (!find_candidates(d, err) || !drift_find_wander(d, err)))
		return false;
	whole_test(d);
	if (!drift_find(d, err))
		return false;
	thread_halves(test_rows, d, d->count, BESIDE_ROWS);
	d->family = (double)d->count;
	d->level = diff_has_turns(d) || (d->want->is_small_told &&
					 d->wander.peers >= WANDER_MANY)
			   ? DIFF_FALSE_DISCOVERY_SMALL
			   : DIFF_FALSE_DISCOVERY;
	d->is_equal = is_equal(d);
	return true;
}

void diff_judge(struct diff *d)
{
	struct judging j = { d, level_of(selected_level(d)) };

	begin_rows(d);
	thread_halves(judge_rows, &j, d->count, BESIDE_ROWS);
	d->range_level = level_of(0.05);
	for (uint32_t id = 0; id < d->t->count; id++)
		d->rows[id].is_with_all = !change_is_real(d->rows[id].change) &&
					  is_follower(d, id);
}

bool func_table_diff(struct diff *d, const struct func_table *t,
		     const struct diff_want *want, struct error *err)
{
	if (!diff_test(d, t, want, err))
		return false;
	false_discovery_adjust(d->p, d->q, d->order, d->count);
	diff_judge(d);
	return true;
}

double diff_test_together(const struct diff *d, const uint32_t *ids,
			  size_t count, double *delta)
{
	struct counts sum = d->all;
	struct noise noise = { 0, INFINITY };

	sum.a = sum.b = *delta = 0;
	for (size_t i = 0; i < count; i++) {
		struct counts c = diff_counts(d, ids[i]);
		struct noise own = diff_noise(d, ids[i], &c);

		own.phi =
			fmax(own.phi, OVERDISPERSION_BASE +
					      counts_drift(&c, DIFF_WINDOW_CV));
		sum.a += c.a;
		sum.b += c.b;
		*delta += d->rows[ids[i]].delta;
		noise.phi = fmax(noise.phi, own.phi);
		noise.df = fmin(noise.df, own.df);
	}
	return d->method == DIFF_UNTESTED ? 1 : counts_test(&sum, noise);
}
