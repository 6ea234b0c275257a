/* SPDX-License-Identifier: Apache-2.0
 *
 * A borrowed string: pointer and length, not NUL-terminated. Text from servers
 * may contain NUL bytes, so the length is always carried along.
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

/* A str from a string literal. */
#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })

/* The two arguments for "%.*s" of printf(). Evaluates s twice; since it takes
 * the address, the compiler rejects function calls. Long text is truncated, see
 * str_printed(). */
#define STR_ARGS(s) str_printed(&(s)), (&(s))->ptr

/* Returns the precision for STR_ARGS: printf() counts in int, and no message
 * needs more than 4096 bytes. */
int str_printed(const struct str *s);

/* Same without truncation, for text below 2 GiB: for jsonw_addf(). */
#define STR_WHOLE(s) str_whole(&(s)), (&(s))->ptr
int str_whole(const struct str *s);

/* A str from a C string; NULL gives the empty string. */
struct str str_from(const char *text);

static inline bool str_equal(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || !memcmp(a.ptr, b.ptr, a.len));
}

/* Bytewise three-way comparison; of equal prefixes the shorter is first. */
int str_compare(struct str a, struct str b);

bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);

/* Ignores ASCII case; other bytes must be equal. */
bool str_equal_nocase(struct str a, struct str b);

/* Return whether s equals one of `count` words or texts. */
bool str_is_one_of(struct str s, const char *const *words, size_t count);
bool str_is_one_of_nocase(struct str s, const char *const *words, size_t count);
bool str_is_among(struct str s, const struct str *texts, size_t count);

/* Returns whether s is one or more digits. */
bool str_is_digits(struct str s);

/* Returns the offset of the first `needle` in s, SIZE_MAX if absent. */
size_t str_find(struct str s, struct str needle);

/* Returns the offset of the next c from `start` (at most s.len) on; s.len if
 * absent. */
size_t str_until(struct str s, size_t start, char c);

/* Returns the offset after the last c; 0 if absent. */
size_t str_behind_last(struct str s, char c);

/* Removes the first line from *rest and returns it without its line feed; *rest
 * is empty after the last line. */
struct str str_take_line(struct str *rest);

/* Removes ASCII whitespace at both ends. */
struct str str_trim(struct str s);

/* Returns the substring from `start` of at most `len` bytes, clamped to s. */
struct str str_slice(struct str s, size_t start, size_t len);

/* Returns the length in bytes of the UTF-8 character at the start of text
 * (which must not be empty); 0 if invalid as by RFC 3629: overlong forms,
 * surrogates, values past U+10FFFF. */
size_t utf8_length(struct str text);

/* Returns the largest length <= at where text[0..len) ends on a UTF-8 character
 * boundary. size is the length of text; invalid UTF-8 may be cut at any
 * byte. */
size_t utf8_floor(const char *text, size_t size, size_t at);

/* ASCII character classes, independent of the locale: <ctype.h> depends on it
 * and is undefined for bytes above 0x7F, which servers send. */

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

/* Other bytes are returned unchanged. */
static inline char ascii_lower(char c)
{
	return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

#endif
