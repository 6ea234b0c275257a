/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/tempo/tempo_query.h"

#include "backend/answer.h"
#include "wire/url.h"

int64_t tempo_seconds(int64_t time_ns)
{
	int64_t seconds = time_ns / NS_PER_S;

	return time_ns % NS_PER_S < 0 ? seconds - 1 : seconds;
}

void tempo_q_path(struct buf *out, struct buf *owned_q, struct time_range range,
		  uint32_t trace_limit, unsigned spans_per_trace)
{
	buf_add_text(out, "/api/search?q=");
	url_encode_built(out, owned_q);
	/* Whole seconds, both needed; results outside are dropped later. */
	buf_addf(out, "&start=%lld&end=%lld&limit=%u&spss=%u",
		 (long long)tempo_seconds(range.from_ns),
		 (long long)tempo_seconds(range.to_ns - 1) + 1, trace_limit,
		 spans_per_trace);
}

static bool is_protobuf(const struct http_response *response)
{
	return str_equal(str_from(response->content_type),
			 STR("application/protobuf"));
}

/* Field 1, a trace, would come first. */
static bool holds_no_trace(const struct http_response *response)
{
	if (is_protobuf(response))
		return response->body.len == 0 ||
		       response->body.data[0] != '\x0A';
	return !body_contains(response, STR("\"traceID\""));
}

enum answer tempo_search_form(const struct endpoint *e,
			      const struct http_response *response,
			      search_decoder **decode, bool *is_empty,
			      struct error *err)
{
	if (!is_protobuf(response) && body_first(response) != '{')
		return answer_fail("tempo: search", e, response, err);
	*decode = is_protobuf(response) ? decode_tempo_search_pb
					: decode_tempo_search_json;
	*is_empty = holds_no_trace(response);
	return ANSWER_OK;
}

bool tempo_search_is_too_long(const struct http_response *response)
{
	return body_contains(response, STR("range specified by start and end"));
}

bool tempo_search_is_too_recent(const struct http_response *response)
{
	return body_contains(response, STR("start must be before end"));
}
