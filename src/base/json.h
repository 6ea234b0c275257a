/* SPDX-License-Identifier: Apache-2.0
 *
 * Pull reader for JSON: one pass, no document tree, memory bounded by the
 * nesting limit. The caller walks the document token
 * by token; whatever it does not want it skips. Accepts any UTF-8 or damaged
 * UTF-8 text and \u0000 (servers send both); everything else is strict
 * RFC 8259. Duplicate keys are the caller's affair.
 *
 *   json_expect(r, JSON_OBJECT)
 *   while (json_next_key(r, &key))
 *           if (str_equal(key, STR("spans"))) read_spans(r, ...);
 *           else json_skip(r);
 *   if (json_failed(r)) ...
 *
 * The first failure sticks: later calls return false or JSON_END, so loops
 * end by themselves and json_check() tells what happened and where.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/feed.h"
#include "base/str.h"

enum json_kind {
	JSON_END = 0, /* no more values here, or failed */
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

struct json_reader;

/* Over bytes in memory, borrowed until json_free. */
struct json_reader *json_new(struct str bytes, struct error *err) MUST_CHECK;

/* The same over a part of an input that begins so many bytes from its front. */
struct json_reader *json_new_part(struct str bytes, uint64_t offset,
				  struct error *err) MUST_CHECK;

/* Over a feed, borrowed likewise, from where it stands; of a file only a
 * window is in memory. A byte order mark in front is passed over. When
 * reading fails the text seems cut off: ask feed_check() first. */
struct json_reader *json_new_feed(struct feed *feed,
				  struct error *err) MUST_CHECK;
void json_free(struct json_reader *r);

/* Kind of the value that comes next, without consuming it. JSON_END at the
 * end of the enclosing array or object, at the end of input, or failed. A key
 * counts as JSON_STRING. */
enum json_kind json_peek(struct json_reader *r);

/* Enters the object or array that comes next; fails when the next value is
 * of another kind. */
bool json_enter(struct json_reader *r, enum json_kind kind) MUST_CHECK;

/* The same where null stands for nothing: it is skipped, and false given. */
bool json_enter_nullable(struct json_reader *r, enum json_kind kind) MUST_CHECK;

/* The same where any other kind stands for nothing. */
bool json_enter_if(struct json_reader *r, enum json_kind kind) MUST_CHECK;

/* In an object: the next key; consume the value with one of the calls below
 * before asking again. False at the closing brace, which is consumed. The
 * text is valid until the next call on r. */
bool json_next_key(struct json_reader *r, struct str *key) MUST_CHECK;

/* In an array: true when another element comes; false at the closing
 * bracket, which is consumed. */
bool json_next_item(struct json_reader *r) MUST_CHECK;

/* The same where the input may end in the outermost array, in front of an
 * element or behind its comma: false, and *is_open. */
bool json_next_item_or_end(struct json_reader *r, bool *is_open) MUST_CHECK;

/* In an object: the next member of this name, others are passed over; at the
 * closing brace as above. */
bool json_next_named(struct json_reader *r, struct str name) MUST_CHECK;

/* A member as documents spell it, and what the caller calls it. */
struct json_name {
	struct str text;
	int field;
};

#define JSON_NAME(literal, field)                                              \
	{                                                                      \
		{ literal, sizeof(literal) - 1 }, field                        \
	}

/* Ends a table of them. */
#define NAMES_END                                                              \
	{                                                                      \
		{ NULL, 0 }, 0                                                 \
	}

/* The members of an object, looked up at once: by a hash of a name's length and
 * bytes that no two names of the table share. It is looked for when a name is
 * looked up for the first time, by any thread. */
struct json_fields {
	const struct json_name *names;
	atomic_uchar stage;        /* of making the following: 2 is made */
	uint64_t factor;           /* of the hash; 0: no such hash is known */
	unsigned char places[128]; /* index + 1 by hash; 0: no such name */
};

/* struct json_fields of a file = JSON_FIELDS(JSON_NAME("id", FIELD_ID), ...) */
#define JSON_FIELDS(...)                                                       \
	{                                                                      \
		.names = (const struct json_name[]){ __VA_ARGS__, NAMES_END }  \
	}

/* Field of the key; -1: unknown. */
int json_field(struct json_fields *f, struct str key);

/* In an object: the field of the next member that the table has, whose value is
 * to be consumed; others are passed over. -1 at the closing brace, as
 * json_next_key(). */
int json_next_field(struct json_reader *r, struct json_fields *f);

/* In an array: consumes the next element if it is a plain whole number of up to
 * 18 digits, without sign. False, and nothing consumed, for any other and at
 * the end: json_next_item() goes on. */
bool json_next_whole(struct json_reader *r, uint64_t *value) MUST_CHECK;

/* In an array of objects: enters the next one, null is passed over; at the
 * closing bracket as above. */
bool json_next_object(struct json_reader *r) MUST_CHECK;

/* Enters the array of objects that comes next and calls read for each key of
 * each, which consumes the value. */
void json_each_object(struct json_reader *r,
		      void (*read)(struct json_reader *r, struct str key,
				   void *into),
		      void *into);

/* A string's text with escapes resolved; valid until the next call on r.
 * Longer than LIMIT_STRING_BYTES: trimmed at a character, *json_trimmed
 * counts. Lone surrogates become U+FFFD. Fails on another kind. */
bool json_text(struct json_reader *r, struct str *text) MUST_CHECK;

/* The same; "" for null, and on failure. */
struct str json_text_nullable(struct json_reader *r);

/* Same but untrimmed, appended to out (for base64 bodies). */
bool json_string_long(struct json_reader *r, struct buf *out) MUST_CHECK;

/* The text of a number, or of a string (proto3 JSON writes 64-bit integers
 * as strings). Fails on another kind. */
bool json_number_text(struct json_reader *r, struct str *text) MUST_CHECK;

/* An integer written as a number or a string, also "1e3" and "5.0" when
 * whole. Out of range or fractional: fails. null gives 0. */
bool json_i64(struct json_reader *r, int64_t *value) MUST_CHECK;
bool json_u64(struct json_reader *r, uint64_t *value) MUST_CHECK;

/* The same for what must not be damage: null gives 0, what is no number
 * or does not fit the largest one. Fails on another kind. */
uint64_t json_u64_capped(struct json_reader *r);

/* Also the strings "NaN", "Infinity", "-Infinity". null gives 0. */
bool json_f64(struct json_reader *r, double *value) MUST_CHECK;

bool json_bool(struct json_reader *r, bool *value) MUST_CHECK;

/* Consumes the next value whatever it is, nested ones included, no recursion.
 * Nothing inside is kept, but everything is checked. */
bool json_skip(struct json_reader *r);

/* The raw bytes of the next value, consumed, appended to out. */
bool json_raw(struct json_reader *r, struct buf *out) MUST_CHECK;

/* At top level: true when only blanks remain. False leaves r ready for the
 * next document (newline-delimited or concatenated JSON). */
bool json_at_end(struct json_reader *r);

/* At top level: fails when more than blanks remain behind the `what`. */
void json_expect_end(struct json_reader *r, const char *what);

/* Bytes of the input that are consumed. */
uint64_t json_offset(const struct json_reader *r);

/* After json_next_item() said true: where the item stands. */
void json_tell(const struct json_reader *r, struct feed_place *place);

/* Goes on there, as after that json_next_item(). The place must have been
 * told by a reader of the same input. */
void json_resume(struct json_reader *r, const struct feed_place *place);

/* Passes over the rest of all that is open, checked. */
bool json_leave(struct json_reader *r);

/* Records a failure of the caller's ("span without an id"), with position. */
bool json_fail(struct json_reader *r, const char *format, ...)
	PRINTF_LIKE(2, 3);

bool json_failed(const struct json_reader *r);

/* False and the error (ERROR_FORMAT, with byte offset) when reading failed. */
bool json_check(const struct json_reader *r, struct error *err) MUST_CHECK;

/* Strings that were trimmed so far. */
size_t json_trimmed(const struct json_reader *r);

#endif
