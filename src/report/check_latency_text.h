/* SPDX-License-Identifier: Apache-2.0
 *
 * What `check` says of how long requests take.
 */
#ifndef REPORT_CHECK_LATENCY_TEXT_H
#define REPORT_CHECK_LATENCY_TEXT_H

#include "base/jsonw.h"
#include "investigate/check.h"
#include "render/page.h"

/* Whether it was looked for, and nothing can be said of it. */
bool check_latency_is_unjudged(const struct check *c);

/* "requests of POST /login take 31 % longer, p50 12.1 ms, was 9.24 ms" */
void check_latency_hit(const struct gate_hit *hit, struct buf *out);

/* Why nothing can be said of it. */
void check_latency_lack(const struct check *c, enum gates_lack lack,
			struct buf *out);

/* How much was looked at, and the smallest growth that would have been seen;
 * nothing when it was not asked for. */
void check_latency_power(const struct check *c, struct buf *out);

/* What weakens it, before the notes are told. */
void check_latency_notes(const struct check_latency *l, struct notes *notes);

/* The table of operations. */
void check_latency_table(struct page *p, const struct check *c);

/* "latency": null where it was not asked for. */
void check_latency_json(struct jsonw *w, const struct check *c);

#endif
