/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/trace_names.h"

#include "backend/profile_backend.h"
#include "backend/source.h"
#include "base/json.h"

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
	if (str_equal(scope, STR("intrinsic")))
		return;
	for (size_t i = first; i < n->into.list->count; i++) {
		struct str *name = &n->into.list->items[i];

		*name = arena_printf(n->into.arena, "%.*s.%.*s",
				     STR_ARGS(scope), STR_ARGS(*name));
		n->into.is_failed |= !name->ptr;
	}
}

static void read_document(struct names *n)
{
	struct str key;

	if (!json_enter(n->r, JSON_OBJECT))
		return;
	while (json_next_key(n->r, &key))
		if (str_equal(key, STR("scopes"))) {
			if (!json_enter_if(n->r, JSON_ARRAY))
				continue;
			while (json_next_item(n->r))
				if (json_peek(n->r) == JSON_OBJECT)
					read_scope(n);
				else
					json_skip(n->r);
		} else if (str_equal(key, STR("tagValues")) ||
			 str_equal(key, STR("tagNames")) ||
			 str_equal(key, STR("services")) ||
			 str_equal(key, STR("operations")) ||
			 str_equal(key, STR("data"))) {
			read_list(n);
		} else {
			json_skip(n->r);
		}
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

enum answer trace_names_read(const char *subject,
			     const struct answer_form *form, bool has_next,
			     const struct endpoint *e,
			     const struct http_response *response,
			     struct arena *arena, struct name_list *names,
			     struct error *err)
{
	*names = (struct name_list){ .items = NULL };
	if (answer_has_form(response, form))
		return names_read(response, arena, names, err) ? ANSWER_OK
							       : ANSWER_ERROR;
	answer_fail(subject, e, response, err);
	return has_next ? ANSWER_TRY_NEXT : ANSWER_ERROR;
}

bool trace_names_of_tag(const struct tags_query *query, const char *title,
			struct names_query *names, struct error *err)
{
	bool is_service = str_equal(query->tag, STR("service")) ||
			  str_ends(query->tag, STR("service.name"));

	if (!is_service &&
	    (!str_equal(query->tag, STR("name")) || !query->service.len))
		return error_set(err, ERROR_USAGE,
				 "a %s lists the values of two tags only: "
				 "--tags service, and --tags name with "
				 "--service NAME",
				 title);
	*names = (struct names_query){ is_service ? TRACE_SERVICES
						  : TRACE_OPERATIONS,
				       query->service, query->range };
	return true;
}

/* Common handling of answers of traces servers by several jobs. */

bool trace_answer_decode(const struct backends *b, search_decoder *decode,
			 struct str body, struct history *h,
			 const struct history_want *want, struct error *err)
{
	return decode(body, h, want, err) ||
	       error_prefix(err, "%s: search", backends_traces(b)->name);
}

bool trace_names_answer(struct job *job, struct backends *b,
			const struct http_response *response,
			struct name_list *names)
{
	enum answer answer = backends_traces(b)->names_answer(
		job->attempt, &b->traces.endpoint, response, b->arena, names,
		&job->err);

	job->has_answer = answer == ANSWER_OK;
	if (answer == ANSWER_TRY_NEXT)
		job->attempt++;
	return answer != ANSWER_TRY_NEXT;
}
