/* SPDX-License-Identifier: Apache-2.0 */
#include "demangle/cpp.h"

#include <stdlib.h>

#include "base/library.h"
#include "base/limits.h"
#include "base/num.h"

/* ---- C++ runtime ---- */

/* <cxxabi.h> requires C++. The result is freed by free(); NULL: not a mangled
 * name. */
char *__cxa_demangle(const char *name, char *out, size_t *size, int *status);

#define CPP_CALLS(X) X(__cxa_demangle)

#ifdef HAVE_CPP_RUNTIME
LIBRARY_CALLS(CPP_CALLS, LIBRARY_CPP)
#define CALL_RUNTIME(name)                                                     \
	LIBRARY_CALL(__cxa_demangle)((name), NULL, NULL, NULL)
#else
static bool calls_load(struct error *err)
{
	return error_set(err, ERROR_INTERNAL, "built without a C++ runtime");
}
#define CALL_RUNTIME(name) ((void)(name), (char *)NULL)
#endif

/* ---- shortening ---- */

struct text {
	struct str in;
	size_t at;
	size_t name_end; /* end of the last name including its arguments */
	struct buf *out;
	struct parenthesis {
		size_t start; /* offset in out */
		bool is_list; /* of parameters */
	} open[LIMIT_MANGLED_DEPTH];
	size_t depth;
};

static char text_peek(const struct text *t, size_t ahead)
{
	return t->at + ahead < t->in.len ? t->in.ptr[t->at + ahead] : '\0';
}

static char text_before(const struct text *t)
{
	return t->at ? t->in.ptr[t->at - 1] : '\0';
}

static bool is_of_identifier(char c)
{
	return ascii_is_alnum(c) || c == '_' || c == '$';
}

/* Returns the length of an "operator<=" that begins here, 0 if none. */
static size_t operator_length(const struct text *t)
{
	static const char *const symbols[] = {
		"<<=", "<=>", "<<", "<=", "<", "->*",
		"->",  ">>=", ">>", ">=", ">", "()"
	};
	struct str word = STR("operator");
	struct str rest = str_slice(t->in, t->at, t->in.len);

	if (!str_starts(rest, word) || is_of_identifier(text_before(t)))
		return 0;
	rest = str_slice(rest, word.len, rest.len);
	for (size_t i = 0; i < COUNT_OF(symbols); i++)
		if (str_starts(rest, str_from(symbols[i])))
			return word.len + strlen(symbols[i]);
	return 0;
}

/* Returns whether '>' is an operator, as in "(1)>>(2)", "(1)>=(2)": closing
 * brackets are never between parentheses; and "(1)>(2)" has another pair around
 * it. */
static bool is_comparison(const struct text *t)
{
	return text_before(t) == ')' &&
	       (text_peek(t, 1) == '>' || text_peek(t, 1) == '=') &&
	       text_peek(t, 2) == '(';
}

/* Skips the template arguments that begin here. */
static bool skip_arguments(struct text *t)
{
	unsigned parentheses[LIMIT_MANGLED_DEPTH];
	size_t depth = 0;

	do {
		char c = text_peek(t, 0);
		size_t word = operator_length(t);

		if (word) {
			t->at += word;
			continue;
		}
		if (c == '<' &&
		    (depth == 0 || is_of_identifier(text_before(t)) ||
		     text_before(t) == ' ')) {
			if (depth == COUNT_OF(parentheses))
				return false;
			parentheses[depth++] = 0;
		} else if (c == '(') {
			parentheses[depth - 1]++;
		} else if (c == ')') {
			if (parentheses[depth - 1]-- == 0)
				return false;
		} else if (c == '>' && is_comparison(t)) {
			t->at++;
		} else if (c == '>' && text_before(t) != '-' &&
			   parentheses[depth - 1] == 0) {
			depth--;
		}
		t->at++;
	} while (depth && t->at < t->in.len);
	return depth == 0;
}

static bool is_scope_at(struct str text, size_t at)
{
	static const char *const words[] = { " const", " volatile", " &&",
					     " &" };

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		struct str word = str_from(words[i]);

		if (str_starts(str_slice(text, at, word.len), word))
			at += word.len;
	}
	return str_starts(str_slice(text, at, 2), STR("::"));
}

static bool open_parenthesis(struct text *t)
{
	bool is_list = t->at == t->name_end ||
		       is_of_identifier(text_before(t)) ||
		       text_before(t) == ']';

	if (t->depth == COUNT_OF(t->open))
		return false;
	t->open[t->depth++] = (struct parenthesis){ t->out->len, is_list };
	return true;
}

/* Removes the parameters of an enclosing function. */
static bool close_parenthesis(struct text *t)
{
	struct parenthesis p;

	if (t->depth == 0)
		return false;
	p = t->open[--t->depth];
	if (p.is_list && is_scope_at(t->in, t->at + 1))
		buf_cut(t->out, p.start + 1);
	return true;
}

bool cpp_shorten(struct str text, struct buf *out)
{
	struct text t = { .in = text, .name_end = SIZE_MAX, .out = out };

	while (t.at < text.len && out->state == BUF_OK) {
		size_t word = operator_length(&t);
		char c = text_peek(&t, 0);

		if (word) {
			buf_add_str(out, str_slice(text, t.at, word));
			t.at += word;
			/* "operator<< <int>" */
			if (text_peek(&t, 0) == ' ' && text_peek(&t, 1) == '<')
				t.at++;
			t.name_end = t.at;
			continue;
		}
		if (c == '<') {
			if (!skip_arguments(&t))
				return false;
			t.name_end = t.at;
			continue;
		}
		if ((c == '(' && !open_parenthesis(&t)) ||
		    (c == ')' && !close_parenthesis(&t)))
			return false;
		buf_add_char(out, c);
		t.at++;
	}
	return t.depth == 0 && out->state == BUF_OK;
}

/* ---- entry point ---- */

bool cpp_demangle(struct str name, struct buf *out, uint64_t *work)
{
	char text[LIMIT_CPP_BYTES + 1];
	struct cpp_bound bound;
	struct error err;
	size_t rest, len;
	char *full;
	bool is_read;

	if (!cpp_bound(name, &bound))
		return false;
	*work += bound.bytes;
	rest = bound.qualifiers_at + bound.qualifiers;
	len = bound.end - bound.qualifiers;
	if (len > LIMIT_CPP_BYTES || !calls_load(&err))
		return false;
	/* Callers do not include "const" of methods either. */
	memcpy(text, name.ptr, bound.qualifiers_at);
	memcpy(text + bound.qualifiers_at, name.ptr + rest, bound.end - rest);
	text[len] = '\0';
	full = CALL_RUNTIME(text);
	is_read = full && cpp_shorten(str_from(full), out);
	free(full);
	return is_read;
}
