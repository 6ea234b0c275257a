/* SPDX-License-Identifier: Apache-2.0
 *
 * Attribute values as text: a single value as it is, a list or map as JSON
 * (strings quoted, the rest bare). At most a little over LIMIT_STRING_BYTES
 * are kept, so that trace_build_text() sees and counts what is too long.
 */
#ifndef DECODE_VALUES_H
#define DECODE_VALUES_H

#include <stdint.h>

#include "base/buf.h"
#include "model/trace.h"

struct value_text {
	struct buf buf;
	unsigned depth; /* lists and maps that are open */
};

/* No allocation happens here. */
void value_init(struct value_text *v);
void value_release(struct value_text *v);

/* Ready for the next value; memory is kept. */
void value_clear(struct value_text *v);

/* '[' or '{', and their counterparts. */
void value_open(struct value_text *v, char bracket);
void value_close(struct value_text *v, char bracket);

/* A map's key; the value follows. */
void value_key(struct value_text *v, struct str key);

void value_string(struct value_text *v, struct str text);
void value_bool(struct value_text *v, bool value);
void value_i64(struct value_text *v, int64_t value);
void value_f64(struct value_text *v, double value);
void value_null(struct value_text *v);

/* Raw bytes, written as base64. */
void value_bytes(struct value_text *v, struct str bytes);

/* Returns what was written; false when memory failed. */
bool value_check(const struct value_text *v, struct str *text,
		 struct error *err) MUST_CHECK;

/* Trace and span ids as producers write them: raw bytes, hex, base64, and
 * the known accidents (base64 of hex text; hex text that was base64-decoded
 * into bytes). Absent and empty ids give zero. False on anything else. */

/* Protobuf: 16 and 8 bytes, or those of the accidents above. */
bool trace_id_from_bytes(struct str bytes, struct trace_id *id) MUST_CHECK;
bool span_id_from_bytes(struct str bytes, uint64_t *id) MUST_CHECK;

/* Text of JSON documents: hex digits (of a trace id also fewer, without its
 * leading zeros) or base64, which comes first where a text is both. */
bool trace_id_from_text(struct str text, struct trace_id *id) MUST_CHECK;
bool span_id_from_text(struct str text, uint64_t *id) MUST_CHECK;

/* The same, but hex with its leading zeros missing comes first (Jaeger, where
 * there is no base64 of this length). */
bool trace_id_from_short_text(struct str text, struct trace_id *id) MUST_CHECK;
bool span_id_from_short_text(struct str text, uint64_t *id) MUST_CHECK;

#endif
