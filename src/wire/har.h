/* SPDX-License-Identifier: Apache-2.0
 *
 * Case files: HAR 1.2 with every request and answer of a run, secrets
 * removed, gzip when the name ends in ".gz". A case also keeps the command
 * line (redacted) and the clock, so that a replay repeats the run byte for
 * byte without a network.
 */
#ifndef WIRE_HAR_H
#define WIRE_HAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/http_message.h"

struct har;

/* Empty, for recording; or read from a file, for replay. */
struct har *har_new(struct error *err) MUST_CHECK;
/* Also from a page that holds one (base/page_case.h). */
struct har *har_open(const char *path, struct error *err) MUST_CHECK;
void har_free(struct har *h);

/* Adds an exchange (the last try of a request). url is absolute. Request
 * headers are not taken from the wire: only Accept, Content-Type and
 * X-Scope-OrgID are written. The redacted url and bodies are kept. */
bool har_add(struct har *h, const struct http_request *request, const char *url,
	     const struct http_response *response, int64_t started_ns,
	     struct error *err) MUST_CHECK;

/* Finds the recorded answer of a request by method, url (host and prefix
 * included) and body, accept header next; equal requests are answered in
 * recorded order, the last one again and again. False: ERROR_NOT_FOUND,
 * "not in the case: POST http://...". */
bool har_find(struct har *h, const struct http_request *request,
	      const char *url, struct http_response *response,
	      struct error *err) MUST_CHECK;

/* The recorded run: its clock and its arguments (without argv[0]). */
void har_set_run(struct har *h, int64_t now_ns, int argc,
		 const char *const *argv);
int64_t har_now_ns(const struct har *h);
size_t har_args(const struct har *h, const char *const **args);

/* As a file of gzip, appended. */
bool har_pack(const struct har *h, struct buf *packed,
	      struct error *err) MUST_CHECK;

/* Writes atomically with mode 0600. */
bool har_write(const struct har *h, const char *path,
	       struct error *err) MUST_CHECK;

/* The content of a case: for commands that take from it what there is, and for
 * telling what there is when something is missing. */

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

/* Returns whether the request searched for traces. */
bool har_held_is_search(const char *url);

/* Returns whether two searches look for the same, and differ at most in what
 * answers are asked to tell of a span, and of how many (of_any_number) traces:
 * another version may ask for less or more. */
bool har_held_is_same_search(struct str a, struct str b, bool of_any_number);

/* Returns whether two bodies of requests for series, of the same address,
 * differ at most in which labels are asked for: another version may ask for
 * less or more. */
bool har_held_is_same_series(const char *url, struct str a, struct str b);

/* Returns whether it asked for the names and types there are, which are true of
 * more than the window asked about. */
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

/* A case in memory: its recorded exchanges, and how a request finds one
 * again. */

struct har_entry {
	char *method;
	char *url;    /* redacted */
	char *accept; /* may be NULL, as the next two */
	char *content_type;
	char *tenant;
	struct buf request_body;
	int64_t started_ns;
	struct http_response response;
	bool is_used; /* answered a request of this replay */
};

struct har {
	struct har_entry *entries;
	size_t count;
	size_t cap;
	size_t body_bytes;
	int64_t now_ns;
	char **args;
	size_t arg_count;
	bool is_args_failed; /* out of memory; told when writing */
	bool is_relaxed;     /* see har_relax() */
};

#endif
