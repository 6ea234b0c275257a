/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_table.h"

#include <stdint.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"

/* The words that count stand at the end; hostile names are not read whole,
 * since brackets are matched again for each one. */
#define NAME_TAIL_BYTES 1024

/* The last two words of a name; a receiver counts as its type. */
struct short_name {
	struct str class;
	struct str method;
	bool is_closure;
};

static bool is_word(char c)
{
	return ascii_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

static char opener_of(char close)
{
	switch (close) {
	case ')':
		return '(';
	case ']':
		return '[';
	case '>':
		return '<';
	default:
		return '\0';
	}
}

/* Drops the last character, or with it the parameters or type arguments that
 * it closes. Brackets that do not follow a word hold one: a Go receiver,
 * Python's <lambda>. */
static void drop_last(struct str *s)
{
	char close = s->ptr[s->len - 1], open = opener_of(close);
	size_t at = s->len, depth = 0;

	if (!open) {
		s->len--;
		return;
	}
	while (at-- > 0) {
		depth += s->ptr[at] == close;
		depth -= s->ptr[at] == open;
		if (!depth)
			break;
	}
	if (at == SIZE_MAX)
		s->len = 0;
	else if (close == ']' || (at && is_word(s->ptr[at - 1])))
		s->len = at;
	else
		s->len--;
}

static struct str pop_word(struct str *s)
{
	size_t start;
	struct str word;

	while (s->len && !is_word(s->ptr[s->len - 1]))
		drop_last(s);
	start = s->len;
	while (start && is_word(s->ptr[start - 1]))
		start--;
	word = str_slice(*s, start, s->len - start);
	s->len = start;
	return word;
}

/* Returns whether compilers name nested functions so: Go func1 and 2, Java
 * lambda$x$0, Python <lambda> and <locals>, Rust {{closure}}, C# <x>d__5. */
static bool is_closure_word(struct str word)
{
	static const char *const words[] = {
		"",        "func",     "gowrap",    "deferwrap", "lambda",
		"genexpr", "listcomp", "locals",    "dictcomp",  "setcomp",
		"closure", "MoveNext", "anonymous",
	};
	struct str bare = word;

	while (bare.len && ascii_is_digit(bare.ptr[bare.len - 1]))
		bare.len--;
	if (bare.len != word.len && str_ends(bare, STR("__")))
		return true;
	return word.len > 0 && str_is_one_of(bare, words, COUNT_OF(words));
}

static struct short_name name_shorten(struct str name)
{
	struct short_name out = { .is_closure = false };
	struct str rest = name;

	/* From the parameters on: "Repo.find(Ljava/lang/String;)V". Those
	 * inside type arguments are left to drop_last(). */
	for (size_t i = 1; i < rest.len && rest.ptr[i] != '<'; i++)
		if (rest.ptr[i] == '(' && is_word(rest.ptr[i - 1]))
			rest.len = i;
	if (rest.len > NAME_TAIL_BYTES)
		rest = str_slice(rest, rest.len - NAME_TAIL_BYTES, rest.len);
	out.method = pop_word(&rest);
	while (is_closure_word(out.method) && rest.len) {
		out.method = pop_word(&rest);
		out.is_closure = true;
	}
	do
		out.class = pop_word(&rest);
	while (is_closure_word(out.class));
	return out;
}

static bool word_equal(struct str a, struct str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.len && a.ptr[i] == '_')
			i++;
		while (k < b.len && b.ptr[k] == '_')
			k++;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len;
		if (ascii_lower(a.ptr[i++]) != ascii_lower(b.ptr[k++]))
			return false;
	}
}

enum name_match function_name_match(struct str name, struct str span)
{
	struct short_name have, want;

	/* "GET /users" and "SELECT users" name no function. */
	if (!span.len || span.ptr[0] == '/' || memchr(span.ptr, ' ', span.len) ||
	    memchr(span.ptr, '{', span.len))
		return NAME_MATCH_NONE;
	have = name_shorten(name);
	want = name_shorten(span);
	/* "shop.Users/Find" is an RPC: its service is no class of the code. Go
	 * paths have their slash further in front. */
	if (want.method.len && want.method.ptr > span.ptr &&
	    want.method.ptr[-1] == '/')
		want.class.len = 0;
	if (!want.method.len || !word_equal(have.method, want.method) ||
	    (want.class.len && !word_equal(have.class, want.class)))
		return NAME_MATCH_NONE;
	return have.is_closure ? NAME_MATCH_CLOSURE : NAME_MATCH_FUNCTION;
}

bool function_name_is_generic(struct str name)
{
	static const char *const words[] = {
		"main",      "run",     "start",      "serve",
		"ServeHTTP", "handle",  "handler",    "handleRequest",
		"dispatch",  "invoke",  "call",       "apply",
		"doGet",     "doPost",  "doFilter",   "doFilterInternal",
		"process",   "execute", "middleware", "next",
		"wrapper",   "inner",   "proceed",    "intercept",
		"loop",      "worker",  "module",
	};
	struct str method = name_shorten(name).method;

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (word_equal(method, str_from(words[i])))
			return true;
	return false;
}
