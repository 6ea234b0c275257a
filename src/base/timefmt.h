/* SPDX-License-Identifier: Apache-2.0
 *
 * Time as integer nanoseconds since 1970 UTC: parsing and printing. No
 * floating point, no locale, no TZ lookups except where a zone is asked for.
 * The clock is injected (now_ns), so a replayed run repeats its answers.
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

/* Length in seconds, for rates; exact for windows of days. */
double time_range_seconds(struct time_range range);

/* RFC 3339 with 0..9 fraction digits and Z or an offset. */
bool parse_rfc3339(struct str text, int64_t *out_ns) MUST_CHECK;

/* "500ms", "1h30m", "7d", "250us", "0"; units ns us ms s m h d w. */
bool parse_duration(struct str text, int64_t *out_ns) MUST_CHECK;

/* A point in time as options take it: RFC 3339, "now", "now-1h30m", or an
 * epoch number by digit count (10 s, 13 ms, 16 us, 19 ns). A plain date
 * "2026-11-21" is midnight UTC. Error text names the accepted forms. */
bool parse_time(struct str text, int64_t now_ns, int64_t *out_ns,
		struct error *err) MUST_CHECK;

/* UTC with exactly nine fraction digits and Z: the JSON form. */
void format_rfc3339(int64_t time_ns, char out[TIME_RFC3339_BYTES]);

/* "10:05" or "10:05:30" (with_seconds) in UTC. */
void format_clock(int64_t time_ns, bool with_seconds, char out[16]);

/* How far the clocks of the zone in TZ are ahead of UTC at this time, in whole
 * minutes. The only look at the zone there is. */
int64_t local_offset_ns(int64_t time_ns);

/* "UTC", or "+01:00" for an offset of whole minutes. */
#define ZONE_BYTES 8
void format_zone(int64_t offset_ns, char out[ZONE_BYTES]);

/* For people, three significant digits: "612 ms", "1.2 s", "48 us",
 * "2 m 5 s", "3 h 10 m", "7 d"; out of at least 24 bytes. */
void format_duration(int64_t duration_ns, char out[24]);

/* Compact option form that parse_duration reads back: "5m", "1h30m". */
void format_duration_option(int64_t duration_ns, char out[32]);

/* The system's clock. */
int64_t clock_now_ns(void);
/* For measuring spans of time; not related to the calendar. */
int64_t clock_monotonic_ns(void);

#endif
