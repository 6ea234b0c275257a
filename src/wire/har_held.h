/* SPDX-License-Identifier: Apache-2.0
 *
 * What a case holds: for commands that take from it what there is, and for
 * telling what there is when something is missing.
 */
#ifndef WIRE_HAR_HELD_H
#define WIRE_HAR_HELD_H

#include "wire/har.h"

/* A recorded exchange; borrowed from the case. */
struct har_held {
	const char *url;
	struct str body; /* of the request */
	bool has_answer; /* 200 and not empty */
};

size_t har_held_count(const struct har *h);
struct har_held har_held_at(const struct har *h, size_t i);

/* The id at the end of the path by which one trace was asked for; empty: it is
 * another request. */
struct str har_held_trace(const char *url);

/* Whether the request searched for traces. */
bool har_held_is_search(const char *url);

/* Whether two searches look for the same, and differ at most in what answers
 * are asked to tell of a span, and of how many (of_any_number) traces: another
 * version may ask for less or more. */
bool har_held_is_same_search(struct str a, struct str b, bool of_any_number);

/* Whether two bodies of requests for series, of the same address, differ at
 * most in which labels are asked for: another version may ask for less or more.
 */
bool har_held_is_same_series(const char *url, struct str a, struct str b);

/* Whether it asked for the names and types there are, which are true of more
 * than the window asked about. */
bool har_held_is_list(const char *url);

/* A copy of answer i. */
bool har_held_response(const struct har *h, size_t i,
		       struct http_response *response,
		       struct error *err) MUST_CHECK;

/* From now on names and types, of whatever window they were asked for, answer
 * every such question: for a command that says nothing of what it wants. */
void har_relax(struct har *h);

/* "trace 4bf9..., 10 searches, 11 profiles (recorded by tracefind slow 4bf9)"
 */
void har_describe(const struct har *h, struct buf *out);

#endif
