/* SPDX-License-Identifier: Apache-2.0
 *
 * What several jobs do with answers of trace servers.
 */
#ifndef CLI_TRACE_ANSWERS_H
#define CLI_TRACE_ANSWERS_H

#include "cli/jobs.h"
#include "decode/history.h"

/* An answer to a search, of the form that source_find_answer() or
 * source_search_answer() found; h and want as decode/history.h has them. */
bool trace_answer_decode(const struct context *ctx, enum body_form form,
			 struct str body, struct history *h,
			 const struct history_want *want,
			 struct error *err) MUST_CHECK;

/* The answer() of a job that asks for names; they live in ctx->arena. */
bool trace_names_answer(struct job *job, struct context *ctx,
			const struct http_response *response,
			struct name_list *names);

#endif
