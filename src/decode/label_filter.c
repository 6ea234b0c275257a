/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/profile_type.h"

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/regex.h"

/* Patterns, and which of them matched. */
struct condition {
	const char *subject; /* NULL: none given */
	struct str key;      /* NULL ptr: any */
	struct regex *patterns[LIMIT_LABEL_PATTERNS];
	uint32_t pattern_count;
	/* Bits of patterns that matched in the current sample. */
	uint32_t found;
	uint32_t shared; /* bits that apply to all samples */
	/* Cache: bits of patterns that match a label, by "key:value". */
	struct map known;
};

enum { WANTED, UNWANTED, CONDITIONS };

struct label_filter {
	struct condition conditions[CONDITIONS];
	struct arena arena;
	struct buf label;
};

static bool condition_init(struct condition *c, const char *given,
			   const char *subject, struct error *err)
{
	struct str text = str_from(given);
	size_t equals = str_find(text, STR("="));

	if (!given)
		return true;
	c->subject = subject;
	if (equals != SIZE_MAX) {
		c->key = str_slice(text, 0, equals);
		text = str_slice(text, equals + 1, text.len - equals - 1);
	}
	for (;;) {
		size_t end = str_find(text, STR(","));
		struct regex *re;

		if (c->pattern_count == LIMIT_LABEL_PATTERNS)
			return error_set(err, ERROR_USAGE,
					 "%s: more than %u patterns",
					 c->subject, LIMIT_LABEL_PATTERNS);
		re = regex_new(str_slice(text, 0, end), c->subject, err);
		if (!re)
			return false;
		c->patterns[c->pattern_count++] = re;
		if (end == SIZE_MAX)
			return true;
		text = str_slice(text, end + 1, text.len - end - 1);
	}
}

struct label_filter *label_filter_new(const char *focus, const char *ignore,
				      struct error *err)
{
	struct label_filter *f = mem_calloc(1, sizeof *f);

	if (!f) {
		error_memory(err, "--tag-focus");
		return NULL;
	}
	arena_init(&f->arena, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&f->label, LIMIT_STRING_BYTES + 1);
	for (int i = 0; i < CONDITIONS; i++)
		map_init(&f->conditions[i].known, &f->arena);
	if (condition_init(&f->conditions[WANTED], focus, "--tag-focus", err) &&
	    condition_init(&f->conditions[UNWANTED], ignore, "--tag-ignore",
			   err))
		return f;
	label_filter_free(f);
	return NULL;
}

void label_filter_free(struct label_filter *f)
{
	if (!f)
		return;
	for (int i = 0; i < CONDITIONS; i++)
		for (uint32_t k = 0; k < f->conditions[i].pattern_count; k++)
			regex_free(f->conditions[i].patterns[k]);
	buf_release(&f->label);
	arena_release(&f->arena);
	mem_free(f);
}

void label_filter_begin(struct label_filter *f)
{
	for (int i = 0; i < CONDITIONS; i++)
		f->conditions[i].found = f->conditions[i].shared;
}

void label_filter_shared_begin(struct label_filter *f)
{
	for (int i = 0; i < CONDITIONS; i++)
		f->conditions[i].found = f->conditions[i].shared = 0;
}

void label_filter_shared_end(struct label_filter *f)
{
	for (int i = 0; i < CONDITIONS; i++)
		f->conditions[i].shared = f->conditions[i].found;
}

static bool label_filter_find(struct label_filter *f, struct condition *c,
			      struct str key, struct str value,
			      struct error *err)
{
	uint32_t bits, stored;
	struct str label;

	if (!c->subject || (c->key.ptr && !str_equal(key, c->key)))
		return true;
	buf_clear(&f->label);
	if (!c->key.ptr) {
		buf_add_str(&f->label, key);
		buf_add_char(&f->label, ':');
	}
	buf_add_str(&f->label, value);
	if (!buf_check(&f->label, c->subject, err))
		return false;
	bits = map_find(&c->known, buf_str(&f->label));
	if (bits == MAP_NONE) {
		bits = 0;
		for (uint32_t i = 0; i < c->pattern_count; i++) {
			bool is_match;

			if (!regex_match(c->patterns[i], buf_str(&f->label),
					 &is_match, err))
				return false;
			bits |= (uint32_t)is_match << i;
		}
		label = arena_str(&f->arena, buf_str(&f->label));
		if (!label.ptr || !map_insert(&c->known, label, bits, &stored))
			return arena_fail(&f->arena, c->subject, err);
	}
	c->found |= bits;
	return true;
}

/* Adds a label; keys and values are matched up to LIMIT_STRING_BYTES / 2. */
bool label_filter_add(struct label_filter *f, struct str key, struct str value,
		      struct error *err)
{
	struct str short_key = str_slice(key, 0, LIMIT_STRING_BYTES / 2);

	value = str_slice(value, 0, LIMIT_STRING_BYTES / 2);
	for (int i = 0; i < CONDITIONS; i++)
		if (!label_filter_find(f, &f->conditions[i], short_key, value,
				       err))
			return false;
	return true;
}

static bool is_met(const struct condition *c)
{
	uint32_t all = (UINT32_C(1) << c->pattern_count) - 1;

	return c->key.ptr ? c->found != 0 : c->found == all;
}

bool label_filter_matches(const struct label_filter *f)
{
	const struct condition *unwanted = &f->conditions[UNWANTED];

	return is_met(&f->conditions[WANTED]) &&
	       !(unwanted->subject && is_met(unwanted));
}
