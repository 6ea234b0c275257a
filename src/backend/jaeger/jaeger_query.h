/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the server that jaeger.c puts together, and what all searches
 * share, whatever they ask: the parameters of both APIs, and what an answer
 * means. See trace_backend.h for what each function is.
 */
#ifndef BACKEND_JAEGER_QUERY_H
#define BACKEND_JAEGER_QUERY_H

#include "backend/trace_backend.h"

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
enum answer jaeger_traces_answer(unsigned *attempt, const struct endpoint *e,
				 const struct http_response *response,
				 search_decoder **decode, struct error *err);

void jaeger_search_path(const struct search_query *query, unsigned attempt,
			struct buf *out);
enum answer jaeger_search_answer(const struct search_query *query,
				 unsigned *attempt, const struct endpoint *e,
				 const struct http_response *response,
				 search_decoder **decode, struct error *err);
void jaeger_find_path(const struct find_query *query, unsigned attempt,
		      struct buf *out);
enum answer jaeger_find_answer(const struct find_query *query,
			       unsigned *attempt, const struct endpoint *e,
			       const struct http_response *response,
			       search_decoder **decode, struct error *err);

void jaeger_count_path(const struct count_query *query, struct buf *out);
enum answer jaeger_count_answer(const struct endpoint *e,
				const struct http_response *response,
				struct error *err);
bool jaeger_count_decode(struct str body, const struct count_query *query,
			 struct step_counts *out, bool *is_sample,
			 struct error *err) MUST_CHECK;

void jaeger_names_path(const struct names_query *query, unsigned attempt,
		       struct buf *out);
bool jaeger_tags_path(const struct tags_query *query, unsigned attempt,
		      struct buf *out, struct error *err) MUST_CHECK;
enum answer jaeger_names_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				struct arena *arena, struct name_list *names,
				struct error *err);

#endif
