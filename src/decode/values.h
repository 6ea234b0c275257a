/* SPDX-License-Identifier: Apache-2.0
 *
 * Attribute values as text: scalars as they are, lists and maps as JSON
 * (strings quoted, other values bare). Keeps slightly more than
 * LIMIT_STRING_BYTES, so that trace_build_text() notices and counts truncation.
 */
#ifndef DECODE_VALUES_H
#define DECODE_VALUES_H

#include <stdint.h>

#include "base/buf.h"
#include "model/trace.h"

struct value_text {
	struct buf buf;
	unsigned depth; /* open lists and maps */
};

/* Allocates nothing. */
void value_init(struct value_text *v);
void value_release(struct value_text *v);

/* Resets for the next value; keeps the memory. */
void value_clear(struct value_text *v);

/* bracket: '[' or '{'; on closing ']' or '}'. */
void value_open(struct value_text *v, char bracket);
void value_close(struct value_text *v, char bracket);

/* A map's key; the value follows. */
void value_key(struct value_text *v, struct str key);

void value_string(struct value_text *v, struct str text);
void value_bool(struct value_text *v, bool value);
void value_i64(struct value_text *v, int64_t value);
void value_f64(struct value_text *v, double value);
void value_null(struct value_text *v);

/* Writes bytes as base64. */
void value_bytes(struct value_text *v, struct str bytes);

/* Returns the text written; false when out of memory. */
bool value_check(const struct value_text *v, struct str *text,
		 struct error *err) MUST_CHECK;

/* Trace and span ids as written by producers: raw bytes, hex, base64, and known
 * encoding mistakes (base64 of hex text; hex text decoded as base64). Absent
 * and empty ids give zero. Return false on anything else. */

/* Protobuf: 16 or 8 bytes, or one of the mistakes above. */
bool trace_id_from_bytes(struct str bytes, struct trace_id *id) MUST_CHECK;
bool span_id_from_bytes(struct str bytes, uint64_t *id) MUST_CHECK;

/* JSON text: hex digits (trace ids may lack leading zeros) or base64, which is
 * preferred if a text is both. */
bool trace_id_from_text(struct str text, struct trace_id *id) MUST_CHECK;
bool span_id_from_text(struct str text, uint64_t *id) MUST_CHECK;

/* Same, but hex without leading zeros is preferred (Jaeger, which has no base64
 * of this length). */
bool trace_id_from_short_text(struct str text, struct trace_id *id) MUST_CHECK;
bool span_id_from_short_text(struct str text, uint64_t *id) MUST_CHECK;

#endif
