/* SPDX-License-Identifier: Apache-2.0
 *
 * What an inquest found, in words: cause, how sure, and the reasoning that
 * --why prints.
 */
#ifndef REPORT_CAUSE_WORDS_H
#define REPORT_CAUSE_WORDS_H

#include "investigate/profiles.h"

/* result->cause: on_cpu_ns and text. */
bool cause_words_write(const struct profile_inquiry *q,
		       struct error *err) MUST_CHECK;

/* result->cause: confidence and what it rests on. */
bool confidence_words_write(const struct profile_inquiry *q,
			    struct error *err) MUST_CHECK;

/* Appends to result->reasons (inquest_why.c). */
void profile_reasons_add(const struct profile_inquiry *q);

/* "mutex", "block", "CPU of the whole service" ... */
const char *wait_type_words(enum wait_type type);

#endif
