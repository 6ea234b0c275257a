/* SPDX-License-Identifier: Apache-2.0
 *
 * TraceQL metrics: the distribution of durations for a search by users.
 */
#include "backend/source.h"
#include "backend/tempo/tempo.h"
#include "wire/url.h"

/* Instant queries came with 2.7; a range query returns the same in steps. */
enum { INSTANT, RANGE, ATTEMPTS };

/* A range is widened to whole steps. Few samples of few series: the server
 * keeps each in memory. */
#define STEPS 60

enum find_counted tempo_counted(const struct find_query *query)
{
	/* The duration of a failed span is not that of its trace, and what a
	 * user's TraceQL counts is unknown. */
	if (query->traceql.len || (query->is_error && !find_is_by_span(query)))
		return FIND_COUNTS_NONE;
	if (query->name.len)
		return FIND_COUNTS_SPANS;
	return query->service.len ? FIND_COUNTS_REQUESTS : FIND_COUNTS_TRACES;
}

/* Appends the selection: traces by their roots; for a service its entry spans,
 * since those below, far more frequent, are not requests. */
static void add_what(struct buf *q, const struct find_query *query)
{
	size_t start = q->len;

	if (query->service.len)
		traceql_add_equal(q, "resource.service.name", query->service);
	if (query->name.len) {
		traceql_add_and(q, start);
		traceql_add_equal(q, "name", query->name);
	} else if (query->service.len) {
		buf_add_text(q, "&&(kind=server||kind=consumer)");
	} else {
		traceql_add_word(q, "nestedSetParent<0");
	}
}

static void add_query(struct buf *q, const struct find_query *query)
{
	const char *field =
		find_is_by_span(query) ? "duration" : "traceDuration";
	size_t start;

	buf_add_char(q, '{');
	start = q->len;
	add_what(q, query);
	if (query->is_error) {
		traceql_add_and(q, start);
		traceql_add_word(q, "status=error");
	}
	if (query->uncounted_names.len && !query->name.len) {
		traceql_add_and(q, start);
		traceql_add_word(q, "name");
		buf_add_text(q, "!~");
		traceql_add_string(q, query->uncounted_names);
	}
	if (query->min_duration_ns > 0) {
		traceql_add_and(q, start);
		traceql_add_least(q, field, query->min_duration_ns);
	}
	buf_addf(q, "}|histogram_over_time(%s)", field);
}

void tempo_durations_path(const struct find_query *query, unsigned attempt,
			  struct buf *out)
{
	int64_t range_ns = query->range.to_ns - query->range.from_ns;
	struct buf q;

	buf_init(&q, LIMIT_URL_BYTES);
	add_query(&q, query);
	buf_add_text(out, attempt == INSTANT ? "/api/metrics/query?q="
					     : "/api/metrics/query_range?q=");
	url_encode_built(out, &q);
	buf_addf(out, "&start=%lld&end=%lld", (long long)query->range.from_ns,
		 (long long)query->range.to_ns);
	/* 0 examples would mean the default, which is many. */
	if (attempt == RANGE)
		buf_addf(out, "&step=%llds&exemplars=1",
			 (long long)(range_ns / STEPS / NS_PER_S + 1));
}

/* "... exceeds the maximum allowed duration of 24h0m0s". Parts of a range query
 * overlap, as each is widened to whole steps. */
int64_t tempo_durations_limit_ns(unsigned attempt,
				 const struct http_response *response)
{
	struct str words = STR("maximum allowed duration of ");
	struct reason reason;
	struct str text;
	int64_t limit_ns;
	size_t at;

	if (response->status != 400 || attempt != INSTANT)
		return 0;
	reason_read(response, &reason);
	text = str_from(reason.text);
	at = str_find(text, words);
	if (at == SIZE_MAX)
		return 0;
	text = str_trim(str_slice(text, at + words.len, text.len));
	return parse_duration(text, &limit_ns) && limit_ns > 0 ? limit_ns : 0;
}

enum answer tempo_durations_answer(unsigned attempt, const struct endpoint *e,
				   const struct http_response *response,
				   struct error *err)
{
	if (answer_has_form(response, &tempo_metrics_form))
		return ANSWER_OK;
	answer_fail("tempo: TraceQL metrics", e, response, err);
	return response->status == 404 && attempt + 1 < ATTEMPTS
		       ? ANSWER_TRY_NEXT
		       : ANSWER_ERROR;
}
