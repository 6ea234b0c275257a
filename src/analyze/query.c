/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/calls.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"

/* Lower-cased when they stand alone. Sorted for bsearch. */
static const char *const keywords[] = {
	"ALL",      "AND",       "ANY",       "AS",      "ASC",
	"BETWEEN",  "BY",        "CALL",      "CASE",    "COMMIT",
	"CONFLICT", "COUNT",     "CREATE",    "CROSS",   "DEFAULT",
	"DELETE",   "DESC",      "DISTINCT",  "DO",      "ELSE",
	"END",      "EXCEPT",    "EXEC",      "EXISTS",  "FALSE",
	"FETCH",    "FIRST",     "FOR",       "FROM",    "FULL",
	"GROUP",    "HAVING",    "ILIKE",     "IN",      "INNER",
	"INSERT",   "INTERSECT", "INTO",      "IS",      "JOIN",
	"LEFT",     "LIKE",      "LIMIT",     "LOCK",    "MERGE",
	"NATURAL",  "NEXT",      "NOT",       "NOTHING", "NULL",
	"OFFSET",   "ON",        "ONLY",      "OR",      "ORDER",
	"OUTER",    "OVER",      "PARTITION", "REPLACE", "RETURNING",
	"RIGHT",    "ROLLBACK",  "ROW",       "ROWS",    "SELECT",
	"SET",      "TABLE",     "THEN",      "TOP",     "TRUE",
	"TRUNCATE", "UNION",     "UPDATE",    "USING",   "VALUES",
	"WHEN",     "WHERE",     "WITH",
};

#define KEYWORD_BYTES 16

enum word { WORD_OTHER = 0, WORD_IN, WORD_LIKE };

/* Rows of VALUES: a row equal to the first one is taken back. */
enum rows { ROWS_NONE = 0, ROWS_BEGIN, ROWS_FIRST, ROWS_BETWEEN, ROWS_NEXT };

struct scan {
	struct str text;
	size_t at;
	struct buf *out;
	bool is_lower;
	bool is_json; /* MongoDB and Elasticsearch send JSON as the query */
	bool has_blank;
	char last; /* last character written that is not a blank */
	enum word word;
	enum rows rows;
	unsigned row_depth;
	size_t row_start;
	size_t first_start;
	size_t first_end;
	size_t last_end; /* of the last row that was kept */
};

static char scan_peek(const struct scan *s, size_t at)
{
	return at < s->text.len ? s->text.ptr[at] : '\0';
}

static bool is_name_start(char c)
{
	return ascii_is_letter(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name(char c)
{
	return is_name_start(c) || ascii_is_digit(c) || c == '$' || c == '#';
}

static size_t skip_names(const struct scan *s, size_t at)
{
	while (at < s->text.len && is_name(s->text.ptr[at]))
		at++;
	return at;
}

/* From the opening quote past the closing one; doubled and backslashed
 * quotes belong to the text. */
static size_t skip_quoted(const struct scan *s, size_t at, char quote)
{
	for (at++; at < s->text.len; at++) {
		char c = s->text.ptr[at];

		if (c == '\\' && quote != '`')
			at++;
		else if (c == quote && scan_peek(s, at + 1) == quote)
			at++;
		else if (c == quote)
			return at + 1;
	}
	return s->text.len;
}

/* $1, $tag$ text $tag$; `at` itself when it is neither. */
static size_t skip_dollar(const struct scan *s, size_t at)
{
	size_t end = at + 1;
	struct str tag;
	size_t found;

	if (ascii_is_digit(scan_peek(s, end)))
		return skip_names(s, end);
	while (is_name(scan_peek(s, end)) && scan_peek(s, end) != '$')
		end++;
	if (scan_peek(s, end) != '$')
		return at;
	tag = str_slice(s->text, at, end + 1 - at);
	found = str_find(str_slice(s->text, end + 1, s->text.len), tag);
	return found == SIZE_MAX ? s->text.len : end + 1 + found + tag.len;
}

static size_t skip_number(const struct scan *s, size_t at)
{
	char c = scan_peek(s, at);

	while (ascii_is_digit(c) || is_name_start(c) || c == '.' ||
	       ((c == '+' || c == '-') &&
		(scan_peek(s, at - 1) | 0x20) == 'e' &&
		ascii_is_digit(scan_peek(s, at + 1))))
		c = scan_peek(s, ++at);
	return at;
}

/* %s, %d and %(name)s of Python drivers. */
static size_t skip_percent(const struct scan *s, size_t at)
{
	size_t end = at + 1;

	if (scan_peek(s, end) == '(') {
		end = skip_names(s, end + 1);
		if (scan_peek(s, end) != ')')
			return at;
		end++;
	}
	if ((scan_peek(s, end) != 's' && scan_peek(s, end) != 'd') ||
	    is_name(scan_peek(s, end + 1)))
		return at;
	return end + 1;
}

/* The end of the literal or placeholder at `at`, or `at` when none. */
static size_t skip_literal(const struct scan *s, size_t at)
{
	char c = scan_peek(s, at);
	char next = scan_peek(s, at + 1);

	if (c == '\'')
		return skip_quoted(s, at, c);
	if (next == '\'' && memchr("EeNnBbXx", c, 8))
		return skip_quoted(s, at + 1, next);
	if (ascii_is_digit(c) || (c == '.' && ascii_is_digit(next)))
		return skip_number(s, at);
	if (c == '?')
		return ascii_is_digit(next) ? skip_names(s, at + 1) : at + 1;
	if (c == '$')
		return skip_dollar(s, at);
	if (c == '%')
		return skip_percent(s, at);
	/* "::" is a cast, "@@" a server variable. */
	if (c == ':' && s->last != ':' && is_name(next))
		return skip_names(s, at + 1);
	if (c == '@' && s->last != '@' && is_name_start(next))
		return skip_names(s, at + 1);
	return at;
}

static void scan_put(struct scan *s, const char *text, size_t len)
{
	if (s->has_blank && s->last)
		buf_add_char(s->out, ' ');
	s->has_blank = false;
	buf_add(s->out, text, len);
	s->last = text[len - 1];
}

static void put_span(struct scan *s, size_t end)
{
	scan_put(s, s->text.ptr + s->at, end - s->at);
	s->at = end;
}

static void put_mask(struct scan *s, size_t end)
{
	scan_put(s, "?", 1);
	s->at = end;
}

/* Past comments that begin at `at`; `at` when there is none. C comments
 * nest in PostgreSQL. */
static size_t skip_comment(const struct scan *s, size_t at)
{
	unsigned depth = 0;

	if (scan_peek(s, at) == '-' && scan_peek(s, at + 1) == '-') {
		while (at < s->text.len && s->text.ptr[at] != '\n')
			at++;
		return at;
	}
	if (scan_peek(s, at) != '/' || scan_peek(s, at + 1) != '*')
		return at;
	do {
		if (scan_peek(s, at) == '/' && scan_peek(s, at + 1) == '*') {
			depth++;
			at += 2;
		} else if (scan_peek(s, at) == '*' &&
			   scan_peek(s, at + 1) == '/') {
			depth--;
			at += 2;
		} else {
			at++;
		}
	} while (depth && at < s->text.len);
	return at < s->text.len ? at : s->text.len;
}

static size_t skip_blanks(const struct scan *s, size_t at)
{
	char c = scan_peek(s, at);

	while (c == ' ' || (c >= '\t' && c <= '\r'))
		c = scan_peek(s, ++at);
	return at;
}

/* "(1, 'a', $2)" at the opening bracket; returns past it, or 0 when it is
 * anything but a list of literals. */
static size_t skip_list(const struct scan *s, size_t at)
{
	for (;;) {
		size_t start = skip_blanks(s, at + 1);

		if (scan_peek(s, start) == '-')
			start++;
		at = scan_peek(s, start) == '"' ? skip_quoted(s, start, '"')
						: skip_literal(s, start);
		if (at == start)
			return 0;
		at = skip_blanks(s, at);
		if (scan_peek(s, at) == ')')
			return at + 1;
		if (scan_peek(s, at) != ',')
			return 0;
	}
}

static void rows_close(struct scan *s)
{
	size_t len;

	if ((s->rows != ROWS_FIRST && s->rows != ROWS_NEXT) || --s->row_depth)
		return;
	len = s->out->len;
	if (s->rows == ROWS_FIRST) {
		s->first_start = s->row_start;
		s->first_end = s->last_end = len;
	} else if (s->out->state == BUF_OK &&
		   len - s->row_start == s->first_end - s->first_start &&
		   !memcmp(s->out->data + s->row_start,
			   s->out->data + s->first_start, len - s->row_start)) {
		s->out->len = s->last_end;
		s->out->data[s->last_end] = '\0';
	} else {
		s->last_end = len;
	}
	s->rows = ROWS_BETWEEN;
}

static int compare_keyword(const void *key, const void *item)
{
	return strcmp(key, *(const char *const *)item);
}

/* A name or a keyword; upper-cased into upper[] when it may be a keyword. */
static void put_name(struct scan *s)
{
	size_t end = skip_names(s, s->at);
	size_t len = end - s->at;
	char upper[KEYWORD_BYTES] = "";
	char lower[KEYWORD_BYTES] = "";
	bool is_plain = len < KEYWORD_BYTES && s->last != '.' &&
			scan_peek(s, end) != '.';

	for (size_t i = 0; is_plain && i < len; i++) {
		char c = s->text.ptr[s->at + i];
		bool is_letter = ascii_is_letter(c);

		upper[i] = is_letter ? (char)(c & ~0x20) : '_';
		lower[i] = (char)(upper[i] | 0x20);
	}
	is_plain = is_plain && bsearch(upper, keywords, COUNT_OF(keywords),
				       sizeof *keywords, compare_keyword);
	s->word = WORD_OTHER;
	s->rows = s->rows == ROWS_BETWEEN ? ROWS_NONE : s->rows;
	if (is_plain && !strcmp(upper, "IN"))
		s->word = WORD_IN;
	else if (is_plain && strstr(upper, "LIKE"))
		s->word = WORD_LIKE;
	else if (is_plain && !strcmp(upper, "VALUES"))
		s->rows = ROWS_BEGIN;
	if (!is_plain || !s->is_lower) {
		put_span(s, end);
		return;
	}
	scan_put(s, lower, len);
	s->at = end;
}

static void put_bracket(struct scan *s)
{
	size_t end = s->word == WORD_IN ? skip_list(s, s->at) : 0;

	if (end) {
		scan_put(s, "(?)", 3);
		s->at = end;
		return;
	}
	put_span(s, s->at + 1);
	if (s->rows == ROWS_FIRST || s->rows == ROWS_NEXT) {
		s->row_depth++;
	} else if (s->rows != ROWS_NONE) {
		s->rows = s->rows == ROWS_BEGIN ? ROWS_FIRST : ROWS_NEXT;
		s->row_depth = 1;
		/* Its bracket is written already. */
		s->row_start = s->out->len - 1;
	}
}

static void put_token(struct scan *s)
{
	char c = s->text.ptr[s->at];
	size_t end = skip_literal(s, s->at);
	bool is_compared = s->word == WORD_LIKE || memchr("=<>", s->last, 3);

	if (end == s->at && is_name_start(c)) {
		put_name(s);
		return;
	}
	if (end == s->at && memchr("+-", c, 2) &&
	    ascii_is_digit(scan_peek(s, s->at + 1)) &&
	    memchr("=<>(,[", s->last, 6)) {
		s->at++; /* a sign */
		return;
	}
	if (end != s->at) {
		put_mask(s, end);
	} else if (c == '"') {
		/* Double quotes hold a name in standard SQL and a text in
		 * MySQL: a text when something is compared with it and no
		 * column follows. */
		end = skip_quoted(s, s->at, c);
		if (is_compared && scan_peek(s, end) != '.')
			put_mask(s, end);
		else
			put_span(s, end);
	} else if (c == '`') {
		put_span(s, skip_quoted(s, s->at, c));
	} else if (c == '(') {
		put_bracket(s);
	} else {
		put_span(s, s->at + 1);
		if (c == ')')
			rows_close(s);
		else if (c != ',' && s->rows == ROWS_BETWEEN)
			s->rows = ROWS_NONE;
	}
	s->word = WORD_OTHER;
}

/* JSON: keys stay, values go. */
static void put_json_token(struct scan *s)
{
	char c = s->text.ptr[s->at];
	size_t end;

	if (c == '"') {
		end = skip_quoted(s, s->at, c);
		if (scan_peek(s, skip_blanks(s, end)) == ':')
			put_span(s, end);
		else
			put_mask(s, end);
	} else if (ascii_is_digit(c) ||
		   (c == '-' && ascii_is_digit(scan_peek(s, s->at + 1)))) {
		put_mask(s, skip_number(s, s->at + 1));
	} else if (is_name_start(c)) {
		put_span(s, skip_names(s, s->at));
	} else {
		put_span(s, s->at + 1);
	}
}

static void scan_query(struct str query, struct buf *out, bool is_lower)
{
	struct str text = str_trim(query);
	struct scan s = {
		.text = text,
		.out = out,
		.is_lower = is_lower,
		.is_json = text.len && (*text.ptr == '{' || *text.ptr == '['),
	};

	while (s.at < text.len) {
		size_t end = s.is_json ? s.at : skip_comment(&s, s.at);

		end = skip_blanks(&s, end);
		if (end != s.at) {
			s.has_blank = true;
			s.at = end;
		} else if (s.is_json) {
			put_json_token(&s);
		} else {
			put_token(&s);
		}
	}
}

void query_normalize(struct str query, struct buf *out)
{
	scan_query(query, out, true);
}

void query_mask(struct str query, struct buf *out)
{
	scan_query(query, out, false);
}
