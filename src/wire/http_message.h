/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP requests, responses and endpoints as data. Sends nothing.
 */
#ifndef WIRE_HTTP_MESSAGE_H
#define WIRE_HTTP_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Connection settings of one side (traces or profiles); all borrowed, NULL if
 * unset. Secrets are read from files by auth.c and never exposed. */
struct endpoint {
	const char *url; /* base URL, may have a path prefix */
	const char *tenant_id;
	const char *username;
	const char *password; /* wiped by the owner after the run */
	const char *token;
	/* Header for the token: "api-key"; NULL: as a bearer token. */
	const char *token_header;
	/* "Name: value", secret unless known to be harmless. */
	const char *const *headers;
	size_t header_count;
	const char *cacert;
	const char *cert;
	const char *key;
	const char *proxy;
	/* --insecure: skip certificate verification. */
	bool is_insecure;
	bool is_insecure_auth;     /* --insecure-auth */
	const char *option_prefix; /* "--traces" or "--profiles", for hints */
	/* Where the URL was set: "--traces-url", "TRACEFIND_TRACES_URL",
	 * "FILE:3"; NULL: the option. */
	const char *url_origin;
	/* "--to-traces"; NULL: derived from option_prefix. */
	const char *url_option;
	const char *project; /* Google Cloud project; NULL: another server */
	/* Rate limit: minimum time between the starts of its requests, shared
	 * by all endpoints that have one; 0: none. */
	int64_t distance_ns;
};

enum http_codec { HTTP_ACCEPT_ANY, HTTP_ACCEPT_JSON, HTTP_ACCEPT_PROTOBUF };

/* Streaming filter for the body of a successful response, decompressed: decides
 * piece by piece what is kept. Filtered responses are not cached. */
struct http_sieve {
	void (*begin)(void *context); /* called before each try */
	void (*pass)(void *context, struct str bytes, struct buf *kept);
	void *context;
};

struct http_request {
	const struct endpoint *endpoint;
	const char *method; /* "GET" or "POST" */
	/* "/api/v2/traces/..", with query, percent-encoded; owned, freed by
	 * http_request_release(). */
	char *path;
	const char *accept;       /* constant or NULL */
	const char *content_type; /* constant or NULL */
	/* Exports data: the body is sent gzip-compressed, and the response is
	 * neither recorded nor cached. */
	bool is_export;
	struct buf body;
	/* Short connect timeout; retried only if the server reports that it is
	 * busy; failures are silent. */
	bool is_probe;
	/* Replay continues if the case lacks this request, with an empty
	 * response. */
	bool is_optional;
	const struct http_sieve *sieve; /* NULL: keep everything */
};

struct http_response {
	int status;             /* 0: no response, see err */
	char content_type[128]; /* lower case, without parameters */
	char location[512];     /* target of a redirect, for the message */
	char server_date[64];   /* Date header or "" */
	/* "Google" in responses of a Google Cloud metadata server. */
	char metadata_flavor[16];
	struct buf body; /* decoded (Content-Encoding) */
	int64_t wire_bytes;
	int64_t duration_ns;
	unsigned tries;
	bool has_sent_secret; /* credentials were sent */
	struct error err;     /* transport error: network, limit, auth policy */
};

void http_request_release(struct http_request *r);
void http_response_release(struct http_response *r);

/* Returns whether the status is 2xx. */
static inline bool http_is_success(const struct http_response *response)
{
	return response->status >= 200 && response->status < 300;
}

/* Messages for transport errors: a distinct one for each failure, with the host
 * and the next step, without secrets. */

enum wire_failure {
	WIRE_OK = 0,
	WIRE_REFUSED,
	WIRE_UNREACHABLE,
	WIRE_NO_SUCH_HOST,
	WIRE_NO_SUCH_PROXY,
	WIRE_CONNECT_TIMEOUT,
	WIRE_STALLED,
	WIRE_OUT_OF_TIME,
	WIRE_NO_ANSWER,     /* closed before the first byte of a response */
	WIRE_NO_ANSWER_TLS, /* same, after a TLS handshake */
	WIRE_CUT,           /* closed in the middle of a response */
	WIRE_TLS_UNTRUSTED,
	WIRE_TLS,
	WIRE_TLS_FILES,
	WIRE_NOT_HTTP,
	WIRE_LONG_HEADER,
	WIRE_BAD_URL,
	WIRE_MEMORY,
	WIRE_OTHER,
};

struct wire_facts {
	const struct endpoint *endpoint;
	const char *url;
	int64_t body_bytes;
	int64_t connect_ms;
	int64_t stall_ms;
	int64_t timeout_ms;
	int os_error;
	const char *detail; /* the library's message, may be empty */
};

/* Phrases of these messages; they also serve to recognise the kind of failure
 * in a recorded run. */
#define WIRE_SAYS_REFUSED "refused the connection"
#define WIRE_SAYS_NO_HOST "no such host"
#define WIRE_SAYS_NO_PROXY "no such proxy host"
#define WIRE_SAYS_NO_CONNECT "did not accept a connection"
#define WIRE_SAYS_CANNOT_CONNECT "cannot connect"
#define WIRE_SAYS_UNTRUSTED "the certificate is not trusted"
#define WIRE_SAYS_OTHER_NAME "the certificate is for another name"
#define WIRE_SAYS_OUT_OF_DATE "the certificate is not valid now"
#define WIRE_SAYS_NO_TLS "no TLS connection"
#define WIRE_SAYS_SILENT "sent nothing for"
#define WIRE_SAYS_TIMED_OUT "timed out"
#define WIRE_SAYS_OUT_OF_TIME "timed out: the run's"
#define WIRE_SAYS_CLOSED "closed the connection without an answer"
#define WIRE_SAYS_CLOSED_TLS "closed the connection once TLS was agreed"
#define WIRE_SAYS_NOT_HTTP "does not answer in http"

/* Sets err: what failed, at which stage, what to try. */
void wire_describe(enum wire_failure failure, const struct wire_facts *f,
		   struct error *err);

/* Set err when requests cannot be started or waited for, which libcurl gives no
 * reason for. Return false. */
bool wire_fail_start(struct error *err);
bool wire_fail_wait(struct error *err);

/* Prefixes a message with the host. */
void wire_prefix(const char *url, struct error *err);

/* Returns host and port of a URL for messages, as a part of it. */
struct str url_authority(const char *url);

/* Returns "--traces" or "--profiles", never NULL. */
const char *side_prefix(const struct endpoint *e);
/* Returns the option that sets the URL. */
const char *side_url(const struct endpoint *e);

#endif
