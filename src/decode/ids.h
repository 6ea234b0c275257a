/* SPDX-License-Identifier: Apache-2.0
 *
 * Trace and span ids as producers write them: raw bytes, hex, base64, and
 * the known accidents (base64 of hex text; hex text that was base64-decoded
 * into bytes). Absent and empty ids give zero. False on anything else.
 */
#ifndef DECODE_IDS_H
#define DECODE_IDS_H

#include "model/trace.h"

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
