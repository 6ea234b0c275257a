/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of services and their operations, all that Jaeger lists.
 */
#include "backend/jaeger/jaeger_query.h"
#include "backend/trace_names.h"
#include "wire/url.h"

/* v3, then the legacy API. */
#define ATTEMPTS 2u

void jaeger_names_path(const struct names_query *query, unsigned attempt,
		       struct buf *out)
{
	if (query->what == TRACE_SERVICES) {
		buf_add_text(out,
			     attempt ? "/api/services" : "/api/v3/services");
	} else if (attempt == 0) {
		buf_add_text(out, "/api/v3/operations?service=");
		url_encode(out, query->service);
	} else {
		buf_add_text(out, "/api/services/");
		url_encode(out, query->service);
		buf_add_text(out, "/operations");
	}
}

bool jaeger_tags_path(const struct tags_query *query, unsigned attempt,
		      struct buf *out, struct error *err)
{
	bool is_service = str_equal(query->tag, STR("service")) ||
			  str_ends(query->tag, STR("service.name"));
	struct names_query names = { is_service ? TRACE_SERVICES
						: TRACE_OPERATIONS,
				     query->service, query->range };

	if (!is_service &&
	    (!str_equal(query->tag, STR("name")) || !query->service.len))
		return error_set(err, ERROR_USAGE,
				 "a Jaeger lists the values of two tags only: "
				 "--tags service, and --tags name with "
				 "--service NAME");
	jaeger_names_path(&names, attempt, out);
	return true;
}

enum answer jaeger_names_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				struct arena *arena, struct name_list *names,
				struct error *err)
{
	return trace_names_read("jaeger", attempt + 1 < ATTEMPTS, e, response,
				arena, names, err);
}
