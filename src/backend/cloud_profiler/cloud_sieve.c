/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_profiler/cloud_sieve.h"

#include <string.h>

/* {"profiles":[{: members of a profile stand at this depth. */
#define PROFILE_DEPTH 3u

static void begin(void *context)
{
	struct cloud_sieve *s = context;

	s->depth = 0;
	s->is_string = s->is_escaped = s->is_dropped = false;
	s->key = CLOUD_KEY_OTHER;
	s->len = s->name_len = 0;
}

static struct str text_of(const struct cloud_sieve *s)
{
	return (struct str){ s->text, s->len };
}

static bool is_unwanted(const struct cloud_sieve *s)
{
	return s->depth == PROFILE_DEPTH && s->key == CLOUD_KEY_BYTES &&
	       s->name_len &&
	       !s->is_wanted(s->context, (struct str){ s->name, s->name_len });
}

/* A string has ended; whether it is a key shows what follows. */
static void end_string(struct cloud_sieve *s)
{
	s->is_string = s->is_dropped = false;
	if (s->depth != PROFILE_DEPTH || s->key != CLOUD_KEY_NAME)
		return;
	s->name_len = s->is_plain ? s->len : 0;
	memcpy(s->name, s->text, s->name_len);
}

static void take_mark(struct cloud_sieve *s, char c)
{
	switch (c) {
	case '"':
		s->is_string = s->is_plain = true;
		s->is_dropped = is_unwanted(s);
		s->len = 0;
		return;
	case '{':
	case '[':
		s->depth++;
		if (s->depth == PROFILE_DEPTH)
			s->name_len = 0;
		break;
	case '}':
	case ']':
		s->depth -= s->depth > 0;
		break;
	case ':':
		if (str_equal(text_of(s), STR("name")))
			s->key = CLOUD_KEY_NAME;
		else if (str_equal(text_of(s), STR("profileBytes")))
			s->key = CLOUD_KEY_BYTES;
		else
			s->key = CLOUD_KEY_OTHER;
		return;
	case ',':
		break;
	default:
		return;
	}
	s->key = CLOUD_KEY_OTHER;
}

/* A byte within a string. */
static void take_text(struct cloud_sieve *s, char c)
{
	if (s->is_escaped) {
		s->is_escaped = false;
		return;
	}
	if (c == '"') {
		end_string(s);
		return;
	}
	if (c == '\\') {
		s->is_escaped = true;
		s->is_plain = false;
	} else if (s->len == sizeof s->text) {
		s->is_plain = false;
	} else {
		s->text[s->len++] = c;
	}
}

/* How much of a dropped string there is: up to its end or an escape. */
static size_t dropped_length(struct str bytes)
{
	const char *end = memchr(bytes.ptr, '"', bytes.len);
	size_t len = end ? (size_t)(end - bytes.ptr) : bytes.len;
	const char *escape = memchr(bytes.ptr, '\\', len);

	return escape ? (size_t)(escape - bytes.ptr) : len;
}

/* From `at` on, to behind the closing quote if it is there. */
static size_t drop(struct cloud_sieve *s, struct str bytes, size_t at)
{
	while (s->is_dropped && at < bytes.len) {
		if (!s->is_escaped)
			at += dropped_length(str_slice(bytes, at, bytes.len));
		if (at < bytes.len)
			take_text(s, bytes.ptr[at++]);
	}
	return at;
}

static void pass(void *context, struct str bytes, struct buf *kept)
{
	struct cloud_sieve *s = context;
	size_t from = 0, at = 0;

	while (at < bytes.len) {
		if (s->is_dropped) {
			at = drop(s, bytes, at);
			from = s->is_dropped ? at : at - 1; /* the quote */
		} else if (s->is_string) {
			take_text(s, bytes.ptr[at++]);
		} else {
			take_mark(s, bytes.ptr[at++]);
			if (s->is_dropped)
				buf_add_str(kept,
					    str_slice(bytes, from, at - from));
		}
	}
	if (!s->is_dropped)
		buf_add_str(kept, str_slice(bytes, from, bytes.len));
}

void cloud_sieve_init(struct cloud_sieve *s,
		      bool (*is_wanted)(void *context, struct str name),
		      void *context)
{
	*s = (struct cloud_sieve){ .sieve = { begin, pass, s },
				   .is_wanted = is_wanted,
				   .context = context };
}
