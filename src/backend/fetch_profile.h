/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries of a profile server, as jobs: names, types, series, profiles,
 * snapshots, totals. Windows longer than the server accepts are split.
 */
#ifndef BACKEND_FETCH_PROFILE_H
#define BACKEND_FETCH_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/jobs.h"
#include "base/error.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "model/profile.h"

/* A window that the server does not accept as a whole, split into parts. */

/* Pyroscope's default: older profiles are silently left out. */
#define SERVER_LOOKBACK_NS (7 * NS_PER_DAY)

struct window_parts {
	struct time_range whole;
	struct time_range part; /* the part to query now */
	int64_t longest_ns;     /* accepted by the server; 0: not known */
	int64_t edge_ns;        /* a part has to end here */
};

/* Starts with the whole window, or with its part older than now less
 * SERVER_LOOKBACK_NS: the answer to that shows whether the server omits old
 * profiles. longest_ns: the longest window that the server is known to accept,
 * or 0. */
bool window_parts_start(struct window_parts *p, struct time_range whole,
			int64_t now_ns, int64_t longest_ns,
			struct error *err) MUST_CHECK;

/* Shortens the part after the server refused more than longest_ns at a time.
 * ERROR_LIMIT if the part is not longer than that, or if there would be more
 * than LIMIT_WINDOW_PARTS. */
bool window_parts_shorten(struct window_parts *p, int64_t longest_ns,
			  struct error *err) MUST_CHECK;

/* Returns whether the window is not split. */
bool window_parts_is_whole(const struct window_parts *p);

/* Moves to the next part; false after the last. */
bool window_parts_next(struct window_parts *p);

/* The window of a query, split where the server does not accept it as a
 * whole. */
struct window_walk {
	struct window_parts parts;
	bool is_started;
};

/* One profile from the server, of a window of any length: the profiles of its
 * parts are added up. has_answer with no samples in `into`: there are none. */
struct profile_fetch {
	struct job job; /* for jobs_run() */
	struct profile_query query;
	struct profile *into; /* initialised; replaced by the answer */
	bool is_tree;         /* the answer was a tree: function names only */
	bool packs_for_later; /* it may stay packed, see profile_unpack() */
	struct window_walk walk;
	int64_t empty_to_ns; /* parts before this had no samples; 0: none */
	bool is_raised;      /* a larger tree was requested */
	/* Files to add up instead of a query; the query's type is then a word,
	 * or "" for the default of the files. */
	const char *const *paths;
	size_t path_count;
	const struct type_name *like; /* exactly this type; NULL: any */
	/* Profiled part of the window; 0: all of it. */
	int64_t profiled_ns;
};

/* Prepares a job. The texts of query are borrowed and must outlive the run. */
void profile_fetch_init(struct profile_fetch *f,
			const struct profile_query *query,
			struct profile *into);

/* Resets an answered job so that it is answered by a tree, for comparison with
 * another tree. */
void profile_fetch_again_as_tree(struct profile_fetch *f,
				 const struct backends *b);

/* Returns whether the server seems to have applied the span selector. Some
 * servers ignore a selector they do not know and return the profile of the
 * whole service. Both totals are of one window and selector; has_other_spans:
 * the service served more requests in the window than those selected. */
bool span_answer_is_believable(int64_t span_total, int64_t service_total,
			       bool has_other_spans);

/* Names listed by the profile server; in b->arena. */
struct names_job {
	struct job job;       /* for jobs_run() */
	const char *selector; /* NULL: services; else types of the selected
			       * profiles */
	struct time_range range;
	struct name_list names;
	struct window_walk walk;
};

/* Prepares a job for services that sent profiles in the range. */
void services_job_init(struct names_job *n, struct time_range range);

/* Prepares a job for the full type ids of the selected profiles. */
void types_job_init(struct names_job *n, const char *selector,
		    struct time_range range);

/* Series of the selected profiles, in b->arena. */
struct series_job {
	struct job job; /* for jobs_run() */
	const char *selector;
	const char *const *labels;
	size_t label_count;
	struct time_range range;
	struct series_list series;
	struct window_walk walk;
};

/* The texts are borrowed and must outlive the run. */
void series_job_init(struct series_job *s, const char *selector,
		     const char *const *labels, size_t label_count,
		     struct time_range range);

/* The number of snapshots that a gauge's profile sums up; see
 * profile_divide(). */
struct snapshots_job {
	struct job job; /* for jobs_run() */
	struct profile_query query;
	const char *instance_label; /* or NULL */
	int64_t count;              /* above 0 when the job has an answer */
	struct window_walk walk;
};

/* The texts are borrowed and must outlive the run. */
void snapshots_job_init(struct snapshots_job *s,
			const struct profile_query *query,
			const char *instance_label);

/* Sums of samples of one type over time, of a window that the server accepts as
 * a whole. A replayed case may lack it. */
struct totals_job {
	struct job job; /* for jobs_run() */
	struct totals_query query;
	/* An optional query, skipped where the server does not support it: its
	 * answer is no evidence of the kind of server. */
	bool is_extra;
	struct totals totals; /* in b->arena */
};

/* The texts are borrowed and must outlive the run. */
void totals_job_init(struct totals_job *t, const struct totals_query *query);

/* Returns the name of the sum: "a.pb.gz + b.pb.gz"; of many files the first and
 * the number of others. In the arena; NULL: no memory. */
struct str profile_files_name(struct backends *b, const char *const *paths,
			      size_t count);

/* A server sums the snapshots of a window, and of all instances: values in use
 * are meaningful only per snapshot. */

struct snapshots_side {
	struct profile_query query; /* the query that returned the profile */
	struct profile *profile;
};

/* Divides the profiles of both sides, the slow one first, by their number of
 * snapshots; both or, when a number is not known, none. Notes say which. count
 * is 1 or 2; instance_label: of the service, NULL when it has none. Returns
 * false if the queries failed as a whole. */
bool snapshots_divide(struct backends *b, const struct snapshots_side *sides,
		      size_t count, const char *instance_label,
		      struct error *err) MUST_CHECK;

/* The profiles and lists of profiles that a case file holds, found by the
 * recorded requests. */

struct har; /* wire/har.h */

/* Borrowed from the case. */
struct held_profile {
	struct str type, selector;
	uint64_t from_ms, to_ms; /* inclusive */
};

/* Finds the profile with the latest window, as a baseline is earlier. type: a
 * word or a full id; NULL: any. Returns false if there is none. */
bool held_profile_latest(const struct har *har, const char *type,
			 struct held_profile *latest);

/* Finds the earliest profile of the same type and selector that ended
 * before. */
bool held_profile_before(const struct har *har, const struct held_profile *of,
			 struct held_profile *before);

/* Finds the window of the first list of services; both milliseconds
 * inclusive. */
bool held_list_window(const struct har *har, uint64_t *from_ms,
		      uint64_t *to_ms);

#endif
