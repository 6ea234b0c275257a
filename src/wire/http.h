/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs batches of requests in parallel over reused connections, within one
 * deadline, with retries, bounded bodies and safe defaults (TLS verified, 1.2
 * or newer, no redirects, only http and https, credentials never over plain
 * http to another machine).
 * Knows nothing of traces; records to and replays from case files (har.h).
 */
#ifndef WIRE_HTTP_H
#define WIRE_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/http_message.h"

struct cache;
struct har;
struct http_client;

/* How far a batch is, told many times a second while it runs. */
struct http_progress {
	const struct http_request *waiting; /* the first without its answer */
	size_t answered;
	size_t count;
	int64_t bytes; /* of all answers so far, as they were sent */
};

struct http_settings {
	int64_t connect_timeout_ms; /* 10000 */
	int64_t stall_timeout_ms;   /* 15000 */
	int64_t timeout_ms;         /* 60000: the whole run, see is_long */
	unsigned retries;           /* 2 more tries */
	size_t most_requests;       /* 0: LIMIT_REQUESTS_PER_RUN */
	bool is_long;               /* the time is that of each batch */
	struct har *record;         /* NULL: not recording */
	struct har *replay;         /* NULL: live */
	struct cache *cache;        /* NULL: none */
	bool (*is_interrupted)(void);
	void (*on_progress)(const struct http_progress *progress); /* or NULL */
	/* Asked when a server answers 401: true when the endpoint's token is
	 * another one now, so that the request is worth a second try. NULL:
	 * there are no others. */
	bool (*renew_token)(void *context, const struct endpoint *endpoint);
	void *renew_context;
};

/* What -v prints and the JSON answer lists, in the order of the requests. */
struct http_log_entry {
	char *method;
	char *url; /* redacted */
	int status;
	int64_t bytes;
	int64_t duration_ns;
	unsigned tries;
	bool is_cached; /* not asked for this time */
	/* From 1: which http_run() it was of. Requests of one round ran side
	 * by side; a round waits for the one before. */
	unsigned round;
};

/* settings is copied, what it points to is borrowed. */
struct http_client *http_client_new(const struct http_settings *settings,
				    struct error *err) MUST_CHECK;
void http_client_free(struct http_client *c);

/* Runs n requests, at most LIMIT_PARALLEL_REQUESTS at a time, and fills the
 * responses in the same order (to be released by the caller). Returns false
 * only when nothing can go on: interrupted, out of memory, a request that is
 * not optional missing from the replayed case (named). A server's refusal is in
 * its response. */
bool http_run(struct http_client *c, struct http_request *requests,
	      struct http_response *responses, size_t n,
	      struct error *err) MUST_CHECK;

/* Who takes the answers one by one. */
struct http_taker {
	/* The response of this number is there. May release its body; sends
	 * nothing. */
	void (*take)(void *context, size_t index);
	void *context;
};

/* The same; each response is handed over as soon as it and all in front of it
 * are there, while others are on their way, unless it is a large one: then all
 * have come. After a failure some were not handed over. */
bool http_run_each(struct http_client *c, struct http_request *requests,
		   struct http_response *responses, size_t n,
		   const struct http_taker *taker,
		   struct error *err) MUST_CHECK;

/* Why answers could not be kept for the next run, or NULL: that is no failure
 * of this one. */
const struct error *http_cache_error(const struct http_client *c);

/* Requests that may still be sent. */
size_t http_requests_left(const struct http_client *c);

/* Entries so far; *entries is valid until the next http_run(). */
size_t http_log(const struct http_client *c,
		const struct http_log_entry **entries);

#endif
