/* SPDX-License-Identifier: Apache-2.0
 *
 * Prices and amounts as a user writes them: alone, as options have them, or in
 * a file of lines KEY = VALUE. ERROR_USAGE says what is wrong with a text.
 */
#ifndef DECODE_PRICES_H
#define DECODE_PRICES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/prices.h"
#include "model/profile_runs.h"

/* Returns the amount of a text that was checked; NULL: 0. */
double amount_of(const char *text);

/* A number above 0. */
bool amount_check(const char *text, struct error *err) MUST_CHECK;

/* Reads --requests or --baseline-requests (`option`): a number, or a file of
 * some, one a line; text NULL: nothing. */
bool requests_read(const char *option, const char *text, struct arena *arena,
		   struct request_counts *out, struct error *err) MUST_CHECK;

/* Some letters or signs: "USD". */
bool currency_check(const char *text, struct error *err) MUST_CHECK;
/* Checks a price of time, per second or with "/h" per hour; and of one request.
 */
bool price_check(const char *text, struct error *err) MUST_CHECK;
bool price_request_check(const char *text, struct error *err) MUST_CHECK;

/* Prices that are not read yet; NULL: not given. */
struct price_texts {
	const char *cpu, *memory, *request, *currency, *note;
};

/* Texts live in the arena. */
bool prices_read_file(struct price_texts *t, const char *path,
		      struct arena *arena, struct error *err) MUST_CHECK;

bool prices_parse(const struct price_texts *t, struct cost_prices *out,
		  struct error *err) MUST_CHECK;

#endif
