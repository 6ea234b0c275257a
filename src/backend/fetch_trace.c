/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_trace.h"

#include <stddef.h>

#include "backend/backends.h"
#include "backend/jobs.h"
#include "backend/trace_names.h"
#include "base/error.h"
#include "model/history.h"
#include "model/trace.h"
#include "wire/har.h"

/* Fails if there are spans, but none of the requested trace. */
static bool check_own(const struct backends *b, const struct trace *trace,
		      struct error *err)
{
	return trace->span_count || !trace->oddities.foreign_count ||
	       error_set(err, ERROR_FORMAT,
			 "%s: the response holds another trace than the one "
			 "requested: is a proxy or a cache in between?",
			 backends_traces(b)->name);
}

/* Sends one attempt. *answer is its result; false is a final failure. */
static bool try_attempt(struct backends *b, const struct trace_query *query,
			const struct trace_id *id, unsigned attempt,
			struct trace *trace, enum answer *answer,
			struct error *err)
{
	const struct trace_backend *t = backends_traces(b);
	const struct endpoint *e = &b->traces.endpoint;
	struct http_request request = { 0 };
	struct http_response response = { 0 };
	enum format format;
	bool done = false;

	if (!trace_request(t, e, query, attempt, &request, err) ||
	    !backends_send(b, &request, &response, 1, err))
		goto out;
	*answer = t->trace_answer(attempt, e, &response, &format, err);
	done = true;
	if (*answer == ANSWER_OK) {
		done = decode_trace(format, buf_str(&response.body), id, trace,
				    b->notes, err) ||
		       error_prefix(err, "%s: trace", t->name);
		done = done && check_own(b, trace, err);
		if (done && trace->span_count == 0)
			*answer = ANSWER_MISS;
	}
out:
	http_request_release(&request);
	http_response_release(&response);
	return done;
}

static bool attempts_run(struct backends *b, const struct trace_query *query,
			 const struct trace_id *id, struct trace *trace,
			 enum answer *answer, struct error *err)
{
	unsigned count = backends_traces(b)->attempts;
	bool wants_details = trace->wants_details;
	bool wants_attrs = trace->wants_attrs;
	bool is_missed = false;

	for (unsigned attempt = 0; attempt < count; attempt++) {
		trace_release(trace);
		trace_init(trace);
		trace->wants_details = wants_details;
		trace->wants_attrs = wants_attrs;
		if (!try_attempt(b, query, id, attempt, trace, answer, err))
			return false;
		if (*answer == ANSWER_OK || *answer == ANSWER_ERROR)
			return *answer == ANSWER_OK;
		if (*answer == ANSWER_MISS)
			return true;
		is_missed |= *answer == ANSWER_TRY_NEXT;
	}
	/* The last attempt has the reason. */
	return !is_missed;
}

bool trace_fetch(struct backends *b, const struct trace_id *id,
		 const struct time_range *window, struct trace *trace,
		 enum trace_found *found, struct error *err)
{
	char hex[33];
	struct trace_query query = { .trace_id_hex = hex,
				     .has_window = window != NULL };
	enum answer answer = ANSWER_MISS;

	*found = TRACE_FOUND;
	trace_id_format(id, hex);
	if (window)
		query.window = *window;
	if (!backends_probe_traces(b, err) ||
	    !attempts_run(b, &query, id, trace, &answer, err))
		return false;
	if (answer == ANSWER_MISS && window) {
		query.has_window = false;
		if (!attempts_run(b, &query, id, trace, &answer, err))
			return false;
		*found = TRACE_FOUND_OUTSIDE;
	}
	if (answer != ANSWER_OK)
		*found = TRACE_NOT_FOUND;
	return true;
}

/* Linked traces, from any traces server: by the ids that a trace links to, and
 * by a search for traces that link to it. */

/* ---- by id ---- */

static bool trace_job_request(struct job *base, struct backends *b,
			      struct http_request *request, struct error *err)
{
	const struct trace_job *job = (const struct trace_job *)base;
	char hex[33];
	const struct trace_query query = { .trace_id_hex = hex };

	trace_id_format(&job->id, hex);
	if (!trace_request(backends_traces(b), &b->traces.endpoint, &query,
			   base->attempt, request, err))
		return false;
	request->is_optional = true;
	return true;
}

static bool trace_job_answer(struct job *base, struct backends *b,
			     const struct http_response *response)
{
	struct trace_job *job = (struct trace_job *)base;
	const struct trace_backend *t = backends_traces(b);
	enum format format;
	enum answer answer = t->trace_answer(base->attempt, &b->traces.endpoint,
					     response, &format, &base->err);
	struct notes unheard;
	bool is_done;

	if (answer == ANSWER_OK) {
		/* Oddities of a linked trace are not noted. */
		notes_init(&unheard);
		is_done = decode_trace(format, buf_str(&response->body),
				       &job->id, job->trace, &unheard,
				       &base->err) ||
			  error_prefix(&base->err, "%s: trace", t->name);
		base->has_answer =
			is_done && check_own(b, job->trace, &base->err);
		return true;
	}
	if (answer == ANSWER_TRY_NEXT && base->attempt + 1 < t->attempts) {
		base->attempt++;
		return false;
	}
	if (answer == ANSWER_MISS)
		base->has_answer = true;
	return true;
}

static const struct job_type trace_type = { .request = trace_job_request,
					    .answer = trace_job_answer,
					    .about = ABOUT_LINKED_TRACE };

void trace_job_init(struct trace_job *job, const struct trace_id *id,
		    struct trace *trace)
{
	*job = (struct trace_job){ .job.type = &trace_type,
				   .id = *id,
				   .trace = trace };
}

/* ---- by who names it ---- */

bool linking_can_ask(const struct backends *b)
{
	const struct trace_backend *t = backends_traces(b);

	return t && t->linking_query && !b->traces.path;
}

/* Maximum number of traces with a link to one: more are a batch of similar
 * ones, which a few represent. */
#define LINKING_TRACES 20u

/* text: buffer for the query, which borrows it. */
static struct find_query query_of(const struct linking_job *job,
				  const struct trace_backend *t,
				  struct buf *text)
{
	char hex[33];

	trace_id_format(&job->id, hex);
	buf_init(text, LIMIT_URL_BYTES);
	t->linking_query(hex, text);
	return (struct find_query){ .traceql = buf_str(text),
				    .range = job->range,
				    .trace_limit = LINKING_TRACES };
}

static bool linking_request(struct job *base, struct backends *b,
			    struct http_request *request, struct error *err)
{
	const struct trace_backend *t = backends_traces(b);
	struct buf text;
	struct find_query query =
		query_of((const struct linking_job *)base, t, &text);
	bool is_done = traces_find_request(t, &b->traces.endpoint, &query,
					   base->attempt, request, err);

	buf_release(&text);
	if (is_done)
		request->is_optional = true;
	return is_done;
}

static bool linking_answer(struct job *base, struct backends *b,
			   const struct http_response *response)
{
	struct linking_job *job = (struct linking_job *)base;
	const struct trace_backend *t = backends_traces(b);
	const struct hit_want hit = { .range = job->range };
	const struct history_want want = { .hits = &job->hits,
					   .hit_want = &hit };
	struct buf text;
	struct find_query query = query_of(job, t, &text);
	search_decoder *read;
	enum answer answer =
		t->find_answer(&query, &base->attempt, &b->traces.endpoint,
			       response, &read, &base->err);

	buf_release(&text);
	if (answer == ANSWER_OK)
		base->has_answer =
			trace_answer_decode(b, read, buf_str(&response->body),
					    NULL, &want, &base->err);
	else if (answer == ANSWER_MISS)
		base->has_answer = true;
	return answer != ANSWER_TRY_NEXT;
}

static const struct job_type linking_type = { .request = linking_request,
					      .answer = linking_answer,
					      .about = ABOUT_LINKING_TRACES };

void linking_job_init(struct linking_job *job, const struct trace_id *id,
		      struct time_range range)
{
	*job = (struct linking_job){ .job.type = &linking_type,
				     .id = *id,
				     .range = range };
	hits_init(&job->hits);
}

/* One query for the traces that match a search, or one page of its answer. */

static bool find_request(struct job *base, struct backends *b,
			 struct http_request *request, struct error *err)
{
	struct hits_job *job = (struct hits_job *)base;

	if (!traces_find_request(backends_traces(b), &b->traces.endpoint,
				 job->query, base->attempt, request, err))
		return false;
	request->is_optional = job->is_extra;
	return true;
}

static bool decode_hits(struct hits_job *job, const struct backends *b,
			search_decoder *read, struct str body)
{
	const struct trace_traits *traits = backends_trace_traits(b);
	const struct find_query *q = job->query;
	struct hit_want hit = {
		.service = q->service,
		.name = q->name,
		.is_error = q->is_error,
		.is_by_span = find_is_by_span(q),
		.has_span = find_is_by_span(q) || q->is_error || q->traceql.len,
		.must_match = q->is_error && !traits->finds_errors_only,
		.min_duration_ns = q->min_duration_ns,
		.slack_ns = traits->duration_slack_ns,
		.range = q->range,
	};
	struct history_want want = { .hits = job->hits,
				     .hit_want = &hit,
				     .next_page = job->next_page,
				     .has_roots_only = !hit.has_span };

	return trace_answer_decode(b, read, body, NULL, &want, &job->job.err);
}

static bool find_answer(struct job *base, struct backends *b,
			const struct http_response *response)
{
	struct hits_job *job = (struct hits_job *)base;
	search_decoder *read;
	enum answer answer = backends_traces(b)->find_answer(
		job->query, &base->attempt, &b->traces.endpoint, response,
		&read, &base->err);

	if (answer == ANSWER_OK) {
		base->has_answer =
			decode_hits(job, b, read, buf_str(&response->body));
	} else if (answer == ANSWER_MISS) {
		base->has_answer = true;
		job->hits->answer_count = 0;
		error_clear(&base->err);
	}
	return answer != ANSWER_TRY_NEXT;
}

static const struct job_type find_type = { .request = find_request,
					   .answer = find_answer,
					   .about = ABOUT_TRACES };

void hits_job_init(struct hits_job *job, const struct find_query *query,
		   unsigned attempt, struct hits *hits, struct buf *next_page)
{
	*job = (struct hits_job){ .job.type = &find_type,
				  .job.attempt = attempt,
				  .query = query,
				  .hits = hits,
				  .next_page = next_page };
}

bool hits_fetch(struct backends *b, const struct find_query *query,
		unsigned *attempt, struct hits *hits, struct buf *next_page,
		struct error *err)
{
	struct hits_job job;
	struct job *jobs[] = { &job.job };

	hits_job_init(&job, query, *attempt, hits, next_page);
	if (!jobs_run(b, jobs, 1, err))
		return false;
	*attempt = job.job.attempt;
	if (job.job.has_answer)
		return true;
	*err = job.job.err;
	return false;
}

/* The searches recorded in a case file, in order. Their queries and answers are
 * not interpreted here. */

bool held_searches_each(const struct har *har, held_search_taker take,
			void *context, size_t *count, struct error *err)
{
	*count = 0;
	for (size_t i = 0; i < har_held_count(har); i++) {
		struct http_response response = { 0 };
		struct har_held held = har_held_at(har, i);
		bool done;

		if (!held.has_answer || !har_held_is_search(held.url))
			continue;
		done = har_held_response(har, i, &response, err);
		if (done)
			take(context, &response);
		http_response_release(&response);
		if (!done)
			return false;
		++*count;
	}
	return true;
}

bool held_searches_any(const struct har *har)
{
	for (size_t i = 0; i < har_held_count(har); i++) {
		struct har_held held = har_held_at(har, i);

		if (held.has_answer && har_held_is_search(held.url))
			return true;
	}
	return false;
}
