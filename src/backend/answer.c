/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/source.h"

#include <stdio.h>
#include <string.h>

#include "base/document.h"
#include "base/json.h"
#include "base/num.h"
#include "wire/http_message.h"

/* Pyroscope's v1 storage puts the JSON of an inner error into "message" of
 * the outer one, once or twice; one more is allowed for a proxy. */
#define NESTING_MAX 4

/* ---- looking at bodies ---- */

/* Returns the body without a byte order mark and leading blanks. */
static struct str body_text(const struct http_response *response)
{
	struct str body = buf_str(&response->body);

	if (str_starts(body, STR("\xEF\xBB\xBF")))
		body = str_slice(body, 3, body.len);
	while (body.len && strchr(" \t\r\n", body.ptr[0]) && body.ptr[0])
		body = str_slice(body, 1, body.len);
	return body;
}

char body_first(const struct http_response *response)
{
	struct str body = body_text(response);

	return body.len ? body.ptr[0] : '\0';
}

bool body_is_html(const struct http_response *response)
{
	return body_first(response) == '<' ||
	       (!strcmp(response->content_type, "text/html") &&
		response->body.len > 0);
}

bool body_contains(const struct http_response *response, struct str text)
{
	return str_find(buf_str(&response->body), text) != SIZE_MAX;
}

bool answer_is_denied(const struct http_response *response)
{
	int status = response->status;

	return status == 401 || status == 403 || status == 407;
}

bool answer_lacks_route(const struct http_response *response)
{
	int status = response->status;

	return status == 404 || status == 405 || status == 501 ||
	       (status == 200 && body_is_html(response));
}

bool answer_lacks_own_route(const struct http_response *response)
{
	char code[40];

	if (response->status == 404 &&
	    str_equal(str_trim(body_text(response)), STR("404 page not found")))
		return true;
	if (response->status == 200)
		return body_is_html(response) &&
		       body_contains(response, STR("Jaeger UI"));
	connect_code_read(response, code, sizeof code);
	return response->status >= 400 && !strcmp(code, "unimplemented");
}

/* Stops at the first of the keys: the rest may be megabytes. */
static bool has_one_key(const struct http_response *response,
			const struct answer_form *form, bool may_be_empty)
{
	struct error ignored;
	struct json_reader *r = json_new(body_text(response), &ignored);
	size_t count = 0;
	bool is_found = false, is_empty = true;
	struct str own;

	while (count < COUNT_OF(form->keys) && form->keys[count])
		count++;
	if (!r)
		return false;
	if (json_enter(r, JSON_OBJECT)) {
		while (!is_found && json_next_key(r, &own)) {
			is_empty = false;
			is_found = str_is_one_of(own, form->keys, count);
			if (!is_found)
				json_skip(r);
		}
		is_found |= is_empty && may_be_empty && !json_failed(r);
	}
	json_free(r);
	return is_found;
}

bool answer_has_form(const struct http_response *response,
		     const struct answer_form *form)
{
	const char *type = response->content_type;
	bool is_own = !strcmp(type, "application/json") ||
		      (form->may_be_plain && !strcmp(type, "text/plain"));

	if (!http_is_success(response))
		return false;
	if (form->is_list)
		return body_first(response) == '[' &&
		       (is_own ||
			!str_equal(str_trim(body_text(response)), STR("[]")));
	return body_first(response) == '{' &&
	       has_one_key(response, form, is_own && form->may_be_empty);
}

bool body_has_key(const struct http_response *response, struct str key,
		  bool may_be_empty)
{
	struct error ignored;
	struct json_reader *r = json_new(body_text(response), &ignored);
	bool is_found = false, is_empty = true;
	struct str own;

	if (!r)
		return false;
	if (json_enter(r, JSON_OBJECT)) {
		while (json_next_key(r, &own)) {
			is_empty = false;
			is_found |= str_equal(own, key);
			json_skip(r);
		}
		is_found |= is_empty && may_be_empty;
	}
	is_found = is_found && !json_failed(r);
	json_free(r);
	return is_found;
}

/* ---- reasons ---- */

void line_copy(char *out, size_t size, struct str text)
{
	struct str line = str_trim(text);
	size_t len = utf8_floor(line.ptr, line.len, size - 1);

	memcpy(out, line.ptr, len);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)out[i] < ' ' || out[i] == 0x7F)
			out[i] = ' ';
	out[len] = '\0';
}

void line_take(const struct document *d, char *out, size_t size)
{
	if (document_is_text(d))
		line_copy(out, size, document_text(d));
}

static void reason_set(struct reason *reason, struct str text)
{
	struct str line = str_trim(text), shown;
	size_t strange = 0;

	line = str_slice(line, 0, str_find(line, STR("\n")));
	shown = str_slice(line, 0, sizeof reason->text);
	for (size_t i = 0; i < shown.len;) {
		size_t size = utf8_length(str_slice(shown, i, shown.len));

		strange += !size;
		i += size ? size : 1;
	}
	/* Each such byte would be escaped as four characters. A message in
	 * another encoding may have a few. */
	if (strange * 4 > shown.len)
		line = STR("bytes that are no text");
	line_copy(reason->text, sizeof reason->text, line);
}

/* Texts found in a JSON error. */
struct json_reason {
	struct buf message;
	char code[40];
};

static void keep_message(const struct document *d, struct json_reason *found)
{
	if (!document_is_text(d))
		return;
	buf_clear(&found->message);
	buf_add_str(&found->message, document_text(d));
}

/* A message, or an object with one: {"httpCode":404,"message":".."}. */
static void read_inner(const struct document *d, struct json_reason *found)
{
	keep_message(d, found);
	keep_message(document_get(d, "message"), found);
	keep_message(document_get(d, "msg"), found);
}

static bool read_json_reason(struct str body, struct json_reason *found)
{
	struct error ignored;
	struct document *d = document_read_object(body, &ignored);
	const struct document *errors = document_get(d, "errors");
	struct str code = document_text_at(d, "code");

	if (code.len)
		snprintf(found->code, sizeof found->code, "%.*s",
			 STR_ARGS(code));
	keep_message(document_get(d, "message"), found);
	read_inner(document_get(d, "error"), found);
	for (size_t i = 0; i < document_count(errors); i++)
		read_inner(document_at(errors, i), found);
	document_free(d);
	return found->message.len > 0;
}

/* Descends while the message is itself such a document. The caller releases
 * found->message. */
static bool reason_unwrap(struct str body, struct json_reason *found)
{
	*found = (struct json_reason){ .code = "" };
	buf_init(&found->message, LIMIT_ERROR_BODY_BYTES);
	if (!read_json_reason(body, found))
		return false;
	for (int i = 0; i < NESTING_MAX; i++) {
		struct json_reason inner = *found;

		buf_init(&inner.message, LIMIT_ERROR_BODY_BYTES);
		if (!str_starts(buf_str(&found->message), STR("{")) ||
		    !read_json_reason(buf_str(&found->message), &inner)) {
			buf_release(&inner.message);
			break;
		}
		buf_release(&found->message);
		*found = inner;
	}
	return true;
}

void reason_read(const struct http_response *response, struct reason *reason)
{
	struct str body = body_text(response);
	struct json_reason found;

	if (body_is_html(response)) {
		reason_set(reason, STR("an HTML page"));
	} else if (body_first(response) == '{') {
		reason_set(reason, reason_unwrap(body, &found)
					   ? buf_str(&found.message)
					   : body);
		buf_release(&found.message);
	} else {
		reason_set(reason, body);
	}
}

void connect_code_read(const struct http_response *response, char *out,
		       size_t size)
{
	struct json_reason found = { 0 };

	if (body_first(response) == '{') {
		reason_unwrap(body_text(response), &found);
		buf_release(&found.message);
	}
	snprintf(out, size, "%s", found.code);
}

/* ---- failures ---- */

const char *tenant_words(const struct endpoint *e, char *out, size_t size)
{
	if (e->tenant_id)
		snprintf(out, size, "tenant \"%.100s\" sent", e->tenant_id);
	else
		snprintf(out, size,
			 "no tenant sent: it may belong to one (--tenant-id)");
	return out;
}

static bool wants_tenant(const struct reason *reason)
{
	struct str text = str_from(reason->text);

	return str_find(text, STR("no org id")) != SIZE_MAX;
}

/* The tenant first: servers answer 401 for a missing one, and a token would not
 * help. */
static void fail_auth(const char *subject, const struct endpoint *e,
		      const struct http_response *response,
		      const struct reason *reason, struct error *err)
{
	int status = response->status;
	struct str host = url_authority(e->url);
	const char *side = side_prefix(e), *gap = reason->text[0] ? " " : "";
	struct str text = str_from(reason->text);

	if (status == 407)
		error_set(err, ERROR_AUTH,
			  "%s: the proxy on the way to %.*s wants credentials "
			  "(407%s%s): put USER:PASSWORD and an @ before the "
			  "host of %s-proxy",
			  subject, STR_ARGS(host), gap, reason->text, side);
	else if (wants_tenant(reason) && e->tenant_id)
		error_set(err, ERROR_AUTH,
			  "%s: %.*s does not take the tenant \"%s\" (%d %s): "
			  "name another with --tenant-id",
			  subject, STR_ARGS(host), e->tenant_id, status,
			  reason->text);
	else if (wants_tenant(reason))
		error_set(err, ERROR_AUTH,
			  "%s: %.*s wants a tenant (%d %s): name it with "
			  "--tenant-id",
			  subject, STR_ARGS(host), status, reason->text);
	else if (str_equal(text, STR("missing tenant header")) ||
		 str_equal(text, STR("unknown tenant")))
		/* Jaeger's text; operators can configure another header. */
		error_set(err, ERROR_AUTH,
			  "%s: %.*s: %s (%d): name it with %s-header "
			  "\"x-tenant: NAME\"",
			  subject, STR_ARGS(host), reason->text, status, side);
	else if (str_find(text, STR("tenant")) != SIZE_MAX)
		error_set(err, ERROR_AUTH,
			  "%s: %.*s refused the tenant (%d %s): check "
			  "--tenant-id",
			  subject, STR_ARGS(host), status, reason->text);
	else if (e->token_header)
		error_set(err, ERROR_AUTH,
			  "%s: %.*s does not take this key (%d%s%s): check "
			  "%s-token-file; keys of another site or region are "
			  "denied",
			  subject, STR_ARGS(host), status, gap, reason->text,
			  side);
	else if (status == 403)
		error_set(err, ERROR_AUTH,
			  "%s: %.*s does not allow this (403%s%s): the "
			  "credentials of %s-token-file or %s-username lack "
			  "the right to read, or --tenant-id is not theirs",
			  subject, STR_ARGS(host), gap, reason->text, side,
			  side);
	else if (response->has_sent_secret)
		error_set(err, ERROR_AUTH,
			  "%s: %.*s refused the credentials (%d%s%s): check "
			  "%s-token-file, or %s-username and "
			  "%s-password-file",
			  subject, STR_ARGS(host), status, gap, reason->text,
			  side, side, side);
	else
		error_set(err, ERROR_AUTH,
			  "%s: %.*s wants credentials (%d%s%s): give "
			  "%s-token-file FILE, or %s-username NAME with "
			  "%s-password-file FILE",
			  subject, STR_ARGS(host), status, gap, reason->text,
			  side, side, side);
}

/* Grafana returns its login or start page at any address. */
static void fail_html(const char *subject, const struct endpoint *e,
		      const struct http_response *response, struct error *err)
{
	struct str host = url_authority(e->url);
	bool is_grafana = body_contains(response, STR("Grafana")) ||
			  body_contains(response, STR("grafana"));

	error_set(err, ERROR_NETWORK,
		  is_grafana ? "%s: %.*s returns a Grafana page, not data: "
			       "give the data source's own address, or "
			       ".../api/datasources/proxy/uid/UID with a token "
			       "(%s)"
			     : "%s: %.*s returns an HTML page, not data: is "
			       "the address, with its path, right? (%s)",
		  subject, STR_ARGS(host), side_url(e));
}

static void fail_redirect(const char *subject, const struct endpoint *e,
			  const struct http_response *response,
			  struct error *err)
{
	struct str host = url_authority(e->url);
	bool is_login = str_find(str_from(response->location), STR("login")) !=
			SIZE_MAX;

	error_set(err, is_login ? ERROR_AUTH : ERROR_NETWORK,
		  "%s: %.*s answers %d and redirects to %.200s%s; redirects "
		  "are not followed: give the final address (%s)",
		  subject, STR_ARGS(host), response->status,
		  response->location[0] ? response->location
					: "an unnamed place",
		  is_login ? " (a login)" : "", side_url(e));
}

/* Some servers answer 499 and 408 when they gave up themselves. */
static void fail_status(const char *subject, const struct endpoint *e,
			int status, const struct reason *reason,
			struct error *err)
{
	struct str host = url_authority(e->url);
	const char *colon = reason->text[0] ? ": " : "";

	if (status == 429)
		error_set(err, ERROR_NETWORK,
			  "%s: %.*s limits requests (429%s%s): wait, or "
			  "request less",
			  subject, STR_ARGS(host), colon, reason->text);
	else if (status == 502 || status == 503)
		error_set(err, ERROR_NETWORK,
			  "%s: %.*s is not available (%d%s%s): try again "
			  "later",
			  subject, STR_ARGS(host), status, colon, reason->text);
	else if (status == 499 || status == 504 || status == 408)
		error_set(err, ERROR_NETWORK,
			  "%s: %.*s timed out (%d%s%s): use a shorter window",
			  subject, STR_ARGS(host), status, colon, reason->text);
	else if (status == 404 || status == 405)
		error_set(err, ERROR_NETWORK,
			  "%s: %.*s has no such path (%d%s%s): is the address, "
			  "with its path prefix, right? (%s)",
			  subject, STR_ARGS(host), status, colon, reason->text,
			  side_url(e));
	else if (status < 300)
		error_set(err, ERROR_FORMAT,
			  "%s: %.*s answers %d, but not with readable "
			  "data%s%s: is the address right? (%s)",
			  subject, STR_ARGS(host), status, colon, reason->text,
			  side_url(e));
	else
		error_set(err, ERROR_NETWORK, "%s: %.*s answered %d%s%s",
			  subject, STR_ARGS(host), status, colon, reason->text);
}

enum answer answer_fail(const char *subject, const struct endpoint *e,
			const struct http_response *response, struct error *err)
{
	int status = response->status;
	struct reason reason;

	if (status == 0) {
		*err = response->err;
		error_prefix(err, "%s", subject);
		return ANSWER_ERROR;
	}
	reason_read(response, &reason);
	if (status == 401 || status == 403 || status == 407)
		fail_auth(subject, e, response, &reason, err);
	else if (status >= 300 && status < 400)
		fail_redirect(subject, e, response, err);
	else if (status < 300 && body_is_html(response))
		fail_html(subject, e, response, err);
	else
		fail_status(subject, e, status, &reason, err);
	return ANSWER_ERROR;
}

enum answer answer_no_route(const char *subject, const struct endpoint *e,
			    const struct http_response *response,
			    struct error *err)
{
	answer_fail(subject, e, response, err);
	return ANSWER_TRY_NEXT;
}

bool answer_read_field(const struct http_response *response, struct str field,
		       void (*read)(struct json_reader *r, void *into),
		       void *into, const char *subject, struct error *err)
{
	struct json_reader *r = json_new(buf_str(&response->body), err);
	struct str key;
	bool is_ok;

	if (!r)
		return false;
	is_ok = json_enter(r, JSON_OBJECT);
	while (is_ok && json_next_key(r, &key)) {
		if (str_equal(key, field))
			read(r, into);
		else
			json_skip(r);
	}
	if (is_ok)
		json_expect_end(r, "answer");
	is_ok = json_check(r, err);
	json_free(r);
	return is_ok || error_prefix(err, "%s: the answer", subject);
}
