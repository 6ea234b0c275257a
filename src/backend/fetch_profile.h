/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of a server that holds profiles, as jobs: names, types, series,
 * profiles, snapshots, totals. Windows longer than it takes are asked for in
 * parts.
 */
#ifndef BACKEND_FETCH_PROFILE_H
#define BACKEND_FETCH_PROFILE_H

#include "backend/jobs.h"
#include "backend/window_parts.h"
#include "model/profile.h"

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

/* What query points at stays the caller's and must outlive the run. */
void profile_fetch_init(struct profile_fetch *f,
			const struct profile_query *query,
			struct profile *into);

/* Makes an answered job undone, to be answered by a tree for comparing with
 * one. */
void profile_fetch_again_as_tree(struct profile_fetch *f,
				 const struct backends *b);

/* Whether a server can have heeded the spans it was asked for. Some ignore a
 * selector they do not know and answer with the whole service. Both totals of
 * one window and selector; has_other_spans: the service served more requests
 * in it than those asked for. */
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

/* What the pointers point at stays the caller's and must outlive the run. */
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

/* What the pointers point at stays the caller's and must outlive the run. */
void snapshots_job_init(struct snapshots_job *s,
			const struct profile_query *query,
			const char *instance_label);

/* What samples of one type add up to over time, of a window that the server
 * takes whole. A replayed case may lack it. */
struct totals_job {
	struct job job; /* for jobs_run() */
	struct totals_query query;
	/* Asked beside others, and done without where the server does not know
	 * it: says nothing of which server it is. */
	bool is_extra;
	struct totals totals; /* in b->arena */
};

/* What the pointers point at stays the caller's and must outlive the run. */
void totals_job_init(struct totals_job *t, const struct totals_query *query);

/* What the sum is called: "a.pb.gz + b.pb.gz", of many the first and how many
 * more. In the arena; NULL: no memory. */
struct str profile_files_name(struct backends *b, const char *const *paths,
			      size_t count);

#endif
