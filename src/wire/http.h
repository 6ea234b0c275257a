/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP client: runs batches of requests in parallel over reused connections,
 * within one deadline, with retries, size limits and safe defaults (TLS
 * verified, 1.2 or newer, no redirects, only http and https, credentials never
 * over plain HTTP to another machine). Records to and replays from case files
 * (har.h). Knows nothing of traces.
 */
#ifndef WIRE_HTTP_H
#define WIRE_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/gz.h"
#include "base/str.h"
#include "wire/http_message.h"

struct cache;
struct har;
struct http_client;

/* Progress of a batch, reported many times per second. */
struct http_progress {
	const struct http_request *waiting; /* the first unanswered one */
	size_t answered;
	size_t count;
	int64_t bytes; /* of all responses so far, as transferred */
	/* While that one waits for a retry at the server's request: time
	 * waited, time left, and the status received. */
	int64_t waited_ns;
	int64_t wait_left_ns; /* 0: waiting for a response */
	int wait_status;
};

struct http_settings {
	int64_t connect_timeout_ms; /* 10000 */
	int64_t stall_timeout_ms;   /* 15000 */
	int64_t timeout_ms;         /* 60000: for the whole run, see is_long */
	unsigned retries;           /* 2, beyond the first try */
	size_t most_requests;       /* 0: LIMIT_REQUESTS_PER_RUN */
	bool is_long;               /* timeout_ms applies to each batch */
	struct har *record;         /* NULL: not recording */
	struct har *replay;         /* NULL: live */
	struct cache *cache;        /* NULL: none */
	bool (*is_interrupted)(void);
	void (*on_progress)(const struct http_progress *progress); /* or NULL */
	/* Called on status 401; returns true if the endpoint's token was
	 * replaced, to try once more. NULL: tokens cannot be renewed. */
	bool (*renew_token)(void *context, const struct endpoint *endpoint);
	void *renew_context;
};

/* A request as printed by -v and listed in the JSON answer, in request
 * order. */
struct http_log_entry {
	char *method;
	char *url; /* redacted */
	int status;
	int64_t bytes;
	int64_t duration_ns;
	unsigned tries;
	bool is_cached; /* taken from the cache */
	/* Number of the http_run() call, from 1. Requests of a round run in
	 * parallel, rounds one after the other. */
	unsigned round;
};

/* settings are copied, but what they point to is borrowed. */
struct http_client *http_client_new(const struct http_settings *settings,
				    struct error *err) MUST_CHECK;
void http_client_free(struct http_client *c);

/* Runs n requests, at most LIMIT_PARALLEL_REQUESTS at a time, and fills the
 * responses in the same order (released by the caller). Returns false only on
 * interruption, lack of memory, or if a non-optional request (named) is missing
 * from the replayed case. Errors of single requests are in their responses. */
bool http_run(struct http_client *c, struct http_request *requests,
	      struct http_response *responses, size_t n,
	      struct error *err) MUST_CHECK;

/* Receives responses one by one. */
struct http_taker {
	/* Called when the response with this index is complete. May release its
	 * body; must not send requests. */
	void (*take)(void *context, size_t index);
	void *context;
};

/* Same; passes on each response as soon as it and all before it are complete,
 * while others are in progress. Large ones are passed on when all are complete.
 * After a failure some are not passed on. */
bool http_run_each(struct http_client *c, struct http_request *requests,
		   struct http_response *responses, size_t n,
		   const struct http_taker *taker,
		   struct error *err) MUST_CHECK;

/* Returns why responses could not be cached, or NULL: not a failure of this
 * run. */
const struct error *http_cache_error(const struct http_client *c);

/* Returns the number of requests left within the limit. */
size_t http_requests_left(const struct http_client *c);

/* Returns the number of entries so far; *entries is valid until the next
 * http_run(). */
size_t http_log(const struct http_client *c,
		const struct http_log_entry **entries);

/* Transport below http_client.c: sends requests in parallel and waits for the
 * responses. Implemented by http.c with libcurl. */

struct wire;

/* A request of a batch; request, response and url are borrowed. */
struct exchange {
	const struct http_request *request;
	struct http_response *response;
	const char *url; /* absolute, not redacted */
	/* Wall-clock time of the last try; set by wire_run(). */
	int64_t started_ns;
	/* Set by the caller: nothing to send; else set by wire_run(). */
	bool is_done;
	bool is_cached; /* from the cache */
};

/* deadline_ns is on the monotonic clock. settings are borrowed. */
struct wire *wire_new(const struct http_settings *settings, int64_t deadline_ns,
		      struct error *err);
void wire_free(struct wire *w);

/* Changes the deadline, from the next wire_run() on. */
void wire_extend(struct wire *w, int64_t deadline_ns);

/* Background work while waiting for responses. */
struct wire_work {
	/* Does a piece of it and sets *is_done, if there is one. Returning
	 * false, with err, ends the run. Must not send requests. */
	bool (*piece)(void *context, bool *is_done, struct error *err);
	void *context;
};

/* Fills the responses. Returns false only on interruption, lack of memory, a
 * failed system call for waiting, or failed work. */
bool wire_run(struct wire *w, struct exchange *exchanges, size_t n,
	      const struct wire_work *work, struct error *err) MUST_CHECK;

/* Retry policy. Pure functions: clock and randomness are parameters. */

#define RETRY_NEVER ((int64_t)-1)

/* Facts about a failed try. */
struct retry_facts {
	int status; /* 0: no response */
	/* Connection lost, as opposed to refused or a TLS error. */
	bool is_broken;
	bool is_google;         /* Google Cloud: also retry on 500 */
	unsigned tries;         /* made so far, at least 1 */
	unsigned retries;       /* maximum beyond the first try */
	struct str retry_after; /* header, may be empty */
	struct str date;        /* the server's clock, may be empty */
	int64_t now_ns;         /* used if date is missing */
	int64_t left_ms;        /* until the deadline of the run */
	uint32_t random;
};

/* Returns the milliseconds until the next try, or RETRY_NEVER: not retryable,
 * tries used up, or the wait is too long or exceeds the run's deadline. */
int64_t retry_delay_ms(const struct retry_facts *f);

/* Parses "Sun, 06 Nov 1994 08:49:37 GMT". */
bool parse_http_date(struct str text, int64_t *out_ns);

/* Receiving a response: header lines and body pieces as they arrive, checked
 * against limits and decompressed. Independent of the HTTP library. */

struct receive {
	struct http_response *response; /* borrowed */
	const struct http_sieve *sieve; /* or NULL */
	/* Decompressed, to be passed to the sieve. */
	struct buf piece;
	struct gz_stream *gz; /* for an error body or "deflate" */
	/* Gzip body, decompressed when complete. */
	struct buf packed;
	bool is_packed;
	bool is_cut; /* receive_finish() failed because of a truncated body */
	size_t header_bytes;
	unsigned fold_count; /* number of continuation lines */
	bool is_head_whole;  /* headers received up to the blank line */
	/* How the body's end is determined; if neither, by the end of the
	 * connection. */
	bool has_length;
	bool is_chunked;
	uint64_t length_bytes;
	bool is_body_begun;
	/* An error body reached its (small) limit; ignore the rest. */
	bool is_enough;
	char content_encoding[32];
	char retry_after[64];
};

/* Resets the response, for the first or another try. sieve: of the request. */
void receive_init(struct receive *r, struct http_response *response,
		  const struct http_sieve *sieve);
void receive_release(struct receive *r);

/* Processes a header line including its line end. A status line starts over;
 * trailers are ignored. Fails on an invalid status, invalid or conflicting
 * lengths, and a partial response that was not requested. */
bool receive_header(struct receive *r, struct str line,
		    struct error *err) MUST_CHECK;

/* Processes bytes of the body as transferred. On false, err is set, or
 * is_enough. */
bool receive_body(struct receive *r, struct str bytes,
		  struct error *err) MUST_CHECK;

/* Call after the last byte: decompresses what is left. Fails if headers or
 * compressed data are truncated, data is corrupt or over the limits, or nothing
 * confirms that the body is complete. */
bool receive_finish(struct receive *r, struct error *err) MUST_CHECK;

/* A request as a curl command line without secrets. Sends nothing. */

/* Maximum size of a line: a request body as base64, quoted, and its URLs. */
#define CURL_LINE_BYTES (4 * LIMIT_OPTION_VALUE_BYTES + 4 * MIB)

/* Appends a line without newline that makes the same request in a POSIX shell.
 * Tokens and passwords are variables ("$TRACES_TOKEN"), headers not known to be
 * harmless "<redacted>". */
void curl_line_add(struct buf *line, const struct http_request *request);

/* Writes the lines of a batch to standard output; comment, a line above them,
 * may be NULL. */
bool curl_lines_write(const char *comment, const struct http_request *requests,
		      size_t n, struct error *err) MUST_CHECK;

#endif
