/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's prices: of options, of the configuration, or of a file. None are
 * built in, and those of one place are taken together: a price in one currency
 * does not go with one in another.
 */
#ifndef CLI_PRICES_H
#define CLI_PRICES_H

#include "base/arena.h"
#include "base/error.h"
#include "cli/options.h"
#include "report/cost_rows.h"

/* Reads the file where one was named; texts live in the options or the arena.
 */
bool prices_read(const struct options *o, struct arena *arena,
		 struct cost_prices *out, struct error *err) MUST_CHECK;

#endif
