/* SPDX-License-Identifier: Apache-2.0
 *
 * Serves the Model Context Protocol on standard input and output, a message a
 * line. A call of a tool is a command in a process of its own, which can be
 * stopped and whose memory goes with it; one runs at a time, others wait.
 * Knows no options and no servers: whoever calls it runs the commands.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <stddef.h>

#include "base/error.h"

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

#endif
