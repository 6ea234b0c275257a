/* SPDX-License-Identifier: Apache-2.0
 *
 * A series as the search for changes goes through it: the steps that have a
 * value, their levels as logarithms, without spikes, and sums of them, so that
 * the level of any stretch is a difference. Not for others than change_point.c.
 */
#ifndef ANALYZE_CHANGE_SCAN_H
#define ANALYZE_CHANGE_SCAN_H

#include "analyze/change_point.h"

/* Lengths of stretches that are compared, each half as long again as the one
 * before: up to a fifth of the series, beside which others are left to tell how
 * far they usually lie apart. */
#define LENGTHS 20
#define LENGTH_PART 5

struct change_scan {
	size_t count;    /* of steps with a value */
	size_t *steps;   /* their numbers */
	double *levels;  /* of each, as a logarithm */
	double *amounts; /* of the first so many, added up */
	double *cleaned; /* the same without spikes */
	double *counts;
	double *jumps; /* of one length, by place, beyond their median */
	double *sums;  /* of levels, of the first so many */
	double *room;
	bool is_log;
	double floor; /* levels below it are that */
	double spike; /* the largest that was smoothed */
	/* Set by the search: */
	double usual;       /* of jumps of one step, by what longer ones tell */
	double noise;       /* of one step */
	double first_limit; /* jumps of one step that would do */
	size_t *known;      /* among the steps with a value */
	size_t known_count;
	size_t lengths[LENGTHS];
	size_t length_count;
	size_t day_steps;
};

/* False only without memory. */
bool change_scan_make(struct change_scan *s, const struct change_series *series,
		      struct arena *arena, struct error *err) MUST_CHECK;

/* The level of [from, to), which are not empty, and a level as a logarithm. */
double change_ratio(const struct change_scan *s, size_t from, size_t to);
double change_log(const struct change_scan *s, double level);

/* From the stretch before a place to the one behind it, of the same length,
 * without spikes, as a logarithm. */
double change_jump(const struct change_scan *s, size_t at, size_t length);

#endif
