/* SPDX-License-Identifier: Apache-2.0
 *
 * Serves the Model Context Protocol on standard input and output, a message a
 * line. A call of a tool is a command in a process of its own, which can be
 * stopped and whose memory goes with it; once one has run for some
 * seconds, four run side by side. It ends when nobody reads its answers. Knows no
 * options and no servers: whoever calls it runs the commands.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/jsonw.h"
#include "base/out.h"
#include "base/str.h"

/* The tools of an assistant: each tool is a command with some of its options.
 * An argument that is not in the table cannot be given, and none of those there
 * names a server, a file outside the root or a place to write to. */

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

/* Appends the errors of a command, with the names of tools and of their
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

/* One message of a client: JSON-RPC 2.0 with what the Model Context Protocol
 * puts into its parameters. Both eras are read alike: revisions up to
 * 2025-11-25 begin with `initialize`, 2026-07-28 names its revision in each
 * request (modelcontextprotocol/modelcontextprotocol, schema/). */

/* Calls have a few names and times; whoever sends more is no client. */
#define MCP_LINE_BYTES LIMIT_DOCUMENT_BYTES

/* A string or an integer; answers repeat it as it came. */
struct mcp_id {
	bool is_given;
	bool is_text;
	struct str text;
	int64_t number;
};

/* Texts live in the arena of the message. What is not given is empty. */
struct mcp_message {
	struct mcp_id id; /* not given: a notification */
	struct str method;
	bool is_response; /* to a request of ours: there are none */
	/* Of the parameters. */
	struct str name;
	struct str arguments; /* JSON of an object */
	struct str cursor;
	struct mcp_id request; /* to be cancelled */
	struct str revision;   /* of initialize */
	/* Of their _meta. */
	struct str meta_revision; /* given: the stateless era */
	bool has_meta_revision;
	bool has_capabilities;
	struct mcp_id progress;
};

/* JSON-RPC's and the protocol's own. */
enum mcp_fault {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_METHOD_NOT_FOUND = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL_ERROR = -32603,
	MCP_UNSUPPORTED_VERSION = -32022,
};

/* False with the fault and, for people, err. What was read of it by then, its
 * id above all, stands in m. */
bool mcp_message_read(struct mcp_message *m, struct str line,
		      struct arena *arena, enum mcp_fault *fault,
		      struct error *err) MUST_CHECK;

bool mcp_id_equal(const struct mcp_id *a, const struct mcp_id *b);

/* The writer of the server: one message a line, each written at once. Both eras
 * get the same results; what the stateless one demands stands in its answers
 * only. */

struct mcp_writer {
	struct out out;
	const char *version; /* of the program */
};

bool mcp_writer_init(struct mcp_writer *w, const char *version,
		     struct error *err) MUST_CHECK;
void mcp_writer_release(struct mcp_writer *w);
/* False when the client cannot be told any more. */
bool mcp_writer_check(struct mcp_writer *w, struct error *err) MUST_CHECK;

/* Returns whether requests may name this revision, one without `initialize`. */
bool mcp_revision_is_stateless(struct str revision);

/* Errors of the protocol. */
void mcp_write_fault(struct mcp_writer *w, const struct mcp_message *m,
		     enum mcp_fault fault, const char *why);
void mcp_write_unsupported(struct mcp_writer *w, const struct mcp_message *m);

/* Results of the methods of that name. */
void mcp_write_initialized(struct mcp_writer *w, const struct mcp_message *m);
void mcp_write_discovered(struct mcp_writer *w, const struct mcp_message *m);
void mcp_write_empty(struct mcp_writer *w, const struct mcp_message *m);
void mcp_write_tools(struct mcp_writer *w, const struct mcp_message *m);

/* Writes the result of a tool. answer: JSON of an object; command NULL: there
 * was none. */
void mcp_write_result(struct mcp_writer *w, const struct mcp_message *m,
		      const struct buf *command, int exit_code,
		      struct str answer);
/* A tool that gave none, for the model: why, and what to change. */
void mcp_write_trouble(struct mcp_writer *w, const struct mcp_message *m,
		       struct str why);

/* How far the request is: steps grow. */
void mcp_write_progress(struct mcp_writer *w, const struct mcp_message *m,
			int64_t steps, struct str text);

struct mcp_settings {
	const char *version;  /* of the program */
	const char *root;     /* files below may be read; NULL: none may */
	size_t budget_tokens; /* of an answer */
	unsigned call_seconds; /* a call that takes longer is ended */
	/* In the new process: runs a command, its words ended by NULL, which
	 * prints JSON to standard output; the exit status. What it waits for
	 * goes to progress_fd, a line each. */
	int (*run)(const void *context, int argc, const char *const *argv,
		   int progress_fd);
	const void *context;
};

/* Until the input ends and all that was asked is answered. False when that
 * cannot go on. */
bool mcp_serve(const struct mcp_settings *settings,
	       struct error *err) MUST_CHECK;

/* A call of a tool: the process that works on it, and what it has printed. */

/* The streams that a call is read from. */
enum call_stream { CALL_ANSWER, CALL_TALK, CALL_PROGRESS, CALL_STREAMS };

struct mcp_call {
	struct mcp_call *next; /* that waits behind it */
	struct arena arena;
	struct mcp_message message; /* lives in the arena */
	const struct tool *tool;
	struct tool_line line;
	pid_t pid; /* 0: not begun */
	int fds[CALL_STREAMS]; /* -1: at its end */
	struct buf texts[CALL_STREAMS];
	int64_t steps; /* of progress that were told */
	bool is_cancelled;
	bool is_too_long;
	bool is_too_late;
	/* Of its time, on the monotonic clock. */
	int64_t begin_ns;
	int64_t end_ns;
	int status; /* of the process, as waitpid() has it */
};

/* NULL: no memory. */
struct mcp_call *mcp_call_new(void);
void mcp_call_free(struct mcp_call *c);

/* Starts the process. */
bool mcp_call_start(struct mcp_call *c, const struct mcp_settings *settings,
		    struct error *err) MUST_CHECK;

/* Ends it when its time is over; else how long that is, in ms. */
int mcp_call_time(struct mcp_call *c);

/* Takes what there is on this stream. */
void mcp_call_read(struct mcp_call *c, enum call_stream stream);

/* Returns whether all of its streams are at their end; waits for the process
 * then. */
bool mcp_call_ended(struct mcp_call *c);

/* Returns what it printed about what went wrong, in a line or some. */
struct str mcp_call_talk(struct mcp_call *c);

#endif
