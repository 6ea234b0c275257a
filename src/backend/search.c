/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend.h"
#include "backend/cloud_trace/cloud_trace_query.h"

static bool no_search(struct error *err)
{
	return error_set(err, ERROR_INTERNAL,
			 "this kind of server cannot be searched");
}

const struct search_backend *search_backend_find(enum source_kind kind,
						 struct error *err)
{
	switch (kind) {
	case SOURCE_TEMPO:
		return &search_tempo;
	case SOURCE_JAEGER:
		return &search_jaeger;
	case SOURCE_CLOUD_TRACE:
		return &search_cloud_trace;
	default:
		no_search(err);
		return NULL;
	}
}

bool source_search_request(enum source_kind kind,
			   const struct endpoint *endpoint,
			   const struct search_query *query, unsigned attempt,
			   struct http_request *request, struct error *err)
{
	const struct search_backend *backend = search_backend_find(kind, err);
	struct buf path;

	if (!backend)
		return false;
	if (query->operation_count == 0)
		return no_search(err);
	project_path_init(&path, endpoint, LIMIT_URL_BYTES);
	backend->path(query, attempt, &path);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = backend->accept;
	return true;
}

enum answer source_search_answer(enum source_kind kind,
				 const struct endpoint *endpoint,
				 const struct search_query *query,
				 unsigned *attempt,
				 const struct http_response *response,
				 enum body_form *form, struct error *err)
{
	const struct search_backend *backend = search_backend_find(kind, err);

	return backend ? backend->answer(query, attempt, endpoint, response,
					 form, err)
		       : ANSWER_ERROR;
}

uint32_t source_search_limit(enum source_kind kind,
			     const struct search_query *query)
{
	if (kind == SOURCE_JAEGER && query->trace_limit > SEARCH_JAEGER_TRACES)
		return SEARCH_JAEGER_TRACES;
	if (kind == SOURCE_CLOUD_TRACE && query->trace_limit > CLOUD_TRACE_PAGE)
		return CLOUD_TRACE_PAGE;
	return query->trace_limit;
}

static bool no_counts(enum source_kind kind, struct error *err)
{
	return error_set(err, ERROR_USAGE, "%s does not count requests",
			 source_kind_name(kind));
}

bool source_count_request(enum source_kind kind,
			  const struct endpoint *endpoint,
			  const struct count_query *query,
			  struct http_request *request, struct error *err)
{
	const struct search_backend *backend = search_backend_find(kind, err);
	struct buf path;

	if (!backend)
		return false;
	if (!backend->count_path)
		return no_counts(kind, err);
	buf_init(&path, LIMIT_URL_BYTES);
	backend->count_path(query, &path);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

enum answer source_count_answer(enum source_kind kind,
				const struct endpoint *endpoint,
				const struct http_response *response,
				struct error *err)
{
	const struct search_backend *backend = search_backend_find(kind, err);

	if (!backend)
		return ANSWER_ERROR;
	if (backend->count_answer)
		return backend->count_answer(endpoint, response, err);
	no_counts(kind, err);
	return ANSWER_ERROR;
}
