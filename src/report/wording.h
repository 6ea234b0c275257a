/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces that sentences of the report have in common: names, durations, calls.
 */
#ifndef REPORT_WORDING_H
#define REPORT_WORDING_H

#include "analyze/calls.h"
#include "base/arena.h"
#include "base/buf.h"
#include "model/result.h"

/* Names and queries inside a sentence: longer ones would hide the rest. */
#define WORDING_TEXT_BYTES 160u

/* Ceiling of one sentence before its texts are trimmed: a masked query. */
#define WORDING_BYTES (4 * LIMIT_STRING_BYTES)

/* Appends at most max_bytes of text, cut at a character and with "...". */
void wording_add(struct buf *out, struct str text, size_t max_bytes);

/* "612 ms" */
void wording_add_duration(struct buf *out, int64_t duration_ns);

/* The same of what was reckoned; 0 of less. */
void wording_add_ns(struct buf *out, double duration_ns);

/* "user-db UserRepository.findByEmail" */
void wording_add_span(struct buf *out, const struct trace *t, uint32_t span);

/* "SELECT * FROM users" in quotes. */
void wording_add_call(struct buf *out, const struct calls *c, uint32_t span);

/* `before` and who was called; nothing when that is not known. */
void wording_add_peer(struct buf *out, const char *before,
		      const struct calls *c, uint32_t span);

/* What a failed span says of its failure, else its code, else "failed". */
void wording_add_failure(struct buf *out, const struct trace *t, uint32_t span);

/* "one after another", "some at a time" or "side by side". */
const char *wording_manner(enum repeat_manner manner);

/* ", 21 samples against 1,830": what is known. */
void wording_add_samples(struct buf *out, const struct result *result);

/* "+4.2 %", or "4.2 %": parts of what was. */
void wording_percent(double part, bool is_signed, char out[32]);

/* Moves the sentence into the arena and empties the buffer. */
bool wording_take(struct buf *text, struct arena *arena, struct str *out,
		  struct error *err) MUST_CHECK;

#endif
