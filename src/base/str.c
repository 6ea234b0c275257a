/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <limits.h>

#include <stdint.h>
#include <string.h>

int str_printed(const struct str *s)
{
	return s->len > 4096 ? 4096 : (int)s->len;
}

int str_whole(const struct str *s)
{
	return s->len > INT_MAX ? INT_MAX : (int)s->len;
}

struct str str_from(const char *text)
{
	return text ? (struct str){ text, strlen(text) } : STR("");
}

int str_compare(struct str a, struct str b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common ? memcmp(a.ptr, b.ptr, common) : 0;

	if (order)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

bool str_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len &&
	       str_equal(str_slice(s, 0, prefix.len), prefix);
}

bool str_ends(struct str s, struct str suffix)
{
	return s.len >= suffix.len &&
	       str_equal(str_slice(s, s.len - suffix.len, suffix.len), suffix);
}

bool str_equal_nocase(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (ascii_lower(a.ptr[i]) != ascii_lower(b.ptr[i]))
			return false;
	return true;
}

bool str_is_one_of(struct str s, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal(s, str_from(words[i])))
			return true;
	return false;
}

bool str_is_one_of_nocase(struct str s, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal_nocase(s, str_from(words[i])))
			return true;
	return false;
}

bool str_is_among(struct str s, const struct str *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal(s, texts[i]))
			return true;
	return false;
}

bool str_is_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_is_digit(s.ptr[i]))
			return false;
	return s.len > 0;
}

/* memmem() first builds a table of 256 bytes. Trying each occurrence of the
 * first byte is faster for short needles, which also bound the work per
 * occurrence. */
#define SHORT_NEEDLE_BYTES 32

static size_t find_short(struct str s, struct str needle)
{
	const char *at = s.ptr, *last = s.ptr + (s.len - needle.len);

	while (at <= last) {
		at = memchr(at, needle.ptr[0], (size_t)(last - at) + 1);
		if (!at)
			break;
		if (!memcmp(at, needle.ptr, needle.len))
			return (size_t)(at - s.ptr);
		at++;
	}
	return SIZE_MAX;
}

size_t str_find(struct str s, struct str needle)
{
	const char *hit;

	if (needle.len == 0)
		return 0;
	if (s.len < needle.len)
		return SIZE_MAX;
	if (needle.len <= SHORT_NEEDLE_BYTES)
		return find_short(s, needle);
	hit = memmem(s.ptr, s.len, needle.ptr, needle.len);
	return hit ? (size_t)(hit - s.ptr) : SIZE_MAX;
}

size_t str_until(struct str s, size_t start, char c)
{
	const char *hit = NULL;

	if (start < s.len)
		hit = memchr(s.ptr + start, c, s.len - start);
	return hit ? (size_t)(hit - s.ptr) : s.len;
}

size_t str_behind_last(struct str s, char c)
{
	size_t end = s.len;

	while (end > 0 && s.ptr[end - 1] != c)
		end--;
	return end;
}

struct str str_take_line(struct str *rest)
{
	size_t end = str_until(*rest, 0, '\n');
	struct str line = str_slice(*rest, 0, end);

	*rest = str_slice(*rest, end + 1, rest->len);
	return line;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct str str_trim(struct str s)
{
	while (s.len && is_blank(s.ptr[0]))
		s = str_slice(s, 1, s.len);
	while (s.len && is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

struct str str_slice(struct str s, size_t start, size_t len)
{
	if (start > s.len)
		start = s.len;
	if (len > s.len - start)
		len = s.len - start;
	return (struct str){ s.ptr ? s.ptr + start : "", len };
}

size_t utf8_length(struct str text)
{
	const unsigned char *bytes = (const unsigned char *)text.ptr;
	unsigned char first = bytes[0];
	unsigned second = text.len > 1 ? bytes[1] : 0;
	size_t size = first < 0x80   ? 1
		      : first < 0xE0 ? 2
		      : first < 0xF0 ? 3
				     : 4;

	if (size == 1)
		return 1;
	if (first < 0xC2 || first > 0xF4 || text.len < size)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((bytes[i] & 0xC0) != 0x80)
			return 0;
	if ((first == 0xE0 && second < 0xA0) ||
	    (first == 0xED && second > 0x9F) ||
	    (first == 0xF0 && second < 0x90) ||
	    (first == 0xF4 && second > 0x8F))
		return 0;
	return size;
}

size_t utf8_floor(const char *text, size_t size, size_t at)
{
	size_t cut = at;

	if (at >= size)
		return size;
	/* A character has at most three continuation bytes (10xxxxxx). */
	for (int back = 0; back < 4 && cut > 0; back++, cut--)
		if (((unsigned char)text[cut] & 0xC0) != 0x80)
			return cut;
	return at;
}
