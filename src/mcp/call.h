/* SPDX-License-Identifier: Apache-2.0
 *
 * A call of a tool: the process that works on it, and what it has printed.
 */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include <poll.h>
#include <sys/types.h>

#include "mcp/message.h"
#include "mcp/server.h"
#include "mcp/tools.h"

/* Spans of a large trace have that much; the tool can be asked for fewer. */
#define MCP_ANSWER_BYTES (32 * MIB)
/* What was asked to end has that much time, and is killed then. */
#define MCP_STOP_SECONDS 5
/* The last lines of what went wrong. */
#define MCP_TALK_BYTES (16 * KIB)

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

/* Asks the process to end. */
void mcp_call_stop(struct mcp_call *c);

/* Ends it when its time is over; else how long that is, in ms. */
int mcp_call_time(struct mcp_call *c);

/* Takes what there is on this stream. */
void mcp_call_read(struct mcp_call *c, enum call_stream stream);

/* Whether all of its streams are at their end; waits for the process then. */
bool mcp_call_ended(struct mcp_call *c);

/* What it printed about what went wrong, in a line or some. */
struct str mcp_call_talk(struct mcp_call *c);

#endif
