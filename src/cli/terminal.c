/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pager.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"

#define DEFAULT_COLUMNS 80u
#define COLUMNS_MIN 40u
#define COLUMNS_MAX 500u

static unsigned limit_columns(uint64_t columns)
{
	if (columns < COLUMNS_MIN)
		columns = COLUMNS_MIN;
	return columns > COLUMNS_MAX ? COLUMNS_MAX : (unsigned)columns;
}

unsigned terminal_columns_asked(void)
{
	const char *text = getenv("COLUMNS");
	uint64_t columns;

	if (!text || !parse_u64(str_from(text), &columns) || !columns)
		return 0;
	return limit_columns(columns);
}

unsigned terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return limit_columns(size.ws_col);
	return terminal_columns_asked() ? terminal_columns_asked()
					: DEFAULT_COLUMNS;
}

static bool names_utf8(const char *locale)
{
	return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
}

bool terminal_is_unicode(bool fallback)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < COUNT_OF(variables); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return names_utf8(value);
	}
	return fallback;
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* force-color.org and bixense.com/clicolors: 0 is not forced. */
static bool is_forced(const char *variable)
{
	return is_set(variable) && strcmp(getenv(variable), "0") != 0;
}

/* DEC's terminals up to the VT420 had none, and terminfo marks those of others
 * by their ending. */
static bool terminal_has_color(void)
{
	static const char *const plain[] = { "vt52", "vt1", "vt2",
					     "vt3",  "vt4", "dumb" };
	struct str term = str_from(getenv("TERM"));

	for (size_t i = 0; i < COUNT_OF(plain); i++)
		if (str_starts(term, str_from(plain[i])))
			return false;
	return term.len && !str_ends(term, STR("-m")) &&
	       !str_ends(term, STR("-mono"));
}

bool terminal_wants_color(const struct options *o, bool is_terminal)
{
	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	if (is_set("NO_COLOR"))
		return false;
	return is_forced("FORCE_COLOR") || is_forced("CLICOLOR_FORCE") ||
	       (is_terminal && terminal_has_color());
}

bool terminal_has_256_colors(void)
{
	const char *term = getenv("TERM"), *depth = getenv("COLORTERM");

	return (term && strstr(term, "256color")) || (depth && *depth);
}

bool terminal_has_truecolor(void)
{
	const char *term = getenv("TERM"), *depth = getenv("COLORTERM");

	return (depth &&
		(!strcmp(depth, "truecolor") || !strcmp(depth, "24bit"))) ||
	       (term && strstr(term, "-direct"));
}
