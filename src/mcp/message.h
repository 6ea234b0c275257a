/* SPDX-License-Identifier: Apache-2.0
 *
 * One message of a client: JSON-RPC 2.0 with what the Model Context Protocol
 * puts into its parameters. Both eras are read alike: revisions up to
 * 2025-11-25 begin with `initialize`, 2026-07-28 names its revision in each
 * request (modelcontextprotocol/modelcontextprotocol, schema/).
 */
#ifndef MCP_MESSAGE_H
#define MCP_MESSAGE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/out.h"
#include "base/str.h"

/* Calls have a few names and times; whoever sends more is no client. */
#define MCP_LINE_BYTES (4 * MIB)

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

/* What the server says: one message a line, each written at once. Both eras get
 * the same results; what the stateless one demands stands in its answers only.
 */

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
