/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/trace_answers.h"

#include "backend/find.h"

static bool decode(enum body_form form, struct str body, struct history *h,
		   const struct history_want *want, struct error *err)
{
	switch (form) {
	case BODY_TEMPO_SEARCH_PB:
		return decode_tempo_search_pb(body, h, want, err);
	case BODY_TEMPO_SEARCH_JSON:
		return decode_tempo_search_json(body, h, want, err);
	case BODY_OTLP_JSON:
		return decode_jaeger_search(body, h, want, err);
	case BODY_JAEGER_JSON:
		return decode_jaeger_search_legacy(body, h, want, err);
	case BODY_CLOUD_TRACE_JSON:
		return decode_cloud_trace_search(body, h, want, err);
	default:
		return error_set(err, ERROR_INTERNAL,
				 "an answer of a form that no search has");
	}
}

bool trace_answer_decode(const struct backends *b, enum body_form form,
			 struct str body, struct history *h,
			 const struct history_want *want, struct error *err)
{
	return decode(form, body, h, want, err) ||
	       error_prefix(err, "%s: search",
			    source_kind_name(b->traces.kind));
}

bool trace_names_answer(struct job *job, struct backends *b,
			const struct http_response *response,
			struct name_list *names)
{
	enum answer answer = source_trace_names_answer(
		b->traces.kind, &b->traces.endpoint, job->attempt, response,
		b->arena, names, &job->err);

	job->has_answer = answer == ANSWER_OK;
	if (answer == ANSWER_TRY_NEXT)
		job->attempt++;
	return answer != ANSWER_TRY_NEXT;
}
