/* SPDX-License-Identifier: Apache-2.0
 *
 * Text into TraceQL. All values that come from users or traces pass through
 * traceql_add_string(), so that none of them becomes a part of the question.
 */
#ifndef BACKEND_TRACEQL_H
#define BACKEND_TRACEQL_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* A string as Go reads it, in quotes. Bytes outside printable ASCII are
 * written as their number, so that invalid UTF-8 and control characters pass
 * as they are. */
void traceql_add_string(struct buf *q, struct str text);

/* A word that the server's scanner must see whole; q holds the query from
 * its start. Blanks may be put before it. */
void traceql_add_word(struct buf *q, const char *word);

/* "&&" unless the conditions, which began at `start`, are still none. */
void traceql_add_and(struct buf *q, size_t start);

/* That this field is this text. */
void traceql_add_equal(struct buf *q, const char *field, struct str text);

/* That this field, a duration, is so long at least. */
void traceql_add_least(struct buf *q, const char *field, int64_t duration_ns);

/* "|select(...": that answers tell these fields. More may be added before the
 * closing bracket. */
void traceql_select(struct buf *q, const char *const *fields,
		    size_t field_count);
void traceql_select_more(struct buf *q, const char *field);

#endif
