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
#include "base/error.h"
#include "base/str.h"

struct cache;
struct har;
struct http_client;
struct parca_facts;

/* One side's connection settings (traces or profiles); all borrowed, NULL
 * when not set. Secrets are read from files by auth.c, never passed on. */
struct endpoint {
	const char *url; /* base URL, may have a path prefix */
	const char *tenant_id;
	const char *username;
	const char *password; /* wiped by the owner after the run */
	const char *token;
	const char *const *headers; /* "Name: value", secret until shown safe */
	size_t header_count;
	const char *cacert;
	const char *cert;
	const char *key;
	const char *proxy;
	bool is_insecure;          /* --insecure: certificate not verified */
	bool is_insecure_auth;     /* --insecure-auth */
	const char *option_prefix; /* "--traces" or "--profiles": for hints */
	/* What gave the address: "--traces-url", "TRACEFIND_TRACES_URL", "FILE:3";
	 * NULL: the option. */
	const char *url_origin;
	const struct parca_facts *parca; /* it is a Parca; NULL: it is none */
	const char *project; /* of Google Cloud; NULL: another server */
};

struct http_request;

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
	int64_t timeout_ms;         /* 60000: the whole run */
	unsigned retries;           /* 2 more tries */
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

enum http_codec { HTTP_ACCEPT_ANY, HTTP_ACCEPT_JSON, HTTP_ACCEPT_PROTOBUF };

/* What of a good answer's body is kept, decided while it comes in, unpacked,
 * piece by piece. Such an answer is no one else's: it is not cached. */
struct http_sieve {
	void (*begin)(void *context); /* before each try */
	void (*pass)(void *context, struct str bytes, struct buf *kept);
	void *context;
};

struct http_request {
	const struct endpoint *endpoint;
	const char *method; /* "GET" or "POST" */
	char *path;         /* "/api/v2/traces/..", with query, percent-encoded;
			       owned, freed by http_request_release */
	const char *accept; /* constant or NULL */
	const char *content_type; /* constant or NULL */
	struct buf body;
	/* Short connect timeout; tried again only when the server answers
	 * that it is busy; failure is silent. */
	bool is_probe;
	/* The run can do without: a replayed case that lacks it gives a
	 * response without an answer. */
	bool is_optional;
	const struct http_sieve *sieve; /* NULL: all is kept */
};

struct http_response {
	int status;             /* 0: no answer, see err */
	char content_type[128]; /* lower case, without parameters */
	char location[512];     /* of a redirect, for the message */
	char server_date[64];   /* Date header or "" */
	/* "Google" when a metadata server of Google Cloud answered. */
	char metadata_flavor[16];
	struct buf body; /* plain, after content decoding */
	int64_t wire_bytes;
	int64_t duration_ns;
	unsigned tries;
	bool has_sent_secret; /* credentials went with the request */
	struct error err; /* transport failure: network, limit, auth policy */
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

void http_request_release(struct http_request *r);
void http_response_release(struct http_response *r);

/* Why answers could not be kept for the next run, or NULL: that is no failure
 * of this one. */
const struct error *http_cache_error(const struct http_client *c);

/* Entries so far; *entries is valid until the next http_run(). */
size_t http_log(const struct http_client *c,
		const struct http_log_entry **entries);

/* base + path with exactly one slash between. Caller frees. */
char *url_join(const char *base, const char *path);

/* Whether the status is one of success, whatever the body. */
static inline bool http_is_success(const struct http_response *response)
{
	return response->status >= 200 && response->status < 300;
}

/* Percent-encodes everything but unreserved characters. */
void url_encode(struct buf *out, struct str value);

/* The same of a text that was built on its own and is released: when that went
 * wrong, out is as wrong, so that half of a text is never sent. */
void url_encode_built(struct buf *out, struct buf *owned_text);

/* A URL fit for messages: user info and values of secret-looking query
 * parameters removed, controls escaped. */
void url_redact(struct buf *out, struct str url);

#endif
