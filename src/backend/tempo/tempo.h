/* SPDX-License-Identifier: Apache-2.0
 *
 * Grafana Tempo, a server of traces that is asked in TraceQL. What it tells
 * depends on its release, so most questions have several forms.
 */
#ifndef BACKEND_TEMPO_H
#define BACKEND_TEMPO_H

#include <stdint.h>

#include "backend/trace_backend.h"
#include "base/buf.h"
#include "base/str.h"

/* The parts of the server that tempo.c puts together, and what all searches
 * share, whatever their TraceQL asks: the path and the two forms of an answer.
 * See trace_backend.h for what each function is. */

/* Appends the path of a search for q in the range: at most trace_limit traces
 * with spans_per_trace spans each. */
void tempo_q_path(struct buf *out, struct buf *owned_q, struct time_range range,
		  uint32_t trace_limit, unsigned spans_per_trace);

/* A search that the server could parse and answered: the answer's form, and
 * whether it holds a trace. ANSWER_ERROR with err when it is neither form. */
enum answer tempo_search_form(const struct endpoint *e,
			      const struct http_response *response,
			      search_decoder **decode, bool *is_empty,
			      struct error *err);

/* Returns whether a refusal is about the window, which no other form of the
 * question mends. A window within what the server does not search yet
 * (query_end_cutoff, 30 s unless set otherwise) begins, for it, where it ends.
 */
bool tempo_search_is_too_long(const struct http_response *response);
bool tempo_search_is_too_recent(const struct http_response *response);

/* ---- other traces ---- */

/* The step that is asked for: its steps begin at multiples of their length;
 * where the wanted ones do not, finer ones are. */
int64_t tempo_count_step_ns(const struct count_query *query);

/* ---- traces that a user describes ---- */

void tempo_find_path(const struct find_query *query, unsigned attempt,
		     struct buf *out);
enum answer tempo_find_answer(const struct find_query *query, unsigned *attempt,
			      const struct endpoint *e,
			      const struct http_response *response,
			      search_decoder **decode, struct error *err);
void tempo_linking_query(const char *trace_id_hex, struct buf *out);
bool tempo_find_is_bounded(const struct find_query *query, unsigned attempt);

/* The form of an answer to TraceQL metrics. */
extern const struct answer_form tempo_metrics_form;

enum find_counted tempo_counted(const struct find_query *query);
void tempo_durations_path(const struct find_query *query, unsigned attempt,
			  struct buf *out);
enum answer tempo_durations_answer(unsigned attempt, const struct endpoint *e,
				   const struct http_response *response,
				   struct error *err);
int64_t tempo_durations_limit_ns(unsigned attempt,
				 const struct http_response *response);

/* Text into TraceQL. All values that come from users or traces pass through
 * traceql_add_string(), so that none of them becomes a part of the question.
 */

/* A string as Go reads it, in quotes. Bytes outside printable ASCII are
 * written as their number, so that invalid UTF-8 and control characters pass
 * as they are. */
void traceql_add_string(struct buf *q, struct str text);

/* A word that the server's scanner must see whole; q holds the query from
 * its start. Blanks may be put before it. */
void traceql_add_word(struct buf *q, const char *word);

/* "&&" unless the conditions, which began at `start`, are still none. */
void traceql_add_and(struct buf *q, size_t start);

/* That this field is this text. */
void traceql_add_equal(struct buf *q, const char *field, struct str text);

/* That this field, a duration, is so long at least. */
void traceql_add_least(struct buf *q, const char *field, int64_t duration_ns);

/* "|select(...": that answers tell these fields. More may be added before the
 * closing bracket. */
void traceql_select(struct buf *q, const char *const *fields,
		    size_t field_count);

#endif
