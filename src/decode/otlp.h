/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the two encodings of OTLP traces.
 */
#ifndef DECODE_OTLP_H
#define DECODE_OTLP_H

#include "decode/taker.h"
#include "decode/trace_json.h"
#include "decode/values.h"
#include "decode/wire.h"

#define OTLP_STATUS_ERROR 2

/* Converts Span.SpanKind; unspecified and unknown ones are internal. */
static inline enum span_kind otlp_kind(uint64_t number)
{
	static const enum span_kind kinds[] = {
		SPAN_KIND_INTERNAL, SPAN_KIND_INTERNAL, SPAN_KIND_SERVER,
		SPAN_KIND_CLIENT,   SPAN_KIND_PRODUCER, SPAN_KIND_CONSUMER,
	};

	if (number >= sizeof kinds / sizeof *kinds)
		return SPAN_KIND_INTERNAL;
	return kinds[number];
}

/* Records Tempo's status PARTIAL with its message, which may be empty. */
static inline void otlp_note_partial(struct taker *to, struct str message)
{
	taker_partial(to, "the server returned only a part of the trace%s%.*s",
		      message.len ? ": " : "", STR_ARGS(message));
}

/* Reads a protobuf KeyValue, with fields in any order; value is the field that
 * contains the AnyValue, empty if absent. */
bool otlp_pb_pair(struct wire *kv, struct str *key,
		  struct wire_field *value) MUST_CHECK;

/* Writes a scalar member of an AnyValue; null for anything else. */
void otlp_pb_scalar(struct value_text *v, const struct wire_field *f);

/* OTLP JSON within Tempo's search responses: attributes, and AnyValue as
 * text. */

/* Reads a list of attributes; those wanted go to the taker. */
void otlp_json_attributes(struct trace_json *t);

#endif
