/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads names of services, operations and tags out of JSON objects, as several
 * servers of traces list them. For their rooms.
 */
#ifndef BACKEND_TRACE_NAMES_H
#define BACKEND_TRACE_NAMES_H

#include "backend/jobs.h"
#include "backend/source.h"

/* A names_answer() of trace_backend.h: another attempt may serve where there
 * is one. form: of all attempts. */
enum answer trace_names_read(const char *subject,
			     const struct answer_form *form, bool has_next,
			     const struct endpoint *e,
			     const struct http_response *response,
			     struct arena *arena, struct name_list *names,
			     struct error *err);

/* Finds the list with the values of a tag at servers that list services and
 * their operations only. title: "Jaeger". ERROR_USAGE: of any other tag nothing
 * does. */
bool trace_names_of_tag(const struct tags_query *query, const char *title,
			struct names_query *names,
			struct error *err) MUST_CHECK;

/* The steps that several jobs take with answers of trace servers. */

/* An answer to a search, read as the server's find_answer() or search_answer()
 * said; h and want as decode/history.h has them. */
bool trace_answer_decode(const struct backends *b, search_decoder *decode,
			 struct str body, struct history *h,
			 const struct history_want *want,
			 struct error *err) MUST_CHECK;

/* The answer() of a job that asks for names; they live in b->arena. */
bool trace_names_answer(struct job *job, struct backends *b,
			const struct http_response *response,
			struct name_list *names);

#endif
