/* SPDX-License-Identifier: Apache-2.0
 *
 * What each span does, seen from outside: which kind of call it is, to whom,
 * and which spans do the same (same service, kind, name and call text). The
 * attribute names of old and new semantic conventions are known here only.
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
	CALL_CACHE, /* redis and the like: quick by design */
	CALL_HTTP,
	CALL_RPC,
	CALL_MESSAGE,
	CALL_OTHER, /* a client span that says no more */
};

struct call_words; /* attribute names as symbols of this trace */

struct calls {
	const struct trace *t;
	struct call_words *words;
	uint8_t *kind;  /* per span, enum call_kind */
	uint32_t *key;  /* per span; equal numbers: the same thing done */
	uint32_t *like; /* the same thing done, whoever was called */
};

/* Classifies every span. *out lives in the arena and borrows the trace. */
bool calls_build(const struct trace *t, struct arena *arena, struct calls *out,
		 struct error *err) MUST_CHECK;

/* Appends the target of a call: "SELECT * FROM users WHERE id = ?", "GET
 * /user/{id}", "order.created"; the span's name when nothing better is known,
 * which may be empty. verb: instead of a method of HTTP that is not known. */
void calls_describe(const struct calls *c, uint32_t span, const char *verb,
		    struct buf *out);

/* Returns whether a call leaves its process. An embedded database does not: its
 * time is the caller's, and is in its profile. One that says where its server
 * is does. */
bool calls_is_outside(const struct calls *c, uint32_t span);

/* Who was called: "postgresql (pg-0)", "api.example:443"; may be nothing. */
void calls_peer(const struct calls *c, uint32_t span, struct buf *out);

/* Names that the callee may go by, best first: a service that the caller tells,
 * hosts, and what a host of Kubernetes is called in its namespace. They borrow
 * the trace; returns how many. */
#define CALLEE_NAMES 8u
size_t calls_callee_names(const struct calls *c, uint32_t span,
			  struct str names[CALLEE_NAMES]);

/* The call for which the span looks up a name, connects or agrees on a key, by
 * its name: a client span above it in its process; SPAN_NONE for all others. */
uint32_t calls_set_up(const struct calls *c, uint32_t span);

/* False for a query that was cut by its instrumentation or is one word, and
 * for a GraphQL address: two of those need not be the same query. */
bool calls_text_is_whole(const struct calls *c, uint32_t span);

/* The call a span makes: its own, or the one inside wrappers that do little
 * else; SPAN_NONE when it makes none. */
uint32_t calls_inside(const struct calls *c, uint32_t span);

/* Returns whether the second of two like calls asks for the next part of a
 * listing: a loop over pages cannot be one call. */
bool calls_is_page(const struct calls *c, uint32_t before, uint32_t after);

/* False when their queries or addresses differ in more than the host: the
 * second is no repetition of the first, whatever became of it. */
bool calls_is_same_request(const struct calls *c, uint32_t a, uint32_t b);

/* An error status, or a call answered by an HTTP or gRPC code that stands for
 * a failure to be tried again. */
bool calls_has_failed(const struct calls *c, uint32_t span);

/* The client says that it sends the same request once more. */
bool calls_is_resent(const struct calls *c, uint32_t span);

/* A server span whose parent is the client span of the same call. */
bool span_is_served_call(const struct trace *t, uint32_t server);

/* The server side of a client span, or SPAN_NONE. */
uint32_t span_server_side(const struct trace *t, uint32_t client);

/* False for work its parent did not wait for by its very nature: messages
 * taken by a consumer elsewhere, links. */
bool span_is_awaited(const struct trace *t, uint32_t span);

/* Listings read part by part: OFFSET and cursors of databases, page numbers
 * and tokens of addresses. Such calls repeat by design and are no N+1. */

/* A database operation that goes on reading an open cursor: "getMore",
 * "scroll", "fetch". */
bool paging_is_cursor(struct str operation);

/* Two queries of one form: does the second read the next part? Values may
 * have been replaced by placeholders before they came here. */
bool paging_is_next_query(struct str before, struct str after);

/* Two addresses or query strings of one form: does a parameter such as page,
 * offset or cursor differ, or does the path name a scroll? */
bool paging_is_next_url(struct str before, struct str after);

/* One address for whatever is asked: GraphQL's. */
bool paging_is_any_query(struct str url);

/* The same path and query string, whatever the scheme and the host. */
bool paging_is_same_path(struct str a, struct str b);

/* Queries without their literals: to tell which are the same, and fit for
 * people. */

/* A query with literals replaced by '?', blanks collapsed, comments dropped,
 * IN lists and VALUES rows collapsed, keywords lower-cased; appended to out. */
void query_normalize(struct str query, struct buf *out);

/* The form for people: literals masked alike, the case of keywords as it was
 * written. Appends; never fails but by the ceiling of out. */
void query_mask(struct str query, struct buf *out);

#endif
