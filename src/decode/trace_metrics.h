/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers that count durations.
 */
#ifndef DECODE_TRACE_METRICS_H
#define DECODE_TRACE_METRICS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "model/metrics.h"

/* Tempo's answer to histogram_over_time(), of an instant or a range query.
 * ERROR_PARTIAL when the server says that it left spans out, ERROR_FORMAT on
 * damage. No series is a histogram without durations. */
bool decode_tempo_histogram(struct str bytes, struct duration_buckets *out,
			    struct error *err) MUST_CHECK;

/* Answers that measure spans in steps of time, by an attribute. */

/* Tempo's answer to a range query with by(ATTRIBUTE), a value for each step,
 * which is the server's own. Rows live in the arena. Points outside the steps
 * and values that are no numbers are left out. ERROR_PARTIAL when the server
 * says that it left spans out, ERROR_FORMAT on damage. */
bool decode_tempo_steps(struct str bytes, const struct steps *steps,
			struct arena *arena, struct step_rows *out,
			struct error *err) MUST_CHECK;

#endif
