/* SPDX-License-Identifier: Apache-2.0 */
#include "render/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/timefmt.h"
#include "model/profile.h"

/* Larger shares are errors; the limit keeps llround() defined. */
#define MAX_SHARE 1e9

/* Converts a share to per mille; returns false for NaN. */
static bool share_tenths(double share, long long *tenths)
{
	if (isnan(share))
		return false;
	if (share > MAX_SHARE)
		share = MAX_SHARE;
	if (share < -MAX_SHARE)
		share = -MAX_SHARE;
	*tenths = llround(share * 1000);
	return true;
}

void format_share(double share, char out[UNIT_TEXT_BYTES])
{
	long long tenths;
	uint64_t size;

	if (!share_tenths(share, &tenths)) {
		memcpy(out, "-", sizeof "-");
		return;
	}
	size = magnitude_i64(tenths);
	if (tenths < 0)
		*out++ = '-';
	out = put_u64(out, size / 10, 1);
	*out++ = '.';
	out = put_u64(out, size % 10, 1);
	memcpy(out, " %", sizeof " %");
}

void format_percent(double share, char out[UNIT_TEXT_BYTES])
{
	long long tenths;

	if (share_tenths(share, &tenths))
		snprintf(out, UNIT_TEXT_BYTES, "%lld %%",
			 (tenths + (tenths < 0 ? -5 : 5)) / 10);
	else
		snprintf(out, UNIT_TEXT_BYTES, "-");
}

/* Limit of factors; larger ones are not meaningful. */
#define MOST_FACTOR 1e9

/* Two significant digits below 10 %, whole percents from 100 on. */
void format_growth(double growth, bool is_signed, char out[UNIT_TEXT_BYTES])
{
	double percent = 100 * growth;
	char factor[COUNT_TEXT_BYTES];

	if (isnan(growth)) {
		snprintf(out, UNIT_TEXT_BYTES, "-");
	} else if (isinf(growth)) {
		snprintf(out, UNIT_TEXT_BYTES, "new");
	} else if (percent >= 899.5) {
		format_count((int64_t)round(fmin(growth + 1, MOST_FACTOR)),
			     factor);
		snprintf(out, UNIT_TEXT_BYTES, "x%s", factor);
	} else {
		snprintf(out, UNIT_TEXT_BYTES,
			 is_signed ? "%+.*f %%" : "%.*f %%",
			 fabs(percent) < 99.95 ? 1 : 0, percent);
	}
}

/* size is at least one unit; rounding may produce 1024. */
static void format_scaled(double size, const char *unit,
			  char out[UNIT_TEXT_BYTES])
{
	long long hundredths = llround(size * 100);
	long long tenths = llround(size * 10);

	if (hundredths < 1000)
		snprintf(out, UNIT_TEXT_BYTES, "%lld.%02lld %s",
			 hundredths / 100, hundredths % 100, unit);
	else if (tenths < 1000)
		snprintf(out, UNIT_TEXT_BYTES, "%lld.%lld %s", tenths / 10,
			 tenths % 10, unit);
	else
		snprintf(out, UNIT_TEXT_BYTES, "%lld %s", llround(size), unit);
}

void format_size(int64_t size_bytes, char out[UNIT_TEXT_BYTES])
{
	static const char *const units[] = { "KiB", "MiB", "GiB",
					     "TiB", "PiB", "EiB" };
	double size = (double)size_bytes / 1024;
	size_t unit = 0;

	if (size_bytes < 1024) {
		snprintf(out, UNIT_TEXT_BYTES, "%" PRId64 " B", size_bytes);
		return;
	}
	while (size >= 1023.5 && unit + 1 < sizeof units / sizeof *units) {
		size /= 1024;
		unit++;
	}
	format_scaled(size, units[unit], out);
}

void format_value(int64_t value, struct str unit, char out[UNIT_TEXT_BYTES])
{
	int64_t size = value < 0 ? sat_sub_i64(0, value) : value;
	int64_t ns = time_unit_ns(unit);
	char text[UNIT_TEXT_BYTES];

	if (ns)
		format_duration(sat_mul_i64(size, ns), text);
	else if (str_equal(unit, STR("bytes")))
		format_size(size, text);
	else
		format_count(size, text);
	out[0] = '-';
	memcpy(out + (value < 0), text, strlen(text) + 1);
}

/* Names by runtime, as sent by Pyroscope's clients; a NULL profile name matches
 * any. The first match wins. */
static const struct {
	const char *name;
	const char *sample;
	const char *word;
} unit_words[] = {
	{ NULL, "cpu", "CPU" },
	{ NULL, "itimer", "CPU" },
	{ NULL, "cpu_samples", "CPU" },
	{ "process_cpu", "samples", "CPU" },
	{ "wall", NULL, "wall time" },
	{ NULL, "wall", "wall time" },
	{ NULL, "cpu-time", "CPU" },
	{ NULL, "wall-time", "wall time" },
	{ NULL, "CPU time", "CPU" },
	{ NULL, "Wall time", "wall time" },
	{ NULL, "Allocated memory", "allocated bytes" },
	{ NULL, "lock-acquire-wait", "time waiting for locks" },
	{ NULL, "alloc-space", "allocated bytes" },
	{ NULL, "heap-space", "memory in use" },
	{ "off_cpu", NULL, "time off CPU" },
	{ NULL, "off_cpu", "time off CPU" },
	{ NULL, "alloc_space", "allocated bytes" },
	{ NULL, "alloc_size", "allocated bytes" },
	{ NULL, "alloc_sample_bytes", "allocated bytes" },
	{ NULL, "alloc_in_new_tlab_bytes", "allocated bytes" },
	{ NULL, "alloc_outside_tlab_bytes", "allocated bytes" },
	{ NULL, "malloc_bytes", "allocated bytes" },
	{ NULL, "alloc_objects", "allocations" },
	{ NULL, "alloc_samples", "allocations" },
	{ NULL, "alloc_sample_objects", "allocations" },
	{ NULL, "alloc_in_new_tlab_objects", "allocations" },
	{ NULL, "alloc_outside_tlab_objects", "allocations" },
	{ NULL, "malloc_objects", "allocations" },
	{ NULL, "inuse_space", "memory in use" },
	{ NULL, "space", "memory in use" },
	{ NULL, "peak_space", "memory at its peak" },
	{ NULL, "inuse_objects", "objects in use" },
	{ NULL, "objects", "objects in use" },
	{ NULL, "live", "objects in use" },
	{ NULL, "live_bytes", "memory in use" },
	{ NULL, "goroutine", "goroutines" },
	{ NULL, "goroutines", "goroutines" },
	{ NULL, "goroutineleak", "leaked goroutines" },
	{ "block", "delay", "blocked time" },
	{ "block", "contentions", "blocking events" },
	{ "mutex", "delay", "time waiting for locks" },
	/* Go files of this type may be about locks, channels, networks or
	 * system calls. */
	{ NULL, "delay", "blocked time" },
	{ NULL, "native_delay", "time waiting for locks" },
	{ NULL, "lock_time", "time waiting for locks" },
	{ "mutex", "contentions", "waits for locks" },
	{ NULL, "contentions", "blocking events" },
	{ NULL, "lock_count", "waits for locks" },
	{ NULL, "exception", "exceptions" },
	{ NULL, "instructions", "instructions" },
};

/* Returns the text up to the separator; *rest is what follows it. */
static struct str cut_at(struct str text, struct str separator,
			 struct str *rest)
{
	size_t at = str_find(text, separator);

	if (at == SIZE_MAX) {
		*rest = STR("");
		return text;
	}
	*rest = str_slice(text, at + separator.len, text.len);
	return str_slice(text, 0, at);
}

static bool is_word(struct str text, const char *want)
{
	return !want || str_equal(text, str_from(want));
}

static const char *find_word(struct str type)
{
	struct str name;
	struct str sample;
	struct str rest;

	if (!type.ptr)
		return NULL;
	name = cut_at(type, STR(":"), &rest);
	sample = cut_at(rest, STR(":"), &rest);
	if (!sample.len)
		sample = cut_at(name, STR("/"), &rest);
	for (size_t i = 0; i < sizeof unit_words / sizeof *unit_words; i++)
		if (is_word(name, unit_words[i].name) &&
		    is_word(sample, unit_words[i].sample))
			return unit_words[i].word;
	return NULL;
}

const char *measure_word(struct str type)
{
	const char *word = find_word(type);

	return word ? word : "the profile";
}

const char *measure_noun(struct str type)
{
	const char *word = find_word(type);

	return word ? word : "value";
}

const char *measure_subject(struct str type)
{
	const char *word = find_word(type);

	if (word)
		return word;
	/* Formats that only have sample counts. */
	return type.ptr && (str_equal(type, STR("samples/count")) ||
			    str_equal(type, STR("samples/samples")))
		       ? "samples"
		       : "value";
}

/* The unit of a table, see units.h. */

/* Digits of the largest number in a table, and maximum decimals. */
#define DIGITS 4
#define DECIMALS_MAX 3

/* Up to this, doubles represent all integers. */
#define STEPS_MAX 9e15

struct unit {
	double size; /* in the smallest unit of its kind */
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

/* From ten million on: more digits would be meaningless and too wide. */
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

/* Returns the largest unit not above the size, else the smallest. */
static struct unit unit_pick(const struct unit *units, size_t count,
			     double size)
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
		return unit_pick(times, sizeof times / sizeof *times,
				 value * *kind);
	}
	if (str_equal(r->profile.unit, STR("bytes")))
		return unit_pick(sizes, sizeof sizes / sizeof *sizes, value);
	if (value >= COUNTED_ONE_BY_ONE)
		return unit_pick(counts, sizeof counts / sizeof *counts, value);
	return (struct unit){ 1, "" };
}

/* Discrete things are not shown as fractions: two goroutines, three samples. */
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

static double value_largest(const struct result *r)
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
	double most = value_largest(r), kind;
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

static void value_say(const struct result *r, double value, struct unit unit,
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

	value_say(r, number, unit, kind, out);
}

void scale_say_change(const struct result *r, int64_t after, int64_t before,
		      char out[UNIT_TEXT_BYTES])
{
	double change = fabs((double)after / scale_exposure(r, false) -
			     (double)before / scale_exposure(r, true));
	double kind;
	struct unit unit = unit_for(r, change, &kind);

	if (is_share(r))
		unit.name = "points"; /* "6.6 %" would be relative */
	value_say(r, change, unit, kind, out);
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

/* Display names of kinds of code and of request windows. */

const char *code_kind_words(enum code_kind kind)
{
	static const char *const words[CODE_KIND_COUNT] = {
		[CODE_APPLICATION] = "application",
		[CODE_DATABASE] = "database",
		[CODE_HTTP_CLIENT] = "HTTP client",
		[CODE_SERIALISATION] = "serialisation",
		[CODE_LOCK] = "locks",
		[CODE_GC_ALLOC] = "gc and allocation",
		[CODE_RUNTIME] = "runtime",
		[CODE_KERNEL] = "kernel",
		[CODE_IDLE] = "idle or waiting",
		[CODE_LIBRARY] = "libraries",
		[CODE_STDLIB] = "standard library",
		[CODE_UNKNOWN] = "unknown",
	};

	return words[kind];
}

static const struct {
	const char *name;
	const char *words;
} roles[REQUEST_ROLES] = {
	[REQUESTS_NOW] = { "now", "in these minutes" },
	[REQUESTS_PREVIOUS] = { "previous", "immediately before" },
	[REQUESTS_THIRD_HOUR] = { "20m", "20 minutes earlier" },
	[REQUESTS_TWO_THIRDS] = { "40m", "40 minutes earlier" },
	[REQUESTS_HOUR] = { "1h", "1 hour earlier" },
	[REQUESTS_THREE_HOURS] = { "3h", "3 hours earlier" },
	[REQUESTS_DAY] = { "1d", "1 day earlier" },
	[REQUESTS_WEEK] = { "7d", "7 days earlier" },
};

const char *request_role_name(enum request_role role)
{
	return roles[role].name;
}

/* Returns whether the times of the profiles are known. */
static bool has_compared(const struct result *r)
{
	return r->has_baseline && r->has_profile && !r->profile.is_file;
}

bool request_window_is_baseline(const struct result *r,
				const struct request_window *w)
{
	struct time_range c = r->baseline.range;

	if (!has_compared(r) || !c.to_ns)
		return w->is_baseline;
	return w->role != REQUESTS_NOW &&
	       time_range_has(w->range,
			      c.from_ns + (c.to_ns - c.from_ns) / 2);
}

struct time_range request_window_compared(const struct result *r,
					  const struct request_window *w)
{
	const struct time_range none = { 0, 0 };
	struct time_range c = r->baseline.range;

	if (w->role == REQUESTS_NOW)
		c = r->profile.range;
	else if (!request_window_is_baseline(r, w))
		return none;
	return has_compared(r) && c.to_ns > w->range.from_ns &&
			       c.from_ns < w->range.to_ns
		       ? c
		       : none;
}

const char *request_role_words(enum request_role role)
{
	return roles[role].words;
}
