/* SPDX-License-Identifier: Apache-2.0 */
#include "render/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/timefmt.h"
#include "model/profile.h"

/* Shares past this are damage; the cap keeps llround() defined. */
#define MAX_SHARE 1e9

/* Per mille of a share, or false when it is not a number. */
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

static void put_share(char *out, long long tenths)
{
	uint64_t size = magnitude_i64(tenths);

	if (tenths < 0)
		*out++ = '-';
	out = put_u64(out, size / 10, 1);
	*out++ = '.';
	out = put_u64(out, size % 10, 1);
	memcpy(out, " %", sizeof " %");
}

void format_share(double share, char out[UNIT_TEXT_BYTES])
{
	long long tenths;

	if (share_tenths(share, &tenths))
		put_share(out, tenths);
	else
		memcpy(out, "-", sizeof "-");
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

/* size is at least one of the unit; 1024 of it may appear by rounding. */
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

/* Names as Pyroscope's clients send them, by runtime; a NULL profile name
 * stands for any. The first match wins. */
static const struct {
	const char *name;
	const char *sample;
	const char *word;
} words[] = {
	{ NULL, "cpu", "CPU" },
	{ NULL, "itimer", "CPU" },
	{ NULL, "cpu_samples", "CPU" },
	{ "process_cpu", "samples", "CPU" },
	{ "wall", NULL, "wall time" },
	{ NULL, "wall", "wall time" },
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
	{ NULL, "delay", "time waiting for locks" },
	{ NULL, "native_delay", "time waiting for locks" },
	{ NULL, "lock_time", "time waiting for locks" },
	{ NULL, "contentions", "waits for locks" },
	{ NULL, "lock_count", "waits for locks" },
	{ NULL, "exception", "exceptions" },
};

/* The text up to the separator; *rest is what follows it. */
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
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (is_word(name, words[i].name) &&
		    is_word(sample, words[i].sample))
			return words[i].word;
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

	return word ? word : "in all";
}

/* Of formats that count samples and say no more. */
static bool is_samples(struct str type)
{
	return str_equal(type, STR("samples/count")) ||
	       str_equal(type, STR("samples/samples"));
}

const char *measure_subject(struct str type)
{
	const char *word = find_word(type);

	if (word)
		return word;
	return type.ptr && is_samples(type) ? "samples" : "value";
}
