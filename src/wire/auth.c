/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/auth.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"
#include "wire/redact.h"
#include "wire/url.h"

static bool has_control(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c < ' ' || c == 0x7F)
			return true;
	}
	return false;
}

static struct str first_line(struct str text)
{
	size_t end = str_find(text, STR("\n"));

	text = str_slice(text, 0, end);
	if (text.len && text.ptr[text.len - 1] == '\r')
		text.len--;
	return text;
}

char *secret_take(struct str content, const char *path, const char *option,
		  struct error *err)
{
	struct str line = first_line(content);
	char *secret;

	if (line.len == 0) {
		error_set(err, ERROR_USAGE, "%s: the first line of %s is empty",
			  option, path);
		return NULL;
	}
	if (has_control(line)) {
		error_set(err, ERROR_USAGE,
			  "%s: %s holds control characters, so it is no "
			  "token or password",
			  option, path);
		return NULL;
	}
	secret = mem_strndup(line.ptr, line.len);
	if (!secret)
		error_memory(err, "a credential");
	return secret;
}

char *secret_read(const char *path, const char *option, struct error *err)
{
	struct buf content;
	char *secret = NULL;

	buf_init(&content, LIMIT_SECRET_FILE_BYTES);
	/* The whole room at once: growing would leave copies behind. */
	if (!buf_reserve(&content, LIMIT_SECRET_FILE_BYTES))
		error_memory(err, "a credential");
	else if (!file_read(path, &content, err))
		error_prefix(err, "%s", option);
	else
		secret = secret_take(buf_str(&content), path, option, err);
	buf_wipe(&content);
	buf_release(&content);
	return secret;
}

void secret_free(char *secret)
{
	if (secret)
		mem_wipe(secret, strlen(secret));
	mem_free(secret);
}

bool endpoint_has_secret(const struct endpoint *e)
{
	/* A name alone counts: some services take a key in its place. */
	if ((e->token && *e->token) || e->password || e->username)
		return true;
	for (size_t i = 0; i < e->header_count; i++) {
		struct str name = header_name(str_from(e->headers[i]));

		if (!header_is_harmless(str_trim(name)))
			return true;
	}
	return false;
}

/* Four decimal parts only: shorter and octal spellings are read differently
 * by different resolvers. */
static bool is_ipv4_loopback(struct str host)
{
	size_t dots = 0, digits = 0;
	unsigned octet = 0;

	if (!str_starts(host, STR("127.")))
		return false;
	for (size_t i = 0; i < host.len; i++) {
		char c = host.ptr[i];

		if (c == '.' && digits) {
			dots++;
			digits = 0;
			octet = 0;
		} else if (ascii_is_digit(c) && digits < 3) {
			digits++;
			octet = octet * 10 + (unsigned)(c - '0');
		} else {
			return false;
		}
		if (octet > 255)
			return false;
	}
	return dots == 3 && digits > 0;
}

bool host_is_loopback(const char *url)
{
	struct url_parts parts;

	if (!url_split(str_from(url), &parts))
		return false;
	return str_equal_nocase(parts.host, STR("localhost")) ||
	       str_equal(parts.host, STR("::1")) ||
	       is_ipv4_loopback(parts.host);
}

bool endpoint_check(const struct endpoint *e, struct error *err)
{
	struct url_parts parts;
	/* A proxy elsewhere sees what plain http carries, also to here. */
	bool is_local = host_is_loopback(e->url) &&
			(!e->proxy || host_is_loopback(e->proxy));

	if (!url_split(str_from(e->url), &parts))
		return error_set(
			err, ERROR_USAGE,
			"%s%s is not a URL of the form "
			"http://HOST[:PORT][/PREFIX] or https://...",
			e->url_origin	   ? e->url_origin
			: e->option_prefix ? e->option_prefix
					   : "-",
			e->url_origin ? "" : "-url");
	if (parts.is_https || is_local || e->is_insecure_auth ||
	    !endpoint_has_secret(e))
		return true;
	return error_set(err, ERROR_AUTH,
			 "refused to send a credential over plain http to "
			 "%.*s: use https, or --insecure-auth if everybody on "
			 "the way may read it",
			 STR_ARGS(parts.authority));
}

/* Headers that the transfer, not the user, decides. */
static bool is_ours(struct str name)
{
	static const char *const names[] = {
		"accept",         "accept-encoding",
		"connection",     "content-encoding",
		"content-length", "content-type",
		"expect",         "host",
		"keep-alive",     "te",
		"trailer",        "transfer-encoding",
		"upgrade",
	};

	return str_is_one_of_nocase(name, names, COUNT_OF(names));
}

/* RFC 9110, 5.6.2. */
static bool is_token(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c <= ' ' || c >= 0x7F || strchr("()<>@,;:\\\"/[]?={}", c))
			return false;
	}
	return name.len > 0;
}

bool header_check(const char *header, struct error *err)
{
	struct str name = header_name(str_from(header));

	/* Without a good name nothing is repeated: it may all be secret. */
	if (!is_token(name))
		return error_set(err, ERROR_USAGE,
				 "a header must have the form \"Name: value\"");
	if (is_ours(name))
		return error_set(err, ERROR_USAGE,
				 "header %.*s cannot be set: tracefind sets it "
				 "itself",
				 STR_ARGS(name));
	if (header_value(str_from(header)).len == 0)
		return error_set(err, ERROR_USAGE, "header %.*s has no value",
				 STR_ARGS(name));
	if (has_control(str_from(header)))
		return error_set(err, ERROR_USAGE,
				 "header %.*s holds control characters",
				 STR_ARGS(name));
	return true;
}
