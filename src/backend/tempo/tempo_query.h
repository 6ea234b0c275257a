/* SPDX-License-Identifier: Apache-2.0
 *
 * What all searches of a Tempo share, whatever their TraceQL asks: the path
 * and the two forms of an answer.
 */
#ifndef BACKEND_TEMPO_QUERY_H
#define BACKEND_TEMPO_QUERY_H

#include "backend/find.h"
#include "base/timefmt.h"

/* Appends the path of a search for q in the range: at most trace_limit traces
 * with spans_per_trace spans each. */
void tempo_search_path(struct buf *out, struct buf *owned_q,
		       struct time_range range, uint32_t trace_limit,
		       unsigned spans_per_trace);

/* A search that the server could parse and answered: the answer's form, and
 * whether it holds a trace. ANSWER_ERROR with err when it is neither form. */
enum answer tempo_search_form(const struct endpoint *e,
			      const struct http_response *response,
			      enum body_form *form, bool *is_empty,
			      struct error *err);

/* Whether a refusal is about the window, which no other form of the question
 * mends. */
bool tempo_search_is_too_long(const struct http_response *response);

/* ---- TraceQL metrics, see find.h ---- */

enum find_counted tempo_counted(const struct find_query *query);
void tempo_durations_path(const struct find_query *query, unsigned attempt,
			  struct buf *out);
enum answer tempo_durations_answer(unsigned attempt, const struct endpoint *e,
				   const struct http_response *response,
				   struct error *err);

#endif
