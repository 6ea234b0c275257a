/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/auth.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/str.h"
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

char *secret_take(struct str content, const char *path, const char *option,
		  struct error *err)
{
	struct str line = str_slice(content, 0, str_find(content, STR("\n")));
	char *secret;

	if (str_ends(line, STR("\r")))
		line.len--;
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
	/* Reserved at full size: growing would leave copies behind. */
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
	/* A user name alone counts: some services take an API key in its
	 * place. */
	if ((e->token && *e->token) || e->password || e->username)
		return true;
	for (size_t i = 0; i < e->header_count; i++) {
		struct str name = header_name(str_from(e->headers[i]));

		if (!header_is_harmless(str_trim(name)))
			return true;
	}
	return false;
}

/* Only four decimal parts: resolvers disagree on shorter and octal
 * notations. */
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
	/* A remote proxy sees what is sent over plain HTTP, even to
	 * localhost. */
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
	/* Headers that the transfer, not the user, decides. */
	static const char *const ours[] = {
		"accept",         "accept-encoding",
		"connection",     "content-encoding",
		"content-length", "content-type",
		"expect",         "host",
		"keep-alive",     "te",
		"trailer",        "transfer-encoding",
		"upgrade",
	};
	struct str name = header_name(str_from(header));

	/* Without a valid name nothing is quoted: all of it may be secret. */
	if (!is_token(name))
		return error_set(err, ERROR_USAGE,
				 "a header must have the form \"Name: value\"");
	if (str_is_one_of_nocase(name, ours, COUNT_OF(ours)))
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

/* Masking secrets echoed by a server. */

/* Size limit: values come from files or a single argument. */
#define FORM_BYTES (4 * LIMIT_SECRET_FILE_BYTES)

struct mask {
	char *data;
	size_t len;
	size_t min_bytes;
	struct buf form; /* the secret in one encoding; wiped after use */
};

static void mask_text(const struct mask *m, struct str secret)
{
	char *from = m->data, *hit;
	size_t left = m->len;

	if (secret.len < m->min_bytes || secret.len == 0)
		return;
	while ((hit = memmem(from, left, secret.ptr, secret.len))) {
		memset(hit, '*', secret.len);
		left -= (size_t)(hit - from) + secret.len;
		from = hit + secret.len;
	}
}

/* An encoding equal to plain text is masked already. */
static void mask_form(struct mask *m, struct str plain)
{
	if (!str_equal(buf_str(&m->form), plain))
		mask_text(m, buf_str(&m->form));
}

static void mask_coded(struct mask *m, struct str secret)
{
	size_t size = (secret.len + 2) / 3 * 4;
	char *room;

	buf_clear(&m->form);
	room = buf_reserve(&m->form, size + 1);
	if (!room)
		return;
	base64_encode((const unsigned char *)secret.ptr, secret.len, room);
	buf_commit(&m->form, size);
	mask_form(m, secret);
	for (size_t i = 0; i < size; i++) {
		if (room[i] == '+')
			room[i] = '-';
		else if (room[i] == '/')
			room[i] = '_';
	}
	mask_form(m, secret);
}

/* Masks it encoded alone, and within longer data, where only complete groups of
 * three bytes are predictable, starting at any of three offsets. */
static void mask_base64(struct mask *m, struct str secret)
{
	mask_coded(m, secret);
	for (size_t skip = 0; skip < 3 && skip < secret.len; skip++) {
		struct str rest = str_slice(secret, skip, secret.len);

		if (skip || rest.len % 3)
			mask_coded(m, str_slice(rest, 0, rest.len / 3 * 3));
	}
}

static void mask_all_forms(struct mask *m, struct str secret)
{
	if (secret.len < m->min_bytes)
		return;
	mask_text(m, secret);
	mask_base64(m, secret);
	if (m->form.state != BUF_OK)
		return;
	buf_clear(&m->form);
	url_encode(&m->form, secret);
	mask_form(m, secret);
	buf_clear(&m->form);
	/* JSON-escaped. */
	for (size_t i = 0; i < secret.len; i++) {
		if (secret.ptr[i] == '"' || secret.ptr[i] == '\\')
			buf_add_char(&m->form, '\\');
		buf_add_char(&m->form, secret.ptr[i]);
	}
	mask_form(m, secret);
}

/* Masks "user:password" as in the Authorization header. */
static void mask_basic(struct mask *m, const struct endpoint *e)
{
	struct buf pair;

	buf_init(&pair, FORM_BYTES);
	if (!buf_reserve(&pair, FORM_BYTES / 2))
		m->form.state = pair.state;
	buf_add_text(&pair, e->username ? e->username : "");
	buf_add_char(&pair, ':');
	buf_add_text(&pair, e->password);
	if (pair.state == BUF_OK)
		mask_base64(m, buf_str(&pair));
	buf_wipe(&pair);
	buf_release(&pair);
}

/* Appends "user:password" of a proxy's URL, percent-decoded. */
static bool proxy_login(const char *proxy, struct buf *out)
{
	struct str url = str_from(proxy);
	size_t scheme = str_find(url, STR("://"));
	size_t start = scheme == SIZE_MAX ? 0 : scheme + 3;
	size_t end = start + strcspn(url.ptr + start, "/?#");
	unsigned char byte;

	while (end > start && url.ptr[end - 1] != '@')
		end--;
	for (size_t i = start; i + 1 < end; i++) {
		if (url.ptr[i] == '%' &&
		    hex_decode(str_slice(url, i + 1, 2), &byte, 1)) {
			buf_add_char(out, (char)byte);
			i += 2;
		} else {
			buf_add_char(out, url.ptr[i]);
		}
	}
	return out->len > 0;
}

static void mask_proxy(struct mask *m, const char *proxy)
{
	struct buf pair;
	struct str login;
	size_t colon;

	buf_init(&pair, FORM_BYTES);
	if (!buf_reserve(&pair, FORM_BYTES / 2)) {
		m->form.state = pair.state;
		return;
	}
	if (proxy_login(proxy, &pair)) {
		login = buf_str(&pair);
		colon = str_find(login, STR(":"));
		mask_base64(m, login);
		if (colon != SIZE_MAX)
			mask_all_forms(m,
				       str_slice(login, colon + 1, login.len));
	}
	buf_wipe(&pair);
	buf_release(&pair);
}

bool secrets_mask(const struct endpoint *e, char *data, size_t len,
		  size_t min_bytes)
{
	struct mask m = { .data = data, .len = len, .min_bytes = min_bytes };
	bool is_ok;

	if (len == 0)
		return true;
	buf_init(&m.form, FORM_BYTES);
	/* Reserved for the largest encoding: growing would leave copies
	 * behind. */
	if ((e->token || e->password || e->header_count || e->proxy) &&
	    !buf_reserve(&m.form, FORM_BYTES))
		return false;
	if (e->token)
		mask_all_forms(&m, str_from(e->token));
	if (e->password) {
		mask_basic(&m, e);
		mask_all_forms(&m, str_from(e->password));
	}
	for (size_t i = 0; i < e->header_count; i++) {
		struct str header = str_from(e->headers[i]);
		struct str value = header_value(header);
		size_t blank = str_find(value, STR(" "));

		if (header_is_harmless(str_trim(header_name(header))))
			continue;
		mask_all_forms(&m, value);
		/* For "Bearer xyz" also the part after the scheme. */
		if (blank != SIZE_MAX)
			mask_all_forms(&m, str_trim(str_slice(value, blank,
							      value.len)));
	}
	if (e->proxy)
		mask_proxy(&m, e->proxy);
	is_ok = m.form.state == BUF_OK;
	buf_wipe(&m.form);
	buf_release(&m.form);
	return is_ok;
}
