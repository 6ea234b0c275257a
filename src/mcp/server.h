/* SPDX-License-Identifier: Apache-2.0
 *
 * Model Context Protocol server on standard input and output, one message per
 * line. Each tool call runs a command in a child process, which can be killed
 * and whose memory is freed with it; once one has run for some seconds, up to
 * four run in parallel. Ends when the client stops reading. Independent of
 * options and servers: the caller runs the commands.
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

/* Tools for an assistant: each is a command with some of its options. Only
 * arguments in the table are accepted, and none of them can name a server, a
 * file outside the root, or a place to write to. */

enum tool_argument_kind {
	TOOL_TEXT,        /* --option=VALUE */
	TOOL_WORD,        /* one of a list of words */
	TOOL_FLAG,        /* true: --option */
	TOOL_COUNT,       /* an integer */
	TOOL_TRACE,       /* a trace id or traceparent; positional argument */
	TOOL_BASELINE,    /* a value of --baseline, except files */
	TOOL_FILE,        /* below the root; positional argument */
	TOOL_OPTION_FILE, /* below the root; --option=VALUE */
};

struct tool_argument {
	const char *name; /* NULL ends a list */
	enum tool_argument_kind kind;
	const char *option; /* NULL for a positional argument */
	const char *help;
	const char *const *words; /* of TOOL_WORD, NULL-terminated */
	bool is_needed;
};

struct tool {
	const char *name; /* NULL ends the table */
	const char *title;
	const char *help;
	const char *command; /* NULL: the server's own tool `more` */
	const char *fixed;   /* option that is always added, or NULL */
	const struct tool_argument *arguments;
};

extern const struct tool tools[];

/* Returns NULL if unknown. */
const struct tool *tool_find(struct str name);

/* A NULL-terminated command line. */
struct tool_line {
	const char **items; /* command first; in the arena */
	size_t count;
};

/* Converts the arguments of a call, a JSON object or empty. root: folder of
 * files that may be read, NULL: none. ERROR_USAGE with a message on what to
 * change. */
bool tool_line_make(const struct tool *tool, struct str arguments,
		    const char *root, struct arena *arena,
		    struct tool_line *line, struct error *err) MUST_CHECK;

/* Appends the error messages of a command, with commands and options replaced
 * by tools and their arguments: "ask the tool doctor". */
void tool_words(struct str talk, struct buf *out);

/* The three parts of a cursor, see render/reduce.h; false if invalid. */
struct tool_cursor {
	uint64_t answer;
	uint64_t offset;
	struct str pointer;
};
bool tool_cursor_read(struct str arguments, struct arena *arena,
		      struct tool_cursor *cursor, struct error *err) MUST_CHECK;

/* Writes `tools` of the response to tools/list. */
void tools_write(struct jsonw *w);

/* A message from a client: JSON-RPC 2.0 with the parameters of the Model
 * Context Protocol. Both protocol variants are accepted: revisions up to
 * 2025-11-25 start with `initialize`, 2026-07-28 has its revision in each
 * request (modelcontextprotocol/modelcontextprotocol, schema/). */

/* Maximum message size; calls only have a few names and times. */
#define MCP_LINE_BYTES LIMIT_DOCUMENT_BYTES

/* A string or an integer; returned unchanged in responses. */
struct mcp_id {
	bool is_given;
	bool is_text;
	struct str text;
	int64_t number;
};

/* Texts live in the arena of the message. Missing values are empty. */
struct mcp_message {
	struct mcp_id id; /* absent in notifications */
	struct str method;
	bool is_response; /* to a request of ours; we send none */
	/* From params. */
	struct str name;
	struct str arguments; /* JSON object */
	struct str cursor;
	struct mcp_id request; /* the one to cancel */
	struct str revision;   /* for initialize */
	/* From params._meta. */
	struct str meta_revision; /* present in the stateless variant */
	bool has_meta_revision;
	bool has_capabilities;
	struct mcp_id progress;
};

/* Error codes of JSON-RPC and of the protocol. */
enum mcp_fault {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_METHOD_NOT_FOUND = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL_ERROR = -32603,
	MCP_UNSUPPORTED_VERSION = -32022,
};

/* Returns false with the error code and, for people, err. m then contains what
 * was read so far, in particular the id. */
bool mcp_message_read(struct mcp_message *m, struct str line,
		      struct arena *arena, enum mcp_fault *fault,
		      struct error *err) MUST_CHECK;

bool mcp_id_equal(const struct mcp_id *a, const struct mcp_id *b);

/* Writes messages, one per line, each flushed. Results are the same for both
 * variants; fields required by the stateless one are only added to its
 * responses. */

struct mcp_writer {
	struct out out;
	const char *version; /* of the program */
};

bool mcp_writer_init(struct mcp_writer *w, const char *version,
		     struct error *err) MUST_CHECK;
void mcp_writer_release(struct mcp_writer *w);
/* Returns false if writing to the client failed. */
bool mcp_writer_check(struct mcp_writer *w, struct error *err) MUST_CHECK;

/* Returns whether this is a supported revision for requests without
 * `initialize`. */
bool mcp_revision_is_stateless(struct str revision);

/* Protocol errors. */
void mcp_write_fault(struct mcp_writer *w, const struct mcp_message *m,
		     enum mcp_fault fault, const char *why);
void mcp_write_unsupported(struct mcp_writer *w, const struct mcp_message *m);

/* Results of these methods. */
void mcp_write_initialized(struct mcp_writer *w, const struct mcp_message *m);
void mcp_write_discovered(struct mcp_writer *w, const struct mcp_message *m);
void mcp_write_empty(struct mcp_writer *w, const struct mcp_message *m);
void mcp_write_tools(struct mcp_writer *w, const struct mcp_message *m);

/* Writes the result of a tool. answer: JSON object; command NULL: none was
 * run. */
void mcp_write_result(struct mcp_writer *w, const struct mcp_message *m,
		      const struct buf *command, int exit_code,
		      struct str answer);
/* Writes the failure of a tool, for the model: why, and what to change. */
void mcp_write_trouble(struct mcp_writer *w, const struct mcp_message *m,
		       struct str why);

/* Reports progress of the request; steps must increase. */
void mcp_write_progress(struct mcp_writer *w, const struct mcp_message *m,
			int64_t steps, struct str text);

struct mcp_settings {
	const char *version;   /* of the program */
	const char *root;      /* files below may be read; NULL: none */
	size_t budget_tokens;  /* per answer */
	unsigned call_seconds; /* time limit of a call */
	/* Called in the child process: runs a command, NULL-terminated, that
	 * prints JSON to standard output, and returns the exit status. Writes
	 * progress to progress_fd, one line each. */
	int (*run)(const void *context, int argc, const char *const *argv,
		   int progress_fd);
	const void *context;
};

/* Serves until the input ends and all requests are answered. Returns false on
 * fatal errors. */
bool mcp_serve(const struct mcp_settings *settings,
	       struct error *err) MUST_CHECK;

/* A tool call: its process and the output so far. */

/* Output streams of a call. */
enum call_stream { CALL_ANSWER, CALL_TALK, CALL_PROGRESS, CALL_STREAMS };

struct mcp_call {
	struct mcp_call *next; /* next in the queue */
	struct arena arena;
	struct mcp_message message; /* lives in the arena */
	const struct tool *tool;
	struct tool_line line;
	pid_t pid;             /* 0: not started */
	int fds[CALL_STREAMS]; /* -1: closed */
	struct buf texts[CALL_STREAMS];
	int64_t steps; /* number of progress notifications sent */
	bool is_cancelled;
	bool is_too_long;
	bool is_too_late;
	/* Start and deadline, on the monotonic clock. */
	int64_t begin_ns;
	int64_t end_ns;
	int status; /* of the process, from waitpid() */
};

/* Returns NULL when out of memory. */
struct mcp_call *mcp_call_new(void);
void mcp_call_free(struct mcp_call *c);

/* Starts the process. */
bool mcp_call_start(struct mcp_call *c, const struct mcp_settings *settings,
		    struct error *err) MUST_CHECK;

/* Kills the process if its time is over; else returns the time left in ms. */
int mcp_call_time(struct mcp_call *c);

/* Reads available data from this stream. */
void mcp_call_read(struct mcp_call *c, enum call_stream stream);

/* Returns whether all streams are closed, after waiting for the process. */
bool mcp_call_ended(struct mcp_call *c);

/* Returns its error output, one or a few lines. */
struct str mcp_call_talk(struct mcp_call *c);

#endif
