/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of services, operations and attributes: Tempo has them all as tags.
 */
#include "backend/tempo/tempo_query.h"
#include "backend/tempo/traceql.h"
#include "backend/trace_names.h"
#include "base/count.h"
#include "base/num.h"
#include "wire/url.h"

/* The second is for servers before 2.0, which know neither scopes nor
 * conditions. */
#define ATTEMPTS 2u

static void add_service(struct buf *out, struct str service)
{
	struct buf q;

	buf_init(&q, LIMIT_URL_BYTES);
	buf_add_text(&q, "{resource.service.name=");
	traceql_add_string(&q, service);
	buf_add_char(&q, '}');
	buf_add_text(out, "&q=");
	url_encode_built(out, &q);
}

void tempo_names_path(const struct names_query *query, unsigned attempt,
		      struct buf *out)
{
	bool is_services = query->what == TRACE_SERVICES;

	/* The older route knows neither scopes nor conditions. */
	if (attempt > 0) {
		buf_addf(out, "/api/search/tag/%s/values",
			 is_services ? "service.name" : "name");
		return;
	}
	buf_addf(out, "/api/v2/search/tag/%s/values?start=%lld&end=%lld",
		 is_services ? "resource.service.name" : "name",
		 (long long)(query->range.from_ns / NS_PER_S),
		 (long long)(query->range.to_ns / NS_PER_S + 1));
	if (!is_services)
		add_service(out, query->service);
}

/* ---- tags ---- */

static const char *const scopes[] = { "resource.",        "span.",
				      "event.",           "link.",
				      "instrumentation.", "." };

static const char *const intrinsics[] = {
	"duration",        "kind",   "name",          "rootName",
	"rootServiceName", "status", "statusMessage", "traceDuration",
};

static size_t scope_length(struct str tag)
{
	for (size_t i = 0; i < COUNT_OF(scopes); i++)
		if (str_starts(tag, str_from(scopes[i])))
			return str_from(scopes[i]).len;
	return 0;
}

/* "name", or with the scopes of newer servers "span:name". */
static bool is_intrinsic(struct str tag)
{
	return str_is_one_of(tag, intrinsics, COUNT_OF(intrinsics)) ||
	       str_find(tag, STR(":")) != SIZE_MAX;
}

static void add_tag(struct buf *out, struct str tag, unsigned attempt)
{
	if (str_equal(tag, STR("service")))
		tag = STR("resource.service.name");
	if (attempt > 0)
		tag = str_slice(tag, scope_length(tag), tag.len);
	else if (!scope_length(tag) && !is_intrinsic(tag))
		buf_add_char(out, '.');
	url_encode(out, tag);
}

bool tempo_tags_path(const struct tags_query *query, unsigned attempt,
		     struct buf *out, struct error *err)
{
	(void)err;
	buf_add_text(out, attempt ? "/api/search/tag" : "/api/v2/search/tag");
	if (query->tag.len) {
		buf_add_char(out, '/');
		add_tag(out, query->tag, attempt);
		buf_add_text(out, "/values");
	} else {
		buf_add_char(out, 's');
	}
	if (attempt == 0)
		buf_addf(out, "?start=%lld&end=%lld",
			 (long long)(query->range.from_ns / NS_PER_S),
			 (long long)(query->range.to_ns / NS_PER_S + 1));
	if (attempt == 0 && query->service.len)
		add_service(out, query->service);
	return true;
}

enum answer tempo_names_answer(unsigned attempt, const struct endpoint *e,
			       const struct http_response *response,
			       struct arena *arena, struct name_list *names,
			       struct error *err)
{
	return trace_names_read("tempo", attempt + 1 < ATTEMPTS, e, response,
				arena, names, err);
}
