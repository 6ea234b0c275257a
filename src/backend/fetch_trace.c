/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_trace.h"

/* Starts the model over for the next attempt. */
static void trace_restart(struct trace *trace)
{
	bool wants_details = trace->wants_details;
	bool wants_attrs = trace->wants_attrs;

	trace_release(trace);
	trace_init(trace);
	trace->wants_details = wants_details;
	trace->wants_attrs = wants_attrs;
}

static bool decode_answer(struct backends *b, enum format format,
			  const struct http_response *response,
			  const struct trace_id *id, struct trace *trace,
			  struct error *err)
{
	return decode_trace(format, buf_str(&response->body), id, trace,
			    b->notes, err) ||
	       error_prefix(err, "%s: trace", backends_traces(b)->name);
}

/* One attempt. *answer says how it went; false is a failure for good. */
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
		done = decode_answer(b, format, &response, id, trace, err);
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
	bool is_missed = false;

	for (unsigned attempt = 0; attempt < count; attempt++) {
		trace_restart(trace);
		if (!try_attempt(b, query, id, attempt, trace, answer, err))
			return false;
		if (*answer == ANSWER_OK || *answer == ANSWER_ERROR)
			return *answer == ANSWER_OK;
		if (*answer == ANSWER_MISS)
			return true;
		is_missed |= *answer == ANSWER_TRY_NEXT;
	}
	/* The last attempt said why it does not answer. */
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
