/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/selector.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/regex.h"
#include "base/str.h"

struct matcher {
	struct str label;
	struct str value;
	struct regex *pattern; /* NULL: the value itself */
	bool is_excluded;
};

struct selector {
	struct arena arena;
	struct matcher matchers[LIMIT_SELECTOR_MATCHERS];
	size_t count;
};

struct parser {
	struct selector *out;
	struct str text;
	size_t at;
	struct error *err;
};

void selector_free(struct selector *selector)
{
	if (!selector)
		return;
	for (size_t i = 0; i < selector->count; i++)
		regex_free(selector->matchers[i].pattern);
	arena_release(&selector->arena);
	mem_free(selector);
}

static bool parser_fail(const struct parser *p, const char *wanted)
{
	return error_set(p->err, ERROR_USAGE,
			 "the selector is not one at byte %zu: %s is missing; "
			 "it is written {version=\"1.0\",zone=~\"us-.*\"}",
			 p->at + 1, wanted);
}

/* ---- pieces ---- */

static char parser_peek(const struct parser *p)
{
	return p->at < p->text.len ? p->text.ptr[p->at] : '\0';
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->text.len && strchr(" \t\r\n", parser_peek(p)) &&
	       parser_peek(p))
		p->at++;
}

static bool take_char(struct parser *p, char c)
{
	skip_blanks(p);
	if (parser_peek(p) != c || p->at >= p->text.len)
		return false;
	p->at++;
	return true;
}

/* Appends the character after a backslash; unknown escapes stand for the
 * character itself, as in patterns that were escaped once. */
static void add_escape(struct buf *out, char c)
{
	switch (c) {
	case 'n':
		buf_add_char(out, '\n');
		return;
	case 't':
		buf_add_char(out, '\t');
		return;
	case 'r':
		buf_add_char(out, '\r');
		return;
	case '\\':
	case '"':
	case '\'':
		buf_add_char(out, c);
		return;
	default:
		buf_add_char(out, '\\');
		buf_add_char(out, c);
	}
}

static bool read_quoted(struct parser *p, struct buf *out)
{
	char quote = parser_peek(p);

	for (p->at++; p->at < p->text.len; p->at++) {
		char c = parser_peek(p);

		if (c == quote) {
			p->at++;
			return true;
		}
		if (c == '\\' && quote != '`' && p->at + 1 < p->text.len)
			add_escape(out, p->text.ptr[++p->at]);
		else
			buf_add_char(out, c);
	}
	return parser_fail(p, "a closing quote");
}

/* Reads a Go string: "..", '..' or `..`. */
static bool take_quoted(struct parser *p, struct str *out)
{
	struct buf text;
	bool is_ok;

	skip_blanks(p);
	if (!parser_peek(p) || !strchr("\"'`", parser_peek(p)))
		return parser_fail(p, "a value in quotes");
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	is_ok = read_quoted(p, &text) &&
		buf_check(&text, "the selector", p->err);
	if (is_ok) {
		*out = arena_str(&p->out->arena, buf_str(&text));
		is_ok = out->ptr ||
			arena_fail(&p->out->arena, "the selector", p->err);
	}
	buf_release(&text);
	return is_ok;
}

static bool take_label(struct parser *p, struct str *out)
{
	size_t start;

	skip_blanks(p);
	if (parser_peek(p) && strchr("\"'`", parser_peek(p)))
		return take_quoted(p, out);
	for (start = p->at; p->at < p->text.len; p->at++)
		if (!ascii_is_alnum(parser_peek(p)) && parser_peek(p) != '_' &&
		    parser_peek(p) != '.')
			break;
	*out = arena_str(&p->out->arena,
			 str_slice(p->text, start, p->at - start));
	if (!out->ptr)
		return arena_fail(&p->out->arena, "the selector", p->err);
	return out->len > 0 || parser_fail(p, "a label");
}

static bool take_operator(struct parser *p, bool *is_excluded, bool *is_pattern)
{
	skip_blanks(p);
	*is_excluded = parser_peek(p) == '!';
	if (!*is_excluded && parser_peek(p) != '=')
		return parser_fail(p, "one of = != =~ !~");
	p->at++;
	*is_pattern = parser_peek(p) == '~';
	if (*is_pattern || (*is_excluded && parser_peek(p) == '='))
		p->at++;
	else if (*is_excluded)
		return parser_fail(p, "one of = != =~ !~");
	return true;
}

/* Servers anchor patterns at both ends. */
static struct regex *pattern_compile(struct str pattern, struct error *err)
{
	struct regex *re = regex_new(pattern, "the selector", err);
	struct buf text;

	/* Compile it unanchored first, so that error positions are those of the
	 * text. */
	if (!re)
		return NULL;
	regex_free(re);
	re = NULL;

	buf_init(&text, 2 * LIMIT_OPTION_VALUE_BYTES);
	buf_add_text(&text, "\\A(?:");
	buf_add_str(&text, pattern);
	buf_add_text(&text, ")\\z");
	if (buf_check(&text, "the selector", err))
		re = regex_new(buf_str(&text), "the selector", err);
	buf_release(&text);
	return re;
}

static bool take_matcher(struct parser *p)
{
	struct matcher m = { .pattern = NULL };
	bool is_pattern;

	if (p->out->count == LIMIT_SELECTOR_MATCHERS)
		return error_set(p->err, ERROR_LIMIT,
				 "the selector has more than %u matchers",
				 LIMIT_SELECTOR_MATCHERS);
	if (!take_label(p, &m.label) ||
	    !take_operator(p, &m.is_excluded, &is_pattern) ||
	    !take_quoted(p, &m.value))
		return false;
	if (is_pattern) {
		m.pattern = pattern_compile(m.value, p->err);
		if (!m.pattern)
			return false;
	}
	p->out->matchers[p->out->count++] = m;
	return true;
}

static bool parser_parse(struct parser *p)
{
	if (!take_char(p, '{'))
		return parser_fail(p, "the opening {");
	while (!take_char(p, '}')) {
		if (!take_matcher(p))
			return false;
		if (take_char(p, ','))
			continue;
		if (!take_char(p, '}'))
			return parser_fail(p, "a comma or the closing }");
		break;
	}
	skip_blanks(p);
	return p->at == p->text.len || parser_fail(p, "the end");
}

struct selector *selector_parse(struct str text, struct error *err)
{
	struct selector *s = mem_calloc(1, sizeof *s);
	struct parser p = { .out = s, .text = text, .err = err };

	if (!s) {
		error_memory(err, "the selector");
		return NULL;
	}
	arena_init(&s->arena, LIMIT_SELECTOR_BYTES);
	if (parser_parse(&p))
		return s;
	selector_free(s);
	return NULL;
}

/* ---- matching ---- */

bool selector_matches(const struct selector *selector, selector_value value,
		      void *context, bool *is_match, struct error *err)
{
	*is_match = true;
	for (size_t i = 0; i < selector->count && *is_match; i++) {
		const struct matcher *m = &selector->matchers[i];
		struct str present = value(context, m->label);
		bool is_equal;

		if (!m->pattern)
			is_equal = str_equal(present, m->value);
		else if (!regex_match(m->pattern, present, &is_equal, err))
			return false;
		*is_match = is_equal != m->is_excluded;
	}
	return true;
}

/* ---- writing ---- */

static void add_quoted(struct buf *out, struct str text)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", c);
		else if (c == '\n')
			buf_add_text(out, "\\n");
		else if (c < ' ' || c == 0x7F)
			buf_addf(out, "\\x%02x", (unsigned)c);
		else
			buf_add_char(out, (char)c);
	}
	buf_add_char(out, '"');
}

void selector_match(struct buf *out, struct str label, const char *op,
		    struct str value)
{
	bool is_plain = label.len && !ascii_is_digit(label.ptr[0]);

	for (size_t i = 0; i < label.len; i++)
		is_plain &= ascii_is_alnum(label.ptr[i]) ||
			    label.ptr[i] == '_';
	buf_add_char(out, out->len ? ',' : '{');
	if (is_plain)
		buf_add_str(out, label);
	else
		add_quoted(out, label);
	buf_add_text(out, op);
	add_quoted(out, value);
}

void selector_add(struct buf *out, struct str label, struct str value)
{
	selector_match(out, label, "=", value);
}

void selector_close(struct buf *out)
{
	buf_add_text(out, out->len ? "}" : "{}");
}

bool selector_of_service(struct arena *arena, const char *service,
			 struct str *out, struct error *err)
{
	struct buf text;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	if (service)
		selector_add(&text, STR("service_name"), str_from(service));
	selector_close(&text);
	*out = arena_str(arena, buf_str(&text));
	buf_release(&text);
	return out->ptr || error_memory(err, "the selector");
}
