/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows before the slow one in words: why each was taken or not.
 */
#ifndef REPORT_BASELINE_TEXT_H
#define REPORT_BASELINE_TEXT_H

#include "analyze/baseline.h"
#include "base/buf.h"

/* "22:03-22:13 is healthy (p50 50 ms over 212 spans)"; of one that was
 * weighed. */
void baseline_tell_window(const struct baseline_health *b, struct buf *out);

/* "p50 50 ms over 212 spans", and more when it is no faster: of the chosen
 * one, which there must be. named: whose spans, when that is to be said. */
void baseline_tell_chosen(const struct baseline_choice *choice,
			  const struct operation *named, struct buf *out);

/* "; it creeps: p50 50 ms one day before, 90 ms just before, 100 ms now". */
void baseline_tell_creep(const struct baseline_choice *choice, struct buf *out);

#endif
