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

#include "base/buf.h"
#include "base/gz.h"
#include "base/str.h"
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
	/* Where that one is sent again later, as its server asked for: how long
	 * it has waited, how long it will, and the server's answer. */
	int64_t waited_ns;
	int64_t wait_left_ns; /* 0: it waits for an answer */
	int wait_status;
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

/* A request as -v prints and the JSON answer lists it, in the order of the
 * requests. */
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

/* The wire under http_client.c: sends requests in parallel and waits for the
 * answers. Implemented by http.c, which calls curl. */

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

/* The work to do while answers are waited for. */
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

/* When a request is worth another try, and how long to wait before. Pure:
 * clock and randomness are given. */

#define RETRY_NEVER ((int64_t)-1)

/* The facts that a failed try left behind. */
struct retry_facts {
	int status;             /* 0: no answer */
	bool is_broken;         /* the connection broke; not refused, not TLS */
	bool is_google;         /* 500 there is worth another try */
	unsigned tries;         /* made so far, at least 1 */
	unsigned retries;       /* allowed beyond the first */
	struct str retry_after; /* header, may be empty */
	struct str date;        /* the server's own clock, may be empty */
	int64_t now_ns;         /* used when date is missing */
	int64_t left_ms;        /* of the run's time */
	uint32_t random;
};

/* Milliseconds until the next try, or RETRY_NEVER: nothing to hope for, tries
 * used up, or a wait that is too long or does not fit into the run. */
int64_t retry_delay_ms(const struct retry_facts *f);

/* "Sun, 06 Nov 1994 08:49:37 GMT". */
bool parse_http_date(struct str text, int64_t *out_ns);

/* Taking in one answer: header lines and packed bytes as they come, counted
 * and unpacked within limits. Knows no network library. */

struct receive {
	struct http_response *response; /* borrowed */
	const struct http_sieve *sieve; /* or NULL */
	struct buf piece;               /* on its way to the sieve */
	struct gz_stream *gz;           /* of an error page, or of "deflate" */
	struct buf packed;              /* gzip, unpacked when it is complete */
	bool is_packed;
	bool is_cut; /* receive_finish() failed for want of the end */
	size_t header_bytes;
	unsigned fold_count; /* lines that go on with the one before */
	bool is_head_whole;  /* down to its blank line */
	/* How its end is told: neither is so when it is the connection's. */
	bool has_length;
	bool is_chunked;
	uint64_t length_bytes;
	bool is_body_begun;
	/* An error page filled its (small) limit; the rest is not wanted. */
	bool is_enough;
	char content_encoding[32];
	char retry_after[64];
};

/* Empties the response, for a first or another try. sieve: of the request. */
void receive_init(struct receive *r, struct http_response *response,
		  const struct http_sieve *sieve);
void receive_release(struct receive *r);

/* One header line with its line end; status lines start anew, lines behind the
 * body are passed over. False when it makes no sense: an unreadable status,
 * lengths that are none or differ, a part where all was asked for. */
bool receive_header(struct receive *r, struct str line,
		    struct error *err) MUST_CHECK;

/* Bytes of the body as they were sent. False: err is set, or is_enough. */
bool receive_body(struct receive *r, struct str bytes,
		  struct error *err) MUST_CHECK;

/* After the last byte: unpacks what is not yet. False when the head or packed
 * content ended in the middle, when content is damaged or more than the limits
 * allow, and when nothing tells that it is whole. */
bool receive_finish(struct receive *r, struct error *err) MUST_CHECK;

/* A request as a command line of curl, without its secrets. Sends nothing. */

/* The most bytes of a line: a request's body as base64, quoted, and its
 * addresses. */
#define CURL_LINE_BYTES (4 * LIMIT_OPTION_VALUE_BYTES + 4 * MIB)

/* Appends one line that a POSIX shell runs as the same request, without a
 * newline. Tokens and passwords are variables ("$TRACES_TOKEN"), headers that
 * are not known to be harmless "<redacted>". */
void curl_line_add(struct buf *line, const struct http_request *request);

/* Writes the lines of a batch to standard output; comment is one of ours above
 * them, or NULL. */
bool curl_lines_write(const char *comment, const struct http_request *requests,
		      size_t n, struct error *err) MUST_CHECK;

#endif
