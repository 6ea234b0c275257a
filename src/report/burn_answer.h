/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an error budget is spent too fast now, by the pairs of windows that
 * an alert on it has, with the slowest of the bad requests. Knows no options.
 */
#ifndef REPORT_BURN_ANSWER_H
#define REPORT_BURN_ANSWER_H

#include "report/alert_answer.h"
#include "report/slo_answer.h"

struct burn_answer {
	const struct slo *slo;
	/* The slowest bad request of the pair that fires; its notes are those
	 * of the answer. */
	struct alert_answer trace;
};

extern const struct answer_writer burn_now_writer; /* struct burn_answer */

/* The pair that fires with the highest limit; NULL: none does. */
const struct burn_pair *burn_firing(const struct slo *s);

/* Whether none fires, but one might, had its windows been answered. */
bool burn_is_open(const struct slo *s);

#endif
