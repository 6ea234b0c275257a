/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/tempo/tempo.h"

#include <string.h>

#include "backend/answer.h"
#include "backend/tempo/tempo_query.h"
#include "base/count.h"
#include "base/num.h"
#include "decode/durations.h"
#include "decode/trace_steps.h"

#define PROTOBUF "application/protobuf"
#define JSON "application/json"

/* v2 tells partial traces and is missing before Tempo 2.6; protobuf keeps ids
 * and numbers exact at a third of the size. */
static const struct {
	const char *path;
	const char *accept;
	bool is_v2;
} attempts[] = {
	{ "/api/v2/traces/", PROTOBUF, true },
	{ "/api/traces/", PROTOBUF, false },
	{ "/api/v2/traces/", JSON, true },
	{ "/api/traces/", JSON, false },
};

static void trace_path(const struct trace_query *query, unsigned attempt,
		       struct buf *out)
{
	buf_addf(out, "%s%s", attempts[attempt].path, query->trace_id_hex);
	/* Whole seconds, and the end must lie behind the start. */
	if (query->has_window)
		buf_addf(out, "?start=%lld&end=%lld",
			 (long long)tempo_seconds(query->window.from_ns),
			 (long long)tempo_seconds(query->window.to_ns) + 1);
}

static const char *trace_accept(unsigned attempt)
{
	return attempts[attempt].accept;
}

static enum answer miss(const struct endpoint *e, struct error *err)
{
	char tenant[160];

	error_set(err, ERROR_NOT_FOUND,
		  "tempo: no such trace (%s): check the id; it may be past "
		  "retention or not have arrived yet",
		  tenant_words(e, tenant, sizeof tenant));
	return ANSWER_MISS;
}

static enum answer too_large(const struct reason *reason, struct error *err)
{
	error_set(err, ERROR_LIMIT,
		  "tempo: the trace is over the server's size limit (%s): "
		  "raise max_bytes_per_trace in Tempo's overrides",
		  reason->text);
	return ANSWER_ERROR;
}

/* Field 1 (the trace) present and of length 0, or nothing at all. */
static bool is_empty_v2(const struct http_response *response, bool is_json)
{
	struct str body = buf_str(&response->body);

	if (is_json)
		return str_starts(body, STR("{\"trace\":{}"));
	return body.len == 0 || str_starts(body, (struct str){ "\x0A\x00", 2 });
}

static bool is_protobuf(const char *type)
{
	return !strcmp(type, PROTOBUF) ||
	       !strcmp(type, "application/x-protobuf") ||
	       !strcmp(type, "application/octet-stream");
}

static enum answer success(bool is_v2, const struct endpoint *e,
			   const struct http_response *response,
			   enum format *format, struct error *err)
{
	/* The answer's type decides, not what was asked for: before 2.10
	 * Tempo gives JSON unless Accept is the one type and no more. */
	bool is_json = !is_protobuf(response->content_type) &&
		       body_first(response) == '{';

	if (!is_json && !is_protobuf(response->content_type)) {
		if (body_is_html(response))
			return answer_fail("tempo", e, response, err);
		error_set(err, ERROR_FORMAT,
			  "tempo: an answer of type \"%s\" is neither a "
			  "protobuf nor a JSON trace",
			  response->content_type);
		return ANSWER_TRY_NEXT;
	}
	if (is_v2 ? is_empty_v2(response, is_json) : response->body.len == 0)
		return miss(e, err);
	if (is_json)
		*format = FORMAT_OTLP_JSON;
	else
		*format = is_v2 ? FORMAT_TEMPO_PB : FORMAT_OTLP_PB;
	return ANSWER_OK;
}

/* v1: an empty body or these words say "no such trace"; "404 page not found"
 * and anything else a missing route. */
static bool is_miss_v1(const struct http_response *response)
{
	return response->body.len == 0 ||
	       body_contains(response, STR("trace not found"));
}

static enum answer trace_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				enum format *format, struct error *err)
{
	bool is_v2 = attempts[attempt].is_v2;
	struct reason reason;

	if (http_is_success(response))
		return success(is_v2, e, response, format, err);
	if (response->status == 404 && !is_v2 && is_miss_v1(response))
		return miss(e, err);
	if (response->status == 404)
		return answer_no_route("tempo", e, response, err);
	/* 422, 500 before Tempo 2.7; the phrase may stand inside a longer
	 * text. A gateway's 422 means something else. */
	if (body_contains(response, STR("trace exceeds max size"))) {
		reason_read(response, &reason);
		return too_large(&reason, err);
	}
	return answer_fail("tempo", e, response, err);
}

static bool probe_matches(const struct http_response *response)
{
	return response->status == 200 &&
	       str_equal(str_trim(buf_str(&response->body)), STR("echo"));
}

const struct trace_backend trace_tempo = {
	.name = "tempo",
	.title = "Tempo",
	.noun = "a Tempo",
	/* It sends what matches of a trace; several times what is wanted is
	 * needed, for each question leaves wanted/limit of what is left. */
	.traits = { .takes_traceql = true,
		    .finds_errors_only = true,
		    .duration_slack_ns = NS_PER_MS,
		    .history_slices = HISTORY_SLICES,
		    .search_least = 200,
		    .search_most = 4000,
		    .search_rounds = SEARCH_ROUNDS },
	.probe = { "/api/echo", probe_matches },
	.version_path = "/api/status/buildinfo",
	/* An old release does not know the route. */
	.login_path = "/api/v2/search/tags?scope=intrinsic",
	.attempts = COUNT_OF(attempts),
	.trace_path = trace_path,
	.trace_accept = trace_accept,
	.trace_answer = trace_answer,
	.search_accept = PROTOBUF,
	.search_path = tempo_search_path,
	.search_answer = tempo_search_answer,
	.find_path = tempo_find_path,
	.find_answer = tempo_find_answer,
	.find_is_bounded = tempo_find_is_bounded,
	.linking_query = tempo_linking_query,
	.count_path = tempo_count_path,
	.count_answer = tempo_metrics_answer,
	.count_decode = tempo_count_decode,
	.steps_path = tempo_steps_path,
	.steps_decode = decode_tempo_steps,
	.counted = tempo_counted,
	.durations_path = tempo_durations_path,
	.durations_answer = tempo_durations_answer,
	.durations_decode = decode_tempo_histogram,
	.durations_limit_ns = tempo_durations_limit_ns,
	.names_path = tempo_names_path,
	.tags_path = tempo_tags_path,
	.names_answer = tempo_names_answer,
};
