/* SPDX-License-Identifier: Apache-2.0
 *
 * Separate, since term.h defines many common names as macros.
 */
#include "tui/tui.h"

#ifdef HAVE_NCURSES

#include <ncurses.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

#include "base/library.h"

#define TERM_CALLS(X) X(cur_term) X(del_curterm) X(setupterm) X(tigetstr)

LIBRARY_CALLS(TERM_CALLS, LIBNCURSES)

#define cur_term LIBRARY_CALL(cur_term)
#define del_curterm LIBRARY_CALL(del_curterm)
#define setupterm LIBRARY_CALL(setupterm)
#define tigetstr LIBRARY_CALL(tigetstr)

static bool terminal_check(struct error *err)
{
	const char *term = getenv("TERM");
	bool is_known = term && *term &&
			setupterm(term, STDOUT_FILENO, &(int){ 0 }) == OK;
	const char *move = is_known ? tigetstr("cup") : NULL;
	bool is_good = move && move != (char *)-1;

	if (is_known)
		del_curterm(cur_term);
	return is_good ||
	       error_set(err, ERROR_USAGE,
			 "--interactive needs a terminal that %s (TERM is "
			 "\"%.40s\"); -o term needs none",
			 is_known ? "moves its cursor" : "is known here",
			 term ? term : "");
}

bool terminfo_check(struct error *err)
{
	return calls_load(err) && terminal_check(err);
}

#endif
