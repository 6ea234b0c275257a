/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for people, independent of the locale: shares, differences, counts
 * with thousands separators, sizes, and names of a profile's measures.
 * Durations: base/timefmt.h.
 */
#ifndef RENDER_UNITS_H
#define RENDER_UNITS_H

#include <stdint.h>

#include "base/str.h"
#include "model/category.h"
#include "model/history.h"
#include "model/result.h"

/* Sufficient for every function below. */
#define UNIT_TEXT_BYTES 40

/* 0..1 as "65.0 %"; "-" for NaN. */
void format_share(double share, char out[UNIT_TEXT_BYTES]);

/* 0..1 as "65 %"; "-" for NaN. */
void format_percent(double share, char out[UNIT_TEXT_BYTES]);

/* Relative growth: "+4.2 %", from ten times on "x60"; "new" for INFINITY, "-"
 * for NaN. */
void format_growth(double growth, bool is_signed, char out[UNIT_TEXT_BYTES]);

/* Three significant digits: "512 B", "1.50 MiB". */
void format_size(int64_t size_bytes, char out[UNIT_TEXT_BYTES]);

/* A profile's value in its unit: a duration, a size or a count. */
void format_value(int64_t value, struct str unit, char out[UNIT_TEXT_BYTES]);

/* Returns what shares refer to: "CPU", "wall time", "allocated bytes"... for a
 * full profile type id or a file's "cpu/nanoseconds"; "the profile" for unknown
 * types. */
const char *measure_word(struct str type);

/* Returns the measure, for a table heading or a sentence: "CPU", "samples";
 * "value" for unknown types. */
const char *measure_subject(struct str type);

/* Returns the noun of a count: "allocations"...; "value" when that is not
 * known. */
const char *measure_noun(struct str type);

/* A table's unit, chosen so that its largest number has four digits. Values are
 * integers in units of the last digit shown, so that displayed numbers add up.
 * Comparisons per request or per second are shown that way. */

struct scale {
	const struct result *result;
	double step;      /* value of the last digit, in profile units */
	int decimals;     /* digits after the point */
	const char *unit; /* "ms", "%", "" for counts */
};

/* Chooses the unit for r's functions, by the totals of both sides. */
void scale_init(struct scale *s, const struct result *r);

/* Convert a value of a side to steps, which can be subtracted and printed. */
int64_t scale_after(const struct scale *s, int64_t value);
int64_t scale_before(const struct scale *s, int64_t value);

/* Same, unrounded, in the profile's unit; shares 0..1. */
double scale_exact(const struct result *r, int64_t value, bool is_before);

/* Converts a difference, or an end of its interval, given relative to the slow
 * side's total; for shares, a difference of shares. NaN gives 0. */
int64_t scale_delta(const struct scale *s, double delta);

/* Format steps: "316.5"; signed: "+316.5", and "0.0" for 0. */
void scale_format(const struct scale *s, int64_t steps,
		  char out[UNIT_TEXT_BYTES]);
void scale_format_signed(const struct scale *s, int64_t steps,
			 char out[UNIT_TEXT_BYTES]);

/* Format steps with the unit: "1,200 ms"; differences: "+1,180 ms", "+51.4
 * points". */
void scale_text(const struct scale *s, int64_t steps,
		char out[UNIT_TEXT_BYTES]);
void scale_text_signed(const struct scale *s, int64_t steps,
		       char out[UNIT_TEXT_BYTES]);

/* Returns the divisor of a side's values; 1 without a comparison. */
double scale_exposure(const struct result *r, bool is_before);

/* Returns what values are divided by: " per request"; "" if nothing. */
const char *scale_per(const struct result *r);

/* For sentences, each value in a unit that suits it: "322 ms", "5.3 ms", "12
 * %", "1,902". is_before: a baseline value. */
void scale_say(const struct result *r, int64_t value, bool is_before,
	       char out[UNIT_TEXT_BYTES]);

/* The unsigned difference of both sides' values: "316 ms", for shares "6.6
 * points". */
void scale_say_change(const struct result *r, int64_t after, int64_t before,
		      char out[UNIT_TEXT_BYTES]);

/* Writes the measure and its divisor: "CPU per request". */
void scale_measure(const struct result *r, char out[2 * UNIT_TEXT_BYTES]);

/* Return a row's value by a measure, for each side. */
int64_t row_value(const struct function_row *row, enum rank_by measure);
int64_t row_before(const struct function_row *row, enum rank_by measure);

/* Display names of kinds of code and of request windows. analyze/ classifies
 * functions. */

/* "HTTP client". Static. */
const char *code_kind_words(enum code_kind kind);

/* request_role_name(): "now", "20m", as in JSON; request_role_words(): "20
 * minutes earlier". Static. */
const char *request_role_name(enum request_role role);
const char *request_role_words(enum request_role role);

/* Returns whether a window of the history is the baseline: profiles may use
 * another one than the traces. */
bool request_window_is_baseline(const struct result *r,
				const struct request_window *w);

/* Returns the part of a history window that was compared; both ends 0: none or
 * unknown. */
struct time_range request_window_compared(const struct result *r,
					  const struct request_window *w);

#endif
