/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of commands: their names, help and formats. What they do is in
 * pages.h, which this does not know.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/out.h"
#include "base/str.h"

enum command_bit {
	COMMAND_SLOW = 1 << 0,
	COMMAND_DIFF = 1 << 1,
	COMMAND_SHOW = 1 << 2,
	COMMAND_PROFILE = 1 << 3,
	COMMAND_HELP = 1 << 4,
	COMMAND_VERSION = 1 << 5,
	COMMAND_TYPES = 1 << 6,
	COMMAND_DOCTOR = 1 << 7,
	COMMAND_SEARCH = 1 << 8,
	COMMAND_SERVICES = 1 << 9,
	COMMAND_COMPLETION = 1 << 10,
	COMMAND_LEAK = 1 << 12,
	COMMAND_WHEN = 1 << 13,
	COMMAND_CHECK = 1 << 11,
	COMMAND_SLO = 1 << 14,
	COMMAND_COST = 1 << 15,
	COMMAND_CONFIG = 1 << 16,
	COMMAND_MCP = 1 << 20,
	COMMAND_DASH = 1 << 17,
	COMMAND_ALERT = 1 << 18,
	COMMAND_EXPORT = 1 << 19,
	COMMAND_CONVERT = 1 << 21, /* of files only */
	/* Those that look at traces or profiles, and all. */
	COMMAND_DATA = COMMAND_SLOW | COMMAND_DIFF | COMMAND_SHOW |
		       COMMAND_PROFILE | COMMAND_TYPES | COMMAND_DOCTOR |
		       COMMAND_SEARCH | COMMAND_SERVICES | COMMAND_WHEN |
		       COMMAND_CHECK | COMMAND_LEAK | COMMAND_COST |
		       COMMAND_DASH | COMMAND_ALERT | COMMAND_EXPORT |
		       COMMAND_SLO,
	COMMAND_ALL =
		COMMAND_DATA | COMMAND_CONFIG | COMMAND_HELP | COMMAND_VERSION |
		COMMAND_COMPLETION | COMMAND_MCP | COMMAND_CONVERT,
};

/* The formats of -o: names of formats with blanks between, or all of render/
 * but what the command lacks. */
#define FORMATS_OF_RESULTS "all"
#define FORMATS_OF_ANSWERS "table json brief"

struct command {
	const char *name;
	unsigned bit;
	const char *synopsis; /* "slow [OPTIONS] TRACE" */
	const char *summary;  /* one line for the list of commands */
	/* For its own --help: paragraphs, and examples as the last. */
	const char *details;
	/* The options that fit on a screen with them, most used first, with
	 * blanks between. */
	const char *common;
	size_t max_args;      /* at most LIMIT_ARGUMENTS */
	const char *formats; /* NULL: it takes no -o */
	unsigned lacking; /* bits of enum render_needs it never has */
};

extern const struct command commands[]; /* ends with a NULL name */

/* NULL when there is no such command. */
const struct command *command_find(struct str name);

/* Formats of -o: their names and endings, what each command offers. Knows no
 * options. */

/* Format i of all there are; NULL past the last. */
const char *output_format_name(size_t i);

/* The name as it stands there, else NULL. */
const char *output_format_find(struct str name);

/* The format that a file's ending stands for, whatever its case; NULL: none. */
const char *output_format_of_file(struct str path);

/* ".txt, .json": the endings that there are. */
void output_list_suffixes(struct buf *text);

/* Returns whether a word is one of those, with blanks between. */
bool words_have(const char *words, struct str word);

/* Returns whether -o of the command offers this format. */
bool output_gives(const struct command *command, const char *format);

/* "table, json or csv": what -o of the command offers. */
void output_list_formats(const struct command *command, struct buf *text);

/* Returns whether it is a format of results that needs this of enum
 * render_needs. */
bool output_format_needs(const char *format, unsigned needs);

/* tracefind completion: the scripts for shells, which are made when the program
 * is built, and what those ask for: names that the cache holds. */

struct completion_script {
	const char *shell; /* NULL: the last */
	const char *text;
	size_t len;
};

/* Made by completions/embed.py, a part of the program only. */
extern const struct completion_script completion_scripts[];

#endif
