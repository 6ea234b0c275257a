/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/curses_calls.h"

#include "base/count.h"

struct curses_calls curses_calls;

#define calls curses_calls

bool curses_calls_load(struct error *err)
{
	static const struct library_symbol symbols[] = { CURSES_CALLS(
		LIBRARY_SYMBOL) };

	/* LIBNCURSES: by the version whose headers these are. */
	return library_load(LIBNCURSES, symbols, COUNT_OF(symbols), err);
}
