/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/url.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

#define PORT_MAX 65535u

char *url_join(const char *base, const char *path)
{
	size_t base_len = strlen(base), path_len;
	char *url;

	while (base_len && base[base_len - 1] == '/')
		base_len--;
	while (*path == '/')
		path++;
	path_len = strlen(path);
	url = mem_alloc(base_len + path_len + 2);
	if (!url)
		return NULL;
	memcpy(url, base, base_len);
	url[base_len] = '/';
	memcpy(url + base_len + 1, path, path_len + 1);
	return url;
}

void url_encode(struct buf *out, struct str value)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t from = 0;

	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];
		const char coded[] = { '%', digits[c >> 4], digits[c & 15] };

		if (ascii_is_alnum(value.ptr[i]) ||
		    (c && strchr("-._~", value.ptr[i])))
			continue;
		buf_add(out, value.ptr + from, i - from);
		buf_add(out, coded, sizeof coded);
		from = i + 1;
	}
	buf_add_str(out, str_slice(value, from, value.len));
}

void url_encode_built(struct buf *out, struct buf *owned_text)
{
	url_encode(out, buf_str(owned_text));
	if (owned_text->state != BUF_OK)
		out->state = owned_text->state;
	buf_release(owned_text);
}

static size_t find_any(struct str s, const char *set)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] && strchr(set, s.ptr[i]))
			return i;
	return s.len;
}

static bool has_only(struct str s, const char *extra)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_is_alnum(s.ptr[i]) &&
		    !(s.ptr[i] && strchr(extra, s.ptr[i])))
			return false;
	return s.len > 0;
}

/* Returns whether it is ":8080", or empty. */
static bool is_port(struct str text)
{
	uint64_t port;

	if (text.len == 0)
		return true;
	return text.ptr[0] == ':' &&
	       parse_u64(str_slice(text, 1, text.len), &port) && port > 0 &&
	       port <= PORT_MAX;
}

/* Returns whether it consists of characters of an IPv6 address. */
static bool is_address(struct str host)
{
	for (size_t i = 0; i < host.len; i++) {
		char c = host.ptr[i];

		if (!ascii_is_hex(c) && c != ':' && c != '.')
			return false;
	}
	return str_find(host, STR(":")) != SIZE_MAX;
}

/* Rejects percent signs, user info and non-ASCII characters, which libraries
 * interpret differently. */
static bool split_host(struct str authority, struct str *host)
{
	size_t end;

	if (authority.len && authority.ptr[0] == '[') {
		end = find_any(authority, "]");
		*host = str_slice(authority, 1, end > 0 ? end - 1 : 0);
		return end < authority.len && is_address(*host) &&
		       is_port(str_slice(authority, end + 1, authority.len));
	}
	end = find_any(authority, ":");
	*host = str_slice(authority, 0, end);
	return has_only(*host, "-._") &&
	       is_port(str_slice(authority, end, authority.len));
}

bool url_split(struct str url, struct url_parts *parts)
{
	struct str authority;
	size_t end, at;
	struct str http = STR("http://"), https = STR("https://");

	*parts = (struct url_parts){ .user_info = STR("") };
	for (size_t i = 0; i < url.len; i++)
		if (url.ptr[i] <= ' ' || url.ptr[i] == 0x7F)
			return false;
	parts->is_https = str_equal_nocase(str_slice(url, 0, https.len), https);
	if (!parts->is_https &&
	    !str_equal_nocase(str_slice(url, 0, http.len), http))
		return false;
	url = str_slice(url, parts->is_https ? https.len : http.len, url.len);
	end = find_any(url, "/?#\\");
	authority = str_slice(url, 0, end);
	parts->rest = str_slice(url, end, url.len);
	for (at = authority.len; at > 0; at--)
		if (authority.ptr[at - 1] == '@')
			break;
	if (at > 0) {
		parts->user_info = str_slice(authority, 0, at - 1);
		authority = str_slice(authority, at, authority.len);
	}
	parts->authority = authority;
	return (parts->rest.len == 0 || parts->rest.ptr[0] != '\\') &&
	       split_host(authority, &parts->host);
}
