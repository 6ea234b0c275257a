/* SPDX-License-Identifier: Apache-2.0
 *
 * The quick way over what nobody wants: most of a document. It takes the
 * ordinary only, so that json.c alone says what is wrong. What it pays:
 * docs/performance.md, "quick way over unwanted JSON".
 */
#include "base/ascii.h"
#include "base/json_reader.h"

/* What of the reader changes from step to step. */
struct scan {
	const char *at;
	const char *end;
	unsigned depth;
	bool is_in_object;
	bool is_behind_member; /* else behind the opening bracket */
};

static inline const char *pass_blanks(const char *at, const char *end)
{
	while (at < end && (unsigned char)*at <= ' ' && json_is_blank(*at))
		at++;
	return at;
}

/* From behind the opening quote to behind the closing one, or NULL. */
static inline const char *pass_string(const char *at, const char *end)
{
	at += json_plain_run(at, (size_t)(end - at));
	return at < end && *at == '"' ? at + 1 : NULL;
}

static inline const char *pass_word(const char *at, const char *end,
				    struct str word)
{
	if ((size_t)(end - at) <= word.len ||
	    memcmp(at, word.ptr, word.len) != 0 ||
	    json_is_word_byte(at[word.len]))
		return NULL;
	return at + word.len;
}

/* A string, a whole number or a word; NULL for all else. */
static inline const char *pass_scalar(const char *at, const char *end)
{
	size_t digits;

	switch (*at) {
	case '"':
		return pass_string(at + 1, end);
	case 't':
		return pass_word(at, end, STR("true"));
	case 'f':
		return pass_word(at, end, STR("false"));
	case 'n':
		return pass_word(at, end, STR("null"));
	default:
		digits = json_whole_digits(at, (size_t)(end - at));
		return digits ? at + digits : NULL;
	}
}

/* Up to the value of a key, or NULL. */
static inline const char *pass_key(const char *at, const char *end)
{
	if (at == end || *at != '"')
		return NULL;
	at = pass_string(at + 1, end);
	if (!at)
		return NULL;
	at = pass_blanks(at, end);
	return at < end && *at == ':' ? pass_blanks(at + 1, end) : NULL;
}

static inline bool is_object_at(const struct json_reader *r, unsigned depth)
{
	return depth && r->levels[(depth - 1) / 64] >> (depth - 1) % 64 & 1;
}

static inline void step_out(const struct json_reader *r, struct scan *s)
{
	s->depth--;
	s->is_in_object = is_object_at(r, s->depth);
	s->is_behind_member = true;
}

static inline bool step_in(struct json_reader *r, struct scan *s,
			   bool is_object)
{
	uint64_t bit = (uint64_t)1 << s->depth % 64;
	uint64_t *word = &r->levels[s->depth / 64];

	if (s->depth == LIMIT_JSON_DEPTH)
		return false;
	*word = is_object ? *word | bit : *word & ~bit;
	s->depth++;
	s->is_in_object = is_object;
	s->is_behind_member = false;
	return true;
}

/* Passes over a member or a closing bracket, or into a member that has
 * members; false, without a step, for what is not ordinary. */
static inline bool step(struct json_reader *r, struct scan *s)
{
	const char *at = pass_blanks(s->at, s->end);

	if (at == s->end)
		return false;
	if (*at == (s->is_in_object ? '}' : ']')) {
		s->at = at + 1;
		step_out(r, s);
		return true;
	}
	if (s->is_behind_member) {
		if (*at != ',')
			return false;
		at = pass_blanks(at + 1, s->end);
	}
	if (s->is_in_object)
		at = pass_key(at, s->end);
	if (!at || at == s->end)
		return false;
	if (*at == '{' || *at == '[') {
		if (!step_in(r, s, *at == '{'))
			return false;
		s->at = at + 1;
		return true;
	}
	at = pass_scalar(at, s->end);
	if (!at)
		return false;
	s->at = at;
	s->is_behind_member = true;
	return true;
}

void json_skip_ahead(struct json_reader *r, unsigned outer)
{
	struct scan s = {
		.at = r->data + r->at,
		.end = r->data + r->end,
		.depth = r->depth,
		.is_in_object = r->is_in_object,
		.is_behind_member = r->due == DUE_COMMA,
	};

	while (s.depth > outer && step(r, &s))
		;
	r->at = (size_t)(s.at - r->data);
	r->depth = s.depth;
	r->is_in_object = s.is_in_object;
	r->due = s.is_behind_member ? DUE_COMMA : DUE_FIRST;
	if (!r->depth)
		r->due = DUE_VALUE;
	r->is_announced = false;
}
