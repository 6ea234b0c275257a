/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of services and operations: values of Tempo's tags, Jaeger's lists.
 */
#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/find.h"
#include "backend/gather.h"
#include "backend/tempo/traceql.h"
#include "base/count.h"
#include "base/json.h"
#include "base/num.h"

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

static void tempo_path(enum trace_names what, struct str service,
		       struct time_range range, unsigned attempt,
		       struct buf *out)
{
	bool is_services = what == TRACE_SERVICES;

	/* The older route knows neither scopes nor conditions. */
	if (attempt > 0) {
		buf_addf(out, "/api/search/tag/%s/values",
			 is_services ? "service.name" : "name");
		return;
	}
	buf_addf(out, "/api/v2/search/tag/%s/values?start=%lld&end=%lld",
		 is_services ? "resource.service.name" : "name",
		 (long long)(range.from_ns / NS_PER_S),
		 (long long)(range.to_ns / NS_PER_S + 1));
	if (is_services)
		return;
	add_service(out, service);
}

static void jaeger_path(enum trace_names what, struct str service,
			unsigned attempt, struct buf *out)
{
	if (what == TRACE_SERVICES) {
		buf_add_text(out,
			     attempt ? "/api/services" : "/api/v3/services");
	} else if (attempt == 0) {
		buf_add_text(out, "/api/v3/operations?service=");
		url_encode(out, service);
	} else {
		buf_add_text(out, "/api/services/");
		url_encode(out, service);
		buf_add_text(out, "/operations");
	}
}

bool source_trace_names_request(enum source_kind kind,
				const struct endpoint *endpoint,
				enum trace_names what, struct str service,
				struct time_range range, unsigned attempt,
				struct http_request *request, struct error *err)
{
	struct buf path;

	if (kind != SOURCE_TEMPO && kind != SOURCE_JAEGER)
		return error_set(err, ERROR_USAGE,
				 "%s does not list the names that its spans "
				 "have",
				 source_kind_name(kind));
	buf_init(&path, LIMIT_URL_BYTES);
	if (kind == SOURCE_TEMPO)
		tempo_path(what, service, range, attempt, &path);
	else
		jaeger_path(what, service, attempt, &path);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
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
	for (size_t i = 0; i < COUNT_OF(intrinsics); i++)
		if (str_equal(tag, str_from(intrinsics[i])))
			return true;
	return str_find(tag, STR(":")) != SIZE_MAX;
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

bool source_tags_request(const struct endpoint *endpoint,
			 const struct tags_query *query, unsigned attempt,
			 struct http_request *request, struct error *err)
{
	struct buf path;

	buf_init(&path, LIMIT_URL_BYTES);
	buf_add_text(&path, attempt ? "/api/search/tag" : "/api/v2/search/tag");
	if (query->tag.len) {
		buf_add_char(&path, '/');
		add_tag(&path, query->tag, attempt);
		buf_add_text(&path, "/values");
	} else {
		buf_add_char(&path, 's');
	}
	if (attempt == 0)
		buf_addf(&path, "?start=%lld&end=%lld",
			 (long long)(query->range.from_ns / NS_PER_S),
			 (long long)(query->range.to_ns / NS_PER_S + 1));
	if (attempt == 0 && query->service.len)
		add_service(&path, query->service);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

/* ---- answers ---- */

struct names {
	struct json_reader *r;
	struct name_gatherer into;
};

static void add_name(struct names *n)
{
	struct str text;

	if (json_text(n->r, &text) && text.len)
		name_gatherer_add(&n->into, text);
}

/* {"type": "string", "value": "cart"}, {"name": "GET", "spanKind": ...}. */
static void read_object(struct names *n)
{
	struct str key;

	if (!json_enter(n->r, JSON_OBJECT))
		return;
	while (json_next_key(n->r, &key))
		if ((str_equal(key, STR("value")) ||
		     str_equal(key, STR("name"))) &&
		    json_peek(n->r) == JSON_STRING)
			add_name(n);
		else
			json_skip(n->r);
}

static void read_list(struct names *n)
{
	if (!json_enter_if(n->r, JSON_ARRAY))
		return;
	while (json_next_item(n->r))
		if (json_peek(n->r) == JSON_STRING)
			add_name(n);
		else if (json_peek(n->r) == JSON_OBJECT)
			read_object(n);
		else
			json_skip(n->r);
}

static void prefix_names(struct names *n, size_t first, struct str scope)
{
	for (size_t i = first; i < n->into.list->count; i++) {
		struct str *name = &n->into.list->items[i];

		*name = arena_printf(n->into.arena, "%.*s.%.*s",
				     STR_ARGS(scope), STR_ARGS(*name));
		n->into.is_failed |= !name->ptr;
	}
}

/* {"name": "span", "tags": ["http.route"]}; intrinsics have no scope. */
static void read_scope(struct names *n)
{
	struct str scope = STR("intrinsic");
	size_t first = n->into.list->count;
	struct str key;

	if (!json_enter(n->r, JSON_OBJECT))
		return;
	while (json_next_key(n->r, &key))
		if (str_equal(key, STR("tags")))
			read_list(n);
		else if (!str_equal(key, STR("name")) ||
			 json_peek(n->r) != JSON_STRING ||
			 !json_text(n->r, &scope))
			json_skip(n->r);
	if (!str_equal(scope, STR("intrinsic")))
		prefix_names(n, first, scope);
}

static void read_scopes(struct names *n)
{
	if (!json_enter_if(n->r, JSON_ARRAY))
		return;
	while (json_next_item(n->r))
		if (json_peek(n->r) == JSON_OBJECT)
			read_scope(n);
		else
			json_skip(n->r);
}

static void read_document(struct names *n)
{
	struct str key;

	if (!json_enter(n->r, JSON_OBJECT))
		return;
	while (json_next_key(n->r, &key))
		if (str_equal(key, STR("scopes")))
			read_scopes(n);
		else if (str_equal(key, STR("tagValues")) ||
			 str_equal(key, STR("tagNames")) ||
			 str_equal(key, STR("services")) ||
			 str_equal(key, STR("operations")) ||
			 str_equal(key, STR("data")))
			read_list(n);
		else
			json_skip(n->r);
}

static bool names_read(const struct http_response *response,
		       struct arena *arena, struct name_list *list,
		       struct error *err)
{
	struct names n = { json_new(buf_str(&response->body), err), { 0 } };
	bool is_read;

	if (!n.r)
		return false;
	name_gatherer_init(&n.into, arena, list);
	read_document(&n);
	json_expect_end(n.r, "answer");
	is_read = json_check(n.r, err);
	json_free(n.r);
	return is_read && name_gatherer_finish(&n.into, err);
}

enum answer source_trace_names_answer(
	enum source_kind kind, const struct endpoint *endpoint,
	unsigned attempt, const struct http_response *response,
	struct arena *arena, struct name_list *names, struct error *err)
{
	*names = (struct name_list){ .items = NULL };
	if (response->status == 200 && body_first(response) == '{')
		return names_read(response, arena, names, err) ? ANSWER_OK
							       : ANSWER_ERROR;
	answer_fail(source_kind_name(kind), endpoint, response, err);
	return attempt + 1 < ATTEMPTS ? ANSWER_TRY_NEXT : ANSWER_ERROR;
}
