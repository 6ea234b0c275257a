/* SPDX-License-Identifier: Apache-2.0
 *
 * Slow requests among those of the same minutes in words: whether all became
 * slow, or some, or none but this one.
 */
#ifndef REPORT_COHORTS_TEXT_H
#define REPORT_COHORTS_TEXT_H

#include "analyze/cohorts.h"
#include "base/buf.h"

/* "the operation became slow as a whole: p50 500 ms over 22 spans, was 50 ms
 * over 22" */
void cohorts_tell(const struct cohorts *c, struct buf *out);

/* The numbers behind it, for --why. */
void cohorts_tell_numbers(const struct cohorts *c, struct buf *out);

#endif
