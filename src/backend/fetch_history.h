/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries of any traces server for other traces of the same operations, and for
 * the number of requests that a service served.
 */
#ifndef BACKEND_FETCH_HISTORY_H
#define BACKEND_FETCH_HISTORY_H

#include "backend/backends.h"
#include "backend/jobs.h"
#include "model/history.h"
#include "model/metrics.h"

/* One query: spans of the history's operations in a window. */
struct history_job {
	struct job job;
	struct history *history;
	uint32_t window;         /* index; its slow_operation is queried */
	struct time_range range; /* the whole window, or a part of it */
	struct str root_service; /* empty: any root */
	struct str root_name;
	bool is_root_called;           /* as in a search_query */
	uint32_t trace_limit;          /* traces wanted */
	bool is_newest_part; /* more traces exist outside of the range */
	const struct trace_id *except; /* trace to exclude; NULL: none */
	struct str page_token;         /* of the next page, if the answer has
					* pages */
	uint32_t trace_count;          /* sum over all pages so far */
};

/* Prepares a job for jobs_run(), for the whole window. A caller may narrow the
 * range and add jobs for the rest of it, since servers return the newest traces
 * of a range however long it is. The window's range, slow_operation and
 * min_duration_ns are set by the caller. */
void history_job_init(struct history_job *job, struct history *history,
		      uint32_t window, uint32_t trace_limit);

/* Requests that a service served in a range, in equal steps: entry spans
 * (server, consumer) as the trace store has them, that is after sampling; or
 * spans with a name, see struct count_query. */
struct count_job {
	struct job job;
	struct str service;
	struct str name; /* set by the caller, as the next two */
	struct str root_service;
	struct str root_name;
	struct time_range range;
	int64_t step_ns;
	int64_t *counts; /* step_count items, in b->arena; -1: not known */
	uint32_t step_count;
	bool is_sample; /* a limit was reached: counts are lower bounds */
};

/* Request measurements by version, computed by the server. */
struct steps_job {
	struct job job;
	struct steps_query query;
	struct step_rows rows; /* in b->arena */
};

/* The texts of the query must outlive the job. */
void steps_job_init(struct steps_job *job, const struct steps_query *query);

void count_job_init(struct count_job *job, struct str service,
		    struct time_range range, int64_t step_ns);

/* The same for a count that only makes other queries cheaper: no gap is noted
 * if it gets no answer. */
void count_job_init_aid(struct count_job *job, struct str service,
			struct time_range range, int64_t step_ns);

/* Returns the end of the range, rounded to a step, that holds the wanted number
 * of counted requests; the whole range if counts are not known. */
struct time_range count_newest_part(const struct count_job *job,
				    struct time_range range, double wanted);

/* Returns the number of counted requests in a range; -1: not known. */
double count_within(const struct count_job *job, struct time_range range);

/* Returns the mean number of requests per second; 0: not known. */
double count_rate(const struct count_job *job);

/* The distribution of durations of all spans or traces that match a search,
 * where the traces server counts them. */

/* Fetches all durations of the query in its range; traces_counted() must not be
 * NONE. out->total is 0 if the server cannot count them, knows only a part, or
 * counts fewer than `least`, the number known to exist. Returns false only if
 * nothing could be sent. */
bool trace_durations_ask(struct backends *b, const struct find_query *query,
			 int64_t least, struct duration_buckets *out,
			 struct error *err) MUST_CHECK;

#endif
