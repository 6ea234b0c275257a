/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http_headers.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "wire/auth.h"

/* The library copies what it sends; our own copies at least do not stay. */
void http_headers_free(struct curl_slist *list)
{
	for (struct curl_slist *item = list; item; item = item->next)
		mem_wipe(item->data, strlen(item->data));
	curl_slist_free_all(list);
}

static bool add_header(struct curl_slist **list, const char *name,
		       struct str value)
{
	struct curl_slist *longer;
	struct buf line;

	buf_init(&line, LIMIT_HEADER_BYTES);
	/* At once: growing would leave copies of a secret behind. */
	if (!buf_reserve(&line, strlen(name) + value.len + 2))
		return false;
	buf_add_text(&line, name);
	buf_add_str(&line, value);
	longer = curl_slist_append(*list, buf_text(&line));
	mem_wipe(line.data, line.len);
	buf_release(&line);
	if (longer)
		*list = longer;
	return longer != NULL;
}

static bool add_basic(struct curl_slist **list, const struct endpoint *e)
{
	const char *password = e->password ? e->password : "";
	size_t size =
		strlen(e->username ? e->username : "") + strlen(password) + 2;
	char *pair = mem_alloc(size), *coded = mem_alloc(size / 3 * 4 + 8);
	bool is_ok = pair && coded;

	if (is_ok) {
		snprintf(pair, size, "%s:%s", e->username ? e->username : "",
			 password);
		base64_encode((const unsigned char *)pair, size - 1, coded);
		is_ok = add_header(list, "Authorization: Basic ",
				   str_from(coded));
		mem_wipe(pair, size);
		mem_wipe(coded, strlen(coded));
	}
	mem_free(pair);
	mem_free(coded);
	return is_ok;
}

/* A header of the user's own takes the place of ours. */
static bool has_own(const struct endpoint *e, struct str name)
{
	for (size_t i = 0; i < e->header_count; i++) {
		struct str own = str_from(e->headers[i]);

		if (str_equal_nocase(str_slice(own, 0, str_find(own, STR(":"))),
				     name))
			return true;
	}
	return false;
}

/* In the list, which is wiped after the try; the library's own settings for
 * credentials would stay in its memory. */
static bool add_credentials(struct curl_slist **list, const struct endpoint *e)
{
	if (has_own(e, STR("authorization")))
		return true;
	/* Empty: none was found, and the server may do without. */
	if (e->token && *e->token)
		return add_header(list, "Authorization: Bearer ",
				  str_from(e->token));
	if (e->username || e->password)
		return add_basic(list, e);
	return true;
}

bool http_headers_make(const struct http_request *request,
		       struct curl_slist **list)
{
	const struct endpoint *e = request->endpoint;
	/* The library is not told: it would unpack unseen and uncounted. */
	bool is_ok = add_header(list, "Accept-Encoding: gzip", STR("")) &&
		     /* Without this, large bodies wait for "100 Continue". */
		     add_header(list, "Expect:", STR(""));

	is_ok = is_ok && add_header(list, "Accept: ",
				    request->accept ? str_from(request->accept)
						    : STR("*/*"));
	if (request->content_type)
		is_ok = is_ok && add_header(list, "Content-Type: ",
					    str_from(request->content_type));
	if (request->is_export)
		is_ok = is_ok &&
			add_header(list, "Content-Encoding: gzip", STR(""));
	if (e->tenant_id && !has_own(e, STR("x-scope-orgid")))
		is_ok = is_ok &&
			add_header(list,
				   "X-Scope-OrgID: ", str_from(e->tenant_id));
	is_ok = is_ok && add_credentials(list, e);
	for (size_t i = 0; is_ok && i < e->header_count; i++)
		is_ok = add_header(list, "", str_from(e->headers[i]));
	return is_ok;
}
