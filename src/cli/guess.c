/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guess.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/fetch_trace.h"
#include "backend/input.h"
#include "base/num.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/suggest.h"
#include "cli/commands.h"

/* Fewer digits are a word as well: "deed". */
#define ID_DIGITS_LEAST 16u

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode);
}

const struct command *guess_command(const char *word)
{
	struct trace_arg arg;
	struct error ignored;
	const char *name = "slow";

	if (!trace_arg_parse(word, &arg, &ignored))
		return NULL;
	if (arg.path) {
		if (strcmp(arg.path, "-") != 0 && !is_file(arg.path))
			return NULL;
		if (input_is_profile(arg.path))
			name = "profile";
	} else if (arg.id_digits && arg.id_digits < ID_DIGITS_LEAST &&
		   !strstr(word, "://")) {
		return NULL;
	}
	return command_find(str_from(name));
}

bool guess_is_case(const char *word)
{
	struct str name = str_from(word);

	return (str_ends(name, STR(".har.gz")) ||
		str_ends(name, STR(".har.zst")) ||
		str_ends(name, STR(".har"))) &&
	       is_file(word);
}

/* Where pages and APIs of servers have a trace, behind the address of the
 * server; those that hold others first. */
static const char *const trace_places[] = {
	"/zipkin/traces/", "/api/v2/traces/", "/api/v3/traces/",
	"/api/v2/trace/",  "/api/traces/",    "/trace/",
};

bool guess_server(const char *url, char out[STDIN_ID_BYTES])
{
	struct str text = str_from(url);

	text = str_slice(text, 0, min_size(str_until(text, 0, '?'),
					   str_until(text, 0, '#')));
	if (text.len >= STDIN_ID_BYTES ||
	    (!str_starts(text, STR("http://")) &&
	     !str_starts(text, STR("https://"))))
		return false;
	for (size_t i = 0; i < COUNT_OF(trace_places); i++) {
		size_t at = str_find(text, str_from(trace_places[i]));

		if (at == SIZE_MAX)
			continue;
		snprintf(out, STDIN_ID_BYTES, "%.*s", (int)at, text.ptr);
		return true;
	}
	return false;
}

/* ---- standard input ---- */

/* A program that starts this one may have left its own input open, from which
 * nothing will ever come. */
#define WAIT_MS 2000

bool stdin_is_piped(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	struct stat st;

	if (fstat(STDIN_FILENO, &st))
		return false;
	if (S_ISREG(st.st_mode))
		return st.st_size > 0;
	return (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) &&
	       poll(&in, 1, WAIT_MS) > 0 && (in.revents & POLLIN);
}

bool stdin_read_id(char out[STDIN_ID_BYTES])
{
	struct trace_arg arg;
	struct error ignored;
	size_t len = 0;

	while (len + 1 < STDIN_ID_BYTES && !memchr(out, '\n', len) &&
	       stdin_is_piped()) {
		ssize_t n = read(STDIN_FILENO, out + len,
				 STDIN_ID_BYTES - 1 - len);

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	len = min_size(len, str_until((struct str){ out, len }, 0, '\n'));
	while (len && strchr(" \t\r", out[len - 1]))
		len--;
	out[len] = '\0';
	return len && strlen(out) == len &&
	       trace_arg_parse(out, &arg, &ignored) && !arg.path;
}

/* ---- habits of other programs ---- */

static const struct {
	const char *word;
	const char *instead;
} habits[] = {
	{ "--json", "use -o json" },
	{ "--format", "formats are given with -o, for example -o json" },
	{ "--output-format", "formats are given with -o, for example -o json" },
	{ "--no-color", "use --color never, or NO_COLOR=1" },
	{ "--no-colour", "use --color never, or NO_COLOR=1" },
	{ "-top", "use tracefind profile FILE" },
	{ "-http", "use -o html=page.html for a page, -i for the explorer" },
	{ "-web", "use -o html=page.html for a page" },
	{ "-svg", "use -o svg=flame.svg for a picture" },
	{ "-text", "use tracefind profile FILE" },
	{ "-peek", "use --peek FUNCTION for callers and callees" },
	{ "-list", "use --list FUNCTION for source lines" },
	{ "-base", "use tracefind diff BEFORE AFTER" },
	{ "-diff_base", "use tracefind diff BEFORE AFTER" },
	{ "list", "use tracefind search for traces, tracefind services for "
		  "services" },
	{ "ls", "use tracefind search for traces, tracefind services for "
		"services" },
	{ "traces", "use tracefind search" },
	{ "find", "use tracefind search" },
	{ "query", "use tracefind search" },
	{ "trace", "use tracefind show TRACE for its spans, tracefind slow "
		   "TRACE for the cause" },
	{ "top", "use tracefind profile FILE, or --service NAME" },
	{ "compare", "use tracefind diff BEFORE AFTER" },
	{ "analyze", "use tracefind slow TRACE" },
	{ "explain", "use tracefind slow TRACE" },
	{ "flamegraph", "use -o svg=flame.svg with slow, diff or profile" },
	{ "memory", "use tracefind leak, or profile --type inuse" },
};

const char *habit_find(const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < COUNT_OF(habits); i++)
		if (strlen(habits[i].word) == len &&
		    !strncmp(habits[i].word, word, len))
			return habits[i].instead;
	return NULL;
}

/* ---- what it is not ---- */

bool guess_fail_command(const char *word, struct error *err)
{
	const char *instead = habit_find(word);
	struct trace_arg ignored;
	struct suggestion near;

	/* Which one without an id tells. */
	if (strstr(word, "://") && !trace_arg_parse(word, &ignored, err))
		return false;
	if (instead)
		return error_set(err, ERROR_USAGE,
				 "unknown command '%s'; %s",
				 value_quote(word).text, instead);
	suggestion_init(&near, str_from(word));
	for (const struct command *c = commands; c->name; c++)
		suggestion_offer(&near, c->name);
	if (near.best[0])
		return error_set(err, ERROR_USAGE,
				 "unknown command '%s'; did you mean %s?",
				 value_quote(word).text, near.best);
	return error_set(err, ERROR_USAGE,
			 strpbrk(word, "/.")
				 ? "'%s' is neither a file nor a command; "
				   "tracefind help lists the commands"
				 : "unknown command '%s'; tracefind help lists "
				   "the commands",
			 value_quote(word).text);
}
