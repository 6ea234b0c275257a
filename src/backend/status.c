/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/status.h"

#include <stdio.h>
#include <string.h>

#include "backend/answer.h"
#include "base/json.h"
#include "base/num.h"
#include "wire/http_error.h"
#include "wire/http_retry.h"

/* ---- version ---- */

struct version {
	char *text;
	bool is_found;
};

static void read_version_field(struct json_reader *r, struct str key,
			       struct version *v)
{
	struct str text;

	if (!str_equal(key, STR("version")) || json_peek(r) != JSON_STRING) {
		json_skip(r);
		return;
	}
	if (!json_text(r, &text))
		return;
	v->is_found = true;
	snprintf(v->text, STATUS_VERSION_BYTES, "%.*s",
		 (int)utf8_floor(text.ptr, text.len, STATUS_VERSION_BYTES - 1),
		 text.ptr);
}

/* Tempo writes the fields at the top, others inside an object. */
static void read_version(struct json_reader *r, struct version *v)
{
	struct str key;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (json_peek(r) != JSON_OBJECT) {
			read_version_field(r, key, v);
			continue;
		}
		if (json_enter(r, JSON_OBJECT))
			while (json_next_key(r, &key))
				read_version_field(r, key, v);
	}
}

bool status_version_read(const struct http_response *response,
			 char out[STATUS_VERSION_BYTES])
{
	struct version v = { .text = out };
	struct json_reader *r;
	struct error ignored;

	out[0] = '\0';
	if (response->status != 200 || body_first(response) != '{')
		return false;
	r = json_new(buf_str(&response->body), &ignored);
	if (!r)
		return false;
	read_version(r, &v);
	v.is_found = v.is_found && !json_failed(r);
	json_free(r);
	if (!v.is_found)
		out[0] = '\0';
	return v.is_found;
}

/* ---- clock ---- */

bool status_date_read(const struct http_response *response, int64_t *date_ns)
{
	return response->status != 0 &&
	       parse_http_date(str_from(response->server_date), date_ns);
}

/* ---- what is wrong ---- */

/* The words of http_error.c: a case file keeps them, and no more. */
static const struct {
	const char *words;
	enum trouble trouble;
} wire_troubles[] = {
	{ WIRE_SAYS_REFUSED, TROUBLE_REFUSED },
	{ WIRE_SAYS_NO_HOST, TROUBLE_NO_HOST },
	{ WIRE_SAYS_NO_PROXY, TROUBLE_NO_PROXY },
	{ WIRE_SAYS_NO_CONNECT, TROUBLE_NO_CONNECTION },
	{ WIRE_SAYS_CANNOT_CONNECT, TROUBLE_NO_CONNECTION },
	{ WIRE_SAYS_UNTRUSTED, TROUBLE_UNTRUSTED },
	{ WIRE_SAYS_OTHER_NAME, TROUBLE_OTHER_NAME },
	{ WIRE_SAYS_OUT_OF_DATE, TROUBLE_OUT_OF_DATE },
	{ WIRE_SAYS_NO_TLS, TROUBLE_TLS },
	{ WIRE_SAYS_SILENT, TROUBLE_SLOW },
	{ WIRE_SAYS_TIMED_OUT, TROUBLE_SLOW },
	{ WIRE_SAYS_CLOSED, TROUBLE_SCHEME },
	{ WIRE_SAYS_CLOSED_TLS, TROUBLE_CERTIFICATE },
	{ WIRE_SAYS_NOT_HTTP, TROUBLE_SCHEME },
};

static enum trouble wire_trouble(const struct error *err)
{
	struct str text = str_from(err->message);

	if (err->code == ERROR_AUTH)
		return TROUBLE_SECRET;
	for (size_t i = 0; i < sizeof wire_troubles / sizeof *wire_troubles;
	     i++)
		if (str_find(text, str_from(wire_troubles[i].words)) !=
		    SIZE_MAX)
			return wire_troubles[i].trouble;
	return TROUBLE_NO_CONNECTION;
}

static enum trouble refusal(const struct http_response *response)
{
	struct reason reason;
	struct str text;

	reason_read(response, &reason);
	text = str_from(reason.text);
	if (str_equal(text, STR("missing tenant header")) ||
	    str_equal(text, STR("unknown tenant")))
		return TROUBLE_TENANT_HEADER;
	if (str_find(text, STR("no org id")) != SIZE_MAX ||
	    str_find(text, STR("tenant")) != SIZE_MAX)
		return TROUBLE_TENANT;
	return response->status == 401 ? TROUBLE_CREDENTIALS : TROUBLE_RIGHTS;
}

enum trouble trouble_find(const struct http_response *response)
{
	int status = response->status;

	if (status == 0)
		return wire_trouble(&response->err);
	if (status == 401 || status == 403)
		return refusal(response);
	if (status == 407)
		return TROUBLE_PROXY_LOGIN;
	if (status >= 300 && status < 400)
		return strstr(response->location, "login") ? TROUBLE_CREDENTIALS
							   : TROUBLE_REDIRECT;
	if (status == 429 || status == 502 || status == 503 || status == 504)
		return TROUBLE_BUSY;
	if (body_contains(response, STR("tenant ID")) && status == 400)
		return TROUBLE_TENANT;
	if (status >= 500)
		return TROUBLE_SERVER;
	if (body_is_html(response))
		return TROUBLE_PAGE;
	return status < 300 ? TROUBLE_NONE : TROUBLE_OTHER;
}
