/* SPDX-License-Identifier: Apache-2.0
 *
 * Prices and amounts as a user writes them.
 */
#ifndef CLI_PRICE_WORDS_H
#define CLI_PRICE_WORDS_H

#include <stdbool.h>

#include "base/error.h"

/* A number above 0: of requests, instances, vCPU. */
bool amount_parse(const char *text, double *out, struct error *err) MUST_CHECK;

/* Of an option that was checked; NULL: 0. */
double amount_of(const char *text);

/* 0 or more; has_time: of a second, with "/h" of an hour. */
bool price_parse(const char *text, bool has_time, double *out,
		 struct error *err) MUST_CHECK;

/* Some letters or signs: "USD". */
bool currency_check(const char *text, struct error *err) MUST_CHECK;

/* The others as checks of options. */
bool amount_check(const char *text, struct error *err) MUST_CHECK;
bool price_check(const char *text, struct error *err) MUST_CHECK;
bool price_request_check(const char *text, struct error *err) MUST_CHECK;

#endif
