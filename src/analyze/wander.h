/* SPDX-License-Identifier: Apache-2.0
 *
 * How far functions that did not change lie apart from one window to the next,
 * as most functions of the comparison show it: an empirical null. The variance
 * of the logarithm of a ratio is taken as phi / samples of either side, for
 * what is sampled, plus 2 cv^2 for what drifts; phi is one number for all, seen
 * in small functions, cv goes by size, seen in those of about that size.
 * Robust: it holds while fewer than half of the functions changed. Pure
 * arithmetic, knows nothing of profiles.
 */
#ifndef ANALYZE_WANDER_H
#define ANALYZE_WANDER_H

#include <stdbool.h>
#include <stddef.h>

/* What is taken without functions that tell weighs as much as so many of them.
 */
#define WANDER_PRIOR 2.0

/* What functions of all sizes tell weighs as much as so many of about the size
 * that is asked for. */
#define WANDER_ALL 8.0

/* Fewer peers, of which any may have changed, show that functions wander less
 * than what is taken without them, never that they wander more. */
#define WANDER_MANY 30

/* Sizes at which the drift is found, in samples: each is four times the one
 * before; others lie between two of them. */
#define WANDER_SIZES 10
#define WANDER_FIRST_SIZE 20.0

struct wander_peer {
	double log_ratio; /* after to before, by exposure */
	double sampling;  /* its variance if it were nothing but sampled */
	/* Scratch of wander_fit(). */
	double size; /* position among the sizes: 0 is the first, 1 the next */
	double deviation;
};

/* A variance, and how many degrees of freedom it is known from: INFINITY where
 * it is taken for granted. */
struct wander_known {
	double value;
	double df;
};

struct wander {
	size_t peers;  /* that it was seen in */
	double centre; /* ratio of most functions, as a logarithm */
	struct wander_known phi;
	struct wander_known drift[WANDER_SIZES]; /* cv^2 of one side */
};

/* What is taken for granted without peers. */
struct wander_prior {
	double phi;
	double cv;
	/* Most peers did not change, so that many of them may also show more
	 * noise than that. */
	bool may_rise;
};

/* Peers may be none; they are sorted. */
void wander_fit(struct wander *w, struct wander_peer *peers, size_t count,
		struct wander_prior prior);

/* The drift of functions that are sampled so well. */
struct wander_known wander_drift(const struct wander *w, double sampling);

/* Variance of the logarithm of the ratio of an unchanged function with such a
 * variance by sampling. */
struct wander_known wander_at(const struct wander *w,
			      struct wander_known sampling);

#endif
