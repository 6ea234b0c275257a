/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces that links lead to, from whichever trace server answers: by the ids
 * that a trace names, and by asking who names it.
 */
#ifndef BACKEND_FETCH_LINKED_H
#define BACKEND_FETCH_LINKED_H

#include "backend/jobs.h"
#include "model/hits.h"

/* Traces that point to one and are listed: more are a batch of many, which a
 * few of them tell. */
#define LINKING_TRACES 20u

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

#endif
