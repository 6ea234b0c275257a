/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"

/* Sampling of time below this is no sampling: mutex delays carry a period of
 * 1 ns, which is no sample. */
#define MIN_PERIOD_NS 100000.0

struct diff {
	const struct func_table *t;
	const struct diff_want *want;
	struct entry_diff *out;
	struct counts all; /* a, b: samples of the sides; exposures set */
	double period[SIDE_COUNT];
	bool is_tested;
	double drift;
	/* Candidates of the test. */
	uint32_t *ids;
	double *p;
	double *q;
	size_t *order;
	size_t count;
};

int64_t side_value(const struct side_values *v, enum rank_by by)
{
	switch (by) {
	case RANK_SELF:
		return v->self;
	case RANK_TOTAL:
		return v->total;
	case RANK_OWNED:
	case RANK_DELTA:
		break;
	}
	return v->owned;
}

double side_share(const struct profile *p, int64_t value)
{
	if (!p || p->total <= 0)
		return 0;
	return fmin(1, fmax(0, (double)value / (double)p->total));
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
	return str_equal(type, STR("samples")) ? 1 : 0;
}

/* ---- counts ---- */

static double samples_of(const struct diff *d, enum side s, int64_t value)
{
	return fmax(0, round((double)value / d->period[s]));
}

static double total_of(const struct diff *d, enum side s)
{
	return (double)d->t->sides[s].profile->total;
}

static int64_t value_of(const struct diff *d, uint32_t id, enum side s)
{
	return side_value(&d->t->entries[id].values[s], d->want->by);
}

static struct counts entry_counts(const struct diff *d, uint32_t id)
{
	struct counts c = d->all;

	c.a = samples_of(d, SIDE_SLOW, value_of(d, id, SIDE_SLOW));
	c.b = samples_of(d, SIDE_BASELINE, value_of(d, id, SIDE_BASELINE));
	return c;
}

/* A baseline without samples has no period of its own: zero samples are zero
 * samples of any size. */
static void diff_set_counts(struct diff *d)
{
	const struct profile *slow = d->t->sides[SIDE_SLOW].profile;
	const struct profile *base = d->t->sides[SIDE_BASELINE].profile;
	double slow_value = profile_sample_value(slow);
	double base_value =
		base->total ? profile_sample_value(base) : slow_value;
	bool is_rate = d->want->normalize == NORMALIZE_RATE;

	d->is_tested = slow_value > 0 && base_value > 0;
	d->period[SIDE_SLOW] = d->is_tested ? slow_value : 1;
	d->period[SIDE_BASELINE] = d->is_tested ? base_value : 1;
	d->all.a = samples_of(d, SIDE_SLOW, slow->total);
	d->all.b = samples_of(d, SIDE_BASELINE, base->total);
	d->all.exposure = is_rate ? EXPOSURE_RATE : EXPOSURE_SHARE;
	d->all.n_a = is_rate ? d->want->window_s : d->all.a;
	d->all.n_b = is_rate ? d->want->baseline_s : d->all.b;
}

/* ---- drift ---- */

static double value_share(const struct diff *d, uint32_t id, enum side s)
{
	return side_share(d->t->sides[s].profile, value_of(d, id, s));
}

static int compare_doubles(const void *left, const void *right)
{
	return compare_f64(*(const double *)left, *(const double *)right);
}

/* Ratio of shares that an unchanged function shows. Uses d->p as scratch.
 * Rates do not depend on each other. */
static double find_drift(const struct diff *d)
{
	size_t count = 0;
	double median;

	if (d->all.exposure == EXPOSURE_RATE)
		return 1;
	for (uint32_t id = 0; id < d->t->count; id++) {
		double after = value_share(d, id, SIDE_SLOW);
		double before = value_share(d, id, SIDE_BASELINE);

		if (fmax(after, before) >= DIFF_MIN_DELTA)
			d->p[count++] = before > 0 ? after / before : INFINITY;
	}
	if (count < DIFF_DRIFT_ROWS)
		return 1;
	qsort(d->p, count, sizeof *d->p, compare_doubles);
	median = d->p[count / 2];
	return median > 0 && isfinite(median) ? median : 1;
}

/* p value of the row against the drift of all. 1 when it went the other way
 * than its share: then only the others moved. */
static double test_against_drift(const struct diff *d, struct counts c,
				 double phi)
{
	double before = c.b / c.n_b, after = c.a / c.n_a;

	if ((after > before) != (after > before * d->drift))
		return 1;
	c.exposure = EXPOSURE_RATE;
	c.n_a *= d->drift;
	return counts_test(&c, phi);
}

/* ---- what changed ---- */

/* Difference in parts of the slow side's total, from the values: periods may
 * be unknown. */
static double entry_delta(const struct diff *d, uint32_t id)
{
	struct counts c = d->all;

	c.a = (double)value_of(d, id, SIDE_SLOW);
	c.b = (double)value_of(d, id, SIDE_BASELINE);
	if (c.exposure == EXPOSURE_SHARE) {
		c.n_a = total_of(d, SIDE_SLOW);
		c.n_b = total_of(d, SIDE_BASELINE);
	}
	return counts_delta(&c, total_of(d, SIDE_SLOW));
}

/* A function that was there before but did not own anything has grown; new is
 * only what was not there at all. */
static enum change name_change(const struct func_entry *e, double delta)
{
	if (delta > 0)
		return e->values[SIDE_BASELINE].total ? CHANGE_GROWN
						      : CHANGE_NEW;
	return e->values[SIDE_SLOW].total ? CHANGE_SHRUNK : CHANGE_GONE;
}

/* Noise is what could be a change: a share that moved, and more than those of
 * all others did. */
static enum change unproven(const struct diff *d, uint32_t id)
{
	double delta = d->out[id].delta;
	double after = value_share(d, id, SIDE_SLOW);
	double own_delta = after - (after - delta) * d->drift;

	return fmin(fabs(delta), fabs(own_delta)) < DIFF_MIN_DELTA
		       ? CHANGE_SAME
		       : CHANGE_NOISE;
}

/* True when one is DIFF_UNTESTED_RATIO or more times the other, in the given
 * direction. */
static bool is_apart(double before, double after, bool is_growth)
{
	if (is_growth)
		return after >= DIFF_UNTESTED_RATIO * before;
	return before >= DIFF_UNTESTED_RATIO * after;
}

static enum change judge_untested(const struct diff *d, uint32_t id)
{
	double delta = d->out[id].delta;
	double after = value_share(d, id, SIDE_SLOW);
	double before = fmax(0, after - delta);

	if (fabs(delta) < DIFF_UNTESTED_DELTA ||
	    !is_apart(before, after, delta > 0) ||
	    !is_apart(before * d->drift, after, delta > 0))
		return unproven(d, id);
	return name_change(&d->t->entries[id], delta);
}

static bool is_candidate(const struct diff *d, uint32_t id)
{
	struct counts c = entry_counts(d, id);

	if (c.a + c.b < DIFF_MIN_SAMPLES)
		return false;
	return c.exposure == EXPOSURE_RATE || c.a < DIFF_EVERYWHERE * c.n_a ||
	       c.b < DIFF_EVERYWHERE * c.n_b;
}

static void test_candidates(struct diff *d)
{
	for (uint32_t id = 0; id < d->t->count; id++) {
		struct counts c = entry_counts(d, id);

		double phi = counts_overdispersion(&c);

		if (!is_candidate(d, id))
			continue;
		d->ids[d->count] = id;
		d->p[d->count++] = fmax(counts_test(&c, phi),
					test_against_drift(d, c, phi));
	}
	false_discovery_adjust(d->p, d->q, d->order, d->count);
}

/* Deviations for the interval of rows that were selected by their size: the
 * more are selected, the less each needs (false coverage rate, 7.5). */
static double selected_z(const struct diff *d)
{
	size_t selected = 0;

	for (size_t i = 0; i < d->count; i++)
		selected += d->q[i] <= DIFF_FALSE_DISCOVERY;
	return normal_two_sided_quantile(DIFF_FALSE_DISCOVERY *
					 (double)(selected ? selected : 1) /
					 (double)(d->count ? d->count : 1));
}

static double worst_case(struct interval range, double delta)
{
	return delta > 0 ? fmax(0, range.low) : fmin(0, range.high);
}

static void judge_tested(struct diff *d)
{
	double z95 = normal_two_sided_quantile(0.05), z = selected_z(d);

	for (size_t i = 0; i < d->count; i++) {
		struct entry_diff *out = &d->out[d->ids[i]];
		struct counts c = entry_counts(d, d->ids[i]);
		double phi = counts_overdispersion(&c);

		out->q = d->q[i];
		out->range = counts_delta_interval(&c, d->all.a, phi, z95);
		if (out->q > DIFF_FALSE_DISCOVERY ||
		    fabs(out->delta) < DIFF_MIN_DELTA)
			continue;
		out->effect =
			worst_case(counts_delta_interval(&c, d->all.a, phi, z),
				   out->delta);
		out->change =
			name_change(&d->t->entries[d->ids[i]], out->delta);
	}
}

static bool diff_alloc(struct diff *d, struct error *err)
{
	struct arena *arena = d->t->arena;

	d->ids = arena_array(arena, d->t->count, sizeof *d->ids);
	d->p = arena_array(arena, d->t->count, sizeof *d->p);
	d->q = arena_array(arena, d->t->count, sizeof *d->q);
	d->order = arena_array(arena, d->t->count, sizeof *d->order);
	if (!d->ids || !d->p || !d->q || !d->order)
		return arena_fail(arena, "comparing functions", err);
	return true;
}

bool func_table_diff(const struct func_table *t, const struct diff_want *want,
		     struct entry_diff *diffs, double *drift, struct error *err)
{
	struct diff d = { .t = t, .want = want, .out = diffs };

	if (!diff_alloc(&d, err))
		return false;
	diff_set_counts(&d);
	d.drift = *drift = find_drift(&d);
	for (uint32_t id = 0; id < t->count; id++) {
		struct entry_diff *out = &diffs[id];

		*out = (struct entry_diff){ .delta = entry_delta(&d, id),
					    .range = { NAN, NAN },
					    .q = NAN };
		out->change =
			d.is_tested ? unproven(&d, id) : judge_untested(&d, id);
		out->effect = d.is_tested ? 0 : out->delta;
	}
	if (!d.is_tested)
		return true;
	test_candidates(&d);
	judge_tested(&d);
	return true;
}
