/* SPDX-License-Identifier: Apache-2.0
 *
 * A borrowed piece of text: pointer and length, not NUL-terminated. Text from
 * servers may hold NUL bytes, so lengths are carried everywhere.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
	const char *ptr;
	size_t len;
};

/* From a string literal. */
#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })

/* For printf's "%.*s": two arguments, so s is named twice; taking its address
 * makes the compiler refuse a call here. Long text is cut, see str_printed. */
#define STR_ARGS(s) str_printed(&(s)), (&(s))->ptr

/* Bytes of s that STR_ARGS lets print: printf counts in int, and no message
 * wants more than 4096. */
int str_printed(const struct str *s);

/* The same with all of it, of less than 2 GiB: for jsonw_addf(). */
#define STR_WHOLE(s) str_whole(&(s)), (&(s))->ptr
int str_whole(const struct str *s);

/* From a C string; NULL gives the empty string. */
struct str str_from(const char *text);

static inline bool str_equal(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || !memcmp(a.ptr, b.ptr, a.len));
}

/* Bytewise order, shorter first on a tie: the same in every locale. */
int str_compare(struct str a, struct str b);

bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);

/* ASCII case is ignored, other bytes are compared as they are. */
bool str_equal_nocase(struct str a, struct str b);

/* Is it one of so many words, or texts? */
bool str_is_one_of(struct str s, const char *const *words, size_t count);
bool str_is_one_of_nocase(struct str s, const char *const *words, size_t count);
bool str_is_among(struct str s, const struct str *texts, size_t count);

/* Digits only, at least one? */
bool str_is_digits(struct str s);

/* Offset of the first `needle` in s, or SIZE_MAX. */
size_t str_find(struct str s, struct str needle);

/* Offset of the next c, from `start` on, which is at most s.len; s.len where
 * there is none. */
size_t str_until(struct str s, size_t start, char c);

/* Offset behind the last c; 0 where there is none. */
size_t str_behind_last(struct str s, char c);

/* Takes the first line off *rest, which is empty behind the last; without its
 * line feed. */
struct str str_take_line(struct str *rest);

/* Without ASCII blanks at both ends. */
struct str str_trim(struct str s);

/* The part from `start`, at most `len` bytes; clamped to s. */
struct str str_slice(struct str s, size_t start, size_t len);

/* Bytes of the UTF-8 character at the front of text, which must not be empty;
 * 0 when it is none (RFC 3629): overlong forms, surrogates and what lies past
 * U+10FFFF are not. */
size_t utf8_length(struct str text);

/* The largest length <= at at which text[0..len) ends on a UTF-8 character
 * boundary. size is the length of text; malformed text is cut bytewise. */
size_t utf8_floor(const char *text, size_t size, size_t at);

/* Kinds of ASCII characters, the same in every locale; <ctype.h> asks the
 * locale and is undefined for the bytes above 0x7F that servers send. */

static inline bool ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_letter(char c)
{
	return ascii_is_lower(c) || ascii_is_upper(c);
}

static inline bool ascii_is_alnum(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c);
}

static inline bool ascii_is_hex(char c)
{
	return ascii_is_digit(c) || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/* Other bytes are given back as they are. */
static inline char ascii_lower(char c)
{
	return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

#endif
