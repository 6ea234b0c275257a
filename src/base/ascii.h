/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of ASCII characters, the same in every locale; <ctype.h> asks the
 * locale and is undefined for the bytes above 0x7F that servers send.
 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>

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
