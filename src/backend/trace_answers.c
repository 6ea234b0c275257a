/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/trace_answers.h"

bool trace_answer_decode(const struct backends *b, search_decoder *decode,
			 struct str body, struct history *h,
			 const struct history_want *want, struct error *err)
{
	return decode(body, h, want, err) ||
	       error_prefix(err, "%s: search", backends_traces(b)->name);
}

bool trace_names_answer(struct job *job, struct backends *b,
			const struct http_response *response,
			struct name_list *names)
{
	enum answer answer = backends_traces(b)->names_answer(
		job->attempt, &b->traces.endpoint, response, b->arena, names,
		&job->err);

	job->has_answer = answer == ANSWER_OK;
	if (answer == ANSWER_TRY_NEXT)
		job->attempt++;
	return answer != ANSWER_TRY_NEXT;
}
