/* SPDX-License-Identifier: Apache-2.0
 *
 * Other traces of the same operations, from whichever trace server answers.
 * And how many requests a service served.
 */
#ifndef BACKEND_FETCH_HISTORY_H
#define BACKEND_FETCH_HISTORY_H

#include "backend/backends.h"
#include "backend/jobs.h"
#include "model/history.h"
#include "model/metrics.h"

/* One question: spans of the history's operations in a window. */
struct history_job {
	struct job job;
	struct history *history;
	uint32_t window;         /* index; its slow_operation asked */
	struct time_range range; /* the window's, or a part of it */
	struct str root_service; /* empty: any root */
	struct str root_name;
	bool is_root_called;           /* as in a search_query */
	uint32_t trace_limit;          /* traces wanted */
	bool is_newest_part; /* of what it is about: there is more */
	const struct trace_id *except; /* not this trace; NULL none */
	struct str page_token;         /* of an answer in pages, the next */
	uint32_t trace_count;          /* of all pages so far */
};

/* Ready for jobs_run(), about the whole window: a caller may narrow the range
 * and add jobs for the rest of it, for servers give the newest traces of what
 * is asked for, however long it is. The window's range, slow_operation and
 * min_duration_ns are set by the caller. */
void history_job_init(struct history_job *job, struct history *history,
		      uint32_t window, uint32_t trace_limit);

/* Requests that a service served in a range, in equal steps: entry spans
 * (server, consumer) as the trace store knows them, so after sampling; or
 * spans of a name, see struct count_query. */
struct count_job {
	struct job job;
	struct str service;
	struct str name; /* set by the caller, as the next two */
	struct str root_service;
	struct str root_name;
	struct time_range range;
	int64_t step_ns;
	int64_t *counts; /* step_count items, in b->arena; -1 not known */
	uint32_t step_count;
	bool is_sample; /* a limit was reached: a lower bound */
};

/* The measurements of requests by the server, by version. */
struct steps_job {
	struct job job;
	struct steps_query query;
	struct step_rows rows; /* in b->arena */
};

/* The texts of the query stay the caller's. */
void steps_job_init(struct steps_job *job, const struct steps_query *query);

void count_job_init(struct count_job *job, struct str service,
		    struct time_range range, int64_t step_ns);

/* The same for what only makes other questions cheaper: without an answer
 * nothing is lost. */
void count_job_init_aid(struct count_job *job, struct str service,
			struct time_range range, int64_t step_ns);

/* The end of a range that holds so many of what was counted, to a step; all of
 * it where that is not known. */
struct time_range count_newest_part(const struct count_job *job,
				    struct time_range range, double wanted);

/* How many there are in a range; -1: not known. */
double count_within(const struct count_job *job, struct time_range range);

/* How many there are in a second, on average; 0: not known. */
double count_rate(const struct count_job *job);

/* How long everything took that a search describes, where the trace server
 * counts it. */

/* Asks for all durations of the query in its range, given that
 * traces_counted() is not NONE. out->total is 0 when the
 * server cannot tell, knows only a part, or counts fewer than the `least` that
 * are known to be there. False only when nothing could be sent. */
bool trace_durations_ask(struct backends *b, const struct find_query *query,
			 int64_t least, struct duration_buckets *out,
			 struct error *err) MUST_CHECK;

#endif
