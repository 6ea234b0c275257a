/* SPDX-License-Identifier: Apache-2.0 */
#include "source/find.h"

#include "source/backend.h"

bool find_is_by_span(const struct find_query *query)
{
	return query->traceql.len == 0 &&
	       (query->service.len > 0 || query->name.len > 0);
}

static const struct find_backend *backend_find(enum source_kind kind)
{
	switch (kind) {
	case SOURCE_TEMPO:
		return &find_tempo;
	case SOURCE_JAEGER:
		return &find_jaeger;
	default:
		return NULL;
	}
}

static bool no_search(struct error *err)
{
	return error_set(err, ERROR_INTERNAL,
			 "this kind of server cannot be searched");
}

bool source_find_request(enum source_kind kind, const struct endpoint *endpoint,
			 const struct find_query *query, unsigned attempt,
			 struct http_request *request, struct error *err)
{
	const struct find_backend *backend = backend_find(kind);
	struct buf path;

	if (!backend)
		return no_search(err);
	if (kind == SOURCE_JAEGER && query->traceql.len)
		return error_set(err, ERROR_USAGE,
				 "--query is TraceQL, and a Jaeger does not "
				 "speak it: use --service, --name, --errors "
				 "and --min-duration");
	buf_init(&path, LIMIT_URL_BYTES);
	backend->path(query, attempt, &path);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = backend->accept;
	return true;
}

enum answer source_find_answer(enum source_kind kind,
			       const struct endpoint *endpoint,
			       const struct find_query *query,
			       unsigned *attempt,
			       const struct http_response *response,
			       enum body_form *form, struct error *err)
{
	const struct find_backend *backend = backend_find(kind);

	if (backend)
		return backend->answer(query, attempt, endpoint, response, form,
				       err);
	no_search(err);
	return ANSWER_ERROR;
}

bool source_find_is_bounded(enum source_kind kind,
			    const struct find_query *query, unsigned attempt)
{
	const struct find_backend *backend = backend_find(kind);

	return backend && backend->is_bounded(query, attempt);
}
