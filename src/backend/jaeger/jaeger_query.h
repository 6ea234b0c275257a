/* SPDX-License-Identifier: Apache-2.0
 *
 * What all searches of a Jaeger share, whatever they ask: the parameters of
 * both APIs, and what an answer means.
 */
#ifndef BACKEND_JAEGER_QUERY_H
#define BACKEND_JAEGER_QUERY_H

#include "backend/source.h"
#include "base/timefmt.h"

/* The attempts, in this order. */
enum { JAEGER_V3, JAEGER_LEGACY };

/* "name=value"; nothing for an empty value. name: with what goes before. */
void jaeger_add(struct buf *out, const char *name, struct str value);

/* The window and how many traces; name: "query.start_time_min", or "start" in
 * the legacy API, with what goes before. */
void jaeger_add_window(struct buf *out, unsigned attempt, char before,
		       struct time_range range, uint32_t trace_limit);

/* The answer to a search. Old releases lack v3: ANSWER_TRY_NEXT then, with
 * *attempt set. */
enum answer jaeger_search_answer(unsigned *attempt, const struct endpoint *e,
				 const struct http_response *response,
				 enum body_form *form, struct error *err);

#endif
