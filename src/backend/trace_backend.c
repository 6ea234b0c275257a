/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/trace_backend.h"

#include "backend/source.h"
#include "base/num.h"

#define JSON "application/json"

static bool request_get(const struct endpoint *endpoint, struct buf *path,
			const char *accept, struct http_request *request,
			struct error *err)
{
	if (!request_fill(request, endpoint, "GET", path, NULL, err))
		return false;
	request->accept = accept ? accept : JSON;
	return true;
}

/* ---- a trace ---- */

bool trace_request(const struct trace_backend *t,
		   const struct endpoint *endpoint,
		   const struct trace_query *query, unsigned attempt,
		   struct http_request *request, struct error *err)
{
	const char *hex = query->trace_id_hex;
	unsigned char id[16];
	struct buf path;

	if (attempt >= t->attempts)
		return error_set(err, ERROR_INTERNAL,
				 "this kind of server has no such request");
	if (!hex || !hex_decode(str_from(hex), id, sizeof id))
		return error_set(err, ERROR_USAGE,
				 "a trace id has 32 hex digits");
	project_path_init(&path, endpoint, LIMIT_URL_BYTES);
	t->trace_path(query, attempt, &path);
	return request_get(endpoint, &path,
			   t->trace_accept ? t->trace_accept(attempt) : NULL,
			   request, err);
}

/* ---- other traces ---- */

static bool no_search(struct error *err)
{
	return error_set(err, ERROR_INTERNAL,
			 "this kind of server cannot be searched");
}

uint32_t traces_search_limit(const struct trace_backend *t,
			     uint32_t trace_limit)
{
	uint32_t most = t->traits.history_most;

	return most && trace_limit > most ? most : trace_limit;
}

bool traces_search_request(const struct trace_backend *t,
			   const struct endpoint *endpoint,
			   const struct search_query *query, unsigned attempt,
			   struct http_request *request, struct error *err)
{
	struct search_query limited = *query;
	struct buf path;

	if (!t || query->operation_count == 0)
		return no_search(err);
	limited.trace_limit = traces_search_limit(t, query->trace_limit);
	project_path_init(&path, endpoint, LIMIT_URL_BYTES);
	t->search_path(&limited, attempt, &path);
	return request_get(endpoint, &path, t->search_accept, request, err);
}

bool traces_count_request(const struct trace_backend *t,
			  const struct endpoint *endpoint,
			  const struct count_query *query,
			  struct http_request *request, struct error *err)
{
	struct buf path;

	if (!t)
		return no_search(err);
	if (!t->count_path)
		return error_set(err, ERROR_USAGE, "%s does not count requests",
				 t->name);
	buf_init(&path, LIMIT_URL_BYTES);
	t->count_path(query, &path);
	return request_get(endpoint, &path, JSON, request, err);
}

bool traces_steps_request(const struct trace_backend *t,
			  const struct endpoint *endpoint,
			  const struct steps_query *query,
			  struct http_request *request, struct error *err)
{
	struct buf path;

	if (!t)
		return no_search(err);
	if (!t->steps_path)
		return error_set(err, ERROR_USAGE,
				 "%s does not measure requests over time",
				 t->name);
	buf_init(&path, LIMIT_URL_BYTES);
	t->steps_path(query, &path);
	return request_get(endpoint, &path, JSON, request, err);
}

bool traces_find_request(const struct trace_backend *t,
			 const struct endpoint *endpoint,
			 const struct find_query *query, unsigned attempt,
			 struct http_request *request, struct error *err)
{
	struct buf path;

	if (query->traceql.len && !t->traits.takes_traceql)
		return error_set(err, ERROR_USAGE,
				 "--query is TraceQL, and %s does not speak "
				 "it: use --service, --name, --errors and "
				 "--min-duration",
				 t->noun);
	project_path_init(&path, endpoint, LIMIT_URL_BYTES);
	t->find_path(query, attempt, &path);
	return request_get(endpoint, &path, t->search_accept, request, err);
}

bool traces_find_is_bounded(const struct trace_backend *t,
			    const struct find_query *query, unsigned attempt)
{
	return !t->find_is_bounded || t->find_is_bounded(query, attempt);
}

/* ---- durations ---- */

enum find_counted traces_counted(const struct trace_backend *t,
				 const struct find_query *query)
{
	return t->counted ? t->counted(query) : FIND_COUNTS_NONE;
}

bool traces_durations_request(const struct trace_backend *t,
			      const struct endpoint *endpoint,
			      const struct find_query *query, unsigned attempt,
			      struct http_request *request, struct error *err)
{
	struct buf path;

	if (traces_counted(t, query) == FIND_COUNTS_NONE)
		return error_set(err, ERROR_INTERNAL,
				 "this kind of server counts no durations");
	buf_init(&path, LIMIT_URL_BYTES);
	t->durations_path(query, attempt, &path);
	return request_get(endpoint, &path, JSON, request, err);
}

/* ---- names ---- */

bool traces_names_request(const struct trace_backend *t,
			  const struct endpoint *endpoint,
			  const struct names_query *query, unsigned attempt,
			  struct http_request *request, struct error *err)
{
	struct buf path;

	if (!t->names_path)
		return error_set(err, ERROR_USAGE,
				 "%s does not list the names that its spans "
				 "have",
				 t->name);
	buf_init(&path, LIMIT_URL_BYTES);
	t->names_path(query, attempt, &path);
	return request_get(endpoint, &path, JSON, request, err);
}

bool traces_tags_request(const struct trace_backend *t,
			 const struct endpoint *endpoint,
			 const struct tags_query *query, unsigned attempt,
			 struct http_request *request, struct error *err)
{
	struct buf path;

	if (!t->tags_path)
		return error_set(err, ERROR_USAGE,
				 "%s lists neither labels nor their values; of "
				 "one trace tracefind show TRACE --span ID has "
				 "them",
				 t->name);
	buf_init(&path, LIMIT_URL_BYTES);
	if (!t->tags_path(query, attempt, &path, err)) {
		buf_release(&path);
		return false;
	}
	return request_get(endpoint, &path, JSON, request, err);
}

/* ---- probing ---- */

bool traces_probe_request(const struct endpoint *endpoint, const char *text,
			  struct http_request *request, struct error *err)
{
	struct buf path;

	buf_init(&path, LIMIT_URL_BYTES);
	buf_add_text(&path, text);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->is_probe = true;
	return true;
}

bool traces_probe_matches(const struct trace_probe *probe,
			  const struct http_response *response)
{
	return probe->path && response->status != 0 &&
	       !answer_is_denied(response) && probe->matches(response);
}
