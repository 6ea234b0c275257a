/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/find.h"

#include "backend/backend.h"

bool find_is_by_span(const struct find_query *query)
{
	return query->traceql.len == 0 &&
	       (query->service.len > 0 || query->name.len > 0);
}

bool source_find_request(enum source_kind kind, const struct endpoint *endpoint,
			 const struct find_query *query, unsigned attempt,
			 struct http_request *request, struct error *err)
{
	const struct search_backend *backend = search_backend_find(kind, err);
	struct buf path;

	if (!backend)
		return false;
	if (kind != SOURCE_TEMPO && query->traceql.len)
		return error_set(err, ERROR_USAGE,
				 "--query is TraceQL, and %s does not speak "
				 "it: use --service, --name, --errors and "
				 "--min-duration",
				 kind == SOURCE_JAEGER
					 ? "a Jaeger"
					 : source_kind_name(kind));
	project_path_init(&path, endpoint, LIMIT_URL_BYTES);
	backend->find->path(query, attempt, &path);
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
	const struct search_backend *backend = search_backend_find(kind, err);

	return backend ? backend->find->answer(query, attempt, endpoint,
					       response, form, err)
		       : ANSWER_ERROR;
}

bool source_find_is_bounded(enum source_kind kind,
			    const struct find_query *query, unsigned attempt)
{
	struct error err;
	const struct search_backend *backend = search_backend_find(kind, &err);

	return backend && (!backend->find->is_bounded ||
			   backend->find->is_bounded(query, attempt));
}

/* ---- durations ---- */

enum find_counted source_find_counted(enum source_kind kind,
				      const struct find_query *query)
{
	struct error err;
	const struct search_backend *backend = search_backend_find(kind, &err);

	return backend && backend->find->counted ? backend->find->counted(query)
						 : FIND_COUNTS_NONE;
}

static bool no_durations(struct error *err)
{
	return error_set(err, ERROR_INTERNAL,
			 "this kind of server counts no durations");
}

bool source_durations_request(enum source_kind kind,
			      const struct endpoint *endpoint,
			      const struct find_query *query, unsigned attempt,
			      struct http_request *request, struct error *err)
{
	const struct search_backend *backend = search_backend_find(kind, err);
	struct buf path;

	if (source_find_counted(kind, query) == FIND_COUNTS_NONE)
		return no_durations(err);
	buf_init(&path, LIMIT_URL_BYTES);
	backend->find->durations_path(query, attempt, &path);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

enum answer source_durations_answer(enum source_kind kind,
				    const struct endpoint *endpoint,
				    unsigned attempt,
				    const struct http_response *response,
				    struct error *err)
{
	const struct search_backend *backend = search_backend_find(kind, err);

	if (backend && backend->find->durations_answer)
		return backend->find->durations_answer(attempt, endpoint,
						       response, err);
	no_durations(err);
	return ANSWER_ERROR;
}
