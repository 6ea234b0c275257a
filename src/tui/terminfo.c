/* SPDX-License-Identifier: Apache-2.0
 *
 * By itself: the names that term.h defines would be taken from all others.
 */
#include "tui/terminfo.h"

#ifdef HAVE_NCURSES

#include <ncurses.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

#include "base/count.h"
#include "base/library.h"

#ifdef LAZY_LIBRARIES

#define TERM_CALLS(X) X(cur_term) X(del_curterm) X(setupterm) X(tigetstr)

static struct {
	TERM_CALLS(LIBRARY_MEMBER)
} calls;

#define cur_term (*calls.cur_term_call)
#define del_curterm (*calls.del_curterm_call)
#define setupterm (*calls.setupterm_call)
#define tigetstr (*calls.tigetstr_call)

static bool calls_load(struct error *err)
{
	static const struct library_symbol symbols[] = { TERM_CALLS(
		LIBRARY_SYMBOL) };

	return library_load(LIBNCURSES, symbols, COUNT_OF(symbols), err);
}

#else

static bool calls_load(struct error *err)
{
	(void)err;
	return true;
}

#endif

static bool moves_cursor(void)
{
	const char *sequence = tigetstr("cup");

	return sequence && sequence != (char *)-1;
}

static bool check(struct error *err)
{
	const char *term = getenv("TERM");
	bool is_known = term && *term &&
			setupterm(term, STDOUT_FILENO, &(int){ 0 }) == OK;
	bool is_good = is_known && moves_cursor();

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
	return calls_load(err) && check(err);
}

#endif
