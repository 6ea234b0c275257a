/* SPDX-License-Identifier: Apache-2.0
 *
 * One question for traces that a query describes, or a page of its answer, from
 * whichever trace server answers.
 */
#ifndef BACKEND_FETCH_HITS_H
#define BACKEND_FETCH_HITS_H

#include "backend/jobs.h"
#include "model/hits.h"

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

#endif
