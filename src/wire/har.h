/* SPDX-License-Identifier: Apache-2.0
 *
 * Case files: HAR 1.2 with every request and response of a run, secrets
 * removed, gzip-compressed if the name ends in ".gz". A case also contains the
 * command line (redacted) and the clock, so that a replay reproduces the run
 * byte for byte without a network.
 */
#ifndef WIRE_HAR_H
#define WIRE_HAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/http_message.h"

struct har;

/* Creates an empty one, for recording. */
struct har *har_new(struct error *err) MUST_CHECK;
/* Reads one from a file, for replay; also from an HTML report that contains one
 * (base/page_case.h). */
struct har *har_open(const char *path, struct error *err) MUST_CHECK;
void har_free(struct har *h);

/* Adds an exchange (the last try of a request). url is absolute. Of the request
 * headers only Accept, Content-Type and X-Scope-OrgID are recorded; url and
 * bodies are redacted. */
bool har_add(struct har *h, const struct http_request *request, const char *url,
	     const struct http_response *response, int64_t started_ns,
	     struct error *err) MUST_CHECK;

/* Finds the recorded response to a request by method, url (host and prefix
 * included) and body, then by Accept header; equal requests get responses in
 * recorded order, the last one repeatedly. If absent, ERROR_NOT_FOUND: "not in
 * the case: POST http://...". */
bool har_find(struct har *h, const struct http_request *request,
	      const char *url, struct http_response *response,
	      struct error *err) MUST_CHECK;

/* The recorded run: its clock and its arguments (without argv[0]). */
void har_set_run(struct har *h, int64_t now_ns, int argc,
		 const char *const *argv);
int64_t har_now_ns(const struct har *h);
size_t har_args(const struct har *h, const char *const **args);

/* Appends it as a gzip file. */
bool har_pack(const struct har *h, struct buf *packed,
	      struct error *err) MUST_CHECK;

/* Writes it atomically with mode 0600. */
bool har_write(const struct har *h, const char *path,
	       struct error *err) MUST_CHECK;

/* Inspecting the content of a case: for commands that use whatever it contains,
 * and for messages about what is missing. */

/* A recorded exchange, borrowed from the case. */
struct har_held {
	const char *url;
	struct str body; /* of the request */
	bool has_answer; /* status 200 and not empty */
};

size_t har_held_count(const struct har *h);
struct har_held har_held_at(const struct har *h, size_t i);

/* Returns the trace id at the end of the path; empty: not a request for a
 * single trace. */
struct str har_held_trace(const char *url);

/* Returns whether the request is a trace search. */
bool har_held_is_search(const char *url);

/* Returns whether two searches are the same except for the span fields selected
 * and (of_any_number) the limit of traces: other versions may request less or
 * more. */
bool har_held_is_same_search(struct str a, struct str b, bool of_any_number);

/* Returns whether two request bodies for series, at the same URL, are the same
 * except for the labels requested: other versions may request less or more. */
bool har_held_is_same_series(const char *url, struct str a, struct str b);

/* Returns whether it requests the list of names or types, which is valid beyond
 * its time window. */
bool har_held_is_list(const char *url);

/* Copies response i. */
bool har_held_response(const struct har *h, size_t i,
		       struct http_response *response,
		       struct error *err) MUST_CHECK;

/* From now on lists of names and types match requests for any window: for
 * commands whose window is not specified. */
void har_relax(struct har *h);

/* Appends "trace 4bf9..., 10 searches, 11 profiles (recorded by tracefind slow
 * 4bf9)". */
void har_describe(const struct har *h, struct buf *out);

/* A case in memory: its exchanges, and what requests are matched by. */

struct har_entry {
	char *method;
	char *url;    /* redacted */
	char *accept; /* this and the next two may be NULL */
	char *content_type;
	char *tenant;
	struct buf request_body;
	int64_t started_ns;
	struct http_response response;
	bool is_used; /* has been replayed */
};

struct har {
	struct har_entry *entries;
	size_t count;
	size_t cap;
	size_t body_bytes;
	int64_t now_ns;
	char **args;
	size_t arg_count;
	bool is_args_failed; /* out of memory; reported when writing */
	bool is_relaxed;     /* see har_relax() */
};

#endif
