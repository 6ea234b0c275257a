/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/system.h"

bool parse_u64(struct str text, uint64_t *out)
{
	uint64_t value = 0;

	if (text.len == 0)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (!ascii_is_digit(text.ptr[i]))
			return false;
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (unsigned)(text.ptr[i] - '0'),
					   &value))
			return false;
	}
	*out = value;
	return true;
}

bool parse_size(struct str text, uint64_t *out)
{
	static const char prefixes[] = "kMGT";
	uint64_t base = 1000, unit = 1, count;
	const char *prefix;

	if (text.len && text.ptr[text.len - 1] == 'B')
		text.len--;
	if (text.len && text.ptr[text.len - 1] == 'i') {
		base = 1024;
		text.len--;
	}
	prefix = text.len ? memchr(prefixes, text.ptr[text.len - 1],
				   sizeof prefixes - 1)
			  : NULL;
	if (text.len && base == 1024 && text.ptr[text.len - 1] == 'K')
		prefix = prefixes;
	if (!prefix && base == 1024)
		return false;
	if (prefix) {
		text.len--;
		for (const char *p = prefixes; p <= prefix; p++)
			unit *= base;
	}
	return parse_u64(text, &count) &&
	       !__builtin_mul_overflow(count, unit, out);
}

static bool apply_sign(uint64_t size, bool is_negative, int64_t *out)
{
	if (size > (uint64_t)INT64_MAX + is_negative)
		return false;
	if (!is_negative)
		*out = (int64_t)size;
	else
		*out = size ? -(int64_t)(size - 1) - 1 : 0;
	return true;
}

bool parse_i64(struct str text, int64_t *out)
{
	bool is_negative = text.len && text.ptr[0] == '-';
	uint64_t size;

	if (is_negative)
		text = str_slice(text, 1, text.len);
	return parse_u64(text, &size) && apply_sign(size, is_negative, out);
}

static size_t skip_digits(struct str text, size_t at)
{
	while (at < text.len && ascii_is_digit(text.ptr[at]))
		at++;
	return at;
}

/* The number grammar of RFC 8259, section 6. */
bool is_decimal(struct str text)
{
	size_t at = str_starts(text, STR("-"));
	size_t end = skip_digits(text, at);

	if (end == at || (text.ptr[at] == '0' && end > at + 1))
		return false;
	if (end < text.len && text.ptr[end] == '.') {
		at = end + 1;
		end = skip_digits(text, at);
		if (end == at)
			return false;
	}
	if (end < text.len && (text.ptr[end] | 0x20) == 'e') {
		at = end + 1;
		if (at < text.len &&
		    (text.ptr[at] == '+' || text.ptr[at] == '-'))
			at++;
		end = skip_digits(text, at);
		if (end == at)
			return false;
	}
	return end == text.len;
}

/* Returns the exponent, saturated: past 100,000 the number is zero or does not
 * fit anyway. `text` begins with 'e' or is empty. */
static int64_t exponent_of(struct str text)
{
	bool is_negative = str_starts(str_slice(text, 1, 1), STR("-"));
	int64_t value = 0;

	for (size_t i = 1; i < text.len && value < 100000; i++)
		if (ascii_is_digit(text.ptr[i]))
			value = value * 10 + (text.ptr[i] - '0');
	return is_negative ? -value : value;
}

/* Powers of ten that doubles represent exactly, as they do all integers below
 * 2^53. */
static const uint64_t tens[] = {
	1,
	10,
	100,
	1000,
	10000,
	100000,
	1000000,
	10000000,
	100000000,
	1000000000,
	10000000000,
	100000000000,
	1000000000000,
	10000000000000,
	100000000000000,
	1000000000000000,
	10000000000000000,
	100000000000000000,
	1000000000000000000,
};

/* A typical number: up to 19 digits, no exponent. */
struct ordinary {
	uint64_t digits; /* without the decimal point */
	unsigned fraction_digits;
	bool is_negative;
};

/* Returns false for any other number, valid or not. */
static inline bool parse_ordinary(struct str text, struct ordinary *out)
{
	size_t first = text.len && text.ptr[0] == '-', at, point = text.len;
	uint64_t digits = 0;

	if (text.len - first > COUNT_OF(tens) + 1)
		return false;
	for (at = first; at < text.len; at++) {
		unsigned digit = (unsigned char)text.ptr[at] - (unsigned)'0';

		if (digit <= 9)
			digits = digits * 10 + digit;
		else if (text.ptr[at] == '.' && point == text.len)
			point = at;
		else
			return false;
	}
	if (point == first || point + 1 == text.len ||
	    (text.len - first > COUNT_OF(tens) && point == text.len) ||
	    (text.ptr[first] == '0' && point > first + 1))
		return false;
	*out = (struct ordinary){ digits,
				  point == text.len
					  ? 0
					  : (unsigned)(text.len - point - 1),
				  first };
	return true;
}

static bool scale_by_ten(uint64_t *value, int64_t power)
{
	if (!*value)
		return true;
	if (power < 0 || power > 19)
		return false;
	while (power--)
		if (__builtin_mul_overflow(*value, 10u, value))
			return false;
	return true;
}

/* Parses the absolute value of a decimal. Zeros are only applied when another
 * digit follows, so that "1.000" and "1000e-3" do not overflow. */
static bool whole_size(struct str text, uint64_t *out)
{
	uint64_t value = 0;
	int64_t zeros = 0;
	int64_t decimals = 0;
	bool is_fraction = false;
	size_t i;

	for (i = 0; i < text.len && (text.ptr[i] | 0x20) != 'e'; i++) {
		if (text.ptr[i] == '.') {
			is_fraction = true;
			continue;
		}
		decimals += is_fraction;
		if (text.ptr[i] == '0') {
			zeros++;
			continue;
		}
		if (!scale_by_ten(&value, zeros + 1) ||
		    __builtin_add_overflow(value, (unsigned)(text.ptr[i] - '0'),
					   &value))
			return false;
		zeros = 0;
	}
	zeros += exponent_of(str_slice(text, i, text.len)) - decimals;
	*out = value;
	return scale_by_ten(out, zeros);
}

bool parse_whole_i64(struct str text, int64_t *out)
{
	bool is_negative = str_starts(text, STR("-"));
	struct ordinary plain;
	uint64_t size;

	if (parse_ordinary(text, &plain) && !plain.fraction_digits)
		return apply_sign(plain.digits, is_negative, out);
	return is_decimal(text) &&
	       whole_size(str_slice(text, is_negative, text.len), &size) &&
	       apply_sign(size, is_negative, out);
}

bool parse_whole_u64(struct str text, uint64_t *out)
{
	uint64_t size;
	bool is_negative = str_starts(text, STR("-"));

	if (!is_decimal(text) ||
	    !whole_size(str_slice(text, is_negative, text.len), &size) ||
	    (is_negative && size))
		return false;
	*out = size;
	return true;
}

bool parse_scaled_i64(struct str text, unsigned power, int64_t *out)
{
	bool is_negative = text.len && text.ptr[0] == '-';
	bool is_fraction = false;
	uint64_t value = 0;
	int64_t zeros = power;
	struct ordinary plain;
	size_t i;

	if (power < COUNT_OF(tens) && parse_ordinary(text, &plain)) {
		if (plain.fraction_digits > power)
			value = plain.digits /
				tens[plain.fraction_digits - power];
		if (plain.fraction_digits > power ||
		    !__builtin_mul_overflow(
			    plain.digits, tens[power - plain.fraction_digits],
			    &value))
			if (apply_sign(value, is_negative, out))
				return true;
		value = 0;
	}
	if (!is_decimal(text))
		return false;
	for (i = is_negative; i < text.len && (text.ptr[i] | 0x20) != 'e';
	     i++) {
		if (text.ptr[i] == '.') {
			is_fraction = true;
		} else if (value <= (UINT64_MAX - 9) / 10) {
			value = value * 10 + (unsigned)(text.ptr[i] - '0');
			zeros -= is_fraction;
		} else {
			/* 19 digits are kept, more than needed for times. */
			zeros += !is_fraction;
		}
	}
	zeros += exponent_of(str_slice(text, i, text.len));
	for (; zeros < 0 && value; zeros++)
		value /= 10;
	if (!scale_by_ten(&value, zeros) ||
	    !apply_sign(value, is_negative, out))
		*out = is_negative ? INT64_MIN : INT64_MAX;
	return true;
}

bool parse_f64(struct str text, double *out)
{
	static locale_t c_locale;
	char copy[LIMIT_NUMBER_BYTES];
	struct ordinary plain;
	double value;

	/* Both operands are exact, so the quotient is correctly rounded. */
	if (FLT_EVAL_METHOD == 0 && parse_ordinary(text, &plain) &&
	    plain.digits < (uint64_t)1 << 53) {
		value = (double)plain.digits /
			(double)tens[plain.fraction_digits];
		*out = plain.is_negative ? -value : value;
		return true;
	}
	if (text.len >= sizeof copy || !is_decimal(text))
		return false;
	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c_locale)
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	value = strtod_l(copy, NULL, c_locale);
	if (!isfinite(value))
		return false;
	*out = value;
	return true;
}

/* Value of a hex digit + 1; 0 for any other byte. */
static const unsigned char hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static int hex_value(char c)
{
	return hex_digits[(unsigned char)c] - 1;
}

bool hex_decode(struct str text, unsigned char *out, size_t size)
{
	if (text.len % 2 || text.len / 2 != size)
		return false;
	for (size_t i = 0; i < size; i++) {
		int high = hex_value(text.ptr[2 * i]);
		int low = hex_value(text.ptr[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (unsigned char)(high * 16 + low);
	}
	return true;
}

void hex_encode(const unsigned char *bytes, size_t size, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[2 * size] = '\0';
}

bool parse_hex_u64(struct str text, uint64_t *out)
{
	uint64_t value = 0;

	if (text.len == 0 || text.len > 16)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		int digit = hex_value(text.ptr[i]);

		if (digit < 0)
			return false;
		value = value << 4 | (unsigned)digit;
	}
	*out = value;
	return true;
}

/* Values of both base64 alphabets, from NUL to DEL; -1: none. */
static const signed char base64_values[128] = {
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 62, -1, 62, -1, 63,
	52, 53, 54, 55, 56, 57, 58, 59, 60, 61, -1, -1, -1, -1, -1, -1,
	-1, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
	15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, -1, -1, -1, -1, 63,
	-1, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
	41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, -1, -1, -1, -1, -1,
};

static int base64_value(char c)
{
	return (unsigned char)c < 128 ? base64_values[(unsigned char)c] : -1;
}

/* Decodes four digits to three bytes. Returns false if one is invalid. */
static bool base64_four(const char *text, unsigned char *out)
{
	int a = base64_value(text[0]), b = base64_value(text[1]),
	    c = base64_value(text[2]), d = base64_value(text[3]);
	uint32_t bits;

	if ((a | b | c | d) < 0)
		return false;
	bits = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 |
	       (uint32_t)d;
	out[0] = (unsigned char)(bits >> 16);
	out[1] = (unsigned char)(bits >> 8);
	out[2] = (unsigned char)bits;
	return true;
}

bool base64_decode(struct str text, unsigned char *out, size_t size,
		   size_t *out_len)
{
	size_t len = 0, i = 0, padded_len = text.len;
	uint32_t bits = 0;
	unsigned held = 0; /* bits not yet written, in the low end of bits */

	*out_len = 0;
	/* Without its padding; the rest may not be whole bytes. */
	while (text.len && padded_len - text.len < 2 &&
	       text.ptr[text.len - 1] == '=')
		text.len--;
	if ((text.len < padded_len && padded_len % 4) || text.len % 4 == 1 ||
	    text.len / 4 * 3 + text.len % 4 * 3 / 4 > size)
		return false;
	for (; text.len - i >= 4; i += 4, len += 3)
		if (!base64_four(text.ptr + i, out + len))
			return false;
	for (; i < text.len; i++) {
		int value = base64_value(text.ptr[i]);

		if (value < 0)
			return false;
		bits = bits << 6 | (unsigned)value;
		held += 6;
		if (held >= 8) {
			held -= 8;
			out[len++] = (unsigned char)(bits >> held);
		}
	}
	*out_len = len;
	return true;
}

void base64_encode(const unsigned char *bytes, size_t len, char *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t have = len - i < 3 ? len - i : 3;
		unsigned bits = (unsigned)bytes[i] << 16;

		if (have > 1)
			bits |= (unsigned)bytes[i + 1] << 8;
		if (have > 2)
			bits |= bytes[i + 2];
		*out++ = digits[bits >> 18];
		*out++ = digits[bits >> 12 & 63];
		*out++ = have > 1 ? digits[bits >> 6 & 63] : '=';
		*out++ = have > 2 ? digits[bits & 63] : '=';
	}
	*out = '\0';
}

uint64_t gcd_u64(uint64_t a, uint64_t b)
{
	while (a) {
		uint64_t rest = b % a;

		b = a;
		a = rest;
	}
	return b;
}

char *put_u64(char *out, uint64_t value, unsigned width)
{
	char digits[DIGITS_U64];
	size_t len = 0;

	do {
		digits[DIGITS_U64 - ++len] = (char)('0' + value % 10);
		value /= 10;
	} while (value || len < width);
	memcpy(out, digits + DIGITS_U64 - len, len);
	return out + len;
}

void format_count(int64_t count, char out[COUNT_TEXT_BYTES])
{
	uint64_t left = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
	char reversed[COUNT_TEXT_BYTES];
	size_t len = 0;
	size_t at = 0;

	do {
		if (len % 4 == 3)
			reversed[len++] = ',';
		reversed[len++] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (count < 0)
		out[at++] = '-';
	while (len)
		out[at++] = reversed[--len];
	out[at] = '\0';
}
