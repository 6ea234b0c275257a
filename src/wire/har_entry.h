/* SPDX-License-Identifier: Apache-2.0
 *
 * A case in memory: its recorded exchanges, and how a request finds one
 * again. har.c keeps it, har_read.c and har_write.c are its file.
 */
#ifndef WIRE_HAR_ENTRY_H
#define WIRE_HAR_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/http.h"

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

/* A new empty entry at the end, or NULL. */
struct har_entry *har_entry_new(struct har *h, struct error *err) MUST_CHECK;

/* What is looked for; request is borrowed. */
struct har_key {
	const struct http_request *request;
	struct buf url; /* redacted as recorded ones are */
};

/* Copies what is kept, redacted. Release also after failure. */
bool har_entry_fill(struct har_entry *e, const struct http_request *request,
		    const char *url, const struct http_response *response,
		    int64_t started_ns, struct error *err) MUST_CHECK;
void har_entry_release(struct har_entry *e);

/* Release also after failure. */
bool har_key_init(struct har_key *key, const struct http_request *request,
		  const char *url, struct error *err) MUST_CHECK;
void har_key_release(struct har_key *key);

/* 0: another request. Else the higher the better: the very same one, equal
 * Accept, unused. */
int har_entry_rank(const struct har_entry *e, const struct har_key *key);

/* Fills an empty case from the bytes of its file. Fails (ERROR_FORMAT) for what
 * is no HAR, or none of a run of ours; the case can be freed then. */
bool har_read(struct har *h, struct str bytes, struct error *err) MUST_CHECK;

/* Kinds of transport failures by name; unknown names are network failures. */
const char *har_code_name(enum error_code code);
enum error_code har_code_find(const char *name);

/* A copy of the answer, as http_run() gives it. */
bool har_entry_copy(const struct har_entry *e, struct http_response *response,
		    struct error *err) MUST_CHECK;

#endif
