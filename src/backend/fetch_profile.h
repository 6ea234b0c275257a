/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of a server that holds profiles, as jobs: names, types, series,
 * profiles, snapshots, totals. Windows longer than it takes are asked for in
 * parts.
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

/* A window that a server does not take whole, asked for part by part. */

/* Pyroscope's default: what is older is left out without a word. */
#define SERVER_LOOKBACK_NS (7 * NS_PER_DAY)

struct window_parts {
	struct time_range whole;
	struct time_range part; /* the one to ask for */
	int64_t longest_ns;     /* that the server takes; 0: not known */
	int64_t edge_ns;        /* a part ends here */
};

/* Begins with the whole window, or with what of it lies before now less
 * SERVER_LOOKBACK_NS: an answer to that tells whether the server holds it
 * back. longest_ns: 0, or what the server is known to take. */
bool window_parts_start(struct window_parts *p, struct time_range whole,
			int64_t now_ns, int64_t longest_ns,
			struct error *err) MUST_CHECK;

/* The server takes no more than longest_ns at a time: shortens the part.
 * ERROR_LIMIT when that is no shorter, or makes over LIMIT_WINDOW_PARTS. */
bool window_parts_shorten(struct window_parts *p, int64_t longest_ns,
			  struct error *err) MUST_CHECK;

/* Nothing is split. */
bool window_parts_is_whole(const struct window_parts *p);

/* The part after; false behind the last. */
bool window_parts_next(struct window_parts *p);

/* The window of a question, asked for in parts where the server takes no
 * longer ones. */
struct window_walk {
	struct window_parts parts;
	bool is_started;
};

/* One profile wanted from the server, of a window of any length: what the
 * server gives for its parts is added up. has_answer without samples in
 * `into`: there are none. */
struct profile_fetch {
	struct job job; /* for jobs_run() */
	struct profile_query query;
	struct profile *into; /* initialised; replaced by the answer */
	bool is_tree;         /* it came as a tree: names only */
	bool packs_for_later; /* it may stay packed, see profile_unpack() */
	struct window_walk walk;
	int64_t empty_to_ns; /* parts before this had no samples; 0: none */
	bool is_raised;      /* a larger tree was asked for */
	/* Files instead of the server, added up; the query's type is then a
	 * word, or "": their own. */
	const char *const *paths;
	size_t path_count;
	const struct type_name *like; /* of this type exactly; NULL: any */
	/* How much of the window was profiled; 0: all of it. */
	int64_t profiled_ns;
};

/* The texts of query stay the caller's and must outlive the run. */
void profile_fetch_init(struct profile_fetch *f,
			const struct profile_query *query,
			struct profile *into);

/* Makes an answered job undone, to be answered by a tree for comparing with
 * one. */
void profile_fetch_again_as_tree(struct profile_fetch *f,
				 const struct backends *b);

/* Returns whether a server can have heeded the spans it was asked for. Some
 * ignore a selector they do not know and answer with the whole service. Both
 * totals of one window and selector; has_other_spans: the service served more
 * requests in it than those asked for. */
bool span_answer_is_believable(int64_t span_total, int64_t service_total,
			       bool has_other_spans);

/* Names that the profile server lists; in b->arena. */
struct names_job {
	struct job job;       /* for jobs_run() */
	const char *selector; /* NULL: services; else the types it selects */
	struct time_range range;
	struct name_list names;
	struct window_walk walk;
};

/* Services that sent profiles in the range. */
void services_job_init(struct names_job *n, struct time_range range);

/* Full ids of the profile types of what the selector selects. */
void types_job_init(struct names_job *n, const char *selector,
		    struct time_range range);

/* Series of what the selector selects, in b->arena. */
struct series_job {
	struct job job; /* for jobs_run() */
	const char *selector;
	const char *const *labels;
	size_t label_count;
	struct time_range range;
	struct series_list series;
	struct window_walk walk;
};

/* The texts stay the caller's and must outlive the run. */
void series_job_init(struct series_job *s, const char *selector,
		     const char *const *labels, size_t label_count,
		     struct time_range range);

/* How many snapshots the profile of a gauge sums up; see profile_divide(). */
struct snapshots_job {
	struct job job; /* for jobs_run() */
	struct profile_query query;
	const char *instance_label; /* or NULL */
	int64_t count;              /* above 0 when the job has an answer */
	struct window_walk walk;
};

/* The texts stay the caller's and must outlive the run. */
void snapshots_job_init(struct snapshots_job *s,
			const struct profile_query *query,
			const char *instance_label);

/* The sums of samples of one type over time, of a window that the server takes
 * whole. A replayed case may lack it. */
struct totals_job {
	struct job job; /* for jobs_run() */
	struct totals_query query;
	/* Asked beside others, and done without where the server does not know
	 * it: says nothing of which server it is. */
	bool is_extra;
	struct totals totals; /* in b->arena */
};

/* The texts stay the caller's and must outlive the run. */
void totals_job_init(struct totals_job *t, const struct totals_query *query);

/* Returns the name of the sum: "a.pb.gz + b.pb.gz", of many the first and how
 * many more. In the arena; NULL: no memory. */
struct str profile_files_name(struct backends *b, const char *const *paths,
			      size_t count);

/* A server sums the snapshots of a window, and of all instances: what is in
 * use has a meaning only per snapshot. */

struct snapshots_side {
	struct profile_query query; /* that the profile answers */
	struct profile *profile;
};

/* Divides the sides, the slow one first, by the number of snapshots in them;
 * both or, when a number is not known, none. Notes say which. count is 1 or
 * 2; instance_label: of the service, NULL when it has none. False when
 * asking failed as a whole. */
bool snapshots_divide(struct backends *b, const struct snapshots_side *sides,
		      size_t count, const char *instance_label,
		      struct error *err) MUST_CHECK;

/* Which profiles and lists of them a case file holds, told by what was asked
 * for. Knows no options. */

struct har; /* wire/har.h */

/* Borrowed from the case. */
struct held_profile {
	struct str type, selector;
	uint64_t from_ms, to_ms; /* both belong to it */
};

/* The one of the latest window: a baseline lies before it. type: a word or a
 * full id; NULL: any. False: there is none. */
bool held_profile_latest(const struct har *har, const char *type,
			 struct held_profile *latest);

/* The earliest of the same that ended before. */
bool held_profile_before(const struct har *har, const struct held_profile *of,
			 struct held_profile *before);

/* The window of the first list of what sends profiles; both milliseconds
 * belong to it. */
bool held_list_window(const struct har *har, uint64_t *from_ms,
		      uint64_t *to_ms);

#endif
