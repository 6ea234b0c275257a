/* SPDX-License-Identifier: Apache-2.0
 *
 * What a slow request is compared with, in words.
 */
#ifndef REPORT_BASELINE_WORDS_H
#define REPORT_BASELINE_WORDS_H

#include "investigate/profiles.h"

/* "p50 40 ms over 20 spans of version 1.2"; appends nothing without a
 * baseline. */
void baseline_words_add(const struct symptom *s, struct buf *out);

/* Fills result->baseline.text of what an inquiry shows. */
bool baseline_words_write(const struct profile_inquiry *q,
			  struct result *result, struct error *err) MUST_CHECK;

#endif
