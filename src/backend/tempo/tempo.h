/* SPDX-License-Identifier: Apache-2.0
 *
 * Grafana Tempo, a traces server with TraceQL. Its abilities depend on the
 * release, so most queries have several forms.
 */
#ifndef BACKEND_TEMPO_H
#define BACKEND_TEMPO_H

#include <stdint.h>

#include "backend/trace_backend.h"
#include "base/buf.h"
#include "base/str.h"

/* The functions that tempo.c combines, and the parts common to all searches:
 * the path and the two forms of an answer. See trace_backend.h for each
 * function. */

/* Appends the path of a search for q in the range: at most trace_limit traces
 * with spans_per_trace spans each. */
void tempo_q_path(struct buf *out, struct buf *owned_q, struct time_range range,
		  uint32_t trace_limit, unsigned spans_per_trace);

/* Evaluates the answer to a valid search: sets the decoder of its form, and
 * whether it is empty. ANSWER_ERROR with err if it has neither form. */
enum answer tempo_search_form(const struct endpoint *e,
			      const struct http_response *response,
			      search_decoder **decode, bool *is_empty,
			      struct error *err);

/* Return whether a refusal is about the window, which no other form of the
 * query fixes. Windows within the most recent time, which the server does not
 * search yet (query_end_cutoff, 30 s by default), are refused because for the
 * server they end where they begin. */
bool tempo_search_is_too_long(const struct http_response *response);
bool tempo_search_is_too_recent(const struct http_response *response);

/* ---- other traces ---- */

/* Returns the step of the query: the server's steps begin at multiples of their
 * length; if the wanted ones do not, smaller steps are queried. */
int64_t tempo_count_step_ns(const struct count_query *query);

/* ---- searches by users ---- */

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

/* Builds TraceQL. All values that come from users or traces pass through
 * traceql_add_string(), so that they cannot change the query. */

/* Appends a quoted string in Go syntax. Bytes outside printable ASCII are
 * escaped as numbers, so that invalid UTF-8 and control characters pass
 * unchanged. */
void traceql_add_string(struct buf *q, struct str text);

/* Appends a word that the server's scanner must see as a whole; q holds the
 * query from its start. May insert blanks before it. */
void traceql_add_word(struct buf *q, const char *word);

/* Appends "&&" unless there is no condition yet since `start`. */
void traceql_add_and(struct buf *q, size_t start);

/* Appends the condition that the field equals the text. */
void traceql_add_equal(struct buf *q, const char *field, struct str text);

/* Appends the condition that the field, a duration, is at least duration_ns. */
void traceql_add_least(struct buf *q, const char *field, int64_t duration_ns);

/* Appends "|select(...": the fields to include in answers. More may be added
 * before the closing bracket. */
void traceql_select(struct buf *q, const char *const *fields,
		    size_t field_count);

#endif
