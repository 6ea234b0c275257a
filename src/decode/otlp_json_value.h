/* SPDX-License-Identifier: Apache-2.0
 *
 * What Tempo's search answers have of OTLP JSON: attributes, and the AnyValue
 * as text.
 */
#ifndef DECODE_OTLP_JSON_VALUE_H
#define DECODE_OTLP_JSON_VALUE_H

#include "decode/trace_json.h"

/* Consumes the next value of r. Nesting is bounded by the reader's limit and
 * walked without recursion. Failures stick in r. */
void otlp_json_value(struct json_reader *r, struct value_text *v);

/* A list of attributes; those that are wanted go to the taker. */
void otlp_json_attributes(struct trace_json *t);

#endif
