/* SPDX-License-Identifier: Apache-2.0
 *
 * The sides of a run, traces, profiles, metrics: turns given addresses and
 * credentials into servers that can be queried. The origin of a value is known
 * only for messages.
 */
#ifndef BACKEND_SIDES_H
#define BACKEND_SIDES_H

#include "backend/backends.h"
#include "backend/google_login.h"
#include "base/arena.h"
#include "base/limits.h"

/* Settings of the connection to a side. NULL: not given. */
struct side_settings {
	const char *tenant_id;
	const char *username;
	const char *password_file;
	const char *token_file;
	const char *token_command; /* from the configuration file only */
	const char *headers[LIMIT_HEADERS];
	size_t header_count;
	const char *cacert;
	const char *cert;
	const char *key;
	const char *proxy;
	bool insecure;
	bool insecure_auth;
	/* Secrets from the environment (TRACEFIND_TOKEN, TRACEFIND_PASSWORD,
	 * PROFILECLI_TOKEN, PROFILECLI_PASSWORD). */
	const char *token;
	const char *password;
};

#define SIDE_ORIGIN_BYTES 300

struct sides_want {
	const struct side_settings *common; /* for all sides */
	struct side_settings settings[SERVER_SIDES]; /* includes the common
						      * ones */
	const char *urls[SERVER_SIDES];
	/* Answers come from a recording: no credential is read. */
	bool is_replay;
	/* Writes where a value came from, for messages; common: the value for
	 * all sides. */
	void (*origin)(const void *context, enum server_side side,
		       const char *value, const char *common, const char *name,
		       char out[SIDE_ORIGIN_BYTES]);
	const void *context;
};

/* Logins and tokens of a run's sides. */
struct side_logins {
	struct backends *backends;
	struct google_login *google; /* for sides on Google Cloud, or NULL */
	struct google_login_want want; /* how to fetch a token */
	bool is_replay;
	unsigned batch;        /* number of batches sent so far */
	unsigned google_batch; /* like side.renewed_batch, for all sides */
};

/* Fills the sides of l->backends; strings live in its arena or are borrowed.
 * Release also after failure. */
bool sides_init(const struct sides_want *w, struct side_logins *l,
		struct error *err) MUST_CHECK;

/* Frees the logins and wipes secrets. */
void sides_release(struct side_logins *l);

/* Fetches the tokens that the requests of a batch need, before it is sent. */
bool sides_ensure_tokens(struct side_logins *l,
			 const struct http_request *requests, size_t n,
			 struct error *err) MUST_CHECK;

/* For struct http_settings: renews the token after a refusal, once per run and
 * side; all refused requests of the batch are sent again. context: the
 * logins. */
bool sides_renew_token(void *context, const struct endpoint *e);

#endif
