/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff_noise.h"

#include <math.h>

#include "analyze/drift.h"

int64_t diff_value(const struct diff *d, uint32_t id, enum side s)
{
	return side_value(&d->t->entries[id].values[s], d->want->by);
}

struct counts diff_counts(const struct diff *d, uint32_t id)
{
	struct counts c = d->all;

	c.a = diff_samples(d, SIDE_SLOW, diff_value(d, id, SIDE_SLOW));
	c.b = diff_samples(d, SIDE_BASELINE, diff_value(d, id, SIDE_BASELINE));
	return c;
}

double diff_counted_variance(const struct diff *d, enum side s)
{
	double requests = d->want->exposure[s];

	return d->want->normalize == NORMALIZE_REQUEST &&
			       d->want->is_requests_sampled && requests > 0
		       ? 1 / requests
		       : 0;
}

struct dispersion diff_dispersion(const struct diff *d, uint32_t id)
{
	bool is_part = diff_is_narrow(d) && diff_is_rate(d);
	struct slice_row rows[SIDE_COUNT];

	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct slice_side *side = &d->want->slices->sides[s];

		rows[s] = (struct slice_row){
			.values = side->values + id * side->count,
			.exposures = is_part ? side->wholes : side->exposures,
			.count = side->count,
			.value_size = d->period[s],
			.is_share = is_part || !diff_is_rate(d),
		};
	}
	return dispersion_of(&rows[SIDE_SLOW], &rows[SIDE_BASELINE]);
}

/* Variance of the row relative to independent samples within the windows. */
static struct noise sampling_noise(const struct diff *d, uint32_t id,
				   const struct counts *c)
{
	struct counts sampled = *c;
	struct dispersion own;
	double least;

	if (!diff_is_by_slices(d))
		return (struct noise){ 1, INFINITY };
	own = diff_dispersion(d, id);
	sampled.n_a_variance = diff_counted_variance(d, SIDE_SLOW);
	sampled.n_b_variance = diff_counted_variance(d, SIDE_BASELINE);
	least = d->prior.is_counts + counts_exposure_noise(&sampled);
	if (diff_is_narrow(d)) {
		own = dispersion_narrow(&own, &d->prior);
		return (struct noise){ fmax(own.phi, least), own.df };
	}
	return (struct noise){ fmax(dispersion_shrink(&own, &d->prior), least),
			       d->df };
}

bool diff_peer(const struct diff *d, uint32_t id, struct wander_peer *peer)
{
	struct counts c = diff_counts(d, id);

	if (!(c.a > 0) || !(c.b > 0) || c.a >= DIFF_TOGETHER_SHARE * d->all.a ||
	    c.b >= DIFF_TOGETHER_SHARE * d->all.b)
		return false;
	*peer = (struct wander_peer){
		.log_ratio = log(c.a / c.n_a) - log(c.b / c.n_b),
		.sampling =
			counts_log_variance(&c) * sampling_noise(d, id, &c).phi,
	};
	return 2 >= DIFF_WANDER_SAMPLES * peer->sampling;
}

/* Degrees of freedom of a sum of variances as in wander_at(). */
static struct wander_known with_common(const struct diff *d,
				       struct wander_known own)
{
	struct wander_known all = { own.value + d->common.value, own.df };
	double square;

	if (d->has_drift || !(d->common.value > 0))
		return own;
	square = own.value * own.value / own.df +
		 d->common.value * d->common.value / d->common.df;
	all.df = square > 0 ? all.value * all.value / square : INFINITY;
	return all;
}

struct noise diff_noise(const struct diff *d, uint32_t id,
			const struct counts *c)
{
	struct noise sampled = sampling_noise(d, id, c);
	double variance = counts_log_variance(c);
	struct wander_known all;

	if (isinf(variance))
		return sampled;
	all = with_common(
		d, wander_at(&d->wander,
			     (struct wander_known){ sampled.phi * variance,
						    sampled.df }));
	return (struct noise){ all.value / variance, all.df };
}

/* ---- what is seen ---- */

double diff_least_delta(const struct diff *d)
{
	if (d->want->is_small_told)
		return DIFF_MIN_DELTA_SMALL;
	return d->want->normalize == NORMALIZE_REQUEST ? DIFF_MIN_DELTA_DOUBLED
						       : DIFF_MIN_DELTA;
}

/* A change that is seen in four of five cases lies so many deviations beyond
 * the level. */
#define SEEN_BEYOND 0.84

static double deviation_of(const struct counts *c, double phi)
{
	return sqrt((phi + counts_exposure_noise(c)) * counts_log_variance(c));
}

/* What is too small a part of the whole is not claimed, however certain. */
static double detectable(const struct diff *d, const struct counts *c,
			 struct noise noise)
{
	double part = (c->a + c->b) / (d->all.a + d->all.b);
	double level = d->level / fmax(1, d->family);
	double far = student_two_sided_quantile(level, noise.df) + SEEN_BEYOND;

	return fmax(diff_least_delta(d) / part,
		    expm1(far * deviation_of(c, noise.phi)));
}

double diff_detectable(const struct diff *d, uint32_t id)
{
	struct counts c = diff_counts(d, id);

	if (d->method == DIFF_UNTESTED || !(c.a + c.b > 0))
		return NAN;
	return detectable(d, &c, diff_noise(d, id, &c));
}

double diff_window_cv(const struct diff *d)
{
	return d->want->is_interleaved ? DIFF_INTERLEAVED_CV : DIFF_WINDOW_CV;
}

static struct counts counts_of_share(const struct diff *d, double share)
{
	struct counts c = d->all;

	c.a *= share;
	c.b *= share;
	return c;
}

/* What blocks show of functions of such a size. */
static double typical_phi(const struct diff *d, const struct counts *c)
{
	double mean = (c->a + c->b) / (d->df + SIDE_COUNT);

	if (!diff_is_by_slices(d))
		return 1;
	return dispersion_typical(&d->prior, mean);
}

double diff_typical_cv(const struct diff *d)
{
	struct counts c = counts_of_share(d, DIFF_TYPICAL_SHARE);

	return sqrt(wander_drift(&d->wander,
				 typical_phi(d, &c) * counts_log_variance(&c))
			    .value);
}

double diff_detectable_of(const struct diff *d, double share)
{
	struct counts c = counts_of_share(d, share);
	double variance = counts_log_variance(&c);
	struct wander_known sampling = { typical_phi(d, &c) * variance,
					 INFINITY };
	struct wander_known all;

	if (d->method == DIFF_UNTESTED || isinf(variance))
		return NAN;
	if (diff_is_by_slices(d))
		sampling.df = diff_is_narrow(d) ? d->df + d->prior.df : d->df;
	all = with_common(d, wander_at(&d->wander, sampling));
	return detectable(d, &c,
			  (struct noise){ all.value / variance, all.df });
}

double diff_detectable_typical(const struct diff *d)
{
	return diff_detectable_of(d, DIFF_TYPICAL_SHARE);
}

/* Most functions are too small to be asked further. */
bool diff_is_visible(const struct diff *d, uint32_t id)
{
	struct counts c = diff_counts(d, id);

	if (d->method == DIFF_UNTESTED)
		return true;
	return expm1(SEEN_BEYOND * deviation_of(&c, 1)) <= DIFF_SAME_PART &&
	       diff_detectable(d, id) <= DIFF_SAME_PART;
}
