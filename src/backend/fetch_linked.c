/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_linked.h"

#include "backend/trace_answers.h"

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

/* What is odd about a trace beside the one that was asked for is no note of
 * the answer. */
static bool decode(const struct trace_job *job, const struct backends *b,
		   enum format format, const struct http_response *response,
		   struct error *err)
{
	struct notes unheard;
	bool is_done;

	notes_init(&unheard);
	is_done = decode_trace(format, buf_str(&response->body), &job->id,
			       job->trace, &unheard, err) ||
		  error_prefix(err, "%s: trace", backends_traces(b)->name);
	return is_done;
}

static bool trace_job_answer(struct job *base, struct backends *b,
			     const struct http_response *response)
{
	struct trace_job *job = (struct trace_job *)base;
	const struct trace_backend *t = backends_traces(b);
	enum format format;
	enum answer answer = t->trace_answer(base->attempt, &b->traces.endpoint,
					     response, &format, &base->err);

	if (answer == ANSWER_OK) {
		base->has_answer = decode(job, b, format, response, &base->err);
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

/* text: of the query, which it borrows. */
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
