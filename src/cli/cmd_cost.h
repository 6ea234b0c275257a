/* SPDX-License-Identifier: Apache-2.0
 *
 * Prices and amounts as a user writes them.
 */
#ifndef CLI_CMD_COST_H
#define CLI_CMD_COST_H

#include <stdbool.h>

#include "base/error.h"

/* Of an option that was checked; NULL: 0. */
double amount_of(const char *text);

/* Some letters or signs: "USD". */
bool currency_check(const char *text, struct error *err) MUST_CHECK;

/* The others as checks of options. */
bool amount_check(const char *text, struct error *err) MUST_CHECK;
bool price_check(const char *text, struct error *err) MUST_CHECK;
bool price_request_check(const char *text, struct error *err) MUST_CHECK;

#endif
