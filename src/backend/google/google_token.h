/* SPDX-License-Identifier: Apache-2.0
 *
 * From a credential of Google Cloud to an access token: which requests that
 * takes, one after the other, and what their answers give. Sends nothing
 * itself. Facts: google.aip.dev/auth/4111, 4115 and 4117, RFC 6749, RFC 7523,
 * RFC 8693, and the IAM Service Account Credentials API.
 */
#ifndef BACKEND_GOOGLE_TOKEN_H
#define BACKEND_GOOGLE_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/google/google_credential.h"
#include "base/error.h"
#include "wire/http_message.h"

/* What the APIs of traces and profiles take at the least. */
#define GOOGLE_SCOPES                                                          \
	"https://www.googleapis.com/auth/trace.readonly "                      \
	"https://www.googleapis.com/auth/monitoring"

/* Of a token that only buys another one. */
#define GOOGLE_SCOPE_ALL "https://www.googleapis.com/auth/cloud-platform"

#define GOOGLE_METADATA_URL "http://169.254.169.254"

enum google_step {
	GOOGLE_STEP_END = 0,
	GOOGLE_STEP_FILE,     /* a token of another identity, from its file */
	GOOGLE_STEP_URL,      /* the same, from a server */
	GOOGLE_STEP_INSTANCE, /* from the metadata server */
	GOOGLE_STEP_SIGN,     /* a JWT that is a token itself */
	GOOGLE_STEP_ASSERT,   /* a JWT that buys one */
	GOOGLE_STEP_REFRESH,  /* a refresh token that buys one */
	GOOGLE_STEP_EXCHANGE, /* a token of another identity that buys one */
	GOOGLE_STEP_ACT,      /* for the account the source names */
	GOOGLE_STEP_ACT_LAST, /* for the account the credential names */
	GOOGLE_STEPS,
};

#define GOOGLE_STEPS_MAX 4

struct google_flow {
	const struct google_credential *credential; /* borrowed */
	const char *metadata_url;                   /* borrowed */
	enum google_step steps[GOOGLE_STEPS_MAX + 1];
	size_t at;
	/* Secrets; wiped. */
	char *subject; /* the token of another identity */
	char *assertion;
	char *token;
	int64_t expires_ns;
	/* The request that is due. */
	struct http_request request;
	struct endpoint endpoint;
	char *origin;
	const char *headers[LIMIT_GOOGLE_HEADERS];
};

/* Both are borrowed until the release. */
void google_flow_init(struct google_flow *f,
		      const struct google_credential *credential,
		      const char *metadata_url);

/* Wipes what it holds. */
void google_flow_release(struct google_flow *f);

/* True with *is_done: f->token is there, and ends at f->expires_ns. Else true
 * with the request to send in f->request; hand its answer to
 * google_flow_take(). now_ns is this machine's clock. */
bool google_flow_next(struct google_flow *f, int64_t now_ns, bool *is_done,
		      struct error *err) MUST_CHECK;

/* The response's body is wiped. Fails in words that say what to do. */
bool google_flow_take(struct google_flow *f, struct http_response *response,
		      int64_t now_ns, struct error *err) MUST_CHECK;

/* The step that the request in hand is of. */
enum google_step google_flow_step(const struct google_flow *f);

#endif
