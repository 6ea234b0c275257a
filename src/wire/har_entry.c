/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/har_entry.h"

#include <string.h>

#include "base/mem.h"
#include "wire/har_held.h"
#include "wire/redact.h"

/* As http_client.c: shorter values would hit ordinary text. */
#define MASK_MIN_BYTES 8

static const struct {
	enum error_code code;
	const char *name;
} code_names[] = {
	{ ERROR_NETWORK, "network" },   { ERROR_AUTH, "auth" },
	{ ERROR_LIMIT, "limit" },       { ERROR_FORMAT, "format" },
	{ ERROR_USAGE, "usage" },       { ERROR_MEMORY, "memory" },
	{ ERROR_INTERNAL, "internal" },
};

const char *har_code_name(enum error_code code)
{
	for (size_t i = 0; i < sizeof code_names / sizeof *code_names; i++)
		if (code_names[i].code == code)
			return code_names[i].name;
	return "network";
}

enum error_code har_code_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof code_names / sizeof *code_names;
	     i++)
		if (!strcmp(code_names[i].name, name))
			return code_names[i].code;
	return ERROR_NETWORK;
}

struct har_entry *har_entry_new(struct har *h, struct error *err)
{
	size_t cap = h->cap ? h->cap * 2 : 16;
	struct har_entry *grown;

	if (h->count >= LIMIT_HAR_ENTRIES) {
		error_set(err, ERROR_LIMIT, "a case holds at most %u requests",
			  LIMIT_HAR_ENTRIES);
		return NULL;
	}
	if (h->count == h->cap) {
		grown = mem_realloc(h->entries, cap * sizeof *grown);
		if (!grown) {
			error_memory(err, "the case");
			return NULL;
		}
		h->entries = grown;
		h->cap = cap;
	}
	memset(&h->entries[h->count], 0, sizeof *h->entries);
	return &h->entries[h->count++];
}

static char *dup_text(const char *text, bool *is_ok)
{
	char *copy = text ? mem_strdup(text) : NULL;

	*is_ok = *is_ok && (!text || copy);
	return copy;
}

static void copy_body(struct buf *out, const struct buf *body)
{
	buf_init(out, body->len);
	buf_add_str(out, buf_str(body));
}

/* As it will be compared and written. */
static char *dup_redacted(const struct endpoint *e, const char *url,
			  bool *is_ok)
{
	struct buf text;
	char *copy = NULL;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES * 4);
	url_redact(&text, str_from(url));
	*is_ok = *is_ok && text.state == BUF_OK &&
		 secrets_mask(e, text.data, text.len, MASK_MIN_BYTES);
	if (*is_ok)
		copy = dup_text(buf_text(&text), is_ok);
	buf_release(&text);
	return copy;
}

bool har_entry_fill(struct har_entry *e, const struct http_request *request,
		    const char *url, const struct http_response *response,
		    int64_t started_ns, struct error *err)
{
	const struct endpoint *endpoint = request->endpoint;
	bool is_ok = true;

	e->method = dup_text(request->method, &is_ok);
	e->url = dup_redacted(endpoint, url, &is_ok);
	e->accept = dup_text(request->accept, &is_ok);
	e->content_type = dup_text(request->content_type, &is_ok);
	e->tenant = dup_text(endpoint->tenant_id, &is_ok);
	e->started_ns = started_ns;
	copy_body(&e->request_body, &request->body);
	e->response = *response;
	copy_body(&e->response.body, &response->body);
	if (is_ok && e->request_body.state == BUF_OK &&
	    e->response.body.state == BUF_OK &&
	    secrets_mask(endpoint, e->request_body.data, e->request_body.len,
			 MASK_MIN_BYTES) &&
	    secrets_mask(endpoint, e->response.body.data, e->response.body.len,
			 MASK_MIN_BYTES) &&
	    secrets_mask(endpoint, e->response.err.message,
			 strlen(e->response.err.message), MASK_MIN_BYTES))
		return true;
	return error_memory(err, "the case");
}

void har_entry_release(struct har_entry *e)
{
	mem_free(e->method);
	mem_free(e->url);
	mem_free(e->accept);
	mem_free(e->content_type);
	mem_free(e->tenant);
	buf_release(&e->request_body);
	buf_release(&e->response.body);
}

bool har_key_init(struct har_key *key, const struct http_request *request,
		  const char *url, struct error *err)
{
	key->request = request;
	buf_init(&key->url, LIMIT_OPTION_VALUE_BYTES * 4);
	url_redact(&key->url, str_from(url));
	if (buf_check(&key->url, "a URL", err))
		return true;
	har_key_release(key);
	return false;
}

void har_key_release(struct har_key *key)
{
	buf_release(&key->url);
}

static bool text_equal(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

int har_entry_rank(const struct har_entry *e, const struct har_key *key)
{
	struct str url = str_from(e->url), wanted = buf_str(&key->url);
	struct str body = buf_str(&e->request_body);
	struct str wanted_body = buf_str(&key->request->body);
	bool is_same = str_equal(url, wanted);
	bool is_equal = is_same && str_equal(body, wanted_body);

	if (!text_equal(e->method, key->request->method) ||
	    !(is_same || har_held_is_same_search(
			 url, wanted, key->request->is_optional)) ||
	    !(str_equal(body, wanted_body) ||
	      har_held_is_same_series(e->url, body, wanted_body)))
		return 0;
	/* Tempo gives two forms at one URL: Accept weighs more than order. */
	return 1 + (is_equal ? 4 : 0) +
	       (text_equal(e->accept, key->request->accept) ? 2 : 0) +
	       (e->is_used ? 0 : 1);
}

bool har_entry_copy(const struct har_entry *e, struct http_response *response,
		    struct error *err)
{
	*response = e->response;
	buf_init(&response->body, LIMIT_BODY_PLAIN_BYTES);
	buf_add_str(&response->body, buf_str(&e->response.body));
	return buf_check(&response->body, "an answer", err);
}
