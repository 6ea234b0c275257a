/* SPDX-License-Identifier: Apache-2.0
 *
 * Checked integer arithmetic, which reports overflow or saturates, and parsing
 * and formatting of numbers in text that is not NUL-terminated.
 * Locale-independent.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* Return true if the result fits. Inline for inner loops. */
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

/* Saturating: return the nearest representable value on overflow. */
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

/* Truncates towards 0, saturating; NaN gives 0. */
static inline int64_t sat_from_f64(double value)
{
	if (value >= 0x1p63)
		return INT64_MAX;
	if (value < -0x1p63)
		return INT64_MIN;
	return value == value ? (int64_t)value : 0;
}

/* Rounds to nearest, saturating; NaN gives 0. */
static inline int64_t sat_round_f64(double value)
{
	return sat_from_f64(round(value));
}

/* Three-way comparison. Doubles must not be NaN. */
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

/* The same of what the arguments point to, as qsort() calls it. */
static inline int compare_i64_items(const void *a, const void *b)
{
	return compare_i64(*(const int64_t *)a, *(const int64_t *)b);
}

static inline int compare_f64_items(const void *a, const void *b)
{
	return compare_f64(*(const double *)a, *(const double *)b);
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

/* Parse text that consists only of digits, for i64 after an optional '-'. */
bool parse_u64(struct str text, uint64_t *out) MUST_CHECK;
bool parse_i64(struct str text, int64_t *out) MUST_CHECK;

/* Parses a size in whole bytes: digits with an optional unit of 1000 (k, M, G,
 * T) or 1024 (Ki, Mi, Gi, Ti), with or without a B, as Kubernetes writes
 * memory. */
bool parse_size(struct str text, uint64_t *out) MUST_CHECK;

/* Returns whether text is a number as in RFC 8259 ("-1.5e3"). */
bool is_decimal(struct str text);

/* Parse a decimal whose value is an integer that fits, such as "5.0" or "1e3".
 * Exact. */
bool parse_whole_u64(struct str text, uint64_t *out) MUST_CHECK;
bool parse_whole_i64(struct str text, int64_t *out) MUST_CHECK;

/* Parses a decimal and multiplies it by 10^power, such as seconds to
 * nanoseconds (9). Exact; fractions are truncated. Saturates when out of range.
 * Returns false if text is not a decimal. */
bool parse_scaled_i64(struct str text, unsigned power,
		      int64_t *out) MUST_CHECK;

/* Parses a decimal of less than LIMIT_NUMBER_BYTES, locale-independent; returns
 * false on anything else and if it overflows a double. */
bool parse_f64(struct str text, double *out) MUST_CHECK;

/* Decodes hex digits of either case; text.len must be 2 * size. */
bool hex_decode(struct str text, unsigned char *out, size_t size) MUST_CHECK;

/* Encodes as lower-case hex; out holds 2 * size + 1 bytes. */
void hex_encode(const unsigned char *bytes, size_t size, char *out);

/* Parses 1 to 16 hex digits. */
bool parse_hex_u64(struct str text, uint64_t *out) MUST_CHECK;

/* Decodes standard or URL-safe base64 with or without padding; sets *out_len.
 * Returns false on malformed text or if the result does not fit into size. out
 * may overlap text exactly, for decoding in place. */
bool base64_decode(struct str text, unsigned char *out, size_t size,
		   size_t *out_len) MUST_CHECK;

/* Encodes as padded base64, NUL-terminated; out holds 4 * ((len + 2) / 3) + 1
 * bytes. */
void base64_encode(const unsigned char *bytes, size_t len, char *out);

/* Returns the greatest common divisor; gcd(0, b) = b. */
uint64_t gcd_u64(uint64_t a, uint64_t b);

#define DIGITS_U64 20

/* Writes the number in decimal, zero-padded to width (1 to DIGITS_U64). Returns
 * the end; adds no NUL. */
char *put_u64(char *out, uint64_t value, unsigned width);

/* "-9,223,372,036,854,775,808" and a NUL. */
#define COUNT_TEXT_BYTES 32

/* Formats with digits in groups of three: "18,230". */
void format_count(int64_t count, char out[COUNT_TEXT_BYTES]);

/* Absolute value. */
static inline uint64_t magnitude_i64(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Same, saturating. */
static inline int64_t sat_magnitude_i64(int64_t value)
{
	if (value < 0)
		return value == INT64_MIN ? INT64_MAX : -value;
	return value;
}

/* For qsort(): orders by decreasing absolute value. */
static inline int compare_magnitudes_i64(int64_t a, int64_t b)
{
	return (magnitude_i64(b) > magnitude_i64(a)) -
	       (magnitude_i64(b) < magnitude_i64(a));
}

/* Number of items of an array (not of a pointer). */
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
