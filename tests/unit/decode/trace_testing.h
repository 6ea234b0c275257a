/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of trace decoders share: one trace, and how it was read.
 */
#ifndef TRACE_TESTING_H
#define TRACE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace_oracle.h"

static struct error err;
static struct notes notes;
static struct trace trace;

/* Release the trace, whatever comes of it. */
static inline bool decode_as(enum format format, struct str bytes,
			     const struct trace_id *want)
{
	notes_init(&notes);
	trace_init(&trace);
	error_clear(&err);
	return decode_trace(format, bytes, want, &trace, &notes, &err);
}

static inline void decode_text_as(enum format format, const char *text)
{
	if (!decode_as(format, str_from(text), NULL))
		fail_msg("%s", err.message);
}

/* What oracle_load() gave. */
static inline void drop(struct str bytes)
{
	free((char *)(uintptr_t)bytes.ptr);
}

#endif
