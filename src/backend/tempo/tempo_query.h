/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the server that tempo.c puts together, and what all searches
 * share, whatever their TraceQL asks: the path and the two forms of an answer.
 * See trace_backend.h for what each function is.
 */
#ifndef BACKEND_TEMPO_QUERY_H
#define BACKEND_TEMPO_QUERY_H

#include "backend/trace_backend.h"

/* Whole seconds, as Tempo counts time; rounded down. */
int64_t tempo_seconds(int64_t time_ns);

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

/* Whether a refusal is about the window, which no other form of the question
 * mends. A window within what the server does not search yet (query_end_cutoff,
 * 30 s unless set otherwise) begins, for it, where it ends. */
bool tempo_search_is_too_long(const struct http_response *response);
bool tempo_search_is_too_recent(const struct http_response *response);

/* ---- other traces ---- */

void tempo_search_path(const struct search_query *query, unsigned attempt,
		       struct buf *out);
enum answer tempo_search_answer(const struct search_query *query,
				unsigned *attempt, const struct endpoint *e,
				const struct http_response *response,
				search_decoder **decode, struct error *err);

/* The step that is asked for: its steps begin at multiples of their length;
 * where the wanted ones do not, finer ones are. */
int64_t tempo_count_step_ns(const struct count_query *query);
void tempo_count_path(const struct count_query *query, struct buf *out);
enum answer tempo_metrics_answer(const struct endpoint *e,
				 const struct http_response *response,
				 struct error *err);
bool tempo_count_decode(struct str body, const struct count_query *query,
			struct step_counts *out, bool *is_sample,
			struct error *err) MUST_CHECK;

void tempo_steps_path(const struct steps_query *query, struct buf *out);

/* ---- traces that a user describes ---- */

void tempo_find_path(const struct find_query *query, unsigned attempt,
		     struct buf *out);
enum answer tempo_find_answer(const struct find_query *query, unsigned *attempt,
			      const struct endpoint *e,
			      const struct http_response *response,
			      search_decoder **decode, struct error *err);
void tempo_linking_query(const char *trace_id_hex, struct buf *out);
bool tempo_find_is_bounded(const struct find_query *query, unsigned attempt);

enum find_counted tempo_counted(const struct find_query *query);
void tempo_durations_path(const struct find_query *query, unsigned attempt,
			  struct buf *out);
enum answer tempo_durations_answer(unsigned attempt, const struct endpoint *e,
				   const struct http_response *response,
				   struct error *err);
int64_t tempo_durations_limit_ns(unsigned attempt,
				 const struct http_response *response);

/* ---- names ---- */

void tempo_names_path(const struct names_query *query, unsigned attempt,
		      struct buf *out);
bool tempo_tags_path(const struct tags_query *query, unsigned attempt,
		     struct buf *out, struct error *err) MUST_CHECK;
enum answer tempo_names_answer(unsigned attempt, const struct endpoint *e,
			       const struct http_response *response,
			       struct arena *arena, struct name_list *names,
			       struct error *err);

#endif
