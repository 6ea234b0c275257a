/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds the connections that a span waited for: asked of the traces, in the
 * round in which the profile of the waiting is asked for again.
 */
#ifndef INVESTIGATE_POOL_H
#define INVESTIGATE_POOL_H

#include "investigate/profile_inquiry.h"

#define POOL_JOBS 2u

struct pool_question {
	struct history h;
	struct history_job jobs[POOL_JOBS];
};

/* Puts together the questions; no jobs when the span did not wait for a pool
 * outside its calls (those that wait within seem to hold it), or when they may
 * not be asked, has_parts: beside parts of a profile. Released in any case. */
void pool_question_init(struct pool_question *p,
			const struct profile_inquiry *q, bool has_parts,
			struct job **jobs, size_t *n);
void pool_question_release(struct pool_question *p);

/* After they ran: fills q->holder. */
bool pool_question_answer(struct pool_question *p, struct profile_inquiry *q,
			  struct error *err) MUST_CHECK;

#endif
