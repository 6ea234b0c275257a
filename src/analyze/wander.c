/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/wander.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"

/* Half of a normal distribution lies within so many deviations. */
#define HALF_WITHIN 0.6745
/* Seventeen of twenty functions do, where one of twenty changed and lies
 * outside. */
#define MOST 0.85
#define MOST_WITHIN 1.6211

/* Among fewer, one that changed moves the median: the middle of the closest
 * half does not follow it. */
#define CLOSEST_PEERS 8

/* Drift below that is not looked for. */
#define LEAST_CV 0.002
/* Peers are weighed as if it were no less than that: of those that are hardly
 * sampled enough to show more, many tell little. */
#define WEIGHING_CV 0.03
/* Work drifts by 30 % from one minute to the next on ordinary services: more
 * is no drift of what did not change. */
#define MOST_CV 0.3
#define MOST_PHI 100.0

/* Functions up to 16 times as large, or as small, tell of one size. */
#define REACH_SIZES 2.0

/* The median absolute deviation has so much of the efficiency of the standard
 * deviation. */
#define ROBUST_EFFICIENCY 0.37

/* Both parts of the noise are found in turn. */
#define ROUNDS 3
/* Halves what is looked for to a thousandth. */
#define STEPS 18

struct fit {
	const struct wander_peer *peers;
	size_t count;
	double phi;
	double cv;
	struct wander_prior most;
};

static double size_of(double sampling)
{
	return log2(fmax(1e-9, 2 / sampling) / WANDER_FIRST_SIZE) / 2;
}

static double variance(const struct wander_peer *p, double phi, double cv)
{
	return phi * p->sampling + 2 * cv * cv;
}

static int compare_ratios(const void *left, const void *right)
{
	return compare_f64(((const struct wander_peer *)left)->log_ratio,
			   ((const struct wander_peer *)right)->log_ratio);
}

/* ---- centre ---- */

static double closest_half(const struct wander_peer *peers, size_t count)
{
	size_t held = count / 2 + 1, best = 0;
	double least = INFINITY;

	for (size_t i = 0; i + held <= count; i++) {
		double length =
			peers[i + held - 1].log_ratio - peers[i].log_ratio;

		if (length < least) {
			least = length;
			best = i;
		}
	}
	return (peers[best].log_ratio + peers[best + held - 1].log_ratio) / 2;
}

static double centre_weight(const struct wander_peer *p,
			    struct wander_prior prior)
{
	return 1 / variance(p, prior.phi, prior.cv);
}

/* Weighted median of the sorted peers. */
static double middle(const struct wander_peer *peers, size_t count,
		     struct wander_prior prior)
{
	double all = 0, below = 0;

	for (size_t i = 0; i < count; i++)
		all += centre_weight(&peers[i], prior);
	for (size_t i = 0; i < count; i++) {
		below += centre_weight(&peers[i], prior);
		if (below >= all / 2)
			return peers[i].log_ratio;
	}
	return 0;
}

/* ---- both parts of the noise ---- */

/* What a peer tells of a part of its variance: the square of that part. */
static double evidence(double part, double whole)
{
	double ratio = part / whole;

	return ratio * ratio;
}

static double drift_evidence(const struct fit *f, const struct wander_peer *p)
{
	double cv = fmax(f->cv, WEIGHING_CV);

	return evidence(2 * cv * cv, variance(p, f->phi, cv));
}

static double sampling_evidence(const struct fit *f,
				const struct wander_peer *p)
{
	return evidence(f->phi * p->sampling, variance(p, f->phi, f->cv));
}

/* Weight of a peer for the size: all weigh the same where it is negative. */
static double nearness(const struct wander_peer *p, double size)
{
	return size < 0 ? 1 : fmax(0, 1 - fabs(p->size - size) / REACH_SIZES);
}

/* Whether half of the peers, by weight, lie within what is expected. */
static bool holds_half(const struct fit *f, double phi, double cv, double size,
		       bool is_drift)
{
	double within = 0, all = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct wander_peer *p = &f->peers[i];
		double weight = nearness(p, size);

		if (!(weight > 0))
			continue;
		weight *= is_drift ? drift_evidence(f, p)
				   : sampling_evidence(f, p);
		all += weight;
		if (p->deviation <= HALF_WITHIN * sqrt(variance(p, phi, cv)))
			within += weight;
	}
	return within >= all / 2;
}

/* Least drift that holds half of them. */
static double find_cv(const struct fit *f, double size)
{
	double low = LEAST_CV, high = f->most.cv;

	if (holds_half(f, f->phi, low, size, true))
		return 0;
	for (int i = 0; i < STEPS; i++) {
		double next = sqrt(low * high);

		if (holds_half(f, f->phi, next, size, true))
			high = next;
		else
			low = next;
	}
	return high;
}

static double find_phi(const struct fit *f)
{
	double low = 1, high = f->most.phi;

	if (holds_half(f, low, f->cv, -1, false))
		return low;
	for (int i = 0; i < STEPS; i++) {
		double next = sqrt(low * high);

		if (holds_half(f, next, f->cv, -1, false))
			high = next;
		else
			low = next;
	}
	return high;
}

static double all_evidence(const struct fit *f, double size, bool is_drift)
{
	double all = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct wander_peer *p = &f->peers[i];

		all += nearness(p, size) * (is_drift ? drift_evidence(f, p)
						     : sampling_evidence(f, p));
	}
	return all;
}

/* A mean of what is known and of what so many peers show. Its degrees of
 * freedom are those of a sum of variances (Satterthwaite). */
static struct wander_known mixed(struct wander_known known, double weight,
				 double seen, double count)
{
	double first = weight * known.value / (weight + count);
	double second = count * seen / (weight + count);
	double value = first + second, square = first * first / known.df;

	if (second > 0)
		square += second * second / (ROBUST_EFFICIENCY * count);
	return (struct wander_known){ value, square > 0 ? value * value / square
							: INFINITY };
}

static void fit_all(struct fit *f, struct wander *w, struct wander_prior prior,
		    struct wander_known *drift)
{
	const struct wander_known phi = { prior.phi, INFINITY };
	const struct wander_known square = { prior.cv * prior.cv, INFINITY };

	for (int i = 0; i < ROUNDS; i++) {
		double cv;

		w->phi = mixed(phi, WANDER_PRIOR, find_phi(f),
			       all_evidence(f, -1, false));
		f->phi = w->phi.value;
		cv = find_cv(f, -1);
		*drift = mixed(square, WANDER_PRIOR, cv * cv,
			       all_evidence(f, -1, true));
		f->cv = sqrt(drift->value);
	}
}

/* The size that most peers are of, or near. */
static size_t most_frequent_size(const struct fit *f)
{
	double most = 0;
	size_t found = 0;

	for (size_t i = 0; i < WANDER_SIZES; i++) {
		double near = 0;

		for (size_t p = 0; p < f->count; p++)
			near += nearness(&f->peers[p], (double)i);
		if (near > most) {
			most = near;
			found = i;
		}
	}
	return found;
}

/* Of the largest functions there are few, and one that changed has its callers
 * among them: so few show no more drift than smaller ones do. */
static void fit_sizes(const struct fit *f, struct wander *w,
		      struct wander_known drift)
{
	double known = WANDER_PRIOR + all_evidence(f, -1, true);
	double most = drift.value;
	size_t frequent = most_frequent_size(f);

	for (size_t i = 0; i < WANDER_SIZES; i++) {
		double seen = all_evidence(f, (double)i, true);
		double cv = seen > 0 ? find_cv(f, (double)i) : 0;
		double value = cv * cv;

		if (i > frequent && seen < WANDER_ALL)
			value = fmin(value, most);
		else if (i >= frequent)
			most = fmax(most, value);
		w->drift[i] =
			mixed(drift, fmin(WANDER_ALL, known), value, seen);
	}
}

struct wander_known wander_drift(const struct wander *w, double sampling)
{
	double size = fmin(WANDER_SIZES - 1, fmax(0, size_of(sampling)));
	size_t low = (size_t)size;
	size_t high = low + 1 < WANDER_SIZES ? low + 1 : low;
	double part = size - (double)low;
	const struct wander_known *a = &w->drift[low], *b = &w->drift[high];

	return (struct wander_known){
		.value = a->value + part * (b->value - a->value),
		.df = fmin(a->df, b->df),
	};
}

/* How many times what is expected the outer ones of the peers reach, 1 at
 * least. */
static double outer_part(const struct fit *f, const struct wander *w)
{
	double low = 1, high = MOST_PHI;

	if (f->count < WANDER_MANY)
		return 1;
	for (int i = 0; i < STEPS; i++) {
		double next = i ? sqrt(low * high) : low;
		size_t within = 0;

		for (size_t p = 0; p < f->count; p++) {
			const struct wander_peer *peer = &f->peers[p];

			within +=
				peer->deviation <=
				next * MOST_WITHIN *
					sqrt(w->phi.value * peer->sampling +
					     2 * wander_drift(w, peer->sampling)
							     .value);
		}
		if ((double)within >= MOST * (double)f->count)
			high = next;
		else
			low = next;
	}
	return high;
}

/* Where they are few, or can only show less noise, it is mostly what was taken
 * without them, which is wide. */
static void take_for_granted(struct wander *w)
{
	w->phi.df = INFINITY;
	for (size_t i = 0; i < WANDER_SIZES; i++)
		w->drift[i].df = INFINITY;
}

void wander_fit(struct wander *w, struct wander_peer *peers, size_t count,
		struct wander_prior prior)
{
	struct fit f = { peers, count, prior.phi, prior.cv, prior };
	struct wander_known drift;
	double outer;

	w->peers = count;
	if (prior.may_rise && count >= WANDER_MANY)
		f.most =
			(struct wander_prior){ .phi = MOST_PHI, .cv = MOST_CV };
	qsort(peers, count, sizeof *peers, compare_ratios);
	w->centre = count < CLOSEST_PEERS && count
			    ? closest_half(peers, count)
			    : middle(peers, count, prior);
	for (size_t i = 0; i < count; i++) {
		peers[i].size = size_of(peers[i].sampling);
		peers[i].deviation = fabs(peers[i].log_ratio - w->centre);
	}
	fit_all(&f, w, prior, &drift);
	fit_sizes(&f, w, drift);
	outer = prior.may_rise ? outer_part(&f, w) : 1;
	if (!prior.may_rise)
		w->phi.value = prior.phi;
	if (count < CLOSEST_PEERS || !prior.may_rise)
		take_for_granted(w);
	w->phi.value *= outer * outer;
	for (size_t i = 0; i < WANDER_SIZES; i++)
		w->drift[i].value *= outer * outer;
}

struct wander_known wander_at(const struct wander *w,
			      struct wander_known sampling)
{
	struct wander_known drift = wander_drift(w, sampling.value);
	double sampled = w->phi.value * sampling.value;
	double drifted = 2 * drift.value, all = sampled + drifted;
	double square = sampled * sampled * (1 / w->phi.df + 1 / sampling.df) +
			drifted * drifted / drift.df;

	return (struct wander_known){ all, square > 0 ? all * all / square
						      : INFINITY };
}
