/* SPDX-License-Identifier: Apache-2.0
 *
 * Prices and amounts as written by users: in options, or in a file of lines KEY
 * = VALUE. Errors are ERROR_USAGE.
 */
#ifndef DECODE_PRICES_H
#define DECODE_PRICES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/prices.h"
#include "model/profile_runs.h"

/* Returns the value of a validated text; 0 for NULL. */
double amount_of(const char *text);

/* Validates a number above 0. */
bool amount_check(const char *text, struct error *err) MUST_CHECK;

/* Reads --requests or --baseline-requests (`option`): a number, or a file with
 * one number per line. text NULL: none. */
bool requests_read(const char *option, const char *text, struct arena *arena,
		   struct request_counts *out, struct error *err) MUST_CHECK;

/* Validates a currency, some letters or signs: "USD". */
bool currency_check(const char *text, struct error *err) MUST_CHECK;
/* Validate a price of time, per second or with "/h" per hour; and of a
 * request. */
bool price_check(const char *text, struct error *err) MUST_CHECK;
bool price_request_check(const char *text, struct error *err) MUST_CHECK;

/* Unparsed prices; NULL: unset. */
struct price_texts {
	const char *cpu, *memory, *request, *currency, *note;
};

/* Texts live in the arena. */
bool prices_read_file(struct price_texts *t, const char *path,
		      struct arena *arena, struct error *err) MUST_CHECK;

bool prices_parse(const struct price_texts *t, struct cost_prices *out,
		  struct error *err) MUST_CHECK;

#endif
