/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "base/limits.h"
#include "wire/url.h"

#define PATH "/pyroscope/render"

/* Type and selector are percent-encoded, which makes three bytes of one. */
#define PATH_BYTES (4 * LIMIT_OPTION_VALUE_BYTES)

bool pyroscope_render_request(const struct endpoint *endpoint,
			      const struct profile_query *query,
			      int64_t start_ms, int64_t end_ms,
			      struct http_request *request, struct error *err)
{
	struct buf path;

	buf_init(&path, PATH_BYTES);
	buf_add_text(&path, PATH "?query=");
	url_encode(&path, str_from(query->type_id));
	url_encode(&path, str_from(query->selector));
	buf_addf(&path, "&from=%" PRId64 "&until=%" PRId64, start_ms, end_ms);
	if (query->max_nodes > 0)
		buf_addf(&path, "&max-nodes=%" PRId64, query->max_nodes);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->is_optional = true;
	return true;
}

enum answer pyroscope_render_answer(const struct http_response *response,
				    struct error *err)
{
	if (body_has_key(response, STR("flamebearer"), false))
		return ANSWER_OK;
	error_set(err, ERROR_FORMAT,
		  "pyroscope: " PATH " answered with something else than a "
		  "flame graph: is there a Pyroscope at this address?");
	return ANSWER_ERROR;
}
