/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/function_table.h"
#include "analyze/stats.h"
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

/* Bytes of one sampled allocation: the default of Go and of async-profiler. A
 * finer setting cannot be seen; then there are more samples than counted, and
 * the test is stricter than it needs to be. */
#define DIFF_ALLOC_SAMPLE_BYTES 524288

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
	/* Bytes allocated, not bytes in use: those are no sum of samples. */
	if (str_equal(profile_unit(p), STR("bytes")) &&
	    str_starts(profile_type_name(p), STR("alloc")))
		return fmax(DIFF_ALLOC_SAMPLE_BYTES, (double)p->period);
	return str_equal(type, STR("samples")) && p->sample_count >= 0 ? 1 : 0;
}

bool diff_sample_values(const struct profile *slow,
			const struct profile *baseline,
			double values[SIDE_COUNT])
{
	const struct profile *p[] = { slow, baseline };
	bool is_weighted = true;

	/* Weights called samples that are too large to be counts, as folded
	 * stacks of nanoseconds have them. */
	for (int s = 0; s < SIDE_COUNT; s++) {
		values[s] = profile_sample_value(p[s]);
		is_weighted =
			is_weighted && p[s]->sample_count < 0 &&
			str_equal(profile_type_name(p[s]), STR("samples"));
	}
	/* Returns the greatest common divisor of all values of both sides. A
	 * sample is at most that, so there are at least this many; more would
	 * only be more certain. */
	if (is_weighted)
		values[SIDE_SLOW] = values[SIDE_BASELINE] =
			(double)gcd_u64((uint64_t)profile_divisor(slow),
					(uint64_t)profile_divisor(baseline));
	for (int s = 0; s < SIDE_COUNT; s++) {
		int64_t step = (int64_t)values[!s];

		/* All values are whole multiples of what the other side's
		 * samples count. */
		if (values[s] <= 0 && step > 0 &&
		    time_unit_ns(profile_unit(p[s])) != 0 && !p[s]->is_gauge &&
		    !str_equal(profile_type_name(p[s]), STR("delay")) &&
		    profile_divisor(p[s]) % step == 0)
			values[s] = values[!s];
	}
	/* Zero samples are zero samples of any size. */
	for (int s = 0; s < SIDE_COUNT; s++)
		if (p[s]->total == 0)
			values[s] = values[!s];
	return (values[SIDE_SLOW] > 0) == (values[SIDE_BASELINE] > 0);
}

/* ---- counts ---- */

/* Values are compared as such, by request or by second; else as shares. */
static bool diff_is_rate(const struct diff *d)
{
	return d->want->normalize != NORMALIZE_SHARE;
}

static double samples_of(const struct diff *d, enum diff_side s, double value)
{
	double samples = value / d->period[s];

	return fmax(0, d->all.is_continuous ? samples : round(samples));
}

static int64_t value_of(const struct diff *d, uint32_t id, enum diff_side s)
{
	return side_value(&d->t->entries[id].values[s], d->want->by);
}

static double total_of(const struct diff *d, enum diff_side s)
{
	return (double)d->t->sides[s].profile->whole_total;
}

/* Degrees of freedom that slices must give before they are believed. */
#define DIFF_MIN_SLICE_DF 2.0

/* Noise is seen in runs. */
static bool diff_is_by_slices(const struct diff *d)
{
	return d->method == DIFF_SLICES || d->method == DIFF_SLICE_VALUES;
}

/* Samples of twice the period are half as many for the same work: exposure is
 * counted in samples that would take it up. */
static void set_counts(struct diff *d)
{
	const struct func_side *sides = d->t->sides;
	const struct slice_values *slices = d->want->slices;
	const double *exposure = d->want->exposure;
	double values[SIDE_COUNT];
	bool is_counted =
		diff_sample_values(sides[SIDE_SLOW].profile,
				   sides[SIDE_BASELINE].profile, values) &&
		values[SIDE_SLOW] > 0;

	d->df = 0;
	for (int s = 0; slices && s < SIDE_COUNT; s++)
		if (slices->sides[s].count)
			d->df += (double)slices->sides[s].count - 1;
	d->method = is_counted ? DIFF_ASSUMED : DIFF_UNTESTED;
	/* Snapshots follow each other too closely to count as many. */
	if (d->df >= DIFF_MIN_SLICE_DF && is_counted)
		d->method = DIFF_SLICES;
	else if (d->df >= DIFF_MIN_SLICE_DF &&
		 !sides[SIDE_SLOW].profile->is_gauge &&
		 !sides[SIDE_BASELINE].profile->is_gauge)
		d->method = DIFF_SLICE_VALUES;
	d->all = (struct counts){ .is_continuous = !is_counted,
				  .exposure = EXPOSURE_RATE };
	for (int s = 0; s < SIDE_COUNT; s++)
		d->period[s] = is_counted ? values[s] : 1;
	d->all.a = d->all.n_a = samples_of(d, SIDE_SLOW, total_of(d, SIDE_SLOW));
	d->all.b = d->all.n_b =
		samples_of(d, SIDE_BASELINE, total_of(d, SIDE_BASELINE));
	if (!diff_is_rate(d))
		return;
	d->all.n_a = exposure[SIDE_SLOW] / d->period[SIDE_SLOW];
	d->all.n_b = exposure[SIDE_BASELINE] / d->period[SIDE_BASELINE];
	/* Relative variance of the number of requests if it was counted in a
	 * sample. */
	if (d->want->normalize != NORMALIZE_REQUEST ||
	    !d->want->is_requests_sampled)
		return;
	if (exposure[SIDE_SLOW] > 0)
		d->all.n_a_variance = 1 / exposure[SIDE_SLOW];
	if (exposure[SIDE_BASELINE] > 0)
		d->all.n_b_variance = 1 / exposure[SIDE_BASELINE];
}

/* Beside what all have in common; how uncertain that is stands in its noise. */
static struct counts counts_beside(const struct diff *d, double a, double b)
{
	struct counts c = d->all;

	c.a = a;
	c.b = b;
	c.n_a *= d->drift;
	c.n_a_variance = c.n_b_variance = 0;
	return c;
}

static struct counts counts_of(const struct diff *d, uint32_t id)
{
	return counts_beside(
		d, samples_of(d, SIDE_SLOW, (double)value_of(d, id, SIDE_SLOW)),
		samples_of(d, SIDE_BASELINE,
			   (double)value_of(d, id, SIDE_BASELINE)));
}

/* ---- runs ---- */

/* The slices that are the runs of a side; NULL: the side is one run. */
static const struct slice_side *runs_of(const struct diff *d, int s,
					const struct slice_values *slices)
{
	return slices && slices->sides[s].count && diff_is_by_slices(d)
		       ? &slices->sides[s]
		       : NULL;
}

/* The values of all entries in each run, of both sides. */
static bool find_values(const struct diff *d, enum rank_by by,
			const struct slice_values *slices,
			const double *values[SIDE_COUNT], struct error *err)
{
	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct slice_side *side = runs_of(d, s, slices);
		double *out;

		if (side) {
			values[s] = side->values;
			continue;
		}
		out = arena_array(d->t->arena, d->t->count + 1, sizeof *out);
		if (!out)
			return arena_fail(d->t->arena, "comparing functions",
					  err);
		for (uint32_t id = 0; id < d->t->count; id++)
			out[id] = (double)side_value(
				&d->t->entries[id].values[s], by);
		values[s] = out;
	}
	return true;
}

static bool set_runs(struct diff *d, struct error *err)
{
	const struct slice_values *slices = d->want->slices;
	/* The denominator of a run's rows: all of its samples or, if too few
	 * functions determine the common factor, its exposure. */
	bool is_by_samples = d->want->has_peers || !diff_is_rate(d);

	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct slice_side *side = runs_of(d, s, slices);
		size_t count = side ? side->count : 1;
		double *sizes =
			arena_array(d->t->arena, count, sizeof *sizes);
		double total = total_of(d, (enum diff_side)s), exposure = 0;

		if (!sizes)
			return arena_fail(d->t->arena, "comparing functions",
					  err);
		for (size_t i = 0; side && i < count; i++)
			exposure += side->exposures[i];
		for (size_t i = 0; i < count; i++) {
			double value = total;

			if (side)
				value = is_by_samples
						? side->wholes[i]
						: side->exposures[i] /
							  exposure * total;
			sizes[i] = value / d->period[s];
		}
		d->runs.count[s] = count;
		d->runs.value[s] = d->period[s];
		d->runs.sizes[s] = sizes;
	}
	return find_values(d, d->want->by, slices, d->values, err);
}

static struct replicate_row row_at(const struct diff *d,
				   const double *const values[SIDE_COUNT],
				   uint32_t id)
{
	struct replicate_row row;

	for (int s = 0; s < SIDE_COUNT; s++)
		row.values[s] = values[s] + id * d->runs.count[s];
	return row;
}

/* ---- what all have in common, and noise ---- */

/* A function with more of a profile is most of what the others did. */
#define DIFF_PEER_SHARE 0.5

static bool is_small_part(const struct func_table *t, uint32_t id,
			  enum rank_by by)
{
	const struct side_values *v = t->entries[id].values;

	for (int s = 0; s < SIDE_COUNT; s++)
		if (side_share(t->sides[s].profile, side_value(&v[s], by)) >=
		    DIFF_PEER_SHARE)
			return false;
	return true;
}

static bool is_peer(const struct func_table *t, uint32_t id, enum rank_by by)
{
	const struct side_values *v = t->entries[id].values;

	return side_value(&v[SIDE_SLOW], by) > 0 &&
	       side_value(&v[SIDE_BASELINE], by) > 0 &&
	       is_small_part(t, id, by) && !func_is_nameless(t, id);
}

/* How many there are, and the part of both sides that they hold. */
static size_t count_peers(const struct func_table *t, enum rank_by by,
			  double *part)
{
	size_t count = 0;

	*part = 0;
	for (uint32_t id = 0; id < t->count; id++) {
		const struct side_values *v = t->entries[id].values;

		if (!is_peer(t, id, by))
			continue;
		count++;
		for (int s = 0; s < SIDE_COUNT; s++)
			*part += side_share(t->sides[s].profile,
					    side_value(&v[s], by)) /
				 SIDE_COUNT;
	}
	return count;
}

/* Functions tell by what they do themselves where those hold so much of both
 * sides. */
#define DIFF_PEERS_PART 0.25

/* A helper in which all compute leaves to the others what tells little. */
void diff_want_peers(struct diff_want *want, const struct func_table *t)
{
	double part, total_part;
	size_t selves = count_peers(t, RANK_SELF, &part);
	size_t totals = count_peers(t, RANK_TOTAL, &total_part);

	want->peers_by = selves < REPLICATE_ROWS || part < DIFF_PEERS_PART
				 ? RANK_TOTAL
				 : RANK_SELF;
	want->peers_nest =
		want->peers_by == RANK_TOTAL ? fmax(1, total_part) : 1;
	want->has_peers = selves >= REPLICATE_ROWS || totals >= REPLICATE_ROWS;
}

static bool list_peers(const struct diff *d, struct replicate_row **rows,
		       size_t *count, struct error *err)
{
	const double *values[SIDE_COUNT];

	*count = 0;
	*rows = arena_array(d->t->arena, d->t->count + 1, sizeof **rows);
	if (!*rows)
		return arena_fail(d->t->arena, "comparing functions", err);
	if (!find_values(d, d->want->peers_by, d->want->peer_slices, values,
			 err))
		return false;
	for (uint32_t id = 0; id < d->t->count; id++)
		if (is_peer(d->t, id, d->want->peers_by))
			(*rows)[(*count)++] = row_at(d, values, id);
	return true;
}

/* Time slices show how a function varies within a window, not how far windows
 * lie apart: days, releases, other neighbours on the host. Taken as this
 * relative standard deviation, until functions show another one. */
#define DIFF_WINDOW_CV 0.05

#define DIFF_PRIOR_CV BURST_CV

/* The factor that functions have in common is put down to the load and the host up
 * to this, where most of them may have changed. */
#define DIFF_COMMON_RATE 1.25

/* Without runs that tell: one window a side, noise as of samples that a request
 * brings several of, with work that drifts. */
#define DIFF_PRIOR_SAMPLING OVERDISPERSION_BASE

/* Values are by what was done: runs of a program, or requests that were counted.
 * Unlike the load of a service that is the same on both sides, up to the machine. */
static bool is_of_known_work(const struct diff *d)
{
	return d->want->is_small_told && diff_is_rate(d) &&
	       (d->want->is_of_runs ||
		d->want->normalize == NORMALIZE_REQUEST);
}

/* The ranked measure in runs has a trend of its own. */
static bool find_trend(struct diff *d, struct error *err)
{
	struct arena *arena = d->t->arena;
	struct replicate_row *rows =
		arena_array(arena, d->count + 1, sizeof *rows);
	size_t count = 0, small = 0;
	bool is_done;

	if (!rows)
		return arena_fail(arena, "comparing functions", err);
	/* Nearly all of a run is what its rows are a part of, and varies by nothing. */
	for (size_t i = 0; i < d->count; i++)
		small += is_small_part(d->t, d->ids[i], d->want->by);
	for (size_t i = 0; i < d->count; i++)
		if (small < REPLICATE_ROWS ||
		    is_small_part(d->t, d->ids[i], d->want->by))
			rows[count++] = row_at(d, d->values, d->ids[i]);
	is_done = replicates_trend(&d->runs, rows, count, &d->noise, err);
	arena_drop(arena, rows, (d->count + 1) * sizeof *rows);
	return is_done;
}

static bool find_peers_noise(struct diff *d, struct error *err)
{
	const struct diff_want *want = d->want;
	struct replicate_prior prior = {
		.sampling = DIFF_PRIOR_SAMPLING,
		.drift_cv =
			want->is_small_told ? DIFF_WINDOW_CV : DIFF_PRIOR_CV,
		/* Whatever came between runs of the two came between those of
		 * one as well. */
		.between_cv = want->is_interleaved ? (double)NAN
			      : want->is_of_runs   ? 0
						   : DIFF_WINDOW_CV,
		.may_rise = want->is_small_told,
		.is_of_runs = want->is_of_runs,
		.bound = is_of_known_work(d) ? log(DIFF_COMMON_RATE) : 0,
		.whole = log((d->all.a / d->all.n_a) / (d->all.b / d->all.n_b)),
	};
	struct replicate_row *peers = NULL;
	size_t count;
	bool is_done = list_peers(d, &peers, &count, err);

	d->noise = (struct replicate_noise){ .least = !d->all.is_continuous };
	if (is_done)
		is_done = replicates_common(&d->runs, peers, count, &prior,
					    d->t->arena, &d->common, err);
	/* Samples that several count tell no more than once. */
	d->common.variance *= want->peers_nest;
	if (is_done)
		is_done = replicates_noise(&d->runs, peers, count, &d->common,
					   &prior, &d->noise, err);
	arena_drop(d->t->arena, peers,
		   peers ? (d->t->count + 1) * sizeof *peers : 0);
	return is_done;
}

static bool find_noise(struct diff *d, struct error *err)
{
	struct diff_shared *shared = d->want->shared;

	if (shared && shared->is_found) {
		d->common = shared->common;
		d->noise = shared->noise;
		for (int s = 0; s < SIDE_COUNT; s++)
			d->runs.sizes[s] = shared->sizes[s];
	} else if (!find_peers_noise(d, err)) {
		return false;
	}
	if (shared)
		*shared = (struct diff_shared){
			.is_found = true,
			.sizes = { d->runs.sizes[0], d->runs.sizes[1] },
			.common = d->common,
			.noise = d->noise,
		};
	return !diff_is_by_slices(d) || d->want->by == d->want->peers_by ||
	       find_trend(d, err);
}

/* By exposure: what became of an unchanged function. */
static double common_rate(const struct diff *d)
{
	double size[SIDE_COUNT] = { 0 };

	for (int s = 0; s < SIDE_COUNT; s++)
		for (size_t i = 0; i < d->runs.count[s]; i++)
			size[s] += d->runs.sizes[s][i];
	return exp(d->common.log_ratio) * (size[SIDE_SLOW] / d->all.n_a) /
	       (size[SIDE_BASELINE] / d->all.n_b);
}

/* Few functions tell nothing of the others, but when the whole moved with
 * them. */
static void find_drift(struct diff *d)
{
	double whole = diff_is_rate(d) ? 1 / (1 - d->whole.delta) : 1;
	bool is_free = d->want->is_small_told || !diff_is_rate(d);
	/* More load moves all functions alike; where requests are counted, it
	 * is known, and what all of them take more of is a change. */
	bool has_load =
		diff_is_rate(d) && (d->want->normalize != NORMALIZE_REQUEST ||
				    d->want->is_small_told);
	double rate;

	if (d->is_given || !d->common.is_known)
		return;
	rate = common_rate(d);
	if (!(rate > 0) || !isfinite(rate))
		return;
	d->is_together = d->whole.is_changed && has_load && whole > 0 &&
			 fabs(log(rate) - log(whole)) <= fabs(log(whole)) / 2 &&
			 (!is_of_known_work(d) ||
			  d->common.reading == REPLICATE_TOGETHER);
	if (is_free && !d->is_together && d->common.rows < REPLICATE_ROWS)
		return;
	d->has_drift = true;
	d->drift = rate;
	if (is_free || d->is_together)
		return;
	d->drift = fmin(DIFF_COMMON_RATE, fmax(1 / DIFF_COMMON_RATE, rate));
	d->is_bounded = d->drift != rate;
}

/* Returns the variance of the reference: estimated, or given by the
 * exposures. */
static double beside_variance(const struct diff *d)
{
	double given = d->all.n_a_variance + d->all.n_b_variance;

	return d->has_drift && !d->is_bounded ? d->common.variance : given;
}

/* Deviations from which raw counts changed, at 95 %. */
#define RAW_DEVIATIONS 1.96

/* With one run a side nothing shows that what runtimes and kernels do, which
 * follows the machine and not the code, varies more than other functions: taken
 * as this relative standard deviation. Of equal runs of a Go program on a busy
 * machine runtime.asyncPreempt lay so far apart (bench/power/real.py). */
#define DIFF_MACHINE_CV 0.2

/* The noise of a row, relative to `sampled`, the variance of the logarithm of its
 * ratio by sampling alone. */
static struct noise noise_beside_sampling(const struct diff *d, uint32_t id,
					  double sampled)
{
	struct replicate_row row = row_at(d, d->values, id);
	struct replicate_sums sums =
		replicates_sums(&d->runs, &row, d->noise.drift);
	double beside = beside_variance(d);

	if (d->method == DIFF_ASSUMED) {
		enum code_kind kind = func_entry_kind(&d->t->entries[id]);

		/* Preemption, scheduling, collection: as the machine has it. */
		if (kind == CODE_GC_ALLOC || kind == CODE_RUNTIME ||
		    kind == CODE_IDLE || kind == CODE_KERNEL)
			beside += 2 * DIFF_MACHINE_CV * DIFF_MACHINE_CV;
	}
	return replicates_row_noise(&d->noise, &sums, sampled, beside);
}

static struct noise noise_of(const struct diff *d, uint32_t id,
			     const struct counts *c)
{
	return noise_beside_sampling(d, id, counts_log_variance(c));
}

/* That of a row of which only its size is known. */
static struct noise typical_noise(const struct diff *d, const struct counts *c)
{
	return replicates_typical_noise(&d->noise, &d->runs,
					counts_log_variance(c),
					beside_variance(d));
}

/* The movement of the reference, by all that is spent in it, is that of the machine:
 * rows and the whole are compared beside it, and are as uncertain as it is. */
static void take_reference(struct diff *d)
{
	const struct side_values *v;
	struct counts c;

	if (d->want->reference == ENTRY_NONE)
		return;
	v = d->t->entries[d->want->reference].values;
	if (!v[SIDE_SLOW].total || !v[SIDE_BASELINE].total)
		return;
	c = counts_beside(
		d, samples_of(d, SIDE_SLOW, (double)v[SIDE_SLOW].total),
		samples_of(d, SIDE_BASELINE, (double)v[SIDE_BASELINE].total));
	d->common.variance = typical_noise(d, &c).phi * counts_log_variance(&c);
	d->drift = (c.a / c.n_a) / (c.b / c.n_b);
	d->has_drift = d->is_given = true;
}

/* ---- the whole ---- */

/* Deviations that a change shows which is seen in four of five cases: those of
 * the level, and those that four of five reach. */
#define SEEN_BEYOND 0.84
#define SEEN_DEVIATIONS (1.96 + SEEN_BEYOND)

/* For alternating runs, which vary like windows. */
#define DIFF_INTERLEAVED_CV 0.005

/* How the runs differ as wholes, by exposure. */
static struct noise whole_noise(const struct diff *d)
{
	const struct slice_values *slices = d->want->slices;
	double drift = counts_drift(&d->all, d->want->is_interleaved
						     ? DIFF_INTERLEAVED_CV
						     : DIFF_WINDOW_CV);
	struct replicate_runs runs = { .count = { 0 } };
	struct replicate_row row = { { NULL } };
	struct replicate_sums sums;

	if (!diff_is_by_slices(d))
		return (struct noise){ counts_overdispersion(&d->all),
				       INFINITY };
	for (int s = 0; s < SIDE_COUNT; s++) {
		runs.count[s] = slices->sides[s].count;
		runs.sizes[s] = slices->sides[s].exposures;
		runs.value[s] = d->period[s];
		row.values[s] = slices->sides[s].wholes;
	}
	sums = replicates_sums(&runs, &row, 0);
	return (struct noise){ fmax(d->noise.least, sums.pearson / d->df) +
				       drift,
			       d->df };
}

/* The whole profile moved when it certainly did, by this factor at least. */
#define DIFF_WHOLE_RATIO 1.1

static struct interval growth_interval(const struct counts *c, double variance,
				       double z)
{
	struct interval ratio = counts_ratio_interval(c, variance, z);

	return (struct interval){ ratio.low - 1, ratio.high - 1 };
}

/* Fewer runs of a side do not show how far runs differ as wholes: one pair in five shows
 * less than a fourth of it. */
#define DIFF_WHOLE_RUNS 3u

/* Returns the variance of the logarithm of the ratio of the sides by how runs differ
 * as wholes, beyond their samples: 0 of shares, NaN where a side has few runs. */
static double runs_variance(const struct diff *d)
{
	const struct slice_values *slices = d->want->slices;
	double variance = 0;

	if (!diff_is_rate(d))
		return 0;
	if (!diff_is_by_slices(d) ||
	    min_size(slices->sides[SIDE_SLOW].count,
		     slices->sides[SIDE_BASELINE].count) < DIFF_WHOLE_RUNS)
		return NAN;
	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct slice_side *side = &slices->sides[s];
		double mean = 0, square = 0, sampled = 0;

		for (size_t i = 0; i < side->count; i++)
			mean += side->wholes[i] / side->exposures[i] /
				(double)side->count;
		for (size_t i = 0; i < side->count && mean > 0; i++) {
			double apart =
				side->wholes[i] / side->exposures[i] / mean - 1;

			square += apart * apart;
			sampled += d->period[s] / fmax(1, side->wholes[i]);
		}
		variance += fmax(0, square / (double)(side->count - 1) -
					    sampled / (double)side->count) /
			    (double)side->count;
	}
	return variance;
}

/* The total of shares is always 100 %. */
static void whole_test(struct diff *d)
{
	struct whole_diff *w = &d->whole;
	struct counts all = d->all;
	struct noise noise;
	double ratio, z, samples;

	*w = (struct whole_diff){ .q = NAN,
				  .range = { NAN, NAN },
				  .growth_range = { NAN, NAN },
				  .detectable = NAN };
	if (!diff_is_rate(d))
		return;
	if (d->is_given) {
		all.n_a *= d->drift;
		all.n_a_variance += d->common.variance;
	}
	w->delta = counts_delta(&all, all.a);
	ratio = fmax(1e-9, 1 - w->delta); /* before, of after */
	w->is_changed = fmax(ratio, 1 / ratio) >= DIFF_WHOLE_RATIO;
	if (d->method == DIFF_UNTESTED)
		return;
	noise = whole_noise(d);
	w->q = counts_test(&all, noise);
	w->is_changed = w->is_changed && w->q <= DIFF_FALSE_DISCOVERY;
	samples = 2 / (1 / fmax(1, all.a) + 1 / fmax(1, all.b));
	w->detectable = SEEN_DEVIATIONS * sqrt(2 * noise.phi / samples);
	z = student_two_sided_quantile(0.05, noise.df);
	w->range = counts_delta_interval(&all, all.a, noise.phi, z);
	w->growth_range =
		growth_interval(&all,
				noise.phi * counts_seen_log_variance(&all) +
					all.n_a_variance + all.n_b_variance,
				z);
}

/* ---- deltas ---- */

static double value_share(const struct diff *d, uint32_t id, enum diff_side s)
{
	return side_share(d->t->sides[s].profile, value_of(d, id, s));
}

/* From the values: periods may be unknown. */
static double delta_beside(const struct diff *d, int64_t slow, int64_t baseline,
			   double drift)
{
	struct counts c = { .a = (double)slow,
			    .b = (double)baseline,
			    .exposure = EXPOSURE_RATE };

	c.n_a = diff_is_rate(d) ? d->want->exposure[SIDE_SLOW]
				: total_of(d, SIDE_SLOW);
	c.n_b = diff_is_rate(d) ? d->want->exposure[SIDE_BASELINE]
				: total_of(d, SIDE_BASELINE);
	c.n_a *= drift;
	return counts_delta(&c, total_of(d, SIDE_SLOW));
}

double diff_delta(const struct diff *d, int64_t slow, int64_t baseline)
{
	return delta_beside(d, slow, baseline, 1);
}

double diff_delta_beside(const struct diff *d, int64_t slow, int64_t baseline)
{
	return delta_beside(d, slow, baseline, d->drift);
}

/* drift: 1 for that of the values alone, d->drift beside what all did. */
static double entry_delta(const struct diff *d, uint32_t id, double drift)
{
	return delta_beside(d, value_of(d, id, SIDE_SLOW),
			    value_of(d, id, SIDE_BASELINE), drift);
}

enum change diff_name_change(const struct func_entry *e, double delta)
{
	if (delta > 0)
		return e->values[SIDE_BASELINE].total ? CHANGE_GROWN
						      : CHANGE_NEW;
	return e->values[SIDE_SLOW].total ? CHANGE_SHRUNK : CHANGE_GONE;
}

/* Functions in nearly all samples of both sides cannot change by share. */
#define DIFF_EVERYWHERE 0.99

/* All of a profile by share is all of it in any case. */
static bool is_everywhere(const struct diff *d, uint32_t id)
{
	/* One function can own all of a service and still have grown. */
	if (diff_is_rate(d))
		return false;
	return value_share(d, id, SIDE_SLOW) >= DIFF_EVERYWHERE &&
	       value_share(d, id, SIDE_BASELINE) >= DIFF_EVERYWHERE;
}

/* ---- what is seen ---- */

/* Per request, of a service that does much else, it may: a tenth of a percent
 * is claimed when the function certainly doubled or halved. */
#define DIFF_MIN_DELTA_DOUBLED 0.001

/* The least part of the whole that a change is claimed of. */
static double least_delta(const struct diff *d)
{
	if (d->want->is_small_told)
		return 0;
	return d->want->normalize == NORMALIZE_REQUEST ? DIFF_MIN_DELTA_DOUBLED
						       : DIFF_MIN_DELTA;
}

/* More is told as a factor anyway. */
#define DETECTABLE_MOST 1000.0
#define DETECTABLE_STEPS 14

/* How many deviations a row of b samples before shows that grows by so much. */
static double deviations_of(const struct diff *d, uint32_t id, double b,
			    double growth)
{
	struct counts c = counts_beside(d, 0, b);
	struct noise noise;

	c.a = b * (1 + growth) * c.n_a / c.n_b;
	noise = id == ENTRY_NONE ? typical_noise(d, &c) : noise_of(d, id, &c);
	return counts_deviation(&c, noise);
}

/* Deviations of a level, for noise that is known from so much. */
static double deviations_at(struct level level, double df)
{
	return isinf(df) ? level.normal_z
			 : student_two_sided_quantile(level.p, df);
}

/* Deviations of a growth that is claimed in four of five cases. Noise that is known
 * from few runs differs from case to case, and the deviations with it (a common
 * approximation of the noncentral distribution). */
static double claimed_deviations(const struct diff *d, double df)
{
	double level = DIFF_FALSE_DISCOVERY / fmax(1, d->family);
	double claimed = student_two_sided_quantile(level, df);

	return claimed +
	       SEEN_BEYOND * sqrt(1 + (isinf(df) ? 0 : claimed * claimed /
							       (2 * df)));
}

/* The growth that shows so many deviations, of a row of b samples before. */
static double growth_of_deviations(const struct diff *d, uint32_t id, double b,
				   double far)
{
	double low = 0, high = DETECTABLE_MOST;

	if (deviations_of(d, id, b, high) < far)
		return INFINITY;
	for (int i = 0; i < DETECTABLE_STEPS; i++) {
		double next = sqrt((1 + low) * (1 + high)) - 1;

		if (deviations_of(d, id, b, next) < far)
			low = next;
		else
			high = next;
	}
	return high;
}

/* The growth that is claimed in four of five cases, of a row of b samples before;
 * what is too small a part of the whole is not claimed, however significant. id:
 * ENTRY_NONE for a row like most. */
static double detectable_change(const struct diff *d, uint32_t id, double part,
				double b, double df)
{
	return fmax(least_delta(d) / part,
		    growth_of_deviations(d, id, b, claimed_deviations(d, df)));
}

/* Returns the fraction of a row's counts on both sides, and before if all of it
 * is as afterwards. */
static double part_of(const struct diff *d, const struct counts *c)
{
	return (c->a + c->b) / (d->all.a + d->all.b);
}

static double samples_before(const struct counts *c)
{
	return fmax(c->b, c->a * c->n_b / c->n_a);
}

double diff_detectable(const struct diff *d, uint32_t id)
{
	struct counts c = counts_of(d, id);

	if (d->method == DIFF_UNTESTED || !(c.a + c.b > 0))
		return NAN;
	return detectable_change(d, id, part_of(d, &c), samples_before(&c),
				 noise_of(d, id, &c).df);
}

double diff_detectable_of(const struct diff *d, double share, bool is_own)
{
	struct counts c =
		counts_beside(d, share * d->all.a, share * d->all.b);
	double df, certain, least = 0;

	if (d->method == DIFF_UNTESTED || isinf(counts_log_variance(&c)))
		return NAN;
	/* Where a machine made all others faster it has to grow beside them to take
	 * more than it did. What does so by more is the program. */
	if (d->drift >= 1 / DIFF_COMMON_RATE && d->drift < 1)
		least = 1 / d->drift - 1;
	df = typical_noise(d, &c).df;
	certain = growth_of_deviations(d, ENTRY_NONE, c.b,
				       deviations_at(d->range_level, df) +
					       SEEN_BEYOND);
	return fmax(detectable_change(d, ENTRY_NONE, share, c.b, df),
		    is_own ? (1 + certain) * (1 + least) - 1 : 0);
}

/* The function that is spoken of when all are: of this share of a profile. */
#define DIFF_TYPICAL_SHARE 0.01

double diff_detectable_typical(const struct diff *d)
{
	return diff_detectable_of(d, DIFF_TYPICAL_SHARE, false);
}

double diff_typical_cv(const struct diff *d)
{
	return sqrt(fmax(0, d->noise.sampling * d->noise.drift +
				    d->noise.between / 2));
}

/* Returns whether diff_detectable() is no more than DIFF_SAME_PART, which is
 * found sooner; most functions are too small to be asked further. */
static bool is_visible(const struct diff *d, uint32_t id)
{
	struct counts c = counts_of(d, id);

	if (d->method == DIFF_UNTESTED)
		return true;
	return expm1(SEEN_BEYOND * sqrt(counts_log_variance(&c))) <=
		       DIFF_SAME_PART &&
	       c.a + c.b > 0 &&
	       least_delta(d) <= DIFF_SAME_PART * part_of(d, &c) &&
	       deviations_of(d, id, samples_before(&c), DIFF_SAME_PART) >=
		       claimed_deviations(d, noise_of(d, id, &c).df);
}

/* ---- what changed ---- */

/* Noise is what could be a change: a share that moved, and more than those of
 * all others did. */
static enum change change_unproven(const struct diff *d, uint32_t id)
{
	if (fmin(fabs(entry_delta(d, id, 1)), fabs(d->rows[id].delta)) >=
	    DIFF_MIN_DELTA)
		return CHANGE_NOISE;
	return d->is_equal || is_everywhere(d, id) || is_visible(d, id)
		       ? CHANGE_SAME
		       : CHANGE_UNSEEN;
}

/* By the values, and beside what all did. */
static enum change judge_untested(const struct diff *d, uint32_t id)
{
	double delta = entry_delta(d, id, 1);
	double after = value_share(d, id, SIDE_SLOW);
	double before = fmax(0, after - delta);
	double beside = before * d->drift;
	bool is_apart =
		delta > 0 ? after >= DIFF_UNTESTED_RATIO * fmax(before, beside)
			  : fmin(before, beside) >= DIFF_UNTESTED_RATIO * after;

	if (fabs(delta) < DIFF_UNTESTED_DELTA || !is_apart)
		return change_unproven(d, id);
	return diff_name_change(&d->t->entries[id], delta);
}

static bool is_tested_elsewhere(const struct diff *d, uint32_t id)
{
	const struct side_values *v = d->t->entries[id].values;

	for (enum rank_by by = RANK_SELF_LIB; d->want->tested_by >> by; by++)
		if (d->want->tested_by >> by & 1 &&
		    side_value(&v[SIDE_SLOW], by) ==
			    value_of(d, id, SIDE_SLOW) &&
		    side_value(&v[SIDE_BASELINE], by) ==
			    value_of(d, id, SIDE_BASELINE))
			return true;
	return false;
}

/* Who compares two profiles is told of whatever is certain, of functions that
 * are at least this part of one of them: smaller ones are no tests that the
 * others pay for. */
#define DIFF_MIN_SHARE 0.001

/* Fewer samples on both sides together decide nothing. */
#define DIFF_MIN_SAMPLES 10

static bool is_candidate(const struct diff *d, uint32_t id)
{
	struct counts c = counts_of(d, id);
	struct replicate_row row = row_at(d, d->values, id);
	double least = d->want->is_small_told ? DIFF_MIN_SHARE : least_delta(d);
	size_t seen = 0;

	if (is_tested_elsewhere(d, id) || is_everywhere(d, id) ||
	    func_is_nameless(d->t, id))
		return false;
	/* Values that are no samples must have been seen more than once. */
	if (d->method == DIFF_SLICE_VALUES) {
		for (int s = 0; s < SIDE_COUNT; s++)
			for (size_t i = 0; i < d->runs.count[s]; i++)
				seen += row.values[s][i] > 0;
		if (seen < 2)
			return false;
	} else if (c.a + c.b < DIFF_MIN_SAMPLES) {
		return false;
	}
	/* So much of both sides together could be a change that is claimed.
	 * What could not is no test that the others pay for; the sum says
	 * nothing of the difference. */
	return diff_delta(d, value_of(d, id, SIDE_SLOW), 0) -
		       diff_delta(d, 0, value_of(d, id, SIDE_BASELINE)) >=
	       least;
}

double diff_deviations(const struct diff *d, uint32_t id)
{
	struct counts c = counts_of(d, id);

	if (change_is_real(d->rows[id].change) || isnan(d->rows[id].q))
		return d->rows[id].deviations;
	return counts_deviation(&c, noise_of(d, id, &c));
}

static void test_rows(struct thread_part *part)
{
	const struct diff *d = part->task;

	for (size_t i = part->first; i < part->end; i++) {
		struct counts c = counts_of(d, d->ids[i]);

		d->p[i] = counts_test(&c, noise_of(d, d->ids[i], &c));
	}
}

/* As so many rows take longer than handing half of them on. */
#define BESIDE_ROWS 1024u

static struct level level_of(double p)
{
	return (struct level){ p, normal_two_sided_quantile(p) };
}

static struct interval interval_at(const struct diff *d, uint32_t id,
				   struct level level)
{
	struct counts c = counts_of(d, id);
	struct noise noise = noise_of(d, id, &c);

	return counts_delta_interval(&c, d->all.a, noise.phi,
				     deviations_at(level, noise.df));
}

struct interval diff_range(const struct diff *d, uint32_t id)
{
	struct interval range;
	double common;

	if (isnan(d->rows[id].q))
		return (struct interval){ NAN, NAN };
	range = interval_at(d, id, d->range_level);
	common = entry_delta(d, id, 1) - entry_delta(d, id, d->drift);
	return (struct interval){ range.low + common, range.high + common };
}

struct growth_ranges diff_growth_ranges(const struct diff *d, uint32_t id)
{
	struct growth_ranges out = { { NAN, NAN }, { NAN, NAN } };
	struct counts c = counts_of(d, id);
	double sampled = counts_seen_log_variance(&c), variance;
	double runs = isnan(d->runs_variance) ? 0 : d->runs_variance;
	double all, square;
	struct noise noise;

	if (isnan(d->rows[id].q))
		return out;
	noise = noise_beside_sampling(d, id, sampled);
	variance = noise.phi * sampled;
	out.beside = growth_interval(&c, variance,
				     deviations_at(d->range_level, noise.df));
	all = variance + runs;
	square = variance * variance / noise.df +
		 (runs > 0 ? runs * runs / d->df : 0);
	/* For the row's own counts: with the degrees of freedom of the sum of
	 * both variances (Satterthwaite) or, with few runs, from the growth by
	 * counts to that relative to the common factor, as the truth is one of
	 * them or in between. */
	c.n_a = d->all.n_a;
	out.own = growth_interval(
		&c, all,
		deviations_at(d->range_level,
			      square > 0 ? all * all / square : INFINITY));
	if (isnan(d->runs_variance)) {
		out.own.low = fmin(out.own.low, out.beside.low);
		out.own.high = fmax(out.own.high, out.beside.high);
	}
	return out;
}

/* Large enough to matter: in parts of the whole, or of its own. What is certain
 * is told to whoever compares, however small. */
static bool is_material(const struct diff *d, uint32_t id, double effect)
{
	double delta = d->rows[id].delta;
	double after = value_share(d, id, SIDE_SLOW);

	if (d->want->is_small_told || fabs(delta) >= DIFF_MIN_DELTA)
		return true;
	return d->want->normalize == NORMALIZE_REQUEST &&
	       fabs(delta) >= DIFF_MIN_DELTA_DOUBLED &&
	       fabs(effect) >= fmax(after, after - delta) / 2;
}

/* Where all moved together by more than a machine does, the few that did not seem to
 * have moved beside them: a change has to show in what was counted, too. */
static bool is_moved_by_others(const struct diff *d, uint32_t id)
{
	struct counts c = counts_of(d, id);
	double delta = entry_delta(d, id, 1);

	if (!is_of_known_work(d) || d->common.reading != REPLICATE_TOGETHER)
		return false;
	c.n_a = d->all.n_a;
	return (delta > 0) != (entry_delta(d, id, d->drift) > 0) ||
	       counts_deviation(&c, noise_of(d, id, &c)) < RAW_DEVIATIONS;
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
		struct interval range;
		double effect;

		row->q = d->q[i];
		if (row->q > DIFF_FALSE_DISCOVERY || is_moved_by_others(d, id))
			continue;
		/* The worst case of what is certain. */
		range = interval_at(d, id, j->selected);
		effect = row->delta > 0 ? fmax(0, range.low)
					: fmin(0, range.high);
		if (effect == 0 || !is_material(d, id, effect))
			continue;
		row->effect = effect;
		row->deviations = diff_deviations(d, id);
		row->change = diff_name_change(&d->t->entries[id], row->delta);
	}
}

bool diff_test(struct diff *d, const struct func_table *t,
	       const struct diff_want *want, struct error *err)
{
	struct arena *arena = t->arena;

	*d = (struct diff){ .t = t, .want = want, .drift = 1 };
	d->rows = arena_array(arena, t->count, sizeof *d->rows);
	d->ids = arena_array(arena, t->count, sizeof *d->ids);
	d->p = arena_array(arena, t->count, sizeof *d->p);
	d->q = arena_array(arena, t->count, sizeof *d->q);
	d->order = arena_array(arena, t->count, sizeof *d->order);
	if (!d->rows || !d->ids || !d->p || !d->q || !d->order)
		return arena_fail(arena, "comparing functions", err);
	set_counts(d);
	if (!set_runs(d, err))
		return false;
	for (uint32_t id = 0; id < t->count; id++)
		if (is_candidate(d, id))
			d->ids[d->count++] = id;
	if (!find_noise(d, err))
		return false;
	take_reference(d);
	d->runs_variance = runs_variance(d);
	whole_test(d);
	find_drift(d);
	if (d->method == DIFF_UNTESTED)
		d->count = 0;
	thread_halves(test_rows, d, d->count, BESIDE_ROWS);
	d->family = (double)d->count;
	d->is_equal = true;
	for (uint32_t id = 0; id < t->count; id++)
		d->is_equal =
			d->is_equal && value_of(d, id, SIDE_SLOW) ==
					       value_of(d, id, SIDE_BASELINE);
	return true;
}

void diff_judge(struct diff *d)
{
	struct judging j = { .d = d };
	bool is_tested = d->method != DIFF_UNTESTED;
	size_t selected = 0;

	/* Level of the interval of rows that were selected by their size: the
	 * more are selected, the less each needs (false coverage rate,
	 * Benjamini and Yekutieli). */
	for (size_t i = 0; i < d->count; i++)
		selected += d->q[i] <= DIFF_FALSE_DISCOVERY;
	j.selected =
		level_of(DIFF_FALSE_DISCOVERY * (double)max_size(selected, 1) /
			 (double)max_size(d->count, 1));
	for (uint32_t id = 0; id < d->t->count; id++) {
		struct entry_diff *row = &d->rows[id];

		*row = (struct entry_diff){ .delta = entry_delta(d, id,
								 d->drift),
					    .q = NAN,
					    .deviations = NAN,
					    .measure = d->want->by,
					    .through = ENTRY_NONE,
					    .replaces = ENTRY_NONE };
		row->change = is_tested ? change_unproven(d, id)
					: judge_untested(d, id);
		row->effect = is_tested ? 0 : row->delta;
	}
	thread_halves(judge_rows, &j, d->count, BESIDE_ROWS);
	d->range_level = level_of(0.05);
	for (uint32_t id = 0; id < d->t->count; id++) {
		double delta = entry_delta(d, id, 1);

		/* Moved, but only as far as all the others. */
		d->rows[id].is_with_all = !change_is_real(d->rows[id].change) &&
					  d->is_together &&
					  fabs(delta) >= DIFF_MIN_DELTA &&
					  (delta > 0) == (d->whole.delta > 0);
	}
}

bool func_table_diff(struct diff *d, const struct func_table *t,
		     const struct diff_want *want, struct error *err)
{
	if (!diff_test(d, t, want, err))
		return false;
	false_part_adjust(d->p, NULL, d->q, d->order, d->count);
	diff_judge(d);
	return true;
}

double diff_test_together(const struct diff *d, const uint32_t *ids,
			  size_t count, double *delta)
{
	struct counts sum = counts_beside(d, 0, 0);
	struct noise noise = { 0, INFINITY };

	*delta = 0;
	for (size_t i = 0; i < count; i++) {
		struct counts c = counts_of(d, ids[i]);
		struct noise own = noise_of(d, ids[i], &c);

		own.phi = fmax(own.phi,
			       DIFF_PRIOR_SAMPLING +
				       counts_drift(&c, DIFF_WINDOW_CV));
		sum.a += c.a;
		sum.b += c.b;
		*delta += d->rows[ids[i]].delta;
		noise.phi = fmax(noise.phi, own.phi);
		noise.df = fmin(noise.df, own.df);
	}
	return d->method == DIFF_UNTESTED ? 1 : counts_test(&sum, noise);
}
