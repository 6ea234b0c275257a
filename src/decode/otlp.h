/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two encodings of OTLP traces have in common.
 */
#ifndef DECODE_OTLP_H
#define DECODE_OTLP_H

#include "decode/taker.h"
#include "decode/trace_json.h"
#include "decode/values.h"
#include "decode/wire.h"

#define OTLP_STATUS_ERROR 2

/* Span.SpanKind as a number; unspecified and unknown ones are internal. */
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

/* Tempo's status PARTIAL with its message, which may be empty. */
static inline void otlp_note_partial(struct taker *to, struct str message)
{
	taker_partial(to, "the server returned only a part of the trace%s%.*s",
		      message.len ? ": " : "", STR_ARGS(message));
}

/* The parts of a KeyValue in protobuf, in whatever order they come: the value
 * is a field of kv that holds an AnyValue, empty when it is not there. */
bool otlp_pb_pair(struct wire *kv, struct str *key,
		  struct wire_field *value) MUST_CHECK;

/* Writes a member of an AnyValue that is neither a list nor a map; null for any
 * other. */
void otlp_pb_scalar(struct value_text *v, const struct wire_field *f);

/* The parts of OTLP JSON in Tempo's search answers: attributes, and the
 * AnyValue as text. */

/* A list of attributes; those that are wanted go to the taker. */
void otlp_json_attributes(struct trace_json *t);

#endif
