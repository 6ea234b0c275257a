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

/* "21 slow spans of POST /login, from 612 ms": one side of a comparison of slow
 * requests with fast ones. NULL ptr without memory. */
struct str fast_spans_words(struct arena *arena, struct str name, size_t count,
			    bool is_slow, int64_t edge_ns);

#endif
