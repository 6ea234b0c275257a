/* SPDX-License-Identifier: Apache-2.0
 *
 * What spent an error budget: a sample of the bad requests, each investigated
 * as a slow one is. Where metrics count the bad ones over time, the sample
 * follows them; else what searches find. Knows no options and has no words.
 */
#ifndef INVESTIGATE_SLO_SPENT_H
#define INVESTIGATE_SLO_SPENT_H

#include "analyze/spent.h"
#include "investigate/investigation.h"
#include "investigate/slo.h"

struct slo_spent {
	/* Set by the caller. */
	const struct slo *slo;           /* after it was counted */
	const struct question *question; /* for each of them */
	struct time_range range;         /* whose bad requests are wanted */
	size_t wanted;                   /* at most LIMIT_SLO_SAMPLE */
	/* The answer, in the backends' arena. */
	double bad;  /* in the range; by traces those found */
	double kept; /* part of those from where traces are kept on */
	struct time_range from; /* which is here */
	struct spent_request *requests;
	struct spent spent;   /* of these */
	size_t missing_count; /* chosen, but there is no trace of it, */
	size_t unread_count;  /* or it could not be read */
	struct error reason;  /* of that, or why there is no answer */
};

/* False when nothing else can be asked; without an answer, and the reason, when
 * the traces do not tell. */
bool slo_spent_find(struct slo_spent *s, struct error *err) MUST_CHECK;

#endif
