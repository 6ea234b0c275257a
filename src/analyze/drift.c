/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/drift.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"

/* Sizes of peers, as powers of two. */
#define MAGNITUDES 64

/* Two of one size are taken for one when they lie within this part of what
 * sampling alone sets them apart. */
#define TWIN_PART 0.1

/* What functions own adds up to the whole; totals count callers again. */
static double self_lib_share(const struct diff *d, uint32_t id, enum side s)
{
	return side_share(d->t->sides[s].profile,
			  d->t->entries[id].values[s].self_lib);
}

/* After relative to before, both by exposure; 0/0 is not asked for. */
static double entry_ratio(const struct diff *d, uint32_t id)
{
	double ratio = self_lib_share(d, id, SIDE_SLOW) /
		       self_lib_share(d, id, SIDE_BASELINE);

	if (!diff_is_rate(d))
		return ratio;
	return ratio * (d->all.a / d->all.n_a) / (d->all.b / d->all.n_b);
}

/* ---- the whole ---- */

/* How the blocks differ as wholes. */
static struct dispersion whole_dispersion(const struct diff *d)
{
	struct slice_row rows[SIDE_COUNT];

	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct slice_side *side = &d->want->slices->sides[s];

		rows[s] = (struct slice_row){ .values = side->wholes,
					      .exposures = side->exposures,
					      .count = side->count,
					      .value_size = d->period[s] };
	}
	return dispersion_of(&rows[SIDE_SLOW], &rows[SIDE_BASELINE]);
}

/* Known from as many values as there are: the drift between windows, and what
 * a row of all values would have, or what the blocks as wholes show. */
static struct noise whole_noise(const struct diff *d)
{
	struct counts c = d->all;
	double phi;

	if (!diff_is_by_slices(d))
		return (struct noise){ counts_overdispersion(&c), INFINITY };
	/* What a function of such a size is expected to have in a block. */
	phi = fmax(d->prior.phi,
		   1 + d->prior.trend * (c.a + c.b) / (d->df + SIDE_COUNT));
	if (diff_is_narrow(d))
		phi = fmax(d->prior.is_counts, whole_dispersion(d).phi);
	return (struct noise){ phi + counts_drift(&c, diff_window_cv(d)), d->df };
}

/* Deviations that a change shows which is seen in four of five cases: those of
 * the level, and those that four of five reach. */
#define SEEN_DEVIATIONS (1.96 + 0.84)

static double detectable_part(const struct counts *c, struct noise noise)
{
	double samples = 2 / (1 / fmax(1, c->a) + 1 / fmax(1, c->b));

	return SEEN_DEVIATIONS * sqrt(2 * noise.phi / samples);
}

/* Of shares the whole is 100 % whatever happened. */
void whole_test(struct diff *d)
{
	struct whole_diff *w = &d->whole;
	struct noise noise;
	double ratio;

	*w = (struct whole_diff){ .q = NAN,
				  .range = { NAN, NAN },
				  .detectable = NAN };
	if (!diff_is_rate(d))
		return;
	w->delta = counts_delta(&d->all, d->all.a);
	ratio = fmax(1e-9, 1 - w->delta); /* before, of after */
	w->is_changed = fmax(ratio, 1 / ratio) >= DIFF_WHOLE_RATIO;
	if (d->method == DIFF_UNTESTED)
		return;
	noise = whole_noise(d);
	if (diff_is_narrow(d))
		d->common = (struct wander_known){
			noise.phi * counts_log_variance(&d->all), d->df
		};
	w->q = counts_test(&d->all, noise);
	w->is_changed = w->is_changed && w->q <= DIFF_FALSE_DISCOVERY;
	w->detectable = detectable_part(&d->all, noise);
	w->range = counts_delta_interval(
		&d->all, d->all.a, noise.phi,
		isinf(noise.df) ? normal_two_sided_quantile(0.05)
				: student_two_sided_quantile(0.05, noise.df));
}

struct vote {
	double ratio;
	double weight;
};

static int compare_votes(const void *left, const void *right)
{
	return compare_f64(((const struct vote *)left)->ratio,
			   ((const struct vote *)right)->ratio);
}

/* What each function that is neither tiny nor most of a side did, with all that
 * it calls. whole: after of before. */
static size_t collect_votes(const struct diff *d, double whole,
			    struct vote *votes)
{
	const struct func_entry *entries = d->t->entries;
	const struct profile *slow = d->t->sides[SIDE_SLOW].profile;
	const struct profile *base = d->t->sides[SIDE_BASELINE].profile;
	size_t count = 0;

	for (uint32_t id = 0; id < d->t->count; id++) {
		const struct side_values *v = entries[id].values;
		double after = side_share(slow, v[SIDE_SLOW].total);
		double before = side_share(base, v[SIDE_BASELINE].total);

		if (fmax(after, before) < DIFF_MIN_DELTA ||
		    fmax(after, before) >= DIFF_TOGETHER_SHARE)
			continue;
		votes[count++] = (struct vote){
			.ratio = before > 0 ? after / before * whole : INFINITY,
			.weight = (after + before) / 2,
		};
	}
	return count;
}

static bool is_near(double ratio, double whole)
{
	return ratio > 0 && isfinite(ratio) &&
	       fabs(log(ratio) - log(whole)) <= fabs(log(whole)) / 2;
}

/* ---- how far windows lie apart ---- */

/* Power of two above the size of a peer. */
static unsigned magnitude(const struct wander_peer *peer)
{
	int power;

	(void)frexp(2 / peer->sampling, &power);
	return (unsigned)(power < 0 ? 0 : power) % MAGNITUDES;
}

/* Least magnitude of the largest functions, about so many as tell enough. */
static unsigned least_magnitude(const struct diff *d)
{
	size_t counts[MAGNITUDES] = { 0 }, sum = 0;
	unsigned least = MAGNITUDES;
	struct wander_peer peer;

	for (uint32_t id = 0; id < d->t->count; id++)
		if (diff_peer(d, id, &peer))
			counts[magnitude(&peer)]++;
	while (least && sum < DIFF_WANDER_PEERS)
		sum += counts[--least];
	return least;
}

static int compare_sampling(const void *left, const void *right)
{
	const struct wander_peer *a = left, *b = right;
	int order = compare_f64(a->sampling, b->sampling);

	return order ? order : compare_f64(a->log_ratio, b->log_ratio);
}

/* Callers of one function that all have its samples, or nearly, wander as one.
 */
static size_t drop_twins(struct wander_peer *peers, size_t count)
{
	size_t kept = 0;

	qsort(peers, count, sizeof *peers, compare_sampling);
	for (size_t i = 0; i < count; i++) {
		const struct wander_peer *last = kept ? &peers[kept - 1] : NULL;
		double near = TWIN_PART * sqrt(peers[i].sampling);

		if (last &&
		    fabs(last->log_ratio - peers[i].log_ratio) <= near &&
		    peers[i].sampling - last->sampling <=
			    near * peers[i].sampling)
			continue;
		peers[kept++] = peers[i];
	}
	return kept;
}

/* Of slow requests beside others most functions may have changed. */
static struct wander_prior wander_prior_of(const struct diff *d)
{
	bool may_rise = d->want->is_small_told;

	if (diff_is_by_slices(d))
		return (struct wander_prior){ 1, diff_window_cv(d), may_rise };
	return (struct wander_prior){ OVERDISPERSION_BASE, BURST_CV, may_rise };
}

static size_t collect_peers(const struct diff *d, struct wander_peer *peers)
{
	unsigned least = least_magnitude(d);
	size_t count = 0;

	for (uint32_t id = 0; id < d->t->count; id++)
		count += diff_peer(d, id, &peers[count]) &&
			 magnitude(&peers[count]) >= least;
	count = drop_twins(peers, count);
	return count < DIFF_TOGETHER_ROWS ? 0 : count;
}

bool drift_find_wander(struct diff *d, struct error *err)
{
	struct wander_peer *peers =
		arena_array(d->t->arena, d->t->count + 1, sizeof *peers);
	struct wander_prior prior = wander_prior_of(d);
	size_t count = 0;

	if (!peers)
		return arena_fail(d->t->arena, "comparing functions", err);
	if (!diff_has_turns(d) && (prior.may_rise || !diff_is_by_slices(d)))
		count = collect_peers(d, peers);
	wander_fit(&d->wander, peers, count, prior);
	return true;
}

/* ---- drift ---- */

/* Median of how functions moved by what they own, which few do in small
 * profiles: 0 then. Uses d->p as scratch. */
static double median_self_lib(const struct diff *d)
{
	size_t count = 0;

	for (uint32_t id = 0; id < d->t->count; id++)
		if (fmax(self_lib_share(d, id, SIDE_SLOW),
			 self_lib_share(d, id, SIDE_BASELINE)) >=
		    DIFF_MIN_DELTA)
			d->p[count++] = self_lib_share(d, id, SIDE_BASELINE) > 0
						? entry_ratio(d, id)
						: INFINITY;
	return count < DIFF_DRIFT_ROWS ? 0 : stats_median(d->p, count);
}

/* More load moves all functions alike; where requests are counted, it is known,
 * and what all of them take more of is a change. */
static bool has_load(const struct diff *d)
{
	return diff_is_rate(d) && d->want->normalize != NORMALIZE_REQUEST;
}

/* When the whole moved, and most functions as it did, those are told apart by
 * how they moved against each other. */
static bool is_together(const struct diff *d, const struct vote *votes,
			size_t count, double whole)
{
	double near = 0, all = 0;

	if (!d->whole.is_changed || !has_load(d) || count < DIFF_TOGETHER_ROWS)
		return false;
	for (size_t i = 0; i < count; i++) {
		all += votes[i].weight;
		near += is_near(votes[i].ratio, whole) ? votes[i].weight : 0;
	}
	return near >= DIFF_TOGETHER_PART * all;
}

/* The middle of those that both sides have; of two that are, the nearer to no
 * change. What is new or gone tells nothing of the others. 0 for too few. */
static double median_vote(const struct vote *votes, size_t count)
{
	size_t first = 0;
	double low, high;

	while (first < count && !(votes[first].ratio > 0))
		first++;
	while (count > first && isinf(votes[count - 1].ratio))
		count--;
	count -= first;
	if (count < DIFF_TOGETHER_ROWS)
		return 0;
	low = votes[first + (count - 1) / 2].ratio;
	high = votes[first + count / 2].ratio;
	return fabs(log(low)) <= fabs(log(high)) ? low : high;
}

/* Ratio that an unchanged function shows. */
bool drift_find(struct diff *d, struct error *err)
{
	double whole = diff_is_rate(d) ? 1 / (1 - d->whole.delta) : 1;
	double median = median_self_lib(d);
	struct vote *votes;
	size_t count;

	d->drift = 1;
	votes = arena_array(d->t->arena, d->t->count, sizeof *votes);
	if (!votes)
		return arena_fail(d->t->arena, "comparing functions", err);
	if (!(whole > 0) || !isfinite(whole))
		return true;
	count = collect_votes(d, whole, votes);
	qsort(votes, count, sizeof *votes, compare_votes);
	d->is_together = is_together(d, votes, count, whole);
	if (d->is_together || (!(median > 0) && has_load(d)))
		median = median_vote(votes, count);
	if (!(median > 0) || !isfinite(median))
		return true;
	d->has_drift = true;
	d->drift = median;
	if (diff_is_rate(d) && !d->is_together && !diff_is_narrow(d))
		d->drift = fmin(DIFF_COMMON_RATE,
				fmax(1 / DIFF_COMMON_RATE, median));
	return true;
}
