/* SPDX-License-Identifier: Apache-2.0
 *
 * The wire under http_client.c: sends requests in parallel and waits for the
 * answers. Implemented by http.c, which calls curl (http_headers.c makes lists
 * for it).
 */
#ifndef WIRE_HTTP_WIRE_H
#define WIRE_HTTP_WIRE_H

#include "wire/http.h"

struct wire;

/* One request of a batch; request, response and url are borrowed. */
struct exchange {
	const struct http_request *request;
	struct http_response *response;
	const char *url;    /* absolute, not redacted */
	int64_t started_ns; /* clock time of the last try; set by the wire */
	bool is_done;       /* set beforehand: nothing to send; by the wire */
	bool is_cached;     /* by an earlier run */
};

/* deadline_ns is on the monotonic clock. settings are borrowed. */
struct wire *wire_new(const struct http_settings *settings, int64_t deadline_ns,
		      struct error *err);
void wire_free(struct wire *w);

/* Another deadline, from the next wire_run() on. */
void wire_extend(struct wire *w, int64_t deadline_ns);

/* What there is to do while answers are waited for. */
struct wire_work {
	/* A piece of it, when there is one: *is_done is set then. False ends
	 * the run with err. Sends nothing. */
	bool (*piece)(void *context, bool *is_done, struct error *err);
	void *context;
};

/* Fills the responses. False only when interrupted, out of memory, when the
 * system does not let it wait, or when the work failed. */
bool wire_run(struct wire *w, struct exchange *exchanges, size_t n,
	      const struct wire_work *work, struct error *err) MUST_CHECK;

#endif
