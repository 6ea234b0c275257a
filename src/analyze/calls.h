/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifies spans by their attributes: the kind of call, the callee, and which
 * spans do the same thing (same service, kind, name and call text). The only
 * place that knows the attribute names of old and new semantic conventions.
 */
#ifndef ANALYZE_CALLS_H
#define ANALYZE_CALLS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "model/trace.h"

enum call_kind {
	CALL_NONE = 0,
	CALL_DATABASE,
	CALL_CACHE, /* redis and the like: fast by design */
	CALL_HTTP,
	CALL_RPC,
	CALL_MESSAGE,
	CALL_OTHER, /* a client span without details */
};

struct call_words; /* attribute names as symbols of this trace */

struct calls {
	const struct trace *t;
	struct call_words *words;
	uint8_t *kind;  /* per span, enum call_kind */
	uint32_t *key;  /* per span; equal numbers: the same operation */
	uint32_t *like; /* the same, whatever the callee */
};

/* Classifies every span. *out lives in the arena and borrows the trace. */
bool calls_build(const struct trace *t, struct arena *arena, struct calls *out,
		 struct error *err) MUST_CHECK;

/* Appends the target of a call: "SELECT * FROM users WHERE id = ?", "GET
 * /user/{id}", "order.created"; else the span's name, which may be empty. verb:
 * used if the HTTP method is not known. */
void calls_describe(const struct calls *c, uint32_t span, const char *verb,
		    struct buf *out);

/* Returns whether a call leaves its process. A call to an embedded database
 * does not: its time is the caller's and appears in its profile. A call with a
 * server address does. */
bool calls_is_outside(const struct calls *c, uint32_t span);

/* Appends the callee: "postgresql (pg-0)", "api.example:443"; may append
 * nothing. */
void calls_peer(const struct calls *c, uint32_t span, struct buf *out);

/* Finds possible names of the callee, best first: a service named by the
 * caller, hosts, and the service name in a Kubernetes host name. They borrow
 * from the trace; returns their number. */
#define CALLEE_NAMES 8u
size_t calls_callee_names(const struct calls *c, uint32_t span,
			  struct str names[CALLEE_NAMES]);

/* Returns the call that a span for a DNS lookup, a connection or a TLS
 * handshake belongs to, recognised by its name: a client span above it in its
 * process; SPAN_NONE for all other spans. */
uint32_t calls_set_up(const struct calls *c, uint32_t span);

/* Returns false for queries truncated by instrumentation or of one word, and
 * for GraphQL URLs: two equal ones may be different queries. */
bool calls_text_is_whole(const struct calls *c, uint32_t span);

/* Returns the call of a span: the span itself, or the call inside of wrappers
 * that do little else; SPAN_NONE if there is none. */
uint32_t calls_inside(const struct calls *c, uint32_t span);

/* Returns whether the second of two similar calls reads the next page of a
 * listing: a loop over pages cannot be replaced by one call. */
bool calls_is_page(const struct calls *c, uint32_t before, uint32_t after);

/* Returns whether two calls may be repetitions: false if their queries or URLs
 * differ in more than the host. */
bool calls_is_same_request(const struct calls *c, uint32_t a, uint32_t b);

/* Returns whether a call failed: by its error status, or by an HTTP or gRPC
 * code for a failure that is worth a retry. */
bool calls_has_failed(const struct calls *c, uint32_t span);

/* Returns whether the client marked the call as a repeated request. */
bool calls_is_resent(const struct calls *c, uint32_t span);

/* Returns whether it is a server span whose parent is the client span of the
 * same call. */
bool span_is_served_call(const struct trace *t, uint32_t server);

/* Returns the server side of a client span, or SPAN_NONE. */
uint32_t span_server_side(const struct trace *t, uint32_t client);

/* Returns false for work that its parent never waits for: messages consumed
 * elsewhere, links. */
bool span_is_awaited(const struct trace *t, uint32_t span);

/* Pagination: OFFSET and cursors of databases, page numbers and tokens in URLs.
 * Such calls are repeated by design and are not an N+1. */

/* Returns whether a database operation continues an open cursor: "getMore",
 * "scroll", "fetch". */
bool paging_is_cursor(struct str operation);

/* Returns whether the second of two queries of one form reads the next page.
 * Values may already be replaced by placeholders. */
bool paging_is_next_query(struct str before, struct str after);

/* Returns whether the second of two URLs or query strings of one form reads the
 * next page: a parameter such as page, offset or cursor differs, or the path
 * contains a scroll. */
bool paging_is_next_url(struct str before, struct str after);

/* Returns whether the URL is that of GraphQL, the same for all queries. */
bool paging_is_any_query(struct str url);

/* Returns whether path and query string are equal; scheme and host are
 * ignored. */
bool paging_is_same_path(struct str a, struct str b);

/* Queries without literals, for comparison and for display. */

/* Appends a query with literals replaced by '?', whitespace collapsed, comments
 * dropped, IN lists and VALUES rows collapsed, and keywords in lower case. */
void query_normalize(struct str query, struct buf *out);

/* Appends the form for display: literals are masked likewise, the case of
 * keywords is kept. Fails only at the limit of out. */
void query_mask(struct str query, struct buf *out);

#endif
