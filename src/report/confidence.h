/* SPDX-License-Identifier: Apache-2.0
 *
 * How sure an answer is, in words: what it rests on and what it lacks.
 */
#ifndef REPORT_CONFIDENCE_H
#define REPORT_CONFIDENCE_H

#include "analyze/verdict.h"
#include "base/buf.h"

/* "samples of the slow requests themselves, 1,830 samples against 21": of the
 * result's profile, or of its trace where it has none. */
void confidence_report_basis(const struct result *result, struct buf *out);

/* ", few samples, what is usual is not known" */
void confidence_report_weaknesses(const struct confidence_rating *rating,
				  struct buf *out);

/* Questions got lost: the answer could have been another with them. Once a
 * result, when all of it is written. */
bool confidence_report_gaps(struct result *result,
			    struct error *err) MUST_CHECK;

#endif
