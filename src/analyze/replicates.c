/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/num.h"

#define WHAT "comparing functions"

/* Rows with fewer samples a side do not tell what unchanged ones did, and with
 * fewer a run are too coarse to tell how they vary. */
#define TELLING_SAMPLES 10.0
#define TELLING_MEAN 5.0

/* Weight of large rows where it is not known yet how they drift. */
#define FIRST_CV 0.05
/* Factors that are tried are those of so many rows, evenly over all. */
#define MOST_MODES 128u
#define DENSE_PART 0.8
/* A factor is that of rows that did not change when they hold this part of the
 * samples that another group of rows leaves, and of all at least that. */
#define REST_PART 0.5
#define LEAST_PART 0.02
/* Two groups with as many rows behind them, or this part: either may be it. */
#define SPLIT_PART 0.6
/* Rows farther from the middle than so many deviations may have changed; of the
 * square of a normal variable so much lies within, on average. */
#define UNCHANGED_WITHIN 2.5
#define UNCHANGED_VARIANCE 0.911
/* Variance of a weighted median relative to that of the mean. */
#define MEDIAN_VARIANCE 1.57

/* The trend: v is looked for from a deviation of 0.1 % to one of 70 %, in steps
 * of a root of two of it. */
#define LEAST_DRIFT 1e-6
#define DRIFT_STEPS 20
#define LIKELY_CV 0.04
/* A row counts as at most so many deviations off. */
#define TREND_FAR 4.0
/* More is no noise of what did not change. */
#define MOST_SAMPLING 100.0

/* The middle half of the rows shows how much they differ in their noise. */
#define QUARTILE 0.6745
/* Its square, of so many rows with one degree of freedom, errs by so much over
 * the root of their number. */
#define HALF_ERROR 2.68
/* One in ten lies above so many deviations; the same of that. */
#define TENTH 1.2816
#define TENTH_ERROR 3.4
#define LEAST_PRIOR_DF 4.0
#define MOST_PRIOR_DF 1000.0
/* Too few rows to tell: the trend weighs that much. */
#define TREND_ROWS 12u
/* One in a hundred that the trend explains lies above so many deviations. */
#define OUTSIDE 2.326
/* A median tells as much of a spread as so much of its rows. Of many the square
 * of the spread is then taken twice more, from those that lie within what is
 * known of it, which tells nearly twice as much. */
#define MEDIAN_EFFICIENCY 0.37
#define SPREAD_STEPS 2
#define SPREAD_EFFICIENCY 0.65
/* Weight of the assumed noise, in rows. */
#define PRIOR_ROWS 2.0
/* Rows must show with this many deviations that sides lie farther apart than
 * their runs. */
#define SHOWN_BEYOND 1.645
#define MOST_BETWEEN_CV 0.3
#define HALVINGS 40
/* Rounds of finding what rows have in common and how they vary. */
#define ROUNDS 2

/* A row that tells of what unchanged ones did. */
struct peer {
	double log_ratio;
	double sampled; /* variance of it by sampling alone */
	double samples; /* of both sides */
	double weight;
	double part; /* of the samples of a side, on average */
	size_t row;
};

/* ---- distributions ---- */

/* A chi-squared variable over its degrees of freedom, so many deviations above
 * its middle (Wilson and Hilferty). */
static double chi2_part(double df, double deviations)
{
	double unit = 2 / (9 * df);
	double root = 1 - unit + deviations * sqrt(unit);

	return root > 0 ? root * root * root : 0;
}

/* Second derivative of log Gamma(x), x > 0: the variance of the logarithm of a
 * gamma variable. By its recurrence up to where the series holds. */
static double trigamma_at(double x)
{
	double sum = 0, square;

	for (; x < 6; x++)
		sum += 1 / (x * x);
	square = 1 / (x * x);
	return sum + 1 / x + square / 2 +
	       square / x * (1 / 6.0 - square * (1 / 30.0 - square / 42));
}

/* Degrees of freedom whose chi-squared logarithm varies so much. */
static double df_of_variance(double variance)
{
	double low = LEAST_PRIOR_DF, high = MOST_PRIOR_DF;

	if (trigamma_at(low / 2) <= variance)
		return low;
	for (int i = 0; i < HALVINGS; i++) {
		double df = sqrt(low * high);

		if (trigamma_at(df / 2) > variance)
			low = df;
		else
			high = df;
	}
	return high;
}

/* ---- rows ---- */

static double samples_at(const struct replicate_runs *runs,
			 const struct replicate_row *row, int s, size_t run)
{
	return row->values[s][run] / runs->value[s];
}

static double size_of(const struct replicate_runs *runs, int s)
{
	double sum = 0;

	for (size_t i = 0; i < runs->count[s]; i++)
		sum += runs->sizes[s][i];
	return sum;
}

struct replicate_sums replicates_sums(const struct replicate_runs *runs,
				      const struct replicate_row *row,
				      double drift)
{
	struct replicate_sums out = { 0 };

	for (int s = 0; s < REPLICATE_SIDES; s++) {
		double sum = 0, size = size_of(runs, s);

		for (size_t i = 0; i < runs->count[s]; i++)
			sum += samples_at(runs, row, s, i);
		out.count[s] = sum;
		for (size_t i = 0; i < runs->count[s] && size > 0; i++) {
			double part = runs->sizes[s][i] / size;
			double mean = sum * part;
			double apart = samples_at(runs, row, s, i) - mean;

			out.spread += part * part;
			if (mean > 0)
				out.pearson += apart * apart /
					       (mean * (1 + drift * mean));
		}
		if (runs->count[s] > 1 && sum > 0)
			out.df += (double)runs->count[s] - 1;
	}
	out.mean = (out.count[0] + out.count[1]) /
		   fmax(1, (double)(runs->count[0] + runs->count[1]));
	return out;
}

/* Half a sample is added so that nothing has a logarithm; most of what that
 * adds to either side is taken back by the difference. */
static struct peer peer_of(const struct replicate_runs *runs,
			   const struct replicate_sums *sums)
{
	double size[REPLICATE_SIDES] = { size_of(runs, 0), size_of(runs, 1) };
	double a = sums->count[0], b = sums->count[1];

	return (struct peer){
		.log_ratio = log((a + 0.5) / size[0]) -
			     log((b + 0.5) / size[1]),
		.sampled = 1 / fmax(1, a) + 1 / fmax(1, b),
		.samples = a + b,
		.part = (a / size[0] + b / size[1]) / REPLICATE_SIDES,
	};
}

/* ---- the trend ---- */

static int compare_r(const void *left, const void *right)
{
	return compare_f64(((const struct replicate_seen *)left)->scratch,
			   ((const struct replicate_seen *)right)->scratch);
}

/* Beside a row's mean and the middle of its distribution. */
static double beside_trend(const struct replicate_seen *x, double drift)
{
	return log(fmax(1e-12, x->r)) - log(chi2_part(x->df, 0)) -
	       log1p(drift * x->mean);
}

static void swap_seen(struct replicate_seen *a, struct replicate_seen *b)
{
	struct replicate_seen kept = *a;

	*a = *b;
	*b = kept;
}

/* Those that are smaller than the pivot first: how many there are; then equal ones, up
 * to *end. */
static size_t part_seen(struct replicate_seen *seen, size_t count, double pivot,
			size_t *end)
{
	size_t less = 0, at = 0, more = count;

	while (at < more) {
		if (seen[at].scratch < pivot)
			swap_seen(&seen[less++], &seen[at++]);
		else if (seen[at].scratch > pivot)
			swap_seen(&seen[at], &seen[--more]);
		else
			at++;
	}
	*end = more;
	return less;
}

/* So many rounds leave few of any rows but such as are made for it. */
#define SELECT_ROUNDS 48
#define SELECT_FEW 16u

/* Puts the row there that has so many smaller ones by `scratch`, and those before
 * it. */
static double nth_seen(struct replicate_seen *seen, size_t count, size_t n)
{
	for (int round = 0; round < SELECT_ROUNDS && count > SELECT_FEW; round++) {
		double a = seen[0].scratch, b = seen[count / 2].scratch;
		double c = seen[count - 1].scratch;
		double middle = fmax(fmin(a, b), fmin(fmax(a, b), c));
		size_t end, less = part_seen(seen, count, middle, &end);

		if (n < less) {
			count = less;
		} else if (n < end) {
			return seen[n].scratch;
		} else {
			seen += end;
			count -= end;
			n -= end;
		}
	}
	qsort(seen, count, sizeof *seen, compare_r);
	return seen[n].scratch;
}

/* The logarithm of the trend's s by the median of how far the rows lie from one with
 * this drift: half of them may do what they like. */
static double median_sampling(struct replicate_seen *seen, size_t count,
			      double drift, double least)
{
	double middle, high = INFINITY;

	for (size_t i = 0; i < count; i++)
		seen[i].scratch = beside_trend(&seen[i], drift);
	middle = nth_seen(seen, count, (count - 1) / 2);
	for (size_t i = count / 2; count % 2 == 0 && i < count; i++)
		high = fmin(high, seen[i].scratch);
	if (count % 2 == 0)
		middle = (middle + high) / 2;
	middle = fmin(log(MOST_SAMPLING), middle);
	return least > 0 ? fmax(log(least), middle) : middle;
}

/* The deviance of the rows from a trend with this drift (gamma distribution), none of
 * them counting as farther off than TREND_FAR; *sampling is the trend's, with one
 * deviation of chance taken off: most samples are independent ones. Sides without runs
 * have rows that changed, which speak for no drift: then it is that of the middle, and
 * what the others have less is theirs. */
static double trend_deviance(struct replicate_seen *seen, size_t count, double drift,
			     double least, bool is_of_sides, double *sampling)
{
	double middle = exp(median_sampling(seen, count, drift, least));
	double cost = 0, sum = 0, df = 0;

	for (size_t i = 0; i < count && !is_of_sides; i++) {
		double phi = middle * (1 + drift * seen[i].mean);

		sum += seen[i].df * fmin(chi2_part(seen[i].df, TREND_FAR),
					 seen[i].r / phi);
		df += seen[i].df;
	}
	*sampling = is_of_sides ? middle
				: fmax(least, middle * sum / df *
						      fmax(0.5, 1 - sqrt(2 / df)));
	for (size_t i = 0; i < count; i++) {
		double phi = *sampling * (1 + drift * seen[i].mean);
		double far = is_of_sides ? UNCHANGED_WITHIN * UNCHANGED_WITHIN
					 : chi2_part(seen[i].df, TREND_FAR);
		double all = is_of_sides ? UNCHANGED_VARIANCE : 1;

		cost += seen[i].df * (log(phi) + fmin(far, seen[i].r / phi) / all);
	}
	return cost;
}

/* Only the few large rows show the drift, and often badly: taken is its mean over what
 * the rows let it be, and of runs its variance, for larger rows than those. Before they
 * are seen functions vary by LIKELY_CV at most, nearly always, and between sides by
 * what is taken for those (NULL: of runs). */
static void fit_trend(struct replicate_seen *seen, size_t count, double least,
		      const struct replicate_prior *sides,
		      struct replicate_noise *n)
{
	double likely_cv = sides ? sides->drift_cv : LIKELY_CV;
	double drifts[DRIFT_STEPS], costs[DRIFT_STEPS], best = INFINITY;
	double weight = 0, sum = 0, squares = 0, sampling;

	for (size_t step = 0; step < DRIFT_STEPS; step++) {
		drifts[step] = LEAST_DRIFT * exp2((double)step);
		costs[step] = trend_deviance(seen, count, drifts[step], least,
					     sides != NULL, &sampling);
		best = fmin(best, costs[step]);
	}
	for (size_t step = 0; step < DRIFT_STEPS; step++) {
		double off = 1 + drifts[step] / (likely_cv * likely_cv);
		double w = exp((best - costs[step]) / 2) * sqrt(drifts[step]) /
			   (off * off * off);

		weight += w;
		sum += w * drifts[step];
		squares += w * drifts[step] * drifts[step];
	}
	n->drift = sum / weight;
	n->drift_variance =
		sides ? 0 : squares / weight - n->drift * n->drift;
	trend_deviance(seen, count, n->drift, least, sides != NULL, &n->sampling);
}

/* The square of a width beyond that which few degrees of freedom give it, as a
 * variance. chance: the part of the latter that comes by chance. */
static double width_excess(double width, double own, double chance,
			   double deviations)
{
	return (width * fmax(0, width) - own * own * (1 + chance)) /
	       (deviations * deviations);
}

/* How much rows differ in their noise: by their middle half, and by the tenth
 * that varies most, since a few may be of another kind (garbage collectors). A row
 * that varies less than independent samples, such as one of a fixed amount of work, is
 * no sign that others vary more. Of sides without runs, whose rows have one degree of
 * freedom each, and of which some changed, only what chance does not show. */
static void fit_prior_df(struct replicate_seen *seen, size_t count, bool is_of_sides,
			 struct replicate_noise *n)
{
	double root = sqrt((double)count), df = 0, variance, low;
	double below, above;

	for (size_t i = 0; i < count; i++) {
		seen[i].scratch = beside_trend(&seen[i], n->drift);
		df += seen[i].df / (double)count;
	}
	qsort(seen, count, sizeof *seen, compare_r);
	below = log(chi2_part(df, -QUARTILE) / chi2_part(df, 0));
	above = log(chi2_part(df, QUARTILE) / chi2_part(df, 0));
	low = fmax(seen[count / 4].scratch, log(n->sampling) + below);
	variance = width_excess(
		seen[count * 3 / 4].scratch - low, above - below,
		is_of_sides ? SHOWN_BEYOND * HALF_ERROR / root : 0,
		2 * QUARTILE);
	if (!is_of_sides)
		variance = fmax(
			variance,
			width_excess(
				seen[count * 9 / 10].scratch -
					seen[count / 2].scratch,
				log(chi2_part(df, TENTH) / chi2_part(df, 0)),
				TENTH_ERROR / root, TENTH));
	n->prior_df = df_of_variance(variance);
}

struct replicate_seen replicates_see(const struct replicate_runs *runs,
				     const struct replicate_row *row,
				     double least)
{
	struct replicate_sums sums = replicates_sums(runs, row, 0);

	if (!(sums.df > 0) || !(sums.pearson > 0) ||
	    (least > 0 && sums.mean < TELLING_MEAN))
		return (struct replicate_seen){ .df = 0 };
	return (struct replicate_seen){ .r = sums.pearson / sums.df,
					.df = sums.df,
					.mean = sums.mean };
}

/* One run a side shows nothing: then they are all empty. */
static struct replicate_seen *list_seen(const struct replicate_runs *runs,
					const struct replicate_row *rows,
					size_t count, double least,
					struct arena *arena)
{
	bool has_df = runs->count[0] > 1 || runs->count[1] > 1;
	struct replicate_seen *seen =
		arena_array(arena, count + 1, sizeof *seen);

	for (size_t i = 0; seen && has_df && i < count; i++)
		seen[i] = replicates_see(runs, &rows[i], least);
	return seen;
}

void replicates_trend_of(struct replicate_seen *seen, size_t count,
			 struct replicate_noise *n)
{
	double sum = 0, df = 0;
	size_t known = 0;

	for (size_t i = 0; i < count; i++)
		if (seen[i].df > 0)
			seen[known++] = seen[i];
	n->drift = 0;
	n->rows = known;
	if (known < TREND_ROWS) {
		for (size_t i = 0; i < known; i++) {
			sum += seen[i].r * seen[i].df;
			df += seen[i].df;
		}
		n->sampling = fmax(n->least, df > 0 ? sum / df : 0);
		n->prior_df = LEAST_PRIOR_DF;
		return;
	}
	fit_trend(seen, known, n->least, NULL, n);
	fit_prior_df(seen, known, false, n);
}

bool replicates_trend(const struct replicate_runs *runs,
		      const struct replicate_row *rows, size_t count,
		      struct replicate_noise *n, struct error *err)
{
	struct arena scratch;
	struct replicate_seen *seen;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	seen = list_seen(runs, rows, count, n->least, &scratch);
	if (seen)
		replicates_trend_of(seen, count, n);
	else
		arena_fail(&scratch, WHAT, err);
	arena_release(&scratch);
	return seen;
}

/* ---- between the sides ---- */

/* Those that tell, the largest first. */
static int compare_peers(const void *left, const void *right)
{
	const struct peer *a = left, *b = right;
	int order = compare_f64(b->samples, a->samples);

	return order ? order : compare_f64(a->log_ratio, b->log_ratio);
}

/* So many of the largest tell enough, by what both sides have together, which says
 * nothing of how much one of them has. */
#define REPLICATE_MOST_ROWS 2048u
/* Factor on the samples that each side should have: rows with fewer agree by
 * chance, and would show too little change. */
#define CERTAIN_TIMES 2

static struct peer *list_peers(const struct replicate_runs *runs,
			       const struct replicate_row *rows, size_t count,
			       struct arena *arena, size_t *found)
{
	struct peer *peers = arena_array(arena, count + 1, sizeof *peers);
	double a = size_of(runs, 0), b = size_of(runs, 1);
	double part = fmin(a, b) / (a + b);

	*found = 0;
	for (size_t i = 0; peers && i < count; i++) {
		struct replicate_sums sums = replicates_sums(runs, &rows[i], 0);

		if (sums.count[0] < TELLING_SAMPLES ||
		    sums.count[1] < TELLING_SAMPLES)
			continue;
		peers[*found] = peer_of(runs, &sums);
		peers[(*found)++].row = i;
	}
	if (!peers)
		return NULL;
	qsort(peers, *found, sizeof *peers, compare_peers);
	*found = min_size(*found, REPLICATE_MOST_ROWS);
	while (*found > REPLICATE_MANY_ROWS &&
	       peers[*found - 1].samples * part < CERTAIN_TIMES * TELLING_SAMPLES)
		--*found;
	return peers;
}

static int compare_ratios(const void *left, const void *right)
{
	return compare_f64(((const struct peer *)left)->log_ratio,
			   ((const struct peer *)right)->log_ratio);
}

/* The spread around the trend of those that did not change. */
static double sampling_within(const struct replicate_seen *seen, size_t count,
			      const struct replicate_noise *n)
{
	double sum = 0, kept = 0;

	for (size_t i = 0; i < count; i++) {
		double part = seen[i].r /
			      (n->sampling * (1 + n->drift * seen[i].mean));

		if (part > UNCHANGED_WITHIN * UNCHANGED_WITHIN)
			continue;
		sum += part;
		kept++;
	}
	return kept > 0 ? fmax(n->least, n->sampling * sum /
						 (UNCHANGED_VARIANCE * kept))
			: n->sampling;
}

/* For one window per side: the noise from the distances of peers to their
 * median. */
static void noise_of_peers(const struct peer *peers, size_t count,
			   double log_common, struct replicate_seen *seen,
			   const struct replicate_prior *prior,
			   struct replicate_noise *n)
{
	bool may_rise = prior->may_rise && count >= REPLICATE_MANY_ROWS;
	double known = (may_rise ? SPREAD_EFFICIENCY : MEDIAN_EFFICIENCY) *
		       (double)count;
	double all = known + PRIOR_ROWS, most;
	double cv2 = prior->drift_cv * prior->drift_cv;

	n->rows = count;
	n->sampling = prior->sampling;
	n->drift = cv2 / prior->sampling;
	n->prior_df = INFINITY;
	if (count < REPLICATE_FEW_ROWS)
		return;
	for (size_t i = 0; i < count; i++) {
		double apart = peers[i].log_ratio - log_common;

		seen[i] = (struct replicate_seen){
			.r = apart * apart / peers[i].sampled,
			.df = 1,
			.mean = 2 / peers[i].sampled,
		};
	}
	fit_trend(seen, count, n->least, prior, n);
	for (int step = 0; may_rise && step < SPREAD_STEPS; step++)
		n->sampling = sampling_within(seen, count, n);
	if (!may_rise) {
		n->sampling = fmin(n->sampling, prior->sampling);
		n->drift = fmin(n->drift, cv2 / n->sampling);
	}
	/* Taken for granted where it is wide anyway. */
	most = n->sampling * n->drift;
	n->sampling = (PRIOR_ROWS * prior->sampling + known * n->sampling) / all;
	n->drift = (PRIOR_ROWS * cv2 + known * most) / all / n->sampling;
	if (!may_rise)
		return;
	fit_prior_df(seen, count, true, n);
	n->prior_df = 1 / (1 / n->prior_df + 1 / known);
}

/* Returns whether peers lie within what a variance beyond that of runs lets
 * them: half of them; once it is about known, those that did not change by it,
 * on average. */
static bool peers_hold(const struct peer *peers, size_t count,
		       double log_common, double known, double between,
		       double part)
{
	double sum = 0, kept = 0;
	size_t within = 0;

	for (size_t i = 0; i < count; i++) {
		double own = 1 / peers[i].weight;
		double apart = peers[i].log_ratio - log_common;
		double square = apart * apart;

		within += square <=
			  QUARTILE * QUARTILE * (own + between) * part;
		if (square >
		    UNCHANGED_WITHIN * UNCHANGED_WITHIN * (own + known))
			continue;
		sum += square / (own + between);
		kept++;
	}
	return isnan(known) ? 2 * within >= count
			    : sum <= UNCHANGED_VARIANCE * part * kept;
}

static double least_that_holds(const struct peer *peers, size_t count,
			       double log_common, double known, double part)
{
	double low = 0, high = 2 * MOST_BETWEEN_CV * MOST_BETWEEN_CV;

	if (peers_hold(peers, count, log_common, known, 0, part))
		return 0;
	for (int i = 0; i < HALVINGS; i++) {
		double next = (low + high) / 2;

		if (peers_hold(peers, count, log_common, known, next, part))
			high = next;
		else
			low = next;
	}
	return high;
}

/* Estimates the variance between the sides beyond that of runs, as shown by
 * most rows. Peers are weighted by their runs. */
static void fit_between(const struct peer *peers, size_t count,
			double log_common, const struct replicate_prior *prior,
			struct replicate_noise *n)
{
	double known = SPREAD_EFFICIENCY * (double)count;
	double taken = 2 * prior->between_cv * prior->between_cv;
	double between;
	/* A little more is seen by chance. */
	double part = prior->is_of_runs
			      ? 1 + SHOWN_BEYOND * sqrt(2 / fmax(1, known))
			      : 1;

	n->between = taken;
	n->between_df = INFINITY;
	if (!prior->may_rise || count < REPLICATE_MANY_ROWS)
		return;
	between = least_that_holds(peers, count, log_common, (double)NAN, part);
	for (int step = 0; step < SPREAD_STEPS; step++)
		between = least_that_holds(peers, count, log_common, between,
					   part);
	n->between = between;
	n->between_df = known;
}

static void peers_weigh(const struct replicate_runs *runs,
			const struct replicate_row *rows, struct peer *peers,
			size_t count, const struct replicate_noise *n,
			double common_variance)
{
	for (size_t i = 0; i < count; i++) {
		double sampled = peers[i].sampled;
		struct replicate_sums sums =
			replicates_sums(runs, &rows[peers[i].row], n->drift);
		struct noise own = replicates_row_noise(n, &sums, sampled,
							common_variance);

		peers[i].weight = 1 / (own.phi * sampled);
	}
}

/* Sets the weights of the peers. */
static bool noise_beside(const struct replicate_runs *runs,
			 const struct replicate_row *rows, size_t count,
			 struct peer *peers, size_t peer_count,
			 const struct replicate_common *common,
			 const struct replicate_prior *prior,
			 struct arena *scratch, struct replicate_noise *out,
			 struct error *err)
{
	double least = out->least;
	struct replicate_seen *seen =
		list_seen(runs, rows, count, least, scratch);

	*out = (struct replicate_noise){ .least = least,
					 .sampling = 1,
					 .prior_df = INFINITY,
					 .between_df = INFINITY };
	if (!seen)
		return arena_fail(scratch, WHAT, err);
	if (runs->count[0] + runs->count[1] <= REPLICATE_SIDES)
		noise_of_peers(peers, peer_count, common->log_ratio, seen,
			       prior, out);
	else
		replicates_trend_of(seen, count, out);
	arena_drop(scratch, seen, (count + 1) * sizeof *seen);
	if (runs->count[0] + runs->count[1] <= REPLICATE_SIDES ||
	    isnan(prior->between_cv))
		return true;
	peers_weigh(runs, rows, peers, peer_count, out, common->variance);
	fit_between(peers, peer_count, common->log_ratio, prior, out);
	return true;
}

bool replicates_noise(const struct replicate_runs *runs,
		      const struct replicate_row *rows, size_t count,
		      const struct replicate_common *common,
		      const struct replicate_prior *prior,
		      struct replicate_noise *out, struct error *err)
{
	struct arena scratch;
	size_t peer_count;
	struct peer *peers;
	bool is_done;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	peers = list_peers(runs, rows, count, &scratch, &peer_count);
	is_done = peers ? noise_beside(runs, rows, count, peers, peer_count,
				       common, prior, &scratch, out, err)
			: arena_fail(&scratch, WHAT, err);
	arena_release(&scratch);
	return is_done;
}

/* ---- what rows have in common ---- */

/* A factor that rows agree on. */
struct mode {
	double log_ratio;
	double weight; /* of the rows behind it; 0: there is none */
	double part;   /* of the samples that they hold */
};

static double first_variance(const struct peer *p)
{
	return p->sampled + 2 * FIRST_CV * FIRST_CV;
}

/* How far a row lies from a factor, in parts of what is the farthest for one that
 * speaks for it. */
static double apart_from(const struct peer *p, double log_ratio)
{
	return fabs(p->log_ratio - log_ratio) /
	       (UNCHANGED_WITHIN * sqrt(first_variance(p)));
}

/* With none where it is not a number. */
static bool peer_agrees(const struct peer *p, double log_ratio)
{
	return apart_from(p, log_ratio) <= 1;
}

/* The support of a factor by the rows that do not agree with `other`: they count by
 * how near they lie (Epanechnikov). */
static struct mode mode_at(const struct peer *peers, size_t count,
			   double log_ratio, double other)
{
	struct mode m = { .log_ratio = log_ratio };

	for (size_t i = 0; i < count; i++) {
		double apart = apart_from(&peers[i], log_ratio);

		if (apart >= 1 || peer_agrees(&peers[i], other))
			continue;
		m.weight += (1 - apart * apart) / first_variance(&peers[i]);
		m.part += peers[i].part;
	}
	return m;
}

/* The best supported factor from low to high, of rows that do not agree with
 * `other` (NAN: of all). Peers are sorted by their ratios. */
static struct mode find_mode(const struct peer *peers, size_t count, double low,
			     double high, double other)
{
	struct mode best = { .log_ratio = NAN };
	size_t step = (count + MOST_MODES - 1) / MOST_MODES;

	for (size_t i = 0; i < count; i += step) {
		struct mode m;

		if (peers[i].log_ratio < low || peers[i].log_ratio > high ||
		    peer_agrees(&peers[i], other))
			continue;
		m = mode_at(peers, count, peers[i].log_ratio, other);
		if (m.weight > best.weight)
			best = m;
	}
	return best;
}

/* Weighted median of the rows that agree with a factor; NAN: of all. */
static double middle_of(const struct peer *peers, size_t count,
			double log_ratio)
{
	double all = 0, below = 0;

	for (size_t i = 0; i < count; i++)
		if (isnan(log_ratio) || peer_agrees(&peers[i], log_ratio))
			all += 1 / first_variance(&peers[i]);
	for (size_t i = 0; i < count; i++) {
		if (!isnan(log_ratio) && !peer_agrees(&peers[i], log_ratio))
			continue;
		below += 1 / first_variance(&peers[i]);
		if (below >= all / 2)
			return peers[i].log_ratio;
	}
	return log_ratio;
}

/* Sorts the peers by their ratios. */
static void find_middle(struct peer *peers, size_t count,
			const struct replicate_prior *prior,
			struct replicate_common *out)
{
	struct mode first, second, middle;
	double all = 0;

	qsort(peers, count, sizeof *peers, compare_ratios);
	for (size_t i = 0; i < count; i++)
		all += peers[i].part;
	/* The middle of most rows has less chance in it than the place where
	 * they lie most densely, as long as it is nearly as dense. */
	middle = mode_at(peers, count, middle_of(peers, count, NAN), NAN);
	first = find_mode(peers, count, -INFINITY, INFINITY, NAN);
	if (middle.weight >= DENSE_PART * first.weight)
		first = middle;
	out->reading = REPLICATE_CLEAR;
	if (prior->bound > 0 &&
	    fabs(first.log_ratio + prior->whole) > prior->bound) {
		second = find_mode(peers, count, -prior->bound - prior->whole,
				   prior->bound - prior->whole, NAN);
		/* The rows behind it may be those that did not change, and the
		 * rest of what the other group leaves did. */
		if (second.weight > 0 && second.part >= LEAST_PART &&
		    second.part >= REST_PART * (all - first.part))
			first = second;
		else
			out->reading = REPLICATE_TOGETHER;
	} else if (!(prior->bound > 0)) {
		second = find_mode(peers, count, -INFINITY, INFINITY,
				   first.log_ratio);
		if (second.weight >= SPLIT_PART * first.weight)
			out->reading = REPLICATE_SPLIT;
		out->other_log_ratio = second.log_ratio;
	}
	out->log_ratio = middle_of(peers, count, first.log_ratio);
}

/* The mean of those that lie near the middle; their weights are set. */
static void take_mean(const struct peer *peers, size_t count, double middle,
		      struct replicate_common *out)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < count; i++) {
		double apart = fabs(peers[i].log_ratio - middle);

		if (apart > UNCHANGED_WITHIN / sqrt(peers[i].weight))
			continue;
		sum += peers[i].weight * peers[i].log_ratio;
		weight += peers[i].weight;
	}
	out->log_ratio = weight > 0 ? sum / weight : middle;
	out->variance = weight > 0 ? 1 / weight : 0;
}

/* By how much the rows of a run lie above what they are in its side, beyond
 * chance: that is the run's, as when one garbage collector took a half of it. */
static bool correct_runs(struct replicate_runs *runs,
			 const struct replicate_row *rows,
			 const struct peer *peers, size_t count,
			 const struct replicate_common *common,
			 const struct replicate_noise *n, int s,
			 struct arena *arena, struct error *err)
{
	double size = size_of(runs, s);
	double *sizes = arena_array(arena, runs->count[s] + 1, sizeof *sizes);

	if (!sizes)
		return arena_fail(arena, WHAT, err);
	for (size_t r = 0; r < runs->count[s]; r++)
		sizes[r] = runs->sizes[s][r];

	for (size_t r = 0; runs->count[s] > 1 && r < runs->count[s]; r++) {
		double sum = 0, weight = 0, apart, kept;

		for (size_t i = 0; i < count; i++) {
			const struct replicate_row *row = &rows[peers[i].row];
			double all = 0, expected;
			double w;

			if (fabs(peers[i].log_ratio - common->log_ratio) >
			    UNCHANGED_WITHIN / sqrt(peers[i].weight))
				continue;
			for (size_t k = 0; k < runs->count[s]; k++)
				all += samples_at(runs, row, s, k);
			expected = all * runs->sizes[s][r] / size;
			if (!(expected > 0))
				continue;
			/* A row that varies more by itself tells less. */
			w = fmin(peers[i].weight,
				 1 / (n->sampling *
				      (1 / expected + n->drift)));
			sum += w * samples_at(runs, row, s, r) / expected;
			weight += w;
		}
		if (!(weight > 0) || !(sum > 0))
			continue;
		apart = sum / weight - 1;
		kept = fmax(0, 1 - 1 / (weight * apart * apart));
		sizes[r] *= 1 + kept * apart;
	}
	runs->sizes[s] = sizes;
	return true;
}

static bool find_common(struct replicate_runs *runs,
			const struct replicate_row *rows, size_t count,
			const struct replicate_prior *prior,
			struct arena *scratch, struct arena *arena,
			struct replicate_common *out, struct error *err)
{
	struct replicate_noise n = { .least = 1 };
	size_t peer_count;
	struct peer *peers = list_peers(runs, rows, count, scratch, &peer_count);
	double all = 0;

	*out = (struct replicate_common){ .rows = peer_count };
	if (!peers)
		return arena_fail(scratch, WHAT, err);
	if (peer_count < REPLICATE_FEW_ROWS)
		return true;
	for (size_t i = 0; i < peer_count; i++)
		all += 1 / first_variance(&peers[i]);
	find_middle(peers, peer_count, prior, out);
	out->is_known = true;
	out->variance = MEDIAN_VARIANCE / all;
	if (peer_count < REPLICATE_ROWS)
		return true;
	for (int round = 0; round < ROUNDS; round++) {
		if (!noise_beside(runs, rows, count, peers, peer_count, out,
				  prior, scratch, &n, err))
			return false;
		peers_weigh(runs, rows, peers, peer_count, &n, 0);
		take_mean(peers, peer_count, out->log_ratio, out);
		for (int s = 0; !round && s < REPLICATE_SIDES; s++)
			if (!correct_runs(runs, rows, peers, peer_count, out, &n,
					  s, arena, err))
				return false;
		for (size_t i = 0; i < peer_count && !round; i++) {
			struct replicate_sums sums =
				replicates_sums(runs, &rows[peers[i].row], 0);

			peers[i].log_ratio = peer_of(runs, &sums).log_ratio;
		}
		if (!round)
			find_middle(peers, peer_count, prior, out);
	}
	return true;
}

bool replicates_common(struct replicate_runs *runs,
		       const struct replicate_row *rows, size_t count,
		       const struct replicate_prior *prior, struct arena *arena,
		       struct replicate_common *out, struct error *err)
{
	struct arena scratch;
	bool is_done;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = find_common(runs, rows, count, prior, &scratch, arena, out,
			      err);
	arena_release(&scratch);
	return is_done;
}

/* ---- one row ---- */

/* The trend at rows of this mean, and its weight. */
static struct noise trend_at(const struct replicate_noise *n, double mean)
{
	double part = mean / (1 + n->drift * mean);
	double apart = part * part * n->drift_variance;

	if (!(apart > 0))
		return (struct noise){ n->sampling, n->prior_df };
	if (isfinite(n->prior_df))
		apart += trigamma_at(n->prior_df / 2);
	/* The inverse of trigamma(df / 2), by two terms of its series. */
	return (struct noise){ n->sampling, (1 + sqrt(1 + 2 * apart)) / apart };
}

/* The known part of a row's s: its own, drawn to the trend. One that lies
 * outside of what the trend explains has only its own to go by. */
static struct noise noise_squeezed(const struct replicate_noise *n,
				   const struct replicate_sums *sums)
{
	struct noise prior = trend_at(n, sums->mean);
	double own, apart, df = sums->df;

	if (!(df > 0))
		return prior;
	own = sums->pearson / df;
	apart = trigamma_at(df / 2) +
		(isinf(prior.df) ? 0 : trigamma_at(prior.df / 2));
	if (own > prior.phi * chi2_part(df, 0) * exp(OUTSIDE * sqrt(apart)))
		return (struct noise){ own, df };
	if (isinf(prior.df))
		return prior;
	return (struct noise){
		(prior.df * prior.phi + df * own) / (prior.df + df),
		prior.df + df,
	};
}

/* The noise of a row whose ratio varies by `sampled` by independent samples. What sets
 * runs, sides and the common factor apart moves it as a whole. Degrees of freedom are
 * those of a sum of variances (Satterthwaite). */
static struct noise noise_at(const struct replicate_noise *n,
			     struct noise own, double sampled, double spread,
			     double common_variance)
{
	double first, all, square;

	if (!isfinite(sampled) || !(sampled > 0))
		return (struct noise){ fmax(n->least, own.phi), own.df, 0 };
	first = own.phi * (sampled + n->drift * spread) + common_variance;
	all = first + n->between;
	square = first * first / own.df +
		 n->between * n->between / n->between_df;
	return (struct noise){
		.phi = fmax(n->least, all / sampled),
		.df = square > 0 ? all * all / square : INFINITY,
		.apart = own.phi * n->drift * spread + common_variance +
			 n->between,
	};
}

struct noise replicates_row_noise(const struct replicate_noise *n,
				  const struct replicate_sums *sums,
				  double sampled, double common_variance)
{
	return noise_at(n, noise_squeezed(n, sums), sampled, sums->spread,
			common_variance);
}

struct noise replicates_typical_noise(const struct replicate_noise *n,
				      const struct replicate_runs *runs,
				      double sampled, double common_variance)
{
	double spread = 0, df = 0, count = 0;
	struct noise prior;

	for (int s = 0; s < REPLICATE_SIDES; s++) {
		count += (double)runs->count[s];
		spread += runs->count[s] ? 1 / (double)runs->count[s] : 0;
		df += runs->count[s] > 1 ? (double)runs->count[s] - 1 : 0;
	}
	/* For equal sides: two times two samples over the runs of both. */
	prior = trend_at(n, 4 / (sampled * fmax(1, count)));
	return noise_at(n, (struct noise){ prior.phi, prior.df + df }, sampled,
			spread, common_variance);
}
