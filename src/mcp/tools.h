/* SPDX-License-Identifier: Apache-2.0
 *
 * What an assistant may call: each tool is a command with some of its options.
 * An argument that is not in the table cannot be given, and none of those there
 * names a server, a file outside the root or a place to write to.
 */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/jsonw.h"
#include "base/str.h"

enum tool_argument_kind {
	TOOL_TEXT,     /* --option=VALUE */
	TOOL_WORD,     /* one of some words */
	TOOL_FLAG,     /* true: --option */
	TOOL_COUNT,    /* a whole number */
	TOOL_TRACE,    /* a trace id or traceparent; an argument of the command */
	TOOL_BASELINE, /* what --baseline takes, but for files */
	TOOL_FILE,     /* below the root; an argument of the command */
	TOOL_OPTION_FILE, /* below the root; --option=VALUE */
};

struct tool_argument {
	const char *name; /* NULL ends a list */
	enum tool_argument_kind kind;
	const char *option; /* NULL where it is an argument of the command */
	const char *help;
	const char *const *words; /* of TOOL_WORD, ends with NULL */
	bool is_needed;
};

struct tool {
	const char *name; /* NULL ends the table */
	const char *title;
	const char *help;
	const char *command; /* NULL: the server's own tool `more` */
	const char *fixed;   /* an option that is always given, or NULL */
	const struct tool_argument *arguments;
};

extern const struct tool tools[];

/* NULL: there is none of this name. */
const struct tool *tool_find(struct str name);

/* The arguments of a command line, which ends with NULL. */
struct tool_line {
	const char **items; /* the command first; in the arena */
	size_t count;
};

/* From the arguments of a call, the JSON of an object or empty. root: the
 * folder that files are looked for in, NULL: none may be read. What is wrong
 * with them is told in words that say what to change: ERROR_USAGE. */
bool tool_line_make(const struct tool *tool, struct str arguments,
		    const char *root, struct arena *arena,
		    struct tool_line *line, struct error *err) MUST_CHECK;

/* What a command said that went wrong, with the names of tools and of their
 * arguments for those of commands and options: "ask the tool doctor". */
void tool_words(struct str talk, struct buf *out);

/* The three parts of a cursor, see render/reduce.h; false: it is none. */
struct tool_cursor {
	uint64_t answer;
	uint64_t offset;
	struct str pointer;
};
bool tool_cursor_read(struct str arguments, struct arena *arena,
		      struct tool_cursor *cursor, struct error *err) MUST_CHECK;

/* `tools` of the answer to tools/list. */
void tools_write(struct jsonw *w);

#endif
