/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/feed.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

/* Fast path for skipping unneeded values, which are most of a document. It only
 * handles common syntax and leaves errors to the reader. Measured in
 * docs/lab/performance.md, "quick way over unwanted JSON". */

/* State that changes from step to step. */
struct scan {
	const char *at;
	const char *end;
	unsigned depth;
	bool is_in_object;
	bool is_behind_member; /* else after the opening bracket */
};

static bool json_more(struct json_reader *r);
static bool json_copy_string(struct json_reader *r, struct buf *sink,
			     size_t max_bytes);
static bool json_view_any_string(struct json_reader *r, struct str *text);
static bool json_view_number(struct json_reader *r, struct str *text);

static inline bool json_is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *pass_blanks(const char *at, const char *end)
{
	while (at < end && (unsigned char)*at <= ' ' && json_is_blank(*at))
		at++;
	return at;
}

/* Skips a string, from after the opening quote to after the closing one; NULL
 * if not possible. */
static inline const char *pass_string(const char *at, const char *end)
{
	at += json_plain_run(at, (size_t)(end - at));
	return at < end && *at == '"' ? at + 1 : NULL;
}

/* Returns whether c can be part of a word or a number. */
static inline bool json_is_word_byte(char c)
{
	return ascii_is_alnum(c) || c == '_';
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

static inline bool json_is_number_byte(char c)
{
	return ascii_is_digit(c) || c == '-' || c == '+' || c == '.' ||
	       c == 'e' || c == 'E';
}

/* Skips a number without an exponent that ends within the window; else NULL. */
static inline const char *pass_number(const char *at, const char *end)
{
	const char *first = at, *start = at += *at == '-';

	while (at < end && ascii_is_digit(*at))
		at++;
	if (at == start || (*start == '0' && at > start + 1))
		return NULL;
	if (at < end && *at == '.') {
		start = ++at;
		while (at < end && ascii_is_digit(*at))
			at++;
		if (at == start)
			return NULL;
	}
	if (at == end || json_is_number_byte(*at) || json_is_word_byte(*at))
		return NULL;
	return (size_t)(at - first) < LIMIT_NUMBER_BYTES ? at : NULL;
}

/* From after a number in a list, skips the numbers that follow: columns of
 * tables and samples make up most of files that have them. */
static inline const char *pass_numbers(const char *at, const char *end)
{
	const char *behind = at;

	while (behind) {
		at = behind;
		behind = end - at > 1 && *at == ',' && ascii_is_digit(at[1])
				 ? pass_number(at + 1, end)
				 : NULL;
	}
	return at;
}

/* Skips a string, a plain number or a word; else NULL. */
static inline const char *pass_scalar(const char *at, const char *end)
{
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
		return pass_number(at, end);
	}
}

/* Skips a key up to its value, or NULL. */
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

/* Skips a member or a closing bracket, or enters a member; returns false,
 * without a step, for anything uncommon. */
static inline bool json_scan_step(struct json_reader *r, struct scan *s)
{
	const char *at = pass_blanks(s->at, s->end);
	bool is_number;

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
	is_number = ascii_is_digit(*at);
	at = is_number ? pass_number(at, s->end) : pass_scalar(at, s->end);
	if (!at)
		return false;
	s->at = is_number && !s->is_in_object ? pass_numbers(at, s->end) : at;
	s->is_behind_member = true;
	return true;
}

/* After an opening bracket or a member: skips members and closing brackets out
 * to this depth, as long as they are common syntax within the window. r then is
 * at what was not, which may be an error. */
static void json_skip_ahead(struct json_reader *r, unsigned outer)
{
	struct scan s = {
		.at = r->data + r->at,
		.end = r->data + r->end,
		.depth = r->depth,
		.is_in_object = r->is_in_object,
		.is_behind_member = r->due == DUE_COMMA,
	};

	while (s.depth > outer && json_scan_step(r, &s))
		;
	r->at = (size_t)(s.at - r->data);
	r->depth = s.depth;
	r->is_in_object = s.is_in_object;
	r->due = s.is_behind_member ? DUE_COMMA : DUE_FIRST;
	if (!r->depth)
		r->due = DUE_VALUE;
	r->is_announced = false;
}

static struct json_reader *reader_new(struct error *err)
{
	struct json_reader *r = mem_calloc(1, sizeof *r);

	if (!r) {
		error_memory(err, "the JSON reader");
		return NULL;
	}
	buf_init(&r->scratch, KEPT_BYTES + 4);
	r->data = "";
	return r;
}

struct json_reader *json_new(struct str bytes, struct error *err)
{
	struct json_reader *r = reader_new(err);

	if (r && bytes.len) {
		r->data = bytes.ptr;
		r->end = bytes.len;
	}
	return r;
}

struct json_reader *json_new_part(struct str bytes, uint64_t offset,
				  struct error *err)
{
	struct json_reader *r = json_new(bytes, err);

	if (r)
		r->passed = offset;
	return r;
}

struct json_reader *json_new_window(struct feed *feed, size_t window_bytes,
				    struct error *err)
{
	struct json_reader *r = reader_new(err);

	if (!r)
		return NULL;
	r->window = mem_alloc(window_bytes);
	if (!r->window) {
		error_memory(err, "the JSON reader");
		json_free(r);
		return NULL;
	}
	r->data = r->window;
	r->window_bytes = window_bytes;
	r->feed = feed;
	return r;
}

/* Returns whether at least `need` bytes are left. */
static inline bool json_has(struct json_reader *r, size_t need)
{
	while (r->end - r->at < need)
		if (!json_more(r))
			return false;
	return true;
}

/* Window size: fits the L2 cache of any machine. */
#define JSON_WINDOW_BYTES (256 * KIB)

struct json_reader *json_new_feed(struct feed *feed, struct error *err)
{
	struct json_reader *r;
	struct str bytes;

	if (feed_in_memory(feed, &bytes))
		r = json_new(bytes, err);
	else
		r = json_new_window(feed, JSON_WINDOW_BYTES, err);
	/* Windows editors write a byte order mark. */
	if (r && json_has(r, 3) &&
	    !memcmp(r->data + r->at, "\xef\xbb\xbf", 3))
		r->at += 3;
	return r;
}

void json_free(struct json_reader *r)
{
	if (!r)
		return;
	buf_release(&r->scratch);
	mem_free(r->window);
	mem_free(r);
}

bool json_failed(const struct json_reader *r)
{
	return r->err.code != ERROR_NONE;
}

bool json_check(const struct json_reader *r, struct error *err)
{
	if (json_failed(r))
		*err = r->err;
	return !json_failed(r);
}

size_t json_trimmed(const struct json_reader *r)
{
	return r->trimmed;
}

static bool fail_at(struct json_reader *r, enum error_code code,
		    const char *text)
{
	if (json_failed(r))
		return false;
	r->due = DUE_NOTHING;
	return error_set(&r->err, code, "byte %" PRIu64 ": %s",
			 r->passed + r->at, text);
}

bool json_fail(struct json_reader *r, const char *format, ...)
{
	char text[LIMIT_ERROR_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return fail_at(r, ERROR_FORMAT, text);
}

/* Appends the raw bytes of the value being copied, up to here. */
static void take_raw(struct json_reader *r)
{
	buf_add(r->raw, r->data + r->raw_from, r->at - r->raw_from);
}

/* Moves the window: unread bytes move to its start (r->at becomes 0) and more
 * are read after them. Returns false at the end of the input, and when unread
 * bytes fill the window. */
static bool json_more(struct json_reader *r)
{
	size_t kept = r->end - r->at;
	size_t got;

	if (!r->feed || kept == r->window_bytes)
		return false;
	if (r->raw)
		take_raw(r);
	r->raw_from = 0;
	memmove(r->window, r->data + r->at, kept);
	r->passed += r->at;
	r->at = 0;
	got = feed_read(r->feed, r->window + kept, r->window_bytes - kept);
	r->end = kept + got;
	return got > 0;
}

static int next_behind_blanks(struct json_reader *r)
{
	do {
		for (; r->at < r->end; r->at++)
			if (!json_is_blank(r->data[r->at]))
				return (unsigned char)r->data[r->at];
	} while (json_more(r));
	return -1;
}

/* Returns the next byte that is not whitespace, unconsumed; -1 at the end. */
static inline int next_byte(struct json_reader *r)
{
	if (r->at < r->end && (unsigned char)r->data[r->at] > ' ')
		return (unsigned char)r->data[r->at];
	return next_behind_blanks(r);
}

/* Fails with what was found instead of `what`. */
static bool json_fail_expected(struct json_reader *r, const char *what)
{
	int c = next_byte(r);

	if (c < 0)
		return json_fail(r, "the text ends where %s should come", what);
	if (c < 0x20 || c > 0x7E)
		return json_fail(r, "byte 0x%02x where %s should come",
				 (unsigned)c, what);
	return json_fail(r, "'%c' where %s should come", c, what);
}

static bool fail_misuse(struct json_reader *r, const char *what)
{
	return fail_at(r, ERROR_INTERNAL, what);
}

/* Updates the state after a value, nested or not. */
static inline void finish_value(struct json_reader *r)
{
	r->due = r->depth ? DUE_COMMA : DUE_VALUE;
	r->is_announced = false;
}

static bool fail_depth(struct json_reader *r)
{
	char text[80];

	snprintf(text, sizeof text, "nested deeper than the limit of %d levels",
		 LIMIT_JSON_DEPTH);
	return fail_at(r, ERROR_LIMIT, text);
}

/* Consumes the opening bracket. */
static inline bool open_level(struct json_reader *r, bool is_object)
{
	uint64_t bit = (uint64_t)1 << r->depth % 64;
	uint64_t *word = &r->levels[r->depth / 64];

	if (r->depth == LIMIT_JSON_DEPTH)
		return fail_depth(r);
	*word = is_object ? *word | bit : *word & ~bit;
	r->is_in_object = is_object;
	r->depth++;
	r->at++;
	r->due = DUE_FIRST;
	r->is_announced = false;
	return true;
}

/* Derives cached state from the levels. */
static inline void look_around(struct json_reader *r)
{
	unsigned last = r->depth - 1;

	r->is_in_object = r->depth && r->levels[last / 64] >> last % 64 & 1;
}

/* Consumes the closing bracket. */
static inline void close_level(struct json_reader *r)
{
	r->at++;
	r->depth--;
	look_around(r);
	finish_value(r);
}

/* Returns whether this byte comes next, without whitespace. */
static inline bool is_next(const struct json_reader *r, char c)
{
	return r->at < r->end && r->data[r->at] == c;
}

/* Skips the colon or comma before a value. Returns false at a closing bracket,
 * which is not consumed, and on failure. */
static bool reach_any_value(struct json_reader *r)
{
	if (json_failed(r))
		return false;
	if (r->due == DUE_COLON) {
		if (next_byte(r) != ':')
			return json_fail_expected(r, "':' after a key");
		r->at++;
	} else if (r->is_in_object) {
		return fail_misuse(r, "a value was read before its key");
	} else if (next_byte(r) == ']') {
		return false;
	} else if (r->due == DUE_COMMA) {
		if (next_byte(r) != ',')
			return json_fail_expected(r, "',' or ']'");
		r->at++;
	}
	r->due = DUE_VALUE;
	return true;
}

static inline bool reach_value(struct json_reader *r)
{
	if (r->due == DUE_VALUE)
		return true;
	if (r->due != DUE_COLON || !is_next(r, ':'))
		return reach_any_value(r);
	r->at++;
	r->due = DUE_VALUE;
	return true;
}

static enum json_kind kind_of(int c)
{
	switch (c) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_STRING;
	case 't':
		return JSON_TRUE;
	case 'f':
		return JSON_FALSE;
	case 'n':
		return JSON_NULL;
	default:
		return c == '-' || (c >= '0' && c <= '9') ? JSON_NUMBER
							  : JSON_END;
	}
}

static inline enum json_kind peek_value(struct json_reader *r)
{
	enum json_kind kind;
	int c;

	if (!reach_value(r))
		return JSON_END;
	c = next_byte(r);
	kind = kind_of(c);
	if (kind == JSON_END && (c >= 0 || r->depth))
		json_fail_expected(r, "a value");
	return kind;
}

enum json_kind json_peek(struct json_reader *r)
{
	if (!r->is_in_object || r->due == DUE_VALUE || r->due == DUE_COLON)
		return peek_value(r);
	if (json_failed(r) || next_byte(r) == '}')
		return JSON_END;
	return JSON_STRING;
}

/* Returns the kind of the next value, which is required; `what` is what the
 * caller expects. */
static enum json_kind begin_value(struct json_reader *r, const char *what)
{
	enum json_kind kind = peek_value(r);

	if (kind == JSON_END)
		json_fail_expected(r, what);
	return kind;
}

bool json_enter(struct json_reader *r, enum json_kind kind)
{
	const char *what = kind == JSON_OBJECT ? "an object" : "an array";
	enum json_kind found = begin_value(r, what);

	if (found == JSON_END)
		return false;
	if (found != kind)
		return json_fail_expected(r, what);
	return open_level(r, kind == JSON_OBJECT);
}

bool json_enter_nullable(struct json_reader *r, enum json_kind kind)
{
	if (json_peek(r) != JSON_NULL)
		return json_enter(r, kind);
	json_skip(r);
	return false;
}

bool json_enter_if(struct json_reader *r, enum json_kind kind)
{
	if (json_peek(r) == kind)
		return json_enter(r, kind);
	json_skip(r);
	return false;
}

bool json_next_item(struct json_reader *r)
{
	if (json_failed(r))
		return false;
	if (!r->depth || r->is_in_object || r->is_announced)
		return fail_misuse(r, "an item was read out of turn");
	if (reach_value(r)) {
		r->is_announced = true;
		return true;
	}
	if (!json_failed(r))
		close_level(r);
	return false;
}

bool json_next_item_or_end(struct json_reader *r, bool *is_open)
{
	bool is_outermost = r->depth == 1 && !r->is_announced;

	*is_open = is_outermost && !json_failed(r) && next_byte(r) < 0;
	if (!*is_open && !json_next_item(r))
		return false;
	*is_open = is_outermost && next_byte(r) < 0;
	if (*is_open) {
		r->depth = 0;
		look_around(r);
		finish_value(r);
	}
	return !*is_open;
}

static bool reach_any_key(struct json_reader *r)
{
	if (json_failed(r))
		return false;
	if (!r->is_in_object || r->due == DUE_VALUE || r->due == DUE_COLON)
		return fail_misuse(r, "a key was read out of turn");
	if (next_byte(r) == '}') {
		close_level(r);
		return false;
	}
	if (r->due == DUE_COMMA) {
		if (next_byte(r) != ',')
			return json_fail_expected(r, "',' or '}'");
		r->at++;
	}
	if (next_byte(r) != '"')
		return json_fail_expected(r, "a key in quotes");
	return true;
}

/* In an object: moves to the quote of a key. Returns false at the closing
 * brace, which is consumed. */
static inline bool reach_key(struct json_reader *r)
{
	if (r->due != DUE_COMMA || !r->is_in_object || r->end - r->at < 2 ||
	    r->data[r->at] != ',' || r->data[r->at + 1] != '"')
		return reach_any_key(r);
	r->at++;
	return true;
}

/* Same, with the common case inlined. */
static inline bool json_view_string(struct json_reader *r, struct str *text)
{
	const char *start = r->data + r->at + 1;
	size_t run = json_plain_run(start, r->end - r->at - 1);
	size_t behind = r->at + 1 + run;

	if (behind == r->end || *(start + run) != '"' ||
	    run > LIMIT_STRING_BYTES)
		return json_view_any_string(r, text);
	*text = (struct str){ start, run };
	r->at = behind + 1;
	return true;
}

bool json_next_key(struct json_reader *r, struct str *key)
{
	if (!reach_key(r) || !json_view_string(r, key))
		return false;
	r->due = DUE_COLON;
	return true;
}

struct str json_text_nullable(struct json_reader *r)
{
	struct str text;

	if (json_peek(r) != JSON_NULL)
		return json_text(r, &text) ? text : STR("");
	json_skip(r);
	return STR("");
}

bool json_text(struct json_reader *r, struct str *text)
{
	enum json_kind kind = begin_value(r, "a string");

	if (kind != JSON_END && kind != JSON_STRING)
		return json_fail_expected(r, "a string");
	if (kind == JSON_END || !json_view_string(r, text))
		return false;
	finish_value(r);
	return true;
}

bool json_string_long(struct json_reader *r, struct buf *out)
{
	enum json_kind kind = begin_value(r, "a string");

	if (kind != JSON_END && kind != JSON_STRING)
		return json_fail_expected(r, "a string");
	if (kind == JSON_END)
		return false;
	r->at++;
	if (!json_copy_string(r, out, SIZE_MAX))
		return false;
	finish_value(r);
	return true;
}

bool json_number_text(struct json_reader *r, struct str *text)
{
	enum json_kind kind = begin_value(r, "a number");

	if (kind == JSON_END)
		return false;
	if (kind == JSON_STRING)
		return json_text(r, text);
	if (kind != JSON_NUMBER)
		return json_fail_expected(r, "a number");
	if (!json_view_number(r, text))
		return false;
	finish_value(r);
	return true;
}

/* Consumes true, false or null. */
static bool read_word(struct json_reader *r, const char *word)
{
	size_t len = strlen(word);

	if (json_has(r, len + 1) && json_is_word_byte(r->data[r->at + len]))
		return json_fail(r, "unknown word");
	if (r->end - r->at < len || memcmp(r->data + r->at, word, len) != 0)
		return json_fail(r, "unknown word");
	r->at += len;
	finish_value(r);
	return !json_failed(r);
}

static bool fail_number(struct json_reader *r, struct str text,
			const char *wanted)
{
	struct str shown = str_slice(text, 0, 40);

	return json_fail(r, "'%.*s' is no %s", STR_ARGS(shown), wanted);
}

/* Reads the text of the next number; for null "0". */
static bool read_number(struct json_reader *r, struct str *text)
{
	*text = STR("0");
	return (peek_value(r) == JSON_NULL && read_word(r, "null")) ||
	       json_number_text(r, text);
}

/* Reads a plain unsigned integer. Returns false, consuming nothing, for any
 * other and if it may continue after the window. */
static inline bool take_whole(struct json_reader *r, const char *at,
			      uint64_t *value)
{
	const char *start = at, *end = r->data + r->end;
	uint64_t digits = 0;

	end = end - at > 19 ? at + 19 : end;
	while (at < end && ascii_is_digit(*at))
		digits = digits * 10 + (unsigned)(*at++ - '0');
	if (at == start || at == end || (*start == '0' && at > start + 1) ||
	    (*at != ',' && *at != '}' && *at != ']' && !json_is_blank(*at)))
		return false;
	*value = digits;
	r->at = (size_t)(at - r->data);
	finish_value(r);
	return true;
}

/* Same after a key or an announced item. */
static inline bool take_whole_value(struct json_reader *r, uint64_t *value)
{
	const char *at = r->data + r->at, *end = r->data + r->end;

	if (r->due == DUE_COLON && at < end && *at == ':')
		at = pass_blanks(at + 1, end);
	else if (r->due != DUE_VALUE)
		return false;
	return take_whole(r, at, value);
}

bool json_next_whole(struct json_reader *r, uint64_t *value)
{
	const char *at = r->data + r->at, *end = r->data + r->end;

	if (r->is_in_object || !r->depth || r->is_announced)
		return false;
	if (r->due == DUE_COMMA && at < end && *at == ',')
		at = pass_blanks(at + 1, end);
	else if (r->due != DUE_FIRST)
		return false;
	return take_whole(r, at, value);
}

bool json_i64(struct json_reader *r, int64_t *value)
{
	struct str text;
	uint64_t whole;

	if (take_whole_value(r, &whole)) {
		*value = (int64_t)whole;
		return true;
	}
	return read_number(r, &text) &&
	       (parse_i64(text, value) || parse_whole_i64(text, value) ||
		fail_number(r, text, "whole number of 64 bits"));
}

bool json_u64(struct json_reader *r, uint64_t *value)
{
	struct str text;

	return take_whole_value(r, value) ||
	       (read_number(r, &text) &&
		(parse_u64(text, value) || parse_whole_u64(text, value) ||
		 fail_number(r, text,
			    "whole number of 64 bits without sign")));
}

/* Parses "NaN" and the like, which proto3 JSON writes as strings. */
static bool parse_special(struct str text, double *value)
{
	if (str_equal(text, STR("NaN")))
		*value = (double)NAN;
	else if (str_equal(text, STR("Infinity")))
		*value = (double)INFINITY;
	else if (str_equal(text, STR("-Infinity")))
		*value = -(double)INFINITY;
	else
		return false;
	return true;
}

bool json_f64(struct json_reader *r, double *value)
{
	struct str text;
	uint64_t whole;

	if (take_whole_value(r, &whole)) {
		*value = (double)whole;
		return true;
	}
	return read_number(r, &text) &&
	       (parse_f64(text, value) || parse_special(text, value) ||
		fail_number(r, text, "number that fits a double"));
}

bool json_bool(struct json_reader *r, bool *value)
{
	enum json_kind kind = begin_value(r, "true or false");

	if (kind == JSON_END)
		return false;
	if (kind != JSON_TRUE && kind != JSON_FALSE)
		return json_fail_expected(r, "true or false");
	*value = kind == JSON_TRUE;
	return read_word(r, *value ? "true" : "false");
}

/* At the opening quote: skips and validates the string. */
static inline bool json_pass_string(struct json_reader *r)
{
	size_t start = ++r->at;
	size_t run = json_plain_run(r->data + start, r->end - start);

	if (start + run == r->end || r->data[start + run] != '"')
		return json_copy_string(r, NULL, 0);
	r->at = start + run + 1;
	return true;
}

/* Consumes a scalar or an opening bracket. */
static bool skip_one(struct json_reader *r)
{
	enum json_kind kind = begin_value(r, "a value");
	struct str text;

	switch (kind) {
	case JSON_END:
		return false;
	case JSON_OBJECT:
	case JSON_ARRAY:
		return open_level(r, kind == JSON_OBJECT);
	case JSON_TRUE:
		return read_word(r, "true");
	case JSON_FALSE:
		return read_word(r, "false");
	case JSON_NULL:
		return read_word(r, "null");
	case JSON_NUMBER:
		if (!json_view_number(r, &text))
			return false;
		break;
	case JSON_STRING:
		if (!json_pass_string(r))
			return false;
		break;
	}
	finish_value(r);
	return true;
}

/* Moves to the next value of the innermost level or closes it. */
static bool skip_separator(struct json_reader *r)
{
	if (!r->is_in_object)
		return json_next_item(r);
	if (!reach_key(r) || !json_pass_string(r))
		return false;
	r->due = DUE_COLON;
	return true;
}

/* Skips a common scalar within the window, after its key or announced. */
static inline bool skip_scalar(struct json_reader *r)
{
	const char *at = r->data + r->at, *end = r->data + r->end;

	if (r->due == DUE_COLON && at < end && *at == ':')
		at = pass_blanks(at + 1, end);
	else if (r->due != DUE_VALUE)
		return false;
	if (at == end || *at == '{' || *at == '[')
		return false;
	at = pass_scalar(at, end);
	if (!at)
		return false;
	r->at = (size_t)(at - r->data);
	finish_value(r);
	return true;
}

bool json_skip(struct json_reader *r)
{
	unsigned outer = r->depth;

	if (skip_scalar(r))
		return true;
	do {
		if (!skip_one(r))
			return false;
		if (r->depth > outer)
			json_skip_ahead(r, outer);
		while (r->depth > outer && !skip_separator(r))
			if (json_failed(r))
				return false;
	} while (r->depth > outer);
	return true;
}

bool json_raw(struct json_reader *r, struct buf *out)
{
	bool is_passed;

	if (begin_value(r, "a value") == JSON_END)
		return false;
	r->raw = out;
	r->raw_from = r->at;
	is_passed = json_skip(r);
	if (is_passed)
		take_raw(r);
	r->raw = NULL;
	if (is_passed && !buf_check(out, "a JSON value", &r->err))
		r->due = DUE_NOTHING;
	return r->due != DUE_NOTHING;
}

uint64_t json_offset(const struct json_reader *r)
{
	return r->passed + r->at;
}

void json_tell(const struct json_reader *r, struct feed_place *place)
{
	*place = (struct feed_place){ .offset = r->passed + r->at,
				      .depth = r->depth };
	memcpy(place->levels, r->levels, sizeof place->levels);
}

void json_resume(struct json_reader *r, const struct feed_place *place)
{
	r->depth = place->depth;
	memcpy(r->levels, place->levels, sizeof r->levels);
	look_around(r);
	r->due = DUE_VALUE;
	r->is_announced = true;
	if (!r->feed) {
		r->at = min_size((size_t)place->offset, r->end);
		return;
	}
	feed_seek(r->feed, place->offset);
	r->passed = place->offset;
	r->at = r->end = 0;
}

bool json_leave(struct json_reader *r)
{
	while (r->depth)
		if (skip_separator(r))
			json_skip(r);
		else if (json_failed(r))
			return false;
	return true;
}

bool json_at_end(struct json_reader *r)
{
	if (json_failed(r))
		return true;
	if (r->depth) {
		fail_misuse(r, "the end was read inside a value");
		return true;
	}
	return next_byte(r) < 0;
}

void json_expect_end(struct json_reader *r, const char *what)
{
	if (!json_at_end(r))
		json_fail(r, "more behind the %s", what);
}

/* Returns the top bit of each byte that is a quote, a backslash or a control
 * character; above the first of them others may be set, too, by borrows. */
static uint64_t special_bytes(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t quote = word ^ ones * '"';
	uint64_t slash = word ^ ones * '\\';

	return (((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) |
		((slash - ones) & ~slash)) &
	       ones << 7;
}

size_t json_plain_run_words(const char *text, size_t len)
{
	size_t at = 0;

	for (; len - at >= 8; at += 8) {
		uint64_t special = special_bytes(load_word(text + at));

		if (special)
			return at + (size_t)__builtin_ctzll(special) / 8;
	}
	while (at < len && (unsigned char)text[at] >= 0x20 && text[at] != '"' &&
	       text[at] != '\\')
		at++;
	return at;
}

/* Appends to a buffer that may be NULL (skipping) or at its limit
 * (truncating). */
static void keep_text(struct buf *sink, size_t max_bytes, const char *text,
		      size_t len)
{
	if (!sink || sink->len >= max_bytes)
		return;
	if (len > max_bytes - sink->len)
		len = max_bytes - sink->len;
	buf_add(sink, text, len);
}

static void keep_code(struct buf *sink, size_t max_bytes, unsigned code)
{
	char text[4];
	size_t len = 0;

	if (code < 0x80) {
		text[len++] = (char)code;
	} else if (code < 0x800) {
		text[len++] = (char)(0xC0 | code >> 6);
	} else if (code < 0x10000) {
		text[len++] = (char)(0xE0 | code >> 12);
		text[len++] = (char)(0x80 | (code >> 6 & 0x3F));
	} else {
		text[len++] = (char)(0xF0 | code >> 18);
		text[len++] = (char)(0x80 | (code >> 12 & 0x3F));
		text[len++] = (char)(0x80 | (code >> 6 & 0x3F));
	}
	if (code >= 0x80)
		text[len++] = (char)(0x80 | (code & 0x3F));
	keep_text(sink, max_bytes, text, len);
}

/* Reads the four digits of a \u escape that begins `ahead` bytes from here. */
static bool peek_unit(struct json_reader *r, size_t ahead, unsigned *unit)
{
	uint64_t value;

	if (!json_has(r, ahead + 6) || r->data[r->at + ahead] != '\\' ||
	    r->data[r->at + ahead + 1] != 'u' ||
	    !parse_hex_u64((struct str){ r->data + r->at + ahead + 2, 4 },
			   &value))
		return false;
	*unit = (unsigned)value;
	return true;
}

static bool is_high_surrogate(unsigned unit)
{
	return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low_surrogate(unsigned unit)
{
	return unit >= 0xDC00 && unit < 0xE000;
}

static bool read_unicode(struct json_reader *r, struct buf *sink,
			 size_t max_bytes)
{
	unsigned unit;
	unsigned low;

	if (!peek_unit(r, 0, &unit))
		return json_fail(r, "\\u without four hex digits in a string");
	if (is_high_surrogate(unit) && peek_unit(r, 6, &low) &&
	    is_low_surrogate(low)) {
		unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
		r->at += 6;
	} else if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
		unit = 0xFFFD;
	}
	r->at += 6;
	keep_code(sink, max_bytes, unit);
	return true;
}

/* At a backslash. */
static bool read_escape(struct json_reader *r, struct buf *sink,
			size_t max_bytes)
{
	static const char pairs[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	char c;

	if (!json_has(r, 2)) {
		r->at = r->end;
		return json_fail_expected(r, "the rest of a string");
	}
	c = r->data[r->at + 1];
	if (c == 'u')
		return read_unicode(r, sink, max_bytes);
	for (size_t i = 0; i + 1 < sizeof pairs; i += 2) {
		if (pairs[i] == c) {
			r->at += 2;
			keep_text(sink, max_bytes, &pairs[i + 1], 1);
			return true;
		}
	}
	return json_fail(r, "unknown escape in a string");
}

/* Copies a string, from after the opening quote to after the closing one. sink
 * may be NULL: only validates. Text over max_bytes is dropped. */
static bool json_copy_string(struct json_reader *r, struct buf *sink,
			     size_t max_bytes)
{
	for (;;) {
		size_t run = json_plain_run(r->data + r->at, r->end - r->at);
		bool is_done;

		keep_text(sink, max_bytes, r->data + r->at, run);
		r->at += run;
		if (!json_has(r, 1))
			return json_fail(r, "the text ends inside a string");
		is_done = r->data[r->at] == '"';
		if (is_done) {
			r->at++;
			break;
		}
		if (r->data[r->at] == '\\') {
			if (!read_escape(r, sink, max_bytes))
				return false;
		} else if ((unsigned char)r->data[r->at] < 0x20) {
			return json_fail(r,
					 "bare control byte 0x%02x in a "
					 "string",
					 (unsigned)r->data[r->at]);
		}
	}
	if (json_failed(r))
		return false;
	if (sink && !buf_check(sink, "a JSON string", &r->err))
		r->due = DUE_NOTHING;
	return r->due != DUE_NOTHING;
}

/* At the opening quote: reads a string, without copying if it is contiguous. */
static bool json_view_any_string(struct json_reader *r, struct str *text)
{
	size_t run;

	r->at++;
	run = json_plain_run(r->data + r->at, r->end - r->at);
	while (r->at + run == r->end && json_more(r))
		run += json_plain_run(r->data + r->at + run,
				      r->end - r->at - run);
	if (r->at + run < r->end && r->data[r->at + run] == '"') {
		*text = (struct str){ r->data + r->at, run };
		r->at += run + 1;
	} else {
		buf_clear(&r->scratch);
		if (!json_copy_string(r, &r->scratch, KEPT_BYTES))
			return false;
		*text = buf_str(&r->scratch);
	}
	if (text->len > LIMIT_STRING_BYTES) {
		text->len =
			utf8_floor(text->ptr, text->len, LIMIT_STRING_BYTES);
		r->trimmed++;
	}
	return true;
}

/* At the first digit or the sign: reads and validates the number. */
static bool json_view_number(struct json_reader *r, struct str *text)
{
	const char *start = r->data + r->at;
	const char *end = pass_number(start, r->data + r->end);
	size_t len = 0;

	if (end) {
		*text = (struct str){ start, (size_t)(end - start) };
		r->at += text->len;
		return true;
	}
	while (json_has(r, len + 1) &&
	       json_is_number_byte(r->data[r->at + len]))
		if (++len >= LIMIT_NUMBER_BYTES)
			return json_fail(r, "a number of too many digits");
	*text = (struct str){ r->data + r->at, len };
	if (json_failed(r))
		return false;
	if (!is_decimal(*text) ||
	    (r->at + len < r->end && json_is_word_byte(r->data[r->at + len])))
		return json_fail(r, "malformed number");
	r->at += len;
	return true;
}

/* ---- members by a table ---- */

static inline unsigned field_hash(uint64_t factor, struct str key)
{
	return (unsigned)(word_of_ends(key) * factor >> 57);
}

/* Returns false if two names collide. */
static bool place_fields(struct json_fields *f)
{
	memset(f->places, 0, sizeof f->places);
	for (unsigned i = 0; f->names[i].text.len; i++) {
		unsigned char *place =
			&f->places[field_hash(f->factor, f->names[i].text)];

		if (*place)
			return false;
		*place = (unsigned char)(i + 1);
	}
	return true;
}

/* Number of factors tried: for 25 names one in ten has no collision. Tables
 * without one are searched linearly, as they are while another thread builds
 * the hash. */
#define FACTORS_MOST 10000u

enum { FIELDS_RAW, FIELDS_IN_WORK, FIELDS_MADE };

static bool fields_make(struct json_fields *f)
{
	unsigned char stage = FIELDS_RAW;

	if (!atomic_compare_exchange_strong(&f->stage, &stage, FIELDS_IN_WORK))
		return stage == FIELDS_MADE;
	f->factor = 0x9E3779B97F4A7C15u;
	for (unsigned i = 0; !place_fields(f); i++) {
		if (i == FACTORS_MOST) {
			f->factor = 0;
			break;
		}
		f->factor = f->factor * 0xD1342543DE82EF95u + 2;
	}
	atomic_store(&f->stage, FIELDS_MADE);
	return true;
}

int json_field(struct json_fields *f, struct str key)
{
	const struct json_name *name = f->names;
	unsigned place;

	if ((atomic_load_explicit(&f->stage, memory_order_acquire) ==
		     FIELDS_MADE ||
	     fields_make(f)) &&
	    f->factor) {
		place = f->places[field_hash(f->factor, key)];
		name += place ? place - 1 : 0;
		return place && str_equal(name->text, key) ? name->field : -1;
	}
	for (; name->text.len; name++)
		if (str_equal(name->text, key))
			return name->field;
	return -1;
}

int json_next_field(struct json_reader *r, struct json_fields *f)
{
	struct str key;

	while (json_next_key(r, &key)) {
		int field = json_field(f, key);

		if (field >= 0)
			return field;
		json_skip(r);
	}
	return -1;
}

/* Compound steps. */

void json_each_object(struct json_reader *r,
		      void (*read)(struct json_reader *r, struct str key,
				   void *into),
		      void *into)
{
	struct str key;

	if (!json_enter(r, JSON_ARRAY))
		return;
	while (json_next_item(r)) {
		if (!json_enter(r, JSON_OBJECT))
			return;
		while (json_next_key(r, &key))
			read(r, key, into);
	}
}

bool json_next_object(struct json_reader *r)
{
	while (json_next_item(r))
		if (json_enter_nullable(r, JSON_OBJECT))
			return true;
	return false;
}

bool json_next_named(struct json_reader *r, struct str name)
{
	struct str key;

	while (json_next_key(r, &key)) {
		if (str_equal(key, name))
			return true;
		json_skip(r);
	}
	return false;
}

uint64_t json_u64_capped(struct json_reader *r)
{
	struct str text;
	uint64_t value = 0;

	if (json_peek(r) == JSON_NULL)
		json_skip(r);
	else if (json_number_text(r, &text) && !parse_u64(text, &value) &&
		 !parse_whole_u64(text, &value))
		value = UINT64_MAX;
	return value;
}
