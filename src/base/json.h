/* SPDX-License-Identifier: Apache-2.0
 *
 * Pull parser for JSON: one pass, no document tree, memory bounded by the
 * nesting limit. The caller walks the document token by token and skips what it
 * does not need. Accepts invalid UTF-8 and \u0000 (servers send both);
 * otherwise strict RFC 8259. Duplicate keys are not detected.
 *
 *   if (json_enter(r, JSON_OBJECT))
 *           while (json_next_key(r, &key))
 *                   if (str_equal(key, STR("spans")))
 *                           read_spans(r, ...);
 *                   else
 *                           json_skip(r);
 *   if (json_failed(r)) ...
 *
 * After the first failure all calls return false or JSON_END, so loops end by
 * themselves; json_check() reports the error and its position.
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

/* Reads bytes in memory, borrowed until json_free(). */
struct json_reader *json_new(struct str bytes, struct error *err) MUST_CHECK;

/* Same for a part of an input that begins at this offset. */
struct json_reader *json_new_part(struct str bytes, uint64_t offset,
				  struct error *err) MUST_CHECK;

/* Reads from the current position of a feed, borrowed likewise; of a file only
 * a window is in memory. A leading byte order mark is skipped. If reading fails
 * the text looks truncated: call feed_check() first. */
struct json_reader *json_new_feed(struct feed *feed,
				  struct error *err) MUST_CHECK;
void json_free(struct json_reader *r);

/* Returns the kind of the next value without consuming it. JSON_END at the end
 * of the enclosing array or object, at the end of input, or after a failure. A
 * key counts as JSON_STRING. */
enum json_kind json_peek(struct json_reader *r);

/* Enters the next value, an object or array; fails if it is of another kind. */
bool json_enter(struct json_reader *r, enum json_kind kind) MUST_CHECK;

/* Same, but null is skipped and false returned. */
bool json_enter_nullable(struct json_reader *r, enum json_kind kind) MUST_CHECK;

/* Same, but a value of any other kind is skipped and false returned. */
bool json_enter_if(struct json_reader *r, enum json_kind kind) MUST_CHECK;

/* In an object: reads the next key. Consume its value with one of the calls
 * below before the next key. Returns false at the closing brace, which is
 * consumed. The text is valid until the next call on r. */
bool json_next_key(struct json_reader *r, struct str *key) MUST_CHECK;

/* In an array: returns true if another element follows, false at the closing
 * bracket, which is consumed. */
bool json_next_item(struct json_reader *r) MUST_CHECK;

/* Same, but the input may end in the outermost array before an element or after
 * a comma: returns false and sets *is_open. */
bool json_next_item_or_end(struct json_reader *r, bool *is_open) MUST_CHECK;

/* In an object: moves to the next member of this name, skipping others; false
 * at the closing brace, as above. */
bool json_next_named(struct json_reader *r, struct str name) MUST_CHECK;

/* A member name and the caller's number for it. */
struct json_name {
	struct str text;
	int field;
};

#define JSON_NAME(literal, field)                                              \
	{                                                                      \
		{ literal, sizeof(literal) - 1 }, field                        \
	}

/* Terminates a table of names. */
#define NAMES_END                                                              \
	{                                                                      \
		{ NULL, 0 }, 0                                                 \
	}

/* Members of an object with constant-time lookup: by a perfect hash of a name's
 * length and bytes. The hash is searched for at the first lookup;
 * thread-safe. */
struct json_fields {
	const struct json_name *names;
	atomic_uchar stage;        /* of building the hash; 2: done */
	uint64_t factor;           /* of the hash; 0: none found */
	unsigned char places[128]; /* index + 1 by hash; 0: none */
};

/* struct json_fields of a file = JSON_FIELDS(JSON_NAME("id", FIELD_ID), ...) */
#define JSON_FIELDS(...)                                                       \
	{                                                                      \
		.names = (const struct json_name[]){ __VA_ARGS__, NAMES_END }  \
	}

/* Returns the field of the key, -1 if unknown. */
int json_field(struct json_fields *f, struct str key);

/* In an object: returns the field of the next member that the table lists,
 * skipping others; consume its value. -1 at the closing brace, as in
 * json_next_key(). */
int json_next_field(struct json_reader *r, struct json_fields *f);

/* In an array: consumes the next element if it is a plain unsigned integer of
 * up to 18 digits. Otherwise, and at the end, returns false and consumes
 * nothing: continue with json_next_item(). */
bool json_next_whole(struct json_reader *r, uint64_t *value) MUST_CHECK;

/* In an array of objects: enters the next one, skipping nulls; false at the
 * closing bracket, as above. */
bool json_next_object(struct json_reader *r) MUST_CHECK;

/* Enters the next value, an array of objects, and calls read, which consumes
 * the value, for each key of each object. */
void json_each_object(struct json_reader *r,
		      void (*read)(struct json_reader *r, struct str key,
				   void *into),
		      void *into);

/* Reads a string, escapes resolved; valid until the next call on r. Strings
 * longer than LIMIT_STRING_BYTES are truncated at a character boundary and
 * counted (json_trimmed()). Lone surrogates become U+FFFD. Fails on another
 * kind. */
bool json_text(struct json_reader *r, struct str *text) MUST_CHECK;

/* Same; "" for null and on failure. */
struct str json_text_nullable(struct json_reader *r);

/* Same without truncation, appended to out (for base64 bodies). */
bool json_string_long(struct json_reader *r, struct buf *out) MUST_CHECK;

/* Reads the text of a number, or of a string (proto3 JSON writes 64-bit
 * integers as strings). Fails on another kind. */
bool json_number_text(struct json_reader *r, struct str *text) MUST_CHECK;

/* Read an integer written as a number or a string; "1e3" and "5.0" are
 * accepted. Fails if fractional or out of range. null gives 0. */
bool json_i64(struct json_reader *r, int64_t *value) MUST_CHECK;
bool json_u64(struct json_reader *r, uint64_t *value) MUST_CHECK;

/* Same, but tolerant: null gives 0; a malformed or out-of-range number gives
 * UINT64_MAX. Fails on another kind. */
uint64_t json_u64_capped(struct json_reader *r);

/* Also accepts the strings "NaN", "Infinity", "-Infinity". null gives 0. */
bool json_f64(struct json_reader *r, double *value) MUST_CHECK;

bool json_bool(struct json_reader *r, bool *value) MUST_CHECK;

/* Consumes the next value, nested ones included, without recursion. The content
 * is validated but not kept. */
bool json_skip(struct json_reader *r);

/* Consumes the next value and appends its raw bytes to out. */
bool json_raw(struct json_reader *r, struct buf *out) MUST_CHECK;

/* At top level: returns true if only whitespace remains. If false, r is ready
 * for the next document (newline-delimited or concatenated JSON). */
bool json_at_end(struct json_reader *r);

/* At top level: fails if more than whitespace follows the `what`. */
void json_expect_end(struct json_reader *r, const char *what);

/* Returns the number of input bytes consumed. */
uint64_t json_offset(const struct json_reader *r);

/* Stores the position of the current item, after json_next_item() returned
 * true. */
void json_tell(const struct json_reader *r, struct feed_place *place);

/* Resumes at a position as after that json_next_item(). The position must come
 * from a reader of the same input. */
void json_resume(struct json_reader *r, const struct feed_place *place);

/* Skips, with validation, to the end of all open objects and arrays. */
bool json_leave(struct json_reader *r);

/* Records an error of the caller's ("span without an id"), with position. */
bool json_fail(struct json_reader *r, const char *format, ...)
	PRINTF_LIKE(2, 3);

bool json_failed(const struct json_reader *r);

/* Returns false and sets the error (ERROR_FORMAT, with byte offset) if reading
 * failed. */
bool json_check(const struct json_reader *r, struct error *err) MUST_CHECK;

/* Returns the number of strings truncated so far. */
size_t json_trimmed(const struct json_reader *r);

#endif
