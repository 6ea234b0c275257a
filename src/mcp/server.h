/* SPDX-License-Identifier: Apache-2.0
 *
 * Serves the Model Context Protocol on standard input and output, a message a
 * line. A call of a tool is a command in a process of its own, which can be
 * stopped and whose memory goes with it; one runs at a time, others wait.
 * Knows no options and no servers: whoever calls it runs the commands.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <poll.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "mcp/message.h"
#include "mcp/tools.h"

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

/* What a call is read from. */
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
	int64_t end_ns; /* of its time, on the monotonic clock */
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

/* Whether all of its streams are at their end; waits for the process then. */
bool mcp_call_ended(struct mcp_call *c);

/* What it printed about what went wrong, in a line or some. */
struct str mcp_call_talk(struct mcp_call *c);

#endif
