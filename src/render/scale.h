/* SPDX-License-Identifier: Apache-2.0
 *
 * The one unit of a table, chosen so that its largest number has four digits,
 * and its numbers: whole steps of the last digit shown, so that what is shown
 * adds up. What is compared by request or by second is shown so.
 */
#ifndef RENDER_SCALE_H
#define RENDER_SCALE_H

#include "model/result.h"
#include "render/units.h"

struct scale {
	const struct result *result;
	double step;      /* of the last digit, in values of the profile */
	int decimals;     /* digits after the point */
	const char *unit; /* "ms", "%", "" of counts */
};

/* The unit of r's functions: of both sides' totals where there are two. */
void scale_init(struct scale *s, const struct result *r);

/* A value of one side, in steps: a number to subtract and to print. */
int64_t scale_after(const struct scale *s, int64_t value);
int64_t scale_before(const struct scale *s, int64_t value);

/* The same unrounded, in the profile's own unit; of shares 0..1. */
double scale_exact(const struct result *r, int64_t value, bool is_before);

/* A difference, or the end of its interval, in parts of the slow side's total;
 * of shares it is a difference of those. Not a number: 0. */
int64_t scale_delta(const struct scale *s, double delta);

/* Steps as digits: "316.5"; signed: "+316.5", and "0.0" for nothing. */
void scale_format(const struct scale *s, int64_t steps,
		  char out[UNIT_TEXT_BYTES]);
void scale_format_signed(const struct scale *s, int64_t steps,
			 char out[UNIT_TEXT_BYTES]);

/* Steps with the unit: "1,200 ms"; of a difference "+1,180 ms", "+51.4
 * points". */
void scale_text(const struct scale *s, int64_t steps,
		char out[UNIT_TEXT_BYTES]);
void scale_text_signed(const struct scale *s, int64_t steps,
		       char out[UNIT_TEXT_BYTES]);

/* What a side's values are divided by; 1 where nothing is compared. */
double scale_exposure(const struct result *r, bool is_before);

/* By what values are divided: " per request"; "" by nothing. */
const char *scale_per(const struct result *r);

/* For sentences, each in the unit that fits it: "322 ms", "5.3 ms", "12 %",
 * "1,902". is_before: a value of the baseline. */
void scale_say(const struct result *r, int64_t value, bool is_before,
	       char out[UNIT_TEXT_BYTES]);

/* The difference of both sides' values: "316 ms", of shares "6.6 points";
 * without a sign. */
void scale_say_change(const struct result *r, int64_t after, int64_t before,
		      char out[UNIT_TEXT_BYTES]);

/* What is measured, and by what it was divided: "CPU per request". */
void scale_measure(const struct result *r, char out[2 * UNIT_TEXT_BYTES]);

/* A row's value by a measure, on one side. */
int64_t row_value(const struct function_row *row, enum rank_by measure);
int64_t row_before(const struct function_row *row, enum rank_by measure);

#endif
