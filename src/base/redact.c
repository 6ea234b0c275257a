/* SPDX-License-Identifier: Apache-2.0 */
#include "base/redact.h"

#include <stdint.h>
#include <string.h>

#include "base/num.h"

/* Maximum bytes shown of an argument. */
#define SHOWN_BYTES (4 * LIMIT_SECRET_FILE_BYTES)

/* Enough to recognise a value. */
#define QUOTED_BYTES 40

/* Rather one value too many hidden than one too few. */
/* A query parameter whose value is not for showing. */
static bool parameter_is_secret(struct str name)
{
	static const char *const parts[] = {
		"token", "secret", "passw",   "pwd", "auth",
		"key",   "cred",   "session", "jwt", "signature",
	};

	/* A position in a list, not a credential; without it recorded requests
	 * of two pages would be indistinguishable. */
	if (str_equal(name, STR("pageToken")))
		return false;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct str part = str_from(parts[i]);

		for (size_t at = 0; at + part.len <= name.len; at++)
			if (str_equal_nocase(str_slice(name, at, part.len),
					     part))
				return true;
	}
	return str_equal_nocase(name, STR("sig")) ||
	       str_equal_nocase(name, STR("code"));
}

/* An allow list, since secrets have any name. */
bool header_is_harmless(struct str name)
{
	static const char *const names[] = {
		"accept-language",  "baggage",
		"cache-control",    "metadata",
		"metadata-flavor",  "origin",
		"traceparent",      "tracestate",
		"user-agent",       "x-goog-user-project",
		"x-grafana-org-id", "x-request-id",
		"x-scope-orgid",    "x-tenant",
		"x-tenant-id",
	};

	return str_is_one_of_nocase(name, names, COUNT_OF(names));
}

struct str header_name(struct str header)
{
	size_t colon = str_find(header, STR(":"));

	return colon == SIZE_MAX ? STR("") : str_slice(header, 0, colon);
}

struct str header_value(struct str header)
{
	size_t colon = str_find(header, STR(":"));

	if (colon == SIZE_MAX)
		return STR("");
	return str_trim(str_slice(header, colon + 1, header.len));
}

/* ---- URLs ---- */

static void add_printable(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c <= ' ' || c >= 0x7F)
			buf_addf(out, "%%%02X", (unsigned)c);
		else
			buf_add_char(out, (char)c);
	}
}

static size_t span_until(struct str s, size_t from, const char *set)
{
	while (from < s.len && !(s.ptr[from] && strchr(set, s.ptr[from])))
		from++;
	return from;
}

/* Redacts "name=value" up to the next separator, which is copied. */
static size_t redact_parameter(struct buf *out, struct str url, size_t from)
{
	size_t end = span_until(url, from, "&;#");
	struct str whole = str_slice(url, from, end - from);
	size_t equals = str_find(whole, STR("="));

	if (equals != SIZE_MAX &&
	    parameter_is_secret(str_slice(whole, 0, equals))) {
		add_printable(out, str_slice(whole, 0, equals + 1));
		buf_add_text(out, REDACTED);
	} else {
		add_printable(out, whole);
	}
	if (end < url.len)
		buf_add_char(out, url.ptr[end++]);
	return end;
}

static bool is_port(struct str text)
{
	size_t end = span_until(text, 0, "/");

	return end < text.len && str_is_digits(str_slice(text, 0, end));
}

/* Returns the end of user info including its '@'; start if there is none. It
 * may contain an unencoded slash, in which case the text before is not host and
 * port. */
static size_t login_end(struct str url, size_t start)
{
	size_t end = span_until(url, start, "/?#"), at = end;
	size_t colon = span_until(url, start, ":/?#[");

	while (at > start && url.ptr[at - 1] != '@')
		at--;
	if (at > start || colon >= end || url.ptr[colon] != ':' ||
	    colon + 1 == end ||
	    is_port(str_slice(url, colon + 1, url.len - colon - 1)))
		return at;
	at = span_until(url, start, "?#");
	while (at > start && url.ptr[at - 1] != '@')
		at--;
	return at;
}

/* Accepts any text, including what url_split() refuses: messages often quote
 * invalid URLs. */
void url_redact(struct buf *out, struct str url)
{
	size_t scheme = str_find(url, STR("://"));
	size_t start = scheme == SIZE_MAX ? 0 : scheme + 3;
	size_t at = login_end(url, start), end = span_until(url, at, "/?#");

	add_printable(out, str_slice(url, 0, start));
	add_printable(out, str_slice(url, at, end - at));
	at = span_until(url, end, "?#");
	add_printable(out, str_slice(url, end, at - end));
	if (at < url.len)
		buf_add_char(out, url.ptr[at++]);
	while (at < url.len)
		at = redact_parameter(out, url, at);
}

void url_hide(char *text, bool is_address)
{
	struct str url = str_from(text);
	size_t scheme = str_find(url, STR("://")), start, at;

	if (scheme == SIZE_MAX && !is_address)
		return;
	start = scheme == SIZE_MAX ? 0 : scheme + 3;
	at = login_end(url, start);
	if (at > start)
		memset(text + start, '*', at - 1 - start);
	at = span_until(url, at, "?#");
	while (at < url.len) {
		size_t end = span_until(url, ++at, "&;#");
		struct str whole = str_slice(url, at, end - at);
		size_t equals = str_find(whole, STR("="));

		if (equals != SIZE_MAX &&
		    parameter_is_secret(str_slice(whole, 0, equals)))
			memset(text + at + equals + 1, '*',
			       whole.len - equals - 1);
		at = end;
	}
}

/* ---- messages ---- */

/* Returns the start of "name:secret" that ends before `at`, the word's last
 * '@'; `at` if there is none. A colon before a slash belongs to a scheme or
 * port. */
static size_t find_user(struct str word, size_t at)
{
	size_t start = 0;

	for (size_t i = 0; i < at; i++) {
		if (word.ptr[i] == '/')
			start = i + 1;
		if (word.ptr[i] == ':' && i > start && i + 1 < at &&
		    word.ptr[i + 1] != '/' &&
		    !is_port(str_slice(word, i + 1, at - i - 1)))
			return start;
	}
	return at;
}

/* is_cut: an '@' may have been truncated. */
static void redact_word(struct buf *out, struct str word, bool is_cut)
{
	size_t at = word.len, start;

	while (at > 0 && word.ptr[at - 1] != '@')
		at--;
	if (at == 0) {
		start = is_cut ? find_user(word, word.len) : word.len;
		buf_add_str(out, str_slice(word, 0, start));
		if (start < word.len)
			buf_add_text(out, REDACTED "...");
		return;
	}
	start = find_user(word, at - 1);
	buf_add_str(out, str_slice(word, 0, start));
	if (start < at - 1)
		buf_add_text(out, REDACTED);
	buf_add_str(out, str_slice(word, at - 1, word.len));
}

void message_redact(struct buf *out, struct str message)
{
	/* error_set() truncates messages like this. */
	bool is_cut = message.len + 4 >= LIMIT_ERROR_BYTES &&
		      str_ends(message, STR("..."));
	size_t from = 0;

	while (from < message.len) {
		size_t end = span_until(message, from, " \t\n\"'");

		redact_word(out, str_slice(message, from, end - from),
			    is_cut && end == message.len);
		if (end < message.len)
			buf_add_char(out, message.ptr[end++]);
		from = end;
	}
}

struct quoted text_quote(struct str value)
{
	struct quoted front = { .text = REDACTED };
	struct str text;
	struct buf shown;
	size_t len;

	buf_init(&shown, SHOWN_BYTES);
	message_redact(&shown, value);
	text = buf_str(&shown);
	if (shown.state == BUF_OK) {
		len = text.len <= QUOTED_BYTES
			      ? text.len
			      : utf8_floor(text.ptr, text.len, QUOTED_BYTES);
		memcpy(front.text, text.ptr, len);
		front.text[len] = '\0';
	}
	buf_release(&shown);
	return front;
}

struct quoted value_quote(const char *value)
{
	return text_quote(str_from(value));
}

/* ---- arguments ---- */

static void redact_header(struct buf *out, struct str header)
{
	struct str name = header_name(header);

	if (name.len && header_is_harmless(str_trim(name))) {
		buf_add_str(out, header);
		return;
	}
	buf_add_str(out, name);
	buf_add_text(out, name.len ? ": " REDACTED : REDACTED);
}

/* Returns the last word of a long option: "header" of "--traces-header". */
static struct str last_word(struct str option)
{
	size_t at = option.len;

	while (at > 0 && option.ptr[at - 1] != '-')
		at--;
	return str_slice(option, at, option.len);
}

/* Returns whether it is "--traces-header", possibly abbreviated, or "-H",
 * possibly bundled. */
static bool names_header(struct str option)
{
	if (str_starts(option, STR("--")))
		return last_word(option).len >= 3 &&
		       str_starts(STR("header"), last_word(option));
	return option.len >= 2 && option.ptr[0] == '-' &&
	       option.ptr[option.len - 1] == 'H';
}

static size_t attached_header(struct str argument)
{
	size_t equals;

	if (str_starts(argument, STR("--"))) {
		equals = str_find(argument, STR("="));
		if (equals != SIZE_MAX &&
		    names_header(str_slice(argument, 0, equals)))
			return equals + 1;
		return 0;
	}
	if (argument.len < 3 || argument.ptr[0] != '-')
		return 0;
	equals = str_find(argument, STR("H"));
	return equals != SIZE_MAX && equals + 1 < argument.len ? equals + 1 : 0;
}

static void redact_value(struct buf *out, struct str value, struct str option)
{
	if (str_equal(last_word(option), STR("proxy")) ||
	    (str_find(value, STR("://")) != SIZE_MAX &&
	     span_until(value, 0, " \t\"{}") == value.len))
		url_redact(out, value);
	else
		buf_add_str(out, value);
}

void argument_redact(struct buf *out, struct str argument, struct str previous)
{
	size_t header = attached_header(argument);
	size_t equals = str_find(argument, STR("="));

	if (names_header(previous)) {
		redact_header(out, argument);
	} else if (header) {
		buf_add_str(out, str_slice(argument, 0, header));
		redact_header(out, str_slice(argument, header, argument.len));
	} else if (str_starts(argument, STR("--")) && equals != SIZE_MAX) {
		buf_add_str(out, str_slice(argument, 0, equals + 1));
		redact_value(out, str_slice(argument, equals + 1, argument.len),
			     str_slice(argument, 0, equals));
	} else {
		redact_value(out, argument, previous);
	}
}
