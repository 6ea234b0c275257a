/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/rank_exposure.h"

/* A number of samples is time only with the sampling period, and the two
 * sides may have been sampled at different ones. */
static bool is_sample_count(const struct profile *p)
{
	return str_equal(profile_type_name(p), STR("samples")) &&
	       !time_unit_ns(profile_unit(p));
}

/* What of the ways wanted is known on both sides, the first that is. What is in
 * use at a time is no rate. */
static enum normalize known_way(const struct rank_want *want, bool is_gauge)
{
	enum normalize way = want->normalize;

	if (is_gauge && way != NORMALIZE_SHARE)
		return NORMALIZE_VALUE;
	if (way == NORMALIZE_REQUEST &&
	    !(want->slow_requests > 0 && want->baseline_requests > 0))
		way = NORMALIZE_RATE;
	if (way == NORMALIZE_RATE &&
	    !(want->window_ns > 0 && want->baseline_ns > 0))
		way = NORMALIZE_VALUE;
	return way;
}

void rank_exposure_set(const struct rank_want *want, struct diff_want *out,
		       const struct profile *slow, struct rank_facts *facts)
{
	double *exposure = out->exposure;

	out->normalize = known_way(want, slow->is_gauge);
	out->is_requests_sampled = want->is_requests_sampled;
	out->is_small_told = want->by == RANK_DELTA;
	out->is_interleaved = want->is_interleaved;
	out->is_of_runs = want->is_of_runs;
	exposure[SIDE_SLOW] = exposure[SIDE_BASELINE] = 1;
	if (out->normalize == NORMALIZE_REQUEST) {
		exposure[SIDE_SLOW] = want->slow_requests;
		exposure[SIDE_BASELINE] = want->baseline_requests;
	} else if (out->normalize == NORMALIZE_RATE) {
		exposure[SIDE_SLOW] = (double)want->window_ns / 1e9;
		exposure[SIDE_BASELINE] = (double)want->baseline_ns / 1e9;
	}
	facts->is_other_way =
		want->is_way_asked && out->normalize != want->normalize;
	facts->asked_way = want->normalize;
	facts->is_gauge = slow->is_gauge;
	facts->is_rate_of_samples =
		out->normalize == NORMALIZE_RATE && is_sample_count(slow);
}
