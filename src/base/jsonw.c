/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonw.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/num.h"
#include "base/timefmt.h"

void jsonw_init(struct jsonw *w, struct out *out, int indent)
{
	memset(w, 0, sizeof *w);
	w->out = out;
	w->indent = indent;
}

static void break_line(struct jsonw *w)
{
	if (w->indent <= 0)
		return;
	out_char(w->out, '\n');
	out_repeat(w->out, " ", w->depth * (unsigned)w->indent);
}

/* Exceeding the reader's depth is a bug; levels past the limit then share their
 * comma state. */
static bool *current_has_items(struct jsonw *w)
{
	unsigned last = LIMIT_JSON_DEPTH - 1;

	return &w->has_items[w->depth < last ? w->depth : last];
}

/* Writes the comma and line break before a new item or key. */
static void jsonw_separate(struct jsonw *w)
{
	bool *has_items = current_has_items(w);
	bool is_in_line = w->is_after_key || w->depth == 0;

	w->is_after_key = false;
	if (is_in_line)
		return;
	if (*has_items)
		out_char(w->out, ',');
	break_line(w);
	*has_items = true;
}

static void open_level(struct jsonw *w, char bracket)
{
	jsonw_separate(w);
	out_char(w->out, bracket);
	w->depth++;
	*current_has_items(w) = false;
}

static void close_level(struct jsonw *w, char bracket)
{
	bool had_items = *current_has_items(w);

	w->depth--;
	if (had_items)
		break_line(w);
	out_char(w->out, bracket);
}

void jsonw_object(struct jsonw *w)
{
	open_level(w, '{');
}

void jsonw_object_end(struct jsonw *w)
{
	close_level(w, '}');
}

void jsonw_array(struct jsonw *w)
{
	open_level(w, '[');
}

void jsonw_array_end(struct jsonw *w)
{
	close_level(w, ']');
}

static void write_quoted(struct jsonw *w, struct str text)
{
	out_char(w->out, '"');
	escape_json(w->out, text);
	out_char(w->out, '"');
}

void jsonw_key(struct jsonw *w, const char *key)
{
	jsonw_key_str(w, str_from(key));
}

void jsonw_key_str(struct jsonw *w, struct str key)
{
	jsonw_separate(w);
	write_quoted(w, key);
	out_text(w->out, w->indent > 0 ? ": " : ":");
	w->is_after_key = true;
}

bool jsonw_key_known(struct jsonw *w, const char *key, bool is_known)
{
	jsonw_key(w, key);
	if (!is_known)
		jsonw_null(w);
	return is_known;
}

void jsonw_str(struct jsonw *w, struct str text)
{
	jsonw_separate(w);
	write_quoted(w, text);
}

void jsonw_text(struct jsonw *w, const char *text)
{
	if (text)
		jsonw_str(w, str_from(text));
	else
		jsonw_null(w);
}

void jsonw_i64(struct jsonw *w, int64_t value)
{
	jsonw_separate(w);
	out_int(w->out, value);
}

void jsonw_thousandths(struct jsonw *w, int64_t value)
{
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	jsonw_separate(w);
	outf(w->out, "%s%" PRIu64 ".%03u", value < 0 ? "-" : "", size / 1000,
	     (unsigned)(size % 1000));
}

/* Replaces the locale's decimal separator by a point. */
static void undo_locale(char *text)
{
	size_t start = strspn(text, "-0123456789");
	size_t width = strcspn(text + start, "0123456789eE");

	if (!width)
		return;
	text[start] = '.';
	memmove(text + start + 1, text + start + width,
		strlen(text + start + width) + 1);
}

void jsonw_f64(struct jsonw *w, double value, int max_decimals)
{
	char text[64];
	double back;
	size_t len;

	if (!isfinite(value)) {
		jsonw_null(w);
		return;
	}
	/* From 2^53 on doubles have no fraction. */
	if (max_decimals >= 0 && fabs(value) < 9007199254740992.0) {
		snprintf(text, sizeof text, "%.*f",
			 max_decimals < 17 ? max_decimals : 17, value);
		undo_locale(text);
		len = strlen(text);
		while (strchr(text, '.') && text[len - 1] == '0')
			text[--len] = '\0';
		if (text[len - 1] == '.')
			text[len - 1] = '\0';
	} else {
		/* The fewest digits that read back as the same number. */
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(text, sizeof text, "%.*g", digits, value);
			undo_locale(text);
			if (parse_f64(str_from(text), &back) &&
			    !(back < value) && !(back > value))
				break;
		}
	}
	jsonw_separate(w);
	out_text(w->out, strcmp(text, "-0") ? text : "0");
}

void jsonw_bool(struct jsonw *w, bool value)
{
	jsonw_separate(w);
	out_text(w->out, value ? "true" : "false");
}

void jsonw_raw(struct jsonw *w, struct str json)
{
	jsonw_separate(w);
	out_str(w->out, json);
}

void jsonw_null(struct jsonw *w)
{
	jsonw_separate(w);
	out_text(w->out, "null");
}

void jsonw_pair_text(struct jsonw *w, const char *key, const char *text)
{
	jsonw_key(w, key);
	jsonw_text(w, text);
}

void jsonw_pair_str(struct jsonw *w, const char *key, struct str text)
{
	jsonw_key(w, key);
	jsonw_str(w, text);
}

void jsonw_pair_known_str(struct jsonw *w, const char *key, struct str text)
{
	jsonw_key(w, key);
	if (text.len)
		jsonw_str(w, text);
	else
		jsonw_null(w);
}

void jsonw_pair_i64(struct jsonw *w, const char *key, int64_t value)
{
	jsonw_key(w, key);
	jsonw_i64(w, value);
}

void jsonw_pair_known(struct jsonw *w, const char *key, int64_t value)
{
	jsonw_key(w, key);
	if (value < 0)
		jsonw_null(w);
	else
		jsonw_i64(w, value);
}

void jsonw_pair_f64(struct jsonw *w, const char *key, double value,
		    int max_decimals)
{
	jsonw_key(w, key);
	jsonw_f64(w, value, max_decimals);
}

void jsonw_pair_bool(struct jsonw *w, const char *key, bool value)
{
	jsonw_key(w, key);
	jsonw_bool(w, value);
}

void jsonw_pair_time(struct jsonw *w, const char *key, int64_t time_ns)
{
	char text[TIME_RFC3339_BYTES];

	format_rfc3339(time_ns, text);
	jsonw_pair_text(w, key, text);
}

/* ---- templates ---- */

/* Returns whether the word is a number: "-12", "0.5". */
static bool is_number(struct str word)
{
	size_t i = word.ptr[0] == '-';

	if (i == word.len)
		return false;
	for (; i < word.len; i++)
		if (!strchr("0123456789.", word.ptr[i]))
			return false;
	return true;
}

/* Writes the word at `at` and returns its end. */
static const char *add_word(struct jsonw *w, const char *at)
{
	bool is_quoted = *at == '\'';
	struct str word = { at + is_quoted, 0 };

	word.len = strcspn(word.ptr, is_quoted ? "'" : " \n,:{}[]%'");
	at = word.ptr + word.len;
	at += is_quoted && *at == '\'';
	if (*at == ':')
		jsonw_key_str(w, word);
	else if (!is_quoted &&
		 (is_number(word) || str_equal(word, STR("true")) ||
		  str_equal(word, STR("false")) ||
		  str_equal(word, STR("null"))))
		jsonw_raw(w, word);
	else
		jsonw_str(w, word);
	return at;
}

/* A conversion such as "%-.*s". */
struct slot {
	bool is_known; /* '-': null if unknown */
	bool is_time;  /* '+' */
	bool is_str;   /* ".*" or '*' */
	bool is_maybe; /* '*': NULL is null */
	int decimals;  /* -1: all */
	char size;     /* 'j', 'z' or 0 */
	char type;
};

static const char *slot_read(const char *at, struct slot *s)
{
	*s = (struct slot){ .decimals = -1 };
	s->is_known = *at == '-';
	s->is_time = *at == '+';
	at += s->is_known || s->is_time;
	s->is_maybe = s->is_str = *at == '*';
	at += s->is_maybe;
	if (*at == '.') {
		s->is_str = *++at == '*';
		at += s->is_str;
		for (s->decimals = 0; ascii_is_digit(*at); at++)
			s->decimals = 10 * s->decimals + (*at - '0');
	}
	if (*at == 'j' || *at == 'z')
		s->size = *at++;
	s->type = *at;
	return at + (*at != '\0');
}

static void add_text(struct jsonw *w, struct slot s, struct str text,
		     bool is_key)
{
	if (is_key)
		jsonw_key_str(w, text);
	else if (s.is_known && !text.len)
		jsonw_null(w);
	else
		jsonw_str(w, text);
}

static void add_integer(struct jsonw *w, struct slot s, int64_t value)
{
	char time[TIME_RFC3339_BYTES];

	if (s.is_time) {
		format_rfc3339(value, time);
		jsonw_text(w, time);
	} else if (s.is_known && value < (s.type == 'd' ? 0 : 1)) {
		jsonw_null(w);
	} else {
		jsonw_i64(w, value);
	}
}

static void add_bool(struct jsonw *w, struct slot s, int value)
{
	if (s.is_known && value < 0)
		jsonw_null(w);
	else
		jsonw_bool(w, value);
}

void jsonw_addf(struct jsonw *w, const char *template, ...)
{
	const char *at = template;
	struct slot s;
	struct str text;
	double number;
	va_list args;

	va_start(args, template);
	while (*at) {
		if (strchr(" \n,:", *at)) {
			at++;
			continue;
		}
		if (strchr("{[", *at)) {
			open_level(w, *at++);
			continue;
		}
		if (strchr("}]", *at)) {
			close_level(w, *at++);
			continue;
		}
		if (*at != '%') {
			at = add_word(w, at);
			continue;
		}
		at = slot_read(at + 1, &s);
		switch (s.type) {
		case 's':
			text.len = s.is_str ? (size_t)va_arg(args, int) : 0;
			text.ptr = va_arg(args, const char *);
			if (!s.is_str && text.ptr)
				text.len = strlen(text.ptr);
			if (text.ptr || (s.is_str && !s.is_maybe))
				add_text(w, s, text, *at == ':');
			else
				jsonw_null(w);
			break;
		case 'd':
			add_integer(w, s,
				    s.size == 'j' ? va_arg(args, intmax_t)
						  : va_arg(args, int));
			break;
		case 'u':
			add_integer(w, s,
				    s.size == 'z'
					    ? (int64_t)va_arg(args, size_t)
					    : va_arg(args, unsigned));
			break;
		case 'f':
		case 'g':
			number = va_arg(args, double);
			jsonw_f64(w, s.is_known && number < 0 ? NAN : number,
				  s.decimals);
			break;
		case 'i':
			add_bool(w, s, va_arg(args, int));
			break;
		}
	}
	va_end(args);
}
