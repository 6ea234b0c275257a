/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for people, the same in every locale: shares, differences, counts
 * with thousands separators, sizes, and what a profile's values mean in
 * words. Durations come from base/timefmt.h.
 */
#ifndef RENDER_UNITS_H
#define RENDER_UNITS_H

#include <stdint.h>

#include "base/str.h"
#include "model/category.h"
#include "model/history.h"
#include "model/result.h"

/* Room that every function below is content with. */
#define UNIT_TEXT_BYTES 40

/* 0..1 as "65.0 %"; "-" when it is not a number. */
void format_share(double share, char out[UNIT_TEXT_BYTES]);

/* 0..1 as "65 %"; "-" when it is not a number. */
void format_percent(double share, char out[UNIT_TEXT_BYTES]);

/* A growth, in parts of what was: "+4.2 %", and from ten times as much on "x60";
 * "new" of INFINITY, "-" of NaN. */
void format_growth(double growth, bool is_signed, char out[UNIT_TEXT_BYTES]);

/* Three significant digits: "512 B", "1.50 MiB". */
void format_size(int64_t size_bytes, char out[UNIT_TEXT_BYTES]);

/* A profile's value by its unit: a duration, a size or a count. */
void format_value(int64_t value, struct str unit, char out[UNIT_TEXT_BYTES]);

/* Returns the whole of a share: "CPU", "wall time", "allocated bytes"... for a
 * full profile type id or a file's "cpu/nanoseconds"; "the profile" when the
 * type is not a known one. */
const char *measure_word(struct str type);

/* Returns the measure, at the head of a table or a sentence: "CPU", "samples";
 * "value" when the type is not a known one. */
const char *measure_subject(struct str type);

/* Returns the noun of a count: "allocations"...; "in all" when that is not
 * known. */
const char *measure_noun(struct str type);

/* The one unit of a table, chosen so that its largest number has four digits,
 * and its numbers: whole steps of the last digit shown, so that what is shown
 * adds up. What is compared by request or by second is shown so. */

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

/* Returns the divisor of a side's values; 1 where nothing is compared. */
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

/* Writes the measure and its divisor: "CPU per request". */
void scale_measure(const struct result *r, char out[2 * UNIT_TEXT_BYTES]);

/* A row's value by a measure, on one side. */
int64_t row_value(const struct function_row *row, enum rank_by measure);
int64_t row_before(const struct function_row *row, enum rank_by measure);

/* Kinds of code as tables and legends call them, and the minutes that requests
 * are of. Which function is of which kind is the affair of analyze/. */

/* "HTTP client". Static. */
const char *code_kind_words(enum code_kind kind);

/* "now", "20m", as documents have it; "20 minutes earlier". Static. */
const char *request_role_name(enum request_role role);
const char *request_role_words(enum request_role role);

/* Returns whether a window of the history is the one that was compared with:
 * profiles may be of other minutes than traces chose. */
bool request_window_is_baseline(const struct result *r,
				const struct request_window *w);

/* Returns the minutes of a window of the history that were compared; both ends
 * 0: none of them, or not known which. */
struct time_range request_window_compared(const struct result *r,
					  const struct request_window *w);

#endif
