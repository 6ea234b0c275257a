/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers that count durations.
 */
#ifndef DECODE_DURATIONS_H
#define DECODE_DURATIONS_H

#include "base/error.h"
#include "base/str.h"
#include "model/durations.h"

/* Tempo's answer to histogram_over_time(), of an instant or a range query.
 * ERROR_PARTIAL when the server says that it left spans out, ERROR_FORMAT on
 * damage. No series is a histogram without durations. */
bool decode_tempo_histogram(struct str bytes, struct duration_buckets *out,
			    struct error *err) MUST_CHECK;

#endif
