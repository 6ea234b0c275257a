/* SPDX-License-Identifier: Apache-2.0 */
#include "base/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/limits.h"
#include "base/mem.h"

#define MESSAGE_BYTES 160

struct regex {
	const char *subject;
	pcre2_general_context *memory;
	pcre2_code *code;
	pcre2_match_context *context;
	pcre2_match_data *found;
};

/* PCRE2 allocates by the same functions. */
static void *memory_take(size_t size, void *data)
{
	(void)data;
	return mem_alloc(size);
}

static void give_back(void *memory, void *data)
{
	(void)data;
	mem_free(memory);
}

/* Names in profiles are arbitrary bytes: invalid UTF-8 never matches, and the
 * search continues after it. */
#define OPTIONS (PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C)

static bool regex_compile_code(struct regex *re, struct str pattern,
			       struct error *err)
{
	pcre2_compile_context *context =
		pcre2_compile_context_create(re->memory);
	PCRE2_UCHAR text[MESSAGE_BYTES];
	size_t at = 0;
	int code = PCRE2_ERROR_HEAP_FAILED;

	if (context) {
		pcre2_set_parens_nest_limit(context, LIMIT_REGEX_DEPTH);
		re->code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
					 OPTIONS, &code, &at, context);
		pcre2_compile_context_free(context);
	}
	if (re->code)
		return true;
	if (code == PCRE2_ERROR_HEAP_FAILED)
		return error_memory(err, re->subject);
	if (pcre2_get_error_message(code, text, sizeof text) < 0)
		text[0] = '\0';
	return error_set(err, ERROR_USAGE,
			 "%s: not a regular expression: %s, at character %zu",
			 re->subject, (const char *)text, at + 1);
}

#define LIMIT_REGEX_HEAP_BYTES (16 * MIB)

static bool regex_prepare(struct regex *re, struct str pattern,
			  struct error *err)
{
	re->memory = pcre2_general_context_create(memory_take, give_back, NULL);
	if (!re->memory)
		return error_memory(err, re->subject);
	if (!regex_compile_code(re, pattern, err))
		return false;
	re->context = pcre2_match_context_create(re->memory);
	/* Match positions are not needed: one pair suffices. */
	re->found = pcre2_match_data_create(1, re->memory);
	if (!re->context || !re->found)
		return error_memory(err, re->subject);
	pcre2_set_match_limit(re->context, LIMIT_REGEX_STEPS);
	pcre2_set_depth_limit(re->context, LIMIT_REGEX_STEPS);
	pcre2_set_heap_limit(re->context,
			     (uint32_t)(LIMIT_REGEX_HEAP_BYTES / KIB));
	return true;
}

struct regex *regex_new(struct str pattern, const char *subject,
			struct error *err)
{
	struct regex *re = mem_calloc(1, sizeof *re);

	if (!re) {
		error_memory(err, subject);
		return NULL;
	}
	re->subject = subject;
	if (regex_prepare(re, pattern, err))
		return re;
	regex_free(re);
	return NULL;
}

void regex_free(struct regex *re)
{
	if (!re)
		return;
	pcre2_match_data_free(re->found);
	pcre2_match_context_free(re->context);
	pcre2_code_free(re->code);
	pcre2_general_context_free(re->memory);
	mem_free(re);
}

void regex_limit_steps(struct regex *re, uint32_t steps)
{
	pcre2_set_match_limit(re->context, steps);
	pcre2_set_depth_limit(re->context, steps);
}

bool regex_match(struct regex *re, struct str text, bool *is_match,
		 struct error *err)
{
	/* ptr of an empty text may be NULL. */
	const char *bytes = text.len ? text.ptr : "";
	int code = pcre2_match(re->code, (PCRE2_SPTR)bytes, text.len, 0, 0,
			       re->found, re->context);

	*is_match = code >= 0;
	if (code >= 0 || code == PCRE2_ERROR_NOMATCH)
		return true;
	if (code == PCRE2_ERROR_NOMEMORY)
		return error_memory(err, re->subject);
	return error_set(err, ERROR_LIMIT,
			 "%s: the pattern takes too long on \"%.*s\": make it "
			 "simpler",
			 re->subject, (int)(text.len < 80 ? text.len : 80),
			 bytes);
}
