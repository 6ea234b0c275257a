/* SPDX-License-Identifier: Apache-2.0
 *
 * What several jobs do with answers of trace servers.
 */
#ifndef BACKEND_TRACE_ANSWERS_H
#define BACKEND_TRACE_ANSWERS_H

#include "backend/jobs.h"

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
