/* SPDX-License-Identifier: Apache-2.0
 *
 * What an inquest found, in words: cause, how sure, and the reasoning that
 * --why prints.
 */
#ifndef CLI_INQUEST_TELL_H
#define CLI_INQUEST_TELL_H

#include "cli/inquest.h"

/* result->cause: on_cpu_ns and text. */
bool inquest_tell_cause(const struct inquest *q, struct error *err) MUST_CHECK;

/* result->cause: confidence and what it rests on. */
bool inquest_tell_confidence(const struct inquest *q,
			     struct error *err) MUST_CHECK;

/* Appends to result->reasons (inquest_why.c). */
void inquest_tell_reasons(const struct inquest *q);

/* "mutex", "block", "CPU of the whole service" ... */
const char *wait_type_words(enum wait_type type);

#endif
