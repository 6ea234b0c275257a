/* SPDX-License-Identifier: Apache-2.0
 *
 * Time as integer nanoseconds since 1970 UTC: parsing and formatting. No
 * floating point, no locale, no time zone except by local_offset_ns(). The
 * current time is passed in (now_ns), so a replayed run gives the same answers.
 */
#ifndef BASE_TIMEFMT_H
#define BASE_TIMEFMT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

#define NS_PER_US ((int64_t)1000)
#define NS_PER_MS (NS_PER_US * 1000)
#define NS_PER_S (NS_PER_MS * 1000)
#define NS_PER_MIN (NS_PER_S * 60)
#define NS_PER_HOUR (NS_PER_MIN * 60)
#define NS_PER_DAY (NS_PER_HOUR * 24)

/* "2026-11-21T01:17:00.000000000Z" and a NUL; years 1678..2262 fit. */
#define TIME_RFC3339_BYTES 32

/* Half-open window [from_ns, to_ns). */
struct time_range {
	int64_t from_ns;
	int64_t to_ns;
};

static inline bool time_range_has(struct time_range range, int64_t time_ns)
{
	return time_ns >= range.from_ns && time_ns < range.to_ns;
}

/* Returns the length in seconds, for rates; exact for windows of days. */
double time_range_seconds(struct time_range range);

/* RFC 3339 with 0..9 fraction digits and Z or an offset. */
bool parse_rfc3339(struct str text, int64_t *out_ns) MUST_CHECK;

/* "500ms", "1h30m", "7d", "250us", "0"; units ns us ms s m h d w. */
bool parse_duration(struct str text, int64_t *out_ns) MUST_CHECK;

/* Parses a point in time as in options: RFC 3339, "now", "now-1h30m", or an
 * epoch number whose unit follows from its digits (10 s, 13 ms, 16 us, 19 ns).
 * A date "2026-11-21" is midnight UTC. The error lists the accepted forms. */
bool parse_time(struct str text, int64_t now_ns, int64_t *out_ns,
		struct error *err) MUST_CHECK;

/* UTC with nine fraction digits and Z, as in JSON output. */
void format_rfc3339(int64_t time_ns, char out[TIME_RFC3339_BYTES]);

/* "10:05", or "10:05:30" with_seconds, in UTC. */
void format_clock(int64_t time_ns, bool with_seconds, char out[16]);

/* Returns the offset of the local zone (TZ) from UTC at this time, in whole
 * minutes. The only use of the zone. */
int64_t local_offset_ns(int64_t time_ns);

/* "UTC", or "+01:00" for an offset of whole minutes. */
#define ZONE_BYTES 8
void format_zone(int64_t offset_ns, char out[ZONE_BYTES]);

/* For people, with three significant digits: "612 ms", "1.2 s", "48 us", "2 m 5
 * s", "3 h 10 m", "7 d". */
void format_duration(int64_t duration_ns, char out[24]);

/* As in options, in the form parse_duration() reads: "5m", "1h30m". */
void format_duration_option(int64_t duration_ns, char out[32]);

/* Wall clock, in ns since 1970 UTC. */
int64_t clock_now_ns(void);
/* For measuring durations; unrelated to the calendar. */
int64_t clock_monotonic_ns(void);

#endif
