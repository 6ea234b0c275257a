/* SPDX-License-Identifier: Apache-2.0
 *
 * The AnyValue of OTLP JSON as text.
 */
#ifndef DECODE_OTLP_JSON_VALUE_H
#define DECODE_OTLP_JSON_VALUE_H

#include "base/json.h"
#include "decode/value_text.h"

/* Consumes the next value of r. Nesting is bounded by the reader's limit and
 * walked without recursion. Failures stick in r. */
void otlp_json_value(struct json_reader *r, struct value_text *v);

#endif
