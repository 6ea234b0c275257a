/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace by its id from whichever server holds traces, by the forms of the
 * question that it knows, best first.
 */
#ifndef BACKEND_FETCH_TRACE_H
#define BACKEND_FETCH_TRACE_H

#include <stddef.h>

#include "backend/backends.h"
#include "backend/jobs.h"
#include "base/error.h"
#include "model/hits.h"
#include "model/trace.h"

/* Outside: of the window that was given. */
enum trace_found { TRACE_NOT_FOUND = 0, TRACE_FOUND, TRACE_FOUND_OUTSIDE };

/* Within the window first; NULL: whenever it was. Not found is no failure. */
bool trace_fetch(struct backends *b, const struct trace_id *id,
		 const struct time_range *window, struct trace *trace,
		 enum trace_found *found, struct error *err) MUST_CHECK;

/* Traces that links lead to, from whichever trace server answers: by the ids
 * that a trace names, and by asking who names it. */

/* A trace by its id. */
struct trace_job {
	struct job job;
	struct trace_id id;
	struct trace *trace; /* set up by the caller, empty when not found */
};

void trace_job_init(struct trace_job *job, const struct trace_id *id,
		    struct trace *trace);

/* Whether the server can be asked which traces have links to one. */
bool linking_can_ask(const struct backends *b);

/* Traces with a link to this one. */
struct linking_job {
	struct job job;
	struct trace_id id;
	struct time_range range;
	struct hits hits; /* the caller's to release */
};

void linking_job_init(struct linking_job *job, const struct trace_id *id,
		      struct time_range range);

/* One question for traces that a query describes, or a page of its answer, from
 * whichever trace server answers. */

struct hits_job {
	struct job job;
	const struct find_query *query;
	struct hits *hits;     /* what fits is added; answer_count is set */
	struct buf *next_page; /* the token, where there is one */
};

/* attempt: of the form that answered last, else 0. All is borrowed. */
void hits_job_init(struct hits_job *job, const struct find_query *query,
		   unsigned attempt, struct hits *hits, struct buf *next_page);

/* Asks. *attempt: as above, and the one that answered. */
bool hits_fetch(struct backends *b, const struct find_query *query,
		unsigned *attempt, struct hits *hits, struct buf *next_page,
		struct error *err) MUST_CHECK;

/* The searches that a case file holds, handed over one by one. Knows neither
 * what they looked for nor what their answers mean. */

struct har; /* wire/har.h */
struct http_response;

typedef void (*held_search_taker)(void *context,
				  const struct http_response *response);

/* Hands over the answers of all that have one, in the case's order, and counts
 * them. */
bool held_searches_each(const struct har *har, held_search_taker take,
			void *context, size_t *count,
			struct error *err) MUST_CHECK;

/* Whether there is one. */
bool held_searches_any(const struct har *har);

#endif
