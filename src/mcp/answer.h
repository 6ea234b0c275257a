/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server says: one message a line, each written at once. Both eras get
 * the same results; what the stateless one demands stands in its answers only.
 */
#ifndef MCP_ANSWER_H
#define MCP_ANSWER_H

#include "base/out.h"
#include "mcp/message.h"

struct mcp_writer {
	struct out out;
	const char *version; /* of the program */
};

bool mcp_writer_init(struct mcp_writer *w, const char *version,
		     struct error *err) MUST_CHECK;
void mcp_writer_release(struct mcp_writer *w);
/* False when the client cannot be told any more. */
bool mcp_writer_check(struct mcp_writer *w, struct error *err) MUST_CHECK;

/* Whether requests may name this revision, one without `initialize`. */
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

/* Of a tool. answer: JSON of an object; command NULL: there was none. */
void mcp_write_result(struct mcp_writer *w, const struct mcp_message *m,
		      const struct buf *command, int exit_code,
		      struct str answer);
/* A tool that gave none, for the model: why, and what to change. */
void mcp_write_trouble(struct mcp_writer *w, const struct mcp_message *m,
		       struct str why);

/* How far the request is: steps grow. */
void mcp_write_progress(struct mcp_writer *w, const struct mcp_message *m,
			int64_t steps, struct str text);

#endif
