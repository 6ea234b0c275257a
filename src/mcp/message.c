/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/message.h"

#include "base/json.h"

#define META "io.modelcontextprotocol/"

struct reading {
	struct json_reader *json;
	struct arena *arena;
	struct mcp_message *m;
	bool is_version_2; /* of JSON-RPC */
	bool has_method;
	bool has_bad_id;
	bool has_bad_params;
};

static struct str keep(struct reading *r, struct str text)
{
	struct str kept = arena_str(r->arena, text);

	return kept.ptr ? kept : STR("");
}

/* Other kinds stand for nothing. */
static struct str read_text(struct reading *r)
{
	struct str text = STR("");

	if (json_peek(r->json) == JSON_STRING && json_text(r->json, &text))
		return keep(r, text);
	json_skip(r->json);
	return STR("");
}

static bool read_id(struct reading *r, struct mcp_id *id)
{
	enum json_kind kind = json_peek(r->json);

	*id = (struct mcp_id){ .is_text = kind == JSON_STRING };
	if (id->is_text)
		id->text = read_text(r);
	else if (kind != JSON_NUMBER)
		return json_skip(r->json), false;
	else if (!json_i64(r->json, &id->number))
		return false;
	id->is_given = true;
	return true;
}

static struct str read_raw(struct reading *r)
{
	struct str text = STR("");
	struct buf raw;

	buf_init(&raw, MCP_LINE_BYTES);
	if (json_raw(r->json, &raw))
		text = keep(r, buf_str(&raw));
	buf_release(&raw);
	return text;
}

static void read_meta(struct reading *r)
{
	struct mcp_message *m = r->m;
	struct str key;

	if (!json_enter_if(r->json, JSON_OBJECT))
		return;
	while (json_next_key(r->json, &key)) {
		if (str_equal(key, STR(META "protocolVersion"))) {
			m->has_meta_revision = true;
			m->meta_revision = read_text(r);
		} else if (str_equal(key, STR(META "clientCapabilities"))) {
			m->has_capabilities =
				json_peek(r->json) == JSON_OBJECT;
			json_skip(r->json);
		} else if (str_equal(key, STR("progressToken"))) {
			(void)read_id(r, &m->progress);
		} else {
			json_skip(r->json);
		}
	}
}

static void read_params(struct reading *r)
{
	struct mcp_message *m = r->m;
	struct str key;

	if (!json_enter_if(r->json, JSON_OBJECT)) {
		r->has_bad_params = true;
		return;
	}
	while (json_next_key(r->json, &key)) {
		if (str_equal(key, STR("_meta")))
			read_meta(r);
		else if (str_equal(key, STR("name")))
			m->name = read_text(r);
		else if (str_equal(key, STR("cursor")))
			m->cursor = read_text(r);
		else if (str_equal(key, STR("protocolVersion")))
			m->revision = read_text(r);
		else if (str_equal(key, STR("requestId")))
			(void)read_id(r, &m->request);
		else if (str_equal(key, STR("arguments")))
			m->arguments = read_raw(r);
		else
			json_skip(r->json);
	}
}

static void read_member(struct reading *r, struct str key)
{
	if (str_equal(key, STR("jsonrpc"))) {
		r->is_version_2 = str_equal(read_text(r), STR("2.0"));
	} else if (str_equal(key, STR("id"))) {
		r->has_bad_id = !read_id(r, &r->m->id);
	} else if (str_equal(key, STR("method"))) {
		r->has_method = json_peek(r->json) == JSON_STRING;
		r->m->method = read_text(r);
	} else if (str_equal(key, STR("params"))) {
		read_params(r);
	} else {
		r->m->is_response |= str_equal(key, STR("result")) ||
				     str_equal(key, STR("error"));
		json_skip(r->json);
	}
}

static bool fail(enum mcp_fault *fault, enum mcp_fault what, struct error *err,
		 const char *why)
{
	*fault = what;
	return error_set(err, ERROR_FORMAT, "%s", why);
}

static bool judge(const struct reading *r, enum mcp_fault *fault,
		  struct error *err)
{
	if (!r->is_version_2)
		return fail(fault, MCP_INVALID_REQUEST, err,
			    "jsonrpc is not \"2.0\"");
	if (r->has_bad_id)
		return fail(fault, MCP_INVALID_REQUEST, err,
			    "the id is neither a string nor an integer");
	if (!r->has_method && !r->m->is_response)
		return fail(fault, MCP_INVALID_REQUEST, err, "no method");
	return !r->has_bad_params ||
	       fail(fault, MCP_INVALID_PARAMS, err, "params are no object");
}

bool mcp_message_read(struct mcp_message *m, struct str line,
		      struct arena *arena, enum mcp_fault *fault,
		      struct error *err)
{
	struct reading r = { .json = json_new(line, err),
			     .arena = arena,
			     .m = m };
	struct str key;
	bool is_object, is_read;

	*m = (struct mcp_message){ .is_response = false };
	*fault = MCP_INTERNAL_ERROR;
	if (!r.json)
		return false;
	is_object = json_peek(r.json) == JSON_OBJECT;
	if (is_object && json_enter(r.json, JSON_OBJECT))
		while (json_next_key(r.json, &key))
			read_member(&r, key);
	else
		json_skip(r.json);
	json_expect_end(r.json, "message");
	is_read = json_check(r.json, err);
	json_free(r.json);
	if (!is_read) {
		*fault = MCP_PARSE_ERROR;
		return false;
	}
	return is_object ? judge(&r, fault, err)
			 : fail(fault, MCP_INVALID_REQUEST, err,
				"a message is one object");
}

void mcp_id_write(struct jsonw *w, const struct mcp_id *id)
{
	if (!id->is_given)
		jsonw_null(w);
	else if (id->is_text)
		jsonw_str(w, id->text);
	else
		jsonw_i64(w, id->number);
}

bool mcp_id_equal(const struct mcp_id *a, const struct mcp_id *b)
{
	return a->is_given && b->is_given && a->is_text == b->is_text &&
	       (a->is_text ? str_equal(a->text, b->text)
			   : a->number == b->number);
}
