/* SPDX-License-Identifier: Apache-2.0
 *
 * The words for what can go wrong on the way to a server and back: each
 * failure apart, host named, next step included, no secret in any of them.
 */
#ifndef WIRE_HTTP_ERROR_H
#define WIRE_HTTP_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/http_message.h"

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

/* It was connected, and then was no more: another try may fare better. */
static inline bool wire_is_broken(enum wire_failure failure)
{
	return failure == WIRE_NO_ANSWER || failure == WIRE_NO_ANSWER_TLS ||
	       failure == WIRE_CUT;
}

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

/* What is said in each case, by which the kind of failure can be told again
 * after it was recorded. */
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
