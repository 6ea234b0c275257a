/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads names of services, operations and tags from JSON objects, in the form
 * of several traces servers. For their implementations.
 */
#ifndef BACKEND_TRACE_NAMES_H
#define BACKEND_TRACE_NAMES_H

#include "backend/jobs.h"
#include "backend/source.h"

/* Implements names_answer() of trace_backend.h. has_next: another attempt is
 * left. form: that of all attempts. */
enum answer trace_names_read(const char *subject,
			     const struct answer_form *form, bool has_next,
			     const struct endpoint *e,
			     const struct http_response *response,
			     struct arena *arena, struct name_list *names,
			     struct error *err);

/* Finds the list with the values of a tag for servers that list only services
 * and their operations. title: "Jaeger". ERROR_USAGE for any other tag. */
bool trace_names_of_tag(const struct tags_query *query, const char *title,
			struct names_query *names,
			struct error *err) MUST_CHECK;

/* Common handling of answers of traces servers by several jobs. */

/* Decodes the answer to a search with the decoder chosen by find_answer() or
 * search_answer(); h and want as in decode/history.h. */
bool trace_answer_decode(const struct backends *b, search_decoder *decode,
			 struct str body, struct history *h,
			 const struct history_want *want,
			 struct error *err) MUST_CHECK;

/* Implements answer() of a job for names; they live in b->arena. */
bool trace_names_answer(struct job *job, struct backends *b,
			const struct http_response *response,
			struct name_list *names);

#endif
