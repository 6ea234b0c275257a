/* SPDX-License-Identifier: Apache-2.0
 *
 * Checked integers: arithmetic that tells or saturates instead of wrapping,
 * and parsing of text that is not NUL-terminated. No locale.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* True when the result fits. Here for the inner loops of sums. */
MUST_CHECK static inline bool add_i64(int64_t a, int64_t b, int64_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}

MUST_CHECK static inline bool sub_i64(int64_t a, int64_t b, int64_t *out)
{
	return !__builtin_sub_overflow(a, b, out);
}

MUST_CHECK static inline bool mul_i64(int64_t a, int64_t b, int64_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

/* The nearest representable value when the result does not fit. */
static inline int64_t sat_add_i64(int64_t a, int64_t b)
{
	int64_t sum;

	if (add_i64(a, b, &sum))
		return sum;
	return b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t sat_sub_i64(int64_t a, int64_t b)
{
	int64_t difference;

	if (sub_i64(a, b, &difference))
		return difference;
	return b < 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t sat_mul_i64(int64_t a, int64_t b)
{
	int64_t product;

	if (mul_i64(a, b, &product))
		return product;
	return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

/* Towards 0; 0 of what is no number. */
static inline int64_t sat_from_f64(double value)
{
	if (value >= 0x1p63)
		return INT64_MAX;
	if (value < -0x1p63)
		return INT64_MIN;
	return value == value ? (int64_t)value : 0;
}

/* To the nearest; 0 of what is no number. */
static inline int64_t sat_round_f64(double value)
{
	return sat_from_f64(round(value));
}

/* Below, at or above 0 as a lies below, at or above b: parts of qsort()
 * orders. Doubles must not be NaN. */
static inline int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static inline int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static inline int compare_f64(double a, double b)
{
	return (a > b) - (a < b);
}

/* Modulo 2^64: for sums whose result is known to fit. */
static inline int64_t wrap_add_i64(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t wrap_sub_i64(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Whole text must be the number: digits, for i64 an optional '-'. */
bool parse_u64(struct str text, uint64_t *out) MUST_CHECK;
bool parse_i64(struct str text, int64_t *out) MUST_CHECK;

/* Whole bytes: digits, and a unit of 1000 (k, M, G, T) or 1024 (Ki, Mi, Gi, Ti)
 * with or without a B, as Kubernetes writes memory. */
bool parse_size(struct str text, uint64_t *out) MUST_CHECK;

/* Written as RFC 8259 writes numbers ("-1.5e3")? */
bool is_decimal(struct str text);

/* A decimal whose value is whole and fits, such as "5.0" or "1e3". Exact. */
bool parse_whole_u64(struct str text, uint64_t *out) MUST_CHECK;
bool parse_whole_i64(struct str text, int64_t *out) MUST_CHECK;

/* A decimal times 10^power, such as seconds in nanoseconds (9), exact but for
 * what is finer than 1, which is cut off. Out of range: the nearest end. False
 * on anything else. */
bool parse_scaled_i64(struct str text, unsigned power,
		      int64_t *out) MUST_CHECK;

/* A decimal of less than LIMIT_NUMBER_BYTES, locale-free; false on anything
 * else and when it overflows a double. */
bool parse_f64(struct str text, double *out) MUST_CHECK;

/* Hex digits of either case into bytes; text.len must be 2 * size. */
bool hex_decode(struct str text, unsigned char *out, size_t size) MUST_CHECK;

/* Lower-case hex; out holds 2 * size + 1 bytes. */
void hex_encode(const unsigned char *bytes, size_t size, char *out);

/* 1..16 hex digits as a number. */
bool parse_hex_u64(struct str text, uint64_t *out) MUST_CHECK;

/* Standard or URL-safe base64 with or without padding. Returns false on
 * malformed text or when the result does not fit into size; *out_len set. out
 * may be where text is. */
bool base64_decode(struct str text, unsigned char *out, size_t size,
		   size_t *out_len) MUST_CHECK;

/* Needs 4 * ((len + 2) / 3) + 1 bytes in out; NUL-terminated, padded. */
void base64_encode(const unsigned char *bytes, size_t len, char *out);

/* Greatest common divisor; gcd(0, b) = b. */
uint64_t gcd_u64(uint64_t a, uint64_t b);

#define DIGITS_U64 20

/* The number in decimal, with zeros in front when it has fewer digits than
 * width, which is 1 to DIGITS_U64. Returns the end of them; adds no NUL. */
char *put_u64(char *out, uint64_t value, unsigned width);

/* "-9,223,372,036,854,775,808" and a NUL. */
#define COUNT_TEXT_BYTES 32

/* Digits in groups of three: "18,230". */
void format_count(int64_t count, char out[COUNT_TEXT_BYTES]);

/* Without its sign. */
static inline uint64_t magnitude_i64(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The same, saturating. */
static inline int64_t sat_magnitude_i64(int64_t value)
{
	if (value < 0)
		return value == INT64_MIN ? INT64_MAX : -value;
	return value;
}

/* For sorting: the larger first, whatever its sign. */
static inline int compare_magnitudes_i64(int64_t a, int64_t b)
{
	return (magnitude_i64(b) > magnitude_i64(a)) -
	       (magnitude_i64(b) < magnitude_i64(a));
}

/* Items of an array, not of a pointer. */
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
