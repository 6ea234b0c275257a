/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/label_filter.h"

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/regex.h"

struct label_filter {
	const char *subject;
	struct str key; /* NULL ptr: any */
	struct regex *patterns[LIMIT_LABEL_PATTERNS];
	uint32_t pattern_count;
	uint32_t found;  /* bits of the patterns, in the sample at hand */
	uint32_t shared; /* those that all samples have */
	/* Bits of the patterns that a label has, by "key:value". */
	struct arena arena;
	struct map known;
	struct buf label;
};

static bool add_patterns(struct label_filter *f, struct str text,
			 struct error *err)
{
	for (;;) {
		size_t end = str_find(text, STR(","));
		struct regex *re;

		if (f->pattern_count == LIMIT_LABEL_PATTERNS)
			return error_set(err, ERROR_USAGE,
					 "%s: more than %u patterns",
					 f->subject, LIMIT_LABEL_PATTERNS);
		re = regex_new(str_slice(text, 0, end), f->subject, err);
		if (!re)
			return false;
		f->patterns[f->pattern_count++] = re;
		if (end == SIZE_MAX)
			return true;
		text = str_slice(text, end + 1, text.len - end - 1);
	}
}

struct label_filter *label_filter_new(struct str text, const char *subject,
				      struct error *err)
{
	struct label_filter *f = mem_calloc(1, sizeof *f);
	size_t equals = str_find(text, STR("="));

	if (!f) {
		error_memory(err, subject);
		return NULL;
	}
	f->subject = subject;
	arena_init(&f->arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&f->known, &f->arena);
	buf_init(&f->label, LIMIT_STRING_BYTES + 1);
	if (equals != SIZE_MAX) {
		f->key = str_slice(text, 0, equals);
		text = str_slice(text, equals + 1, text.len - equals - 1);
	}
	if (add_patterns(f, text, err))
		return f;
	label_filter_free(f);
	return NULL;
}

void label_filter_free(struct label_filter *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->pattern_count; i++)
		regex_free(f->patterns[i]);
	buf_release(&f->label);
	arena_release(&f->arena);
	mem_free(f);
}

void label_filter_begin(struct label_filter *f)
{
	f->found = f->shared;
}

void label_filter_shared_begin(struct label_filter *f)
{
	f->found = f->shared = 0;
}

void label_filter_shared_end(struct label_filter *f)
{
	f->shared = f->found;
}

static bool judge(struct label_filter *f, struct str text, uint32_t *bits,
		  struct error *err)
{
	*bits = 0;
	for (uint32_t i = 0; i < f->pattern_count; i++) {
		bool is_match;

		if (!regex_match(f->patterns[i], text, &is_match, err))
			return false;
		*bits |= (uint32_t)is_match << i;
	}
	return true;
}

static bool remember(struct label_filter *f, uint32_t bits, struct error *err)
{
	struct str label = arena_str(&f->arena, buf_str(&f->label));
	uint32_t stored;

	return (label.ptr && map_insert(&f->known, label, bits, &stored)) ||
	       arena_fail(&f->arena, f->subject, err);
}

/* Of keys and values longer than LIMIT_STRING_BYTES / 2 only that is matched.
 */
bool label_filter_add(struct label_filter *f, struct str key, struct str value,
		      struct error *err)
{
	uint32_t bits;

	if (f->key.ptr && !str_equal(key, f->key))
		return true;
	key = str_slice(key, 0, LIMIT_STRING_BYTES / 2);
	value = str_slice(value, 0, LIMIT_STRING_BYTES / 2);
	buf_clear(&f->label);
	if (!f->key.ptr) {
		buf_add_str(&f->label, key);
		buf_add_char(&f->label, ':');
	}
	buf_add_str(&f->label, value);
	if (!buf_check(&f->label, f->subject, err))
		return false;
	bits = map_find(&f->known, buf_str(&f->label));
	if (bits == MAP_NONE && (!judge(f, buf_str(&f->label), &bits, err) ||
				 !remember(f, bits, err)))
		return false;
	f->found |= bits;
	return true;
}

bool label_filter_matches(const struct label_filter *f)
{
	uint32_t all = (UINT32_C(1) << f->pattern_count) - 1;

	return f->key.ptr ? f->found != 0 : f->found == all;
}
