/* SPDX-License-Identifier: Apache-2.0
 *
 * How doctor judges what it measured. Pure functions: no network, no clock.
 */
#ifndef DOCTOR_JUDGE_H
#define DOCTOR_JUDGE_H

#include <stdint.h>

#include "backend/source.h"
#include "base/timefmt.h"
#include "model/checks.h"
#include "investigate/profile_names.h"
#include "model/trace.h"

/* ---- clocks ---- */

/* One answer's Date header and how long the answer took. */
struct clock_answer {
	int64_t date_ns;
	int64_t duration_ns;
};

#define CLOCK_ANSWERS_MAX 16

/* Server minus own clock, and how far off that may be: Date counts whole
 * seconds, and nobody knows when within its time an answer was dated. */
struct clock_offset {
	int64_t offset_ns;
	int64_t slack_ns;
};

/* The median of the answers, asked for at now_ns by the own clock. n > 0; those
 * past CLOCK_ANSWERS_MAX are left out. */
struct clock_offset clock_offset_find(const struct clock_answer *answers,
				      size_t n, int64_t now_ns);

/* Over 5 s, surely: a warning. Over 60 s: failed, since windows of spans miss
 * the profiles of the same moment. */
enum check_status clock_offset_judge(const struct clock_offset *clock);

/* ---- names ---- */

enum name_match {
	NAME_NONE = 0,
	NAME_NEAR,   /* a few letters differ: perhaps another service */
	NAME_DOUBT,  /* several that it may be */
	NAME_VARIED, /* case, a prefix up to '/', or ".cpu": the same service */
	NAME_EXACT,
};

#define NEAREST_SHOWN 3

struct name_found {
	enum name_match match;
	struct str name; /* the one, or the likeliest; empty for NAME_NONE */
	struct str nearest[NEAREST_SHOWN];
	size_t nearest_count;
};

/* Which of the profile services is meant, by the names that the rest of the
 * program tries too. All names are borrowed from the list. */
struct name_found name_match_find(const struct name_candidates *candidates,
				  const struct name_list *list);

/* An attribute of the process whose value is one of the list: under it the
 * service may send. Its key, and *value of the list; NULL when none. */
const char *name_attr_find(const struct trace *t, uint32_t resource,
			   const struct name_list *list, struct str *value);

/* ---- windows ---- */

enum window_trouble {
	WINDOW_OK = 0,
	WINDOW_BEFORE_DATA, /* ends before the oldest profile */
	WINDOW_CUT_BY_DATA, /* begins before it */
	WINDOW_AFTER_DATA,  /* begins after the newest, and not just now */
	WINDOW_PAST_LOOKBACK,
	WINDOW_TOO_LONG,
};

/* What is known of the server; 0 is unknown. */
struct window_limits {
	int64_t oldest_ns;
	int64_t newest_ns;
	int64_t length_ns;   /* the longest range answered at once */
	int64_t lookback_ns; /* how far back it answers */
};

enum window_trouble window_judge(struct time_range window, int64_t now_ns,
				 const struct window_limits *limits);

/* ---- span profiles ---- */

enum span_trouble {
	SPANS_OK = 0,
	SPANS_NO_ID,      /* no span carries pyroscope.profile.id */
	SPANS_BAD_ID,     /* its value is no span id */
	SPANS_IGNORED,    /* the server answers for spans that do not exist */
	SPANS_NOT_CPU,    /* the service has no CPU profile */
	SPANS_NO_SERVICE, /* nor any profile */
	SPANS_TOO_SHORT,  /* no samples, of under 20 ms */
	SPANS_NO_SAMPLES,
};

struct span_facts {
	struct str profile_id; /* the attribute's value, empty without */
	int64_t duration_ns;   /* of the span that carries it */
	bool has_service;
	bool has_cpu;
	bool is_selector_ignored;
	bool has_samples;
};

enum span_trouble span_profiles_judge(const struct span_facts *facts);

/* 16 hex digits. */
bool is_span_profile_id(struct str value);

#endif
