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
#include "base/jsonw.h"
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

/* null for one that is not given. */
void mcp_id_write(struct jsonw *w, const struct mcp_id *id);
bool mcp_id_equal(const struct mcp_id *a, const struct mcp_id *b);

#endif
