/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/jaeger/jaeger_query.h"

#include "backend/answer.h"
#include "wire/url.h"

void jaeger_add(struct buf *out, const char *name, struct str value)
{
	if (!value.len)
		return;
	buf_addf(out, "%s=", name);
	url_encode(out, value);
}

/* These spellings are the oldest and understood everywhere. */
static void add_v3_window(struct buf *out, struct time_range range,
			  uint32_t trace_limit)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(range.from_ns, from);
	format_rfc3339(range.to_ns, to);
	buf_addf(out,
		 "query.start_time_min=%s&query.start_time_max=%s"
		 "&query.num_traces=%u",
		 from, to, trace_limit);
}

void jaeger_add_window(struct buf *out, unsigned attempt, char before,
		       struct time_range range, uint32_t trace_limit)
{
	buf_add_char(out, before);
	if (attempt == JAEGER_V3)
		add_v3_window(out, range, trace_limit);
	else
		buf_addf(out, "start=%lld&end=%lld&limit=%u",
			 (long long)(range.from_ns / NS_PER_US),
			 (long long)(range.to_ns / NS_PER_US) + 1, trace_limit);
}

enum answer jaeger_traces_answer(unsigned *attempt, const struct endpoint *e,
				 const struct http_response *response,
				 search_decoder **decode, struct error *err)
{
	bool is_v3 = *attempt == JAEGER_V3;

	if (http_is_success(response) && body_first(response) == '{') {
		*decode = is_v3 ? decode_jaeger_search
				: decode_jaeger_search_legacy;
		return ANSWER_OK;
	}
	if (response->status == 404 && body_first(response) == '{' &&
	    body_contains(response, STR("No traces found"))) {
		error_set(err, ERROR_NOT_FOUND, "jaeger: search: no traces");
		return ANSWER_MISS;
	}
	answer_fail("jaeger: search", e, response, err);
	/* Old releases give their page with 200 for a route they lack. */
	if (!is_v3 || !(response->status == 404 || response->status == 501 ||
			http_is_success(response)))
		return ANSWER_ERROR;
	*attempt = JAEGER_LEGACY;
	return ANSWER_TRY_NEXT;
}
