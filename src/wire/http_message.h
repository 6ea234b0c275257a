/* SPDX-License-Identifier: Apache-2.0
 *
 * A request to a server and what came back; and the side it is sent to. Sends
 * nothing.
 */
#ifndef WIRE_HTTP_MESSAGE_H
#define WIRE_HTTP_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* One side's connection settings (traces or profiles); all borrowed, NULL
 * when not set. Secrets are read from files by auth.c, never passed on. */
struct endpoint {
	const char *url; /* base URL, may have a path prefix */
	const char *tenant_id;
	const char *username;
	const char *password; /* wiped by the owner after the run */
	const char *token;
	/* The header that it goes in: "api-key"; NULL: as a bearer's. */
	const char *token_header;
	const char *const *headers; /* "Name: value", secret until shown safe */
	size_t header_count;
	const char *cacert;
	const char *cert;
	const char *key;
	const char *proxy;
	bool is_insecure;          /* --insecure: certificate not verified */
	bool is_insecure_auth;     /* --insecure-auth */
	const char *option_prefix; /* "--traces" or "--profiles": for hints */
	/* What gave the address: "--traces-url", "TRACEFIND_TRACES_URL",
	 * "FILE:3"; NULL: the option. */
	const char *url_origin;
	const char *url_option; /* "--to-traces"; NULL: the prefix's */
	const char *project; /* of Google Cloud; NULL: another server */
	/* Requests to it begin at least so far apart, and from all others that
	 * have such a distance; 0: as they come. */
	int64_t distance_ns;
};

enum http_codec { HTTP_ACCEPT_ANY, HTTP_ACCEPT_JSON, HTTP_ACCEPT_PROTOBUF };

/* A filter of a good answer's body: what is kept is decided while it comes in,
 * unpacked, piece by piece. Such an answer is no one else's: it is not cached.
 */
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
	/* Tells and asks nothing: its body is gzip, and what is answered is no
	 * part of a case or a cache. */
	bool is_export;
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

void http_request_release(struct http_request *r);
void http_response_release(struct http_response *r);

/* Returns whether the status is one of success, whatever the body. */
static inline bool http_is_success(const struct http_response *response)
{
	return response->status >= 200 && response->status < 300;
}

/* The words for what can go wrong on the way to a server and back: each
 * failure apart, host named, next step included, no secret in any of them. */

enum wire_failure {
	WIRE_OK = 0,
	WIRE_REFUSED,
	WIRE_UNREACHABLE,
	WIRE_NO_SUCH_HOST,
	WIRE_NO_SUCH_PROXY,
	WIRE_CONNECT_TIMEOUT,
	WIRE_STALLED,
	WIRE_OUT_OF_TIME,
	WIRE_NO_ANSWER,     /* closed before the first byte of an answer */
	WIRE_NO_ANSWER_TLS, /* the same, of a server that agreed on TLS */
	WIRE_CUT,           /* closed in the middle of it */
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
	const char *detail; /* the library's words, may be empty */
};

/* The words for each case, by which the kind of failure is recognised after it
 * was recorded. */
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

/* Sets err: what failed, how far it had come, what to try. */
void wire_describe(enum wire_failure failure, const struct wire_facts *f,
		   struct error *err);

/* Nothing can be asked: the library tells no reason. Return false. */
bool wire_fail_start(struct error *err);
bool wire_fail_wait(struct error *err);

/* Puts the host in front of a message. */
void wire_prefix(const char *url, struct error *err);

/* The host and port of a URL for messages; a part of it. */
struct str url_authority(const char *url);

/* "--traces" or "--profiles", never NULL. */
const char *side_prefix(const struct endpoint *e);
/* The option that has the address. */
const char *side_url(const struct endpoint *e);

#endif
