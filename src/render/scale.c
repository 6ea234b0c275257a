/* SPDX-License-Identifier: Apache-2.0 */
#include "render/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/timefmt.h"
#include "model/profile.h"

/* The largest number of a table has so many digits, at most so many of them
 * after the point. */
#define DIGITS 4
#define DECIMALS_MAX 3

/* Steps that a double still counts one by one. */
#define STEPS_MAX 9e15

struct unit {
	double size; /* in the smallest of its kind */
	const char *name;
};

static const struct unit times[] = {
	{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" }
};
static const struct unit sizes[] = { { 1099511627776.0, "TiB" },
				     { 1073741824.0, "GiB" },
				     { 1048576.0, "MiB" },
				     { 1024.0, "KiB" },
				     { 1, "B" } };

/* From ten millions on: digits beyond say nothing, and take a line's room. */
static const struct unit counts[] = {
	{ 1e12, "trillion" }, { 1e9, "billion" }, { 1e6, "million" }, { 1, "" }
};
#define COUNTED_ONE_BY_ONE 1e7

static bool is_share(const struct result *r)
{
	return r->is_compared && r->normalize == NORMALIZE_SHARE;
}

double scale_exposure(const struct result *r, bool is_before)
{
	double divisor = is_before ? r->baseline_exposure : r->exposure;

	return r->is_compared && divisor > 0 ? divisor : 1;
}

/* The largest unit of which there is one; the smallest for less. */
static struct unit pick(const struct unit *units, size_t count, double size)
{
	size_t i = 0;

	while (i + 1 < count && size < units[i].size)
		i++;
	return units[i];
}

/* kind: smallest units in a value. */
static struct unit unit_for(const struct result *r, double value, double *kind)
{
	int64_t ns = time_unit_ns(r->profile.unit);

	*kind = 1;
	if (is_share(r))
		return (struct unit){ 0.01, "%" };
	if (ns) {
		*kind = (double)ns;
		return pick(times, sizeof times / sizeof *times, value * *kind);
	}
	if (str_equal(r->profile.unit, STR("bytes")))
		return pick(sizes, sizeof sizes / sizeof *sizes, value);
	if (value >= COUNTED_ONE_BY_ONE)
		return pick(counts, sizeof counts / sizeof *counts, value);
	return (struct unit){ 1, "" };
}

/* Whole things are not divided: two goroutines, three samples. */
static bool is_whole(const struct result *r, const struct unit *unit)
{
	return unit->size == 1 && scale_exposure(r, false) == 1 &&
	       scale_exposure(r, true) == 1;
}

static int decimals_for(double number)
{
	int digits = number >= 1 ? 1 + (int)floor(log10(number)) : 1;

	if (digits >= DIGITS)
		return 0;
	return DIGITS - digits < DECIMALS_MAX ? DIGITS - digits : DECIMALS_MAX;
}

static double largest(const struct result *r)
{
	double most =
		fabs((double)r->profile.total_value) / scale_exposure(r, false);

	if (r->has_baseline)
		most = fmax(most, fabs((double)r->baseline.total_value) /
					  scale_exposure(r, true));
	for (size_t i = 0; i < r->function_count; i++) {
		const struct function_row *row = &r->functions[i];

		most = fmax(most, fabs((double)row->total_value) /
					  scale_exposure(r, false));
		most = fmax(most, fabs((double)row->baseline_total_value) /
					  scale_exposure(r, true));
	}
	return most;
}

void scale_init(struct scale *s, const struct result *r)
{
	double most = largest(r), kind;
	struct unit unit = unit_for(r, most, &kind);

	*s = (struct scale){ .result = r, .unit = unit.name };
	if (is_share(r))
		s->decimals = 1;
	else if (!is_whole(r, &unit))
		s->decimals = decimals_for(most * kind / unit.size);
	s->step = unit.size / kind / pow(10, s->decimals);
}

static int64_t whole_steps(double steps)
{
	return llround(fmin(fmax(steps, -STEPS_MAX), STEPS_MAX));
}

static int64_t steps_of(const struct scale *s, int64_t value, bool is_before)
{
	return whole_steps((double)value /
			   scale_exposure(s->result, is_before) / s->step);
}

int64_t scale_after(const struct scale *s, int64_t value)
{
	return steps_of(s, value, false);
}

int64_t scale_before(const struct scale *s, int64_t value)
{
	return steps_of(s, value, true);
}

double scale_exact(const struct result *r, int64_t value, bool is_before)
{
	return (double)value / scale_exposure(r, is_before);
}

int64_t scale_delta(const struct scale *s, double delta)
{
	const struct result *r = s->result;
	double whole = is_share(r) ? 1
				   : (double)r->profile.total_value /
					     scale_exposure(r, false);

	return isfinite(delta) ? whole_steps(delta * whole / s->step) : 0;
}

void scale_format(const struct scale *s, int64_t steps,
		  char out[UNIT_TEXT_BYTES])
{
	uint64_t size = magnitude_i64(steps), part = 1;
	char whole[COUNT_TEXT_BYTES];

	for (int i = 0; i < s->decimals; i++)
		part *= 10;
	format_count((int64_t)(size / part), whole);
	if (s->decimals)
		snprintf(out, UNIT_TEXT_BYTES, "%s%s.%0*" PRIu64,
			 steps < 0 ? "-" : "", whole, s->decimals, size % part);
	else
		snprintf(out, UNIT_TEXT_BYTES, "%s%s", steps < 0 ? "-" : "",
			 whole);
}

void scale_format_signed(const struct scale *s, int64_t steps,
			 char out[UNIT_TEXT_BYTES])
{
	char digits[UNIT_TEXT_BYTES];

	scale_format(s, steps, digits);
	snprintf(out, UNIT_TEXT_BYTES, "%s%.*s", steps > 0 ? "+" : "",
		 UNIT_TEXT_BYTES - 2, digits);
}

static void add_unit(const char *digits, const char *unit,
		     char out[UNIT_TEXT_BYTES])
{
	snprintf(out, UNIT_TEXT_BYTES, "%.28s%s%s", digits, *unit ? " " : "",
		 unit);
}

void scale_text(const struct scale *s, int64_t steps, char out[UNIT_TEXT_BYTES])
{
	char digits[UNIT_TEXT_BYTES];

	scale_format(s, steps, digits);
	add_unit(digits, s->unit, out);
}

void scale_text_signed(const struct scale *s, int64_t steps,
		       char out[UNIT_TEXT_BYTES])
{
	char digits[UNIT_TEXT_BYTES];

	scale_format_signed(s, steps, digits);
	add_unit(digits, is_share(s->result) ? "points" : s->unit, out);
}

/* ---- sentences ---- */

static void say(const struct result *r, double value, struct unit unit,
		double kind, char out[UNIT_TEXT_BYTES])
{
	double number = fabs(value) * kind / unit.size;
	int decimals = is_share(r)            ? 1
		       : is_whole(r, &unit)   ? 0
		       : decimals_for(number) ? decimals_for(number) - 1
					      : 0;
	struct scale s = { .decimals = decimals };
	int64_t steps = llround(fmin(number * pow(10, decimals), STEPS_MAX));
	char digits[UNIT_TEXT_BYTES];

	scale_format(&s, steps, digits);
	snprintf(out, UNIT_TEXT_BYTES, "%s%.24s%s%s", value < 0 ? "-" : "",
		 digits, *unit.name ? " " : "", unit.name);
}

void scale_say(const struct result *r, int64_t value, bool is_before,
	       char out[UNIT_TEXT_BYTES])
{
	double number = (double)value / scale_exposure(r, is_before), kind;
	struct unit unit = unit_for(r, fabs(number), &kind);

	say(r, number, unit, kind, out);
}

void scale_say_change(const struct result *r, int64_t after, int64_t before,
		      char out[UNIT_TEXT_BYTES])
{
	double change = fabs((double)after / scale_exposure(r, false) -
			     (double)before / scale_exposure(r, true));
	double kind;
	struct unit unit = unit_for(r, change, &kind);

	if (is_share(r))
		unit.name = "points"; /* "6.6 %" would be of what it was */
	say(r, change, unit, kind, out);
}

const char *scale_per(const struct result *r)
{
	static const char *const per[] = {
		[NORMALIZE_SHARE] = "",
		[NORMALIZE_RATE] = " per second",
		[NORMALIZE_REQUEST] = " per request",
		[NORMALIZE_VALUE] = "",
	};

	return r->is_compared ? per[r->normalize] : "";
}

void scale_measure(const struct result *r, char out[2 * UNIT_TEXT_BYTES])
{
	snprintf(out, 2 * UNIT_TEXT_BYTES, "%.30s%s",
		 measure_subject(r->profile.type), scale_per(r));
}

int64_t row_value(const struct function_row *row, enum rank_by measure)
{
	if (measure == RANK_SELF)
		return row->self_value;
	return measure == RANK_SELF_LIB ? row->self_lib_value
					: row->total_value;
}

int64_t row_before(const struct function_row *row, enum rank_by measure)
{
	if (measure == RANK_SELF)
		return row->baseline_self_value;
	return measure == RANK_SELF_LIB ? row->baseline_self_lib_value
					: row->baseline_total_value;
}
