/* SPDX-License-Identifier: Apache-2.0 */
#include "base/timefmt.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/str.h"

struct unit {
	char name[3];
	int64_t size_ns;
};

/* Largest first, as needed for formatting. */
static const struct unit units[] = {
	{ "w", 7 * NS_PER_DAY }, { "d", NS_PER_DAY }, { "h", NS_PER_HOUR },
	{ "m", NS_PER_MIN },     { "s", NS_PER_S },   { "ms", NS_PER_MS },
	{ "us", NS_PER_US },     { "ns", 1 },
};

#define UNIT_COUNT (sizeof units / sizeof units[0])

struct date {
	int64_t year;
	int month; /* 1..12 */
	int day;
};

/* Returns days since 1970-01-01. The year starts in March, so that the leap day
 * is its last and no table is needed. */
static int64_t days_from_date(struct date d)
{
	int64_t year = d.month > 2 ? d.year : d.year - 1;
	int64_t era = (year >= 0 ? year : year - 399) / 400;
	int64_t year_of_era = year - era * 400;
	int64_t month = (d.month + 9) % 12;
	int64_t day_of_year = (153 * month + 2) / 5 + d.day - 1;

	return era * 146097 + year_of_era * 365 + year_of_era / 4 -
	       year_of_era / 100 + day_of_year - 719468;
}

static struct date date_from_days(int64_t days)
{
	int64_t shifted = days + 719468;
	int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
	int64_t day = shifted - era * 146097;
	int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	int64_t day_of_year = day - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * day_of_year + 2) / 153;

	return (struct date){
		.year = year + era * 400 + (month >= 10),
		.month = (int)(month < 10 ? month + 3 : month - 9),
		.day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
	};
}

/* Parses exactly `count` digits at the beginning of *text. */
static bool take_digits(struct str *text, size_t count, int *out)
{
	uint64_t value;

	if (text->len < count || !parse_u64(str_slice(*text, 0, count), &value))
		return false;
	*out = (int)value;
	*text = str_slice(*text, count, text->len);
	return true;
}

static bool take_char(struct str *text, char c)
{
	if (text->len == 0 || text->ptr[0] != c)
		return false;
	*text = str_slice(*text, 1, text->len);
	return true;
}

static bool is_leap_year(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool take_date(struct str *text, int64_t *days)
{
	static const char month_days[] = { 31, 28, 31, 30, 31, 30,
					   31, 31, 30, 31, 30, 31 };
	int year;
	int month;
	int day;

	if (!take_digits(text, 4, &year) || !take_char(text, '-') ||
	    !take_digits(text, 2, &month) || !take_char(text, '-') ||
	    !take_digits(text, 2, &day))
		return false;
	if (month < 1 || month > 12 || day < 1 ||
	    day > month_days[month - 1] + (month == 2 && is_leap_year(year)))
		return false;
	*days = days_from_date((struct date){ year, month, day });
	return true;
}

/* Parses a time of day. A leap second (60) counts as the first second of the
 * next minute. */
static bool take_clock(struct str *text, int64_t *seconds)
{
	int hour;
	int minute;
	int second;

	if (!take_digits(text, 2, &hour) || !take_char(text, ':') ||
	    !take_digits(text, 2, &minute) || !take_char(text, ':') ||
	    !take_digits(text, 2, &second))
		return false;
	*seconds = hour * 3600 + minute * 60 + second;
	return hour < 24 && minute < 60 && second <= 60;
}

/* Parses an optional ".digits", one to nine, as nanoseconds. */
static bool take_fraction(struct str *text, int64_t *out_ns)
{
	int64_t scale = NS_PER_S;

	*out_ns = 0;
	if (!take_char(text, '.'))
		return true;
	while (text->len && ascii_is_digit(text->ptr[0])) {
		scale /= 10;
		if (!scale)
			return false;
		*out_ns += (text->ptr[0] - '0') * scale;
		*text = str_slice(*text, 1, text->len);
	}
	return scale < NS_PER_S;
}

/* Parses "Z" or "+02:00", as seconds east of Greenwich. */
static bool take_offset(struct str *text, int64_t *seconds)
{
	bool is_west;
	int hours;
	int minutes;

	*seconds = 0;
	if (take_char(text, 'Z') || take_char(text, 'z'))
		return true;
	is_west = text->len && text->ptr[0] == '-';
	if (!is_west && !(text->len && text->ptr[0] == '+'))
		return false;
	*text = str_slice(*text, 1, text->len);
	if (!take_digits(text, 2, &hours) || !take_char(text, ':') ||
	    !take_digits(text, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*seconds = hours * 3600 + minutes * 60;
	if (is_west)
		*seconds = -*seconds;
	return true;
}

bool parse_rfc3339(struct str text, int64_t *out_ns)
{
	int64_t days;
	int64_t seconds;
	int64_t fraction_ns;
	int64_t offset;

	if (!take_date(&text, &days) ||
	    !(take_char(&text, 'T') || take_char(&text, 't')) ||
	    !take_clock(&text, &seconds) ||
	    !take_fraction(&text, &fraction_ns) ||
	    !take_offset(&text, &offset) || text.len)
		return false;
	seconds += days * 86400 - offset;
	/* The product may overflow although the sum does not. */
	if (seconds < 0 && fraction_ns > 0) {
		seconds++;
		fraction_ns -= NS_PER_S;
	}
	return mul_i64(seconds, NS_PER_S, &seconds) &&
	       add_i64(seconds, fraction_ns, out_ns);
}

static size_t count_while(struct str text, char first, char last)
{
	size_t len = 0;

	while (len < text.len && text.ptr[len] >= first &&
	       text.ptr[len] <= last)
		len++;
	return len;
}

bool parse_duration(struct str text, int64_t *out_ns)
{
	int64_t total_ns = 0;

	if (str_equal(text, STR("0"))) {
		*out_ns = 0;
		return true;
	}
	if (text.len == 0)
		return false;
	while (text.len) {
		size_t digits = count_while(text, '0', '9');
		struct str rest = str_slice(text, digits, text.len);
		size_t letters = count_while(rest, 'a', 'z');
		size_t unit = 0;
		int64_t count;

		while (unit < UNIT_COUNT &&
		       !str_equal(str_slice(rest, 0, letters),
				  str_from(units[unit].name)))
			unit++;
		if (!parse_i64(str_slice(text, 0, digits), &count) ||
		    unit == UNIT_COUNT ||
		    !mul_i64(count, units[unit].size_ns, &count) ||
		    !add_i64(total_ns, count, &total_ns))
			return false;
		text = str_slice(rest, letters, rest.len);
	}
	*out_ns = total_ns;
	return true;
}

/* Parses an epoch number, whose unit follows from its length: ten digits are
 * seconds for every date from 2001 to 2286, and so on by thousands. */
static bool parse_epoch(struct str text, int64_t *out_ns)
{
	int64_t value;
	int64_t size_ns;

	if (!parse_i64(text, &value) || value < 0)
		return false;
	switch (text.len) {
	case 10:
		size_ns = NS_PER_S;
		break;
	case 13:
		size_ns = NS_PER_MS;
		break;
	case 16:
		size_ns = NS_PER_US;
		break;
	case 19:
		size_ns = 1;
		break;
	default:
		return false;
	}
	return mul_i64(value, size_ns, out_ns);
}

bool parse_time(struct str text, int64_t now_ns, int64_t *out_ns,
		struct error *err)
{
	struct str rest = text;
	int64_t days, back_ns;

	if (str_equal(text, STR("now"))) {
		*out_ns = now_ns;
		return true;
	}
	if (str_starts(text, STR("now-")) &&
	    parse_duration(str_slice(text, 4, text.len), &back_ns) &&
	    sub_i64(now_ns, back_ns, out_ns))
		return true;
	if (parse_rfc3339(text, out_ns) || parse_epoch(text, out_ns))
		return true;
	if (take_date(&rest, &days) && !rest.len &&
	    mul_i64(days, NS_PER_DAY, out_ns))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%.*s' is not a time; use 2026-11-21T10:05:00Z, "
			 "2026-11-21, now, now-1h30m, or an epoch number of "
			 "10, 13, 16 or 19 digits (s, ms, us, ns)",
			 STR_ARGS(text));
}

/* Division rounding down, for times before 1970. */
static int64_t floor_div(int64_t value, int64_t size)
{
	return value / size - (value % size < 0);
}

/* Hours, minutes and seconds of a day; each below 100, so that the compiler can
 * see that the text fits. */
struct clock {
	unsigned hour;
	unsigned minute;
	unsigned second;
};

static struct clock clock_of(int64_t seconds)
{
	unsigned rest = (unsigned)(seconds - floor_div(seconds, 86400) * 86400);

	return (struct clock){ rest / 3600 % 24, rest / 60 % 60, rest % 60 };
}

void format_rfc3339(int64_t time_ns, char out[TIME_RFC3339_BYTES])
{
	int64_t seconds = floor_div(time_ns, NS_PER_S);
	struct date d = date_from_days(floor_div(seconds, 86400));
	struct clock c = clock_of(seconds);
	/* From the remainder, since seconds * 1e9 may overflow near the
	 * limits. */
	int64_t rest_ns = time_ns % NS_PER_S;
	unsigned fraction_ns =
		(unsigned)(rest_ns < 0 ? rest_ns + NS_PER_S : rest_ns);

	snprintf(out, TIME_RFC3339_BYTES, "%04u-%02u-%02uT%02u:%02u:%02u.%09uZ",
		 (unsigned)d.year % 10000, (unsigned)d.month % 100,
		 (unsigned)d.day % 100, c.hour, c.minute, c.second,
		 fraction_ns % 1000000000);
}

void format_clock(int64_t time_ns, bool with_seconds, char out[16])
{
	struct clock c = clock_of(floor_div(time_ns, NS_PER_S));

	if (with_seconds)
		snprintf(out, 16, "%02u:%02u:%02u", c.hour, c.minute, c.second);
	else
		snprintf(out, 16, "%02u:%02u", c.hour, c.minute);
}

int64_t local_offset_ns(int64_t time_ns)
{
	time_t seconds = (time_t)floor_div(time_ns, NS_PER_S);
	struct tm local;

	tzset();
	if (!localtime_r(&seconds, &local))
		return 0;
	return floor_div(local.tm_gmtoff, 60) * NS_PER_MIN;
}

void format_zone(int64_t offset_ns, char out[ZONE_BYTES])
{
	int64_t east_ns = offset_ns < 0 ? -offset_ns : offset_ns;
	unsigned minutes = (unsigned)(east_ns / NS_PER_MIN % (24 * 60));

	if (minutes == 0)
		snprintf(out, ZONE_BYTES, "UTC");
	else
		snprintf(out, ZONE_BYTES, "%c%02u:%02u",
			 offset_ns < 0 ? '-' : '+', minutes / 60 % 24,
			 minutes % 60);
}

/* Formats durations below a minute: one unit, three significant digits. Returns
 * false if rounding reaches the next unit, which is then used. */
static bool format_small(uint64_t ns, const struct unit *unit, char *out)
{
	uint64_t unit_ns = (uint64_t)unit->size_ns;
	uint64_t next = unit_ns == (uint64_t)NS_PER_S ? 60 : 1000;
	uint64_t whole = ns / unit_ns;
	/* Decimals for three digits; ns have none. */
	unsigned decimals = unit_ns == 1   ? 0
			    : whole >= 100 ? 0
			    : whole >= 10  ? 1
					   : 2;
	uint64_t scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
	uint64_t step = unit_ns / scale ? unit_ns / scale : 1;
	uint64_t rounded = (ns + step / 2) / step;

	if (rounded >= next * scale)
		return false;
	out = put_u64(out, rounded / scale, 1);
	if (rounded % scale) {
		*out++ = '.';
		out = put_u64(out, rounded % scale, decimals);
		while (out[-1] == '0')
			out--;
	}
	*out++ = ' ';
	memcpy(out, unit->name, strlen(unit->name) + 1);
	return true;
}

/* Formats durations from a minute on: two units, the smaller omitted if
 * zero. */
static bool format_large(uint64_t ns, const struct unit *unit, char *out,
			 size_t size)
{
	uint64_t small_ns = (uint64_t)unit[1].size_ns;
	uint64_t ratio = (uint64_t)unit->size_ns / small_ns;
	uint64_t rounded = (ns + small_ns / 2) / small_ns;
	int whole = (int)(rounded / ratio);
	int rest = (int)(rounded % ratio);

	if (unit > units + 1 &&
	    rounded >= (uint64_t)unit[-1].size_ns / small_ns)
		return false;
	if (rest)
		snprintf(out, size, "%d %s %d %s", whole, unit->name, rest,
			 unit[1].name);
	else
		snprintf(out, size, "%d %s", whole, unit->name);
	return true;
}

void format_duration(int64_t duration_ns, char out[24])
{
	uint64_t ns = duration_ns < 0 ? -(uint64_t)duration_ns
				      : (uint64_t)duration_ns;
	const struct unit *unit = units + 1; /* weeks are only parsed */
	size_t sign = duration_ns < 0;

	if (!ns) {
		memcpy(out, "0 s", sizeof "0 s");
		return;
	}
	out[0] = '-';
	while (ns < (uint64_t)unit->size_ns)
		unit++;
	while (!(unit->size_ns >= NS_PER_MIN
			 ? format_large(ns, unit, out + sign, 24 - sign)
			 : format_small(ns, unit, out + sign)))
		unit--;
}

void format_duration_option(int64_t duration_ns, char out[32])
{
	int64_t rest = duration_ns > 0 ? duration_ns : 0;
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 1; i < UNIT_COUNT && rest; i++) {
		int64_t count = rest / units[i].size_ns;

		rest %= units[i].size_ns;
		if (count)
			len += (size_t)snprintf(out + len, 32 - len, "%d%s",
						(int)count, units[i].name);
	}
	if (!len)
		memcpy(out, "0", sizeof "0");
}

double time_range_seconds(struct time_range range)
{
	return (double)sat_sub_i64(range.to_ns, range.from_ns) /
	       (double)NS_PER_S;
}

static int64_t read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return sat_add_i64(sat_mul_i64(now.tv_sec, NS_PER_S), now.tv_nsec);
}

int64_t clock_now_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t clock_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}
