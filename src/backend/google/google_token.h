/* SPDX-License-Identifier: Apache-2.0
 *
 * Exchanges a credential of Google Cloud for an access token: the sequence of
 * requests, and the reading of their answers. Sends nothing itself. Sources:
 * google.aip.dev/auth/4111, 4115 and 4117, RFC 6749, RFC 7523, RFC 8693, and
 * the IAM Service Account Credentials API.
 */
#ifndef BACKEND_GOOGLE_TOKEN_H
#define BACKEND_GOOGLE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "wire/http_message.h"

/* Credentials of Google Cloud in the format of its own tools: a JSON file of
 * one of several types (google.aip.dev/auth/4110 to 4117), or the metadata
 * server of a machine there. */

/* Google's own domain; others are those of partner clouds. */
#define GOOGLE_UNIVERSE "googleapis.com"

enum google_kind {
	GOOGLE_METADATA = 0,
	GOOGLE_SERVICE_ACCOUNT,
	GOOGLE_USER,
	GOOGLE_WORKFORCE, /* a user's login through another identity provider */
	GOOGLE_EXTERNAL,  /* workload identity federation */
	GOOGLE_IMPERSONATED,
};

/* The string fields of a credential. Those of credential_source and its format
 * are named differently in the file (google_credential.c). */
enum google_field {
	CREDENTIAL_TYPE = 0,
	CREDENTIAL_CLIENT_EMAIL,
	CREDENTIAL_PRIVATE_KEY,
	CREDENTIAL_PRIVATE_KEY_ID,
	CREDENTIAL_TOKEN_URI,
	CREDENTIAL_CLIENT_ID,
	CREDENTIAL_CLIENT_SECRET,
	CREDENTIAL_REFRESH_TOKEN,
	CREDENTIAL_AUDIENCE,
	CREDENTIAL_SUBJECT_TOKEN_TYPE,
	CREDENTIAL_TOKEN_URL,
	CREDENTIAL_WORKFORCE_PROJECT,
	CREDENTIAL_IMPERSONATION_URL,
	CREDENTIAL_QUOTA_PROJECT,
	CREDENTIAL_UNIVERSE_DOMAIN,
	CREDENTIAL_SUBJECT_FILE,
	CREDENTIAL_SUBJECT_URL,
	CREDENTIAL_ENVIRONMENT_ID,
	CREDENTIAL_FORMAT,
	CREDENTIAL_FORMAT_FIELD,
	CREDENTIAL_FIELDS,
};

struct google_credential {
	enum google_kind kind;
	char *fields[CREDENTIAL_FIELDS]; /* NULL: missing or empty */
	char *delegates[LIMIT_GOOGLE_DELEGATES];
	size_t delegate_count;
	char *headers[LIMIT_GOOGLE_HEADERS]; /* of CREDENTIAL_SUBJECT_URL */
	size_t header_count;
	int64_t lifetime_s; /* of an impersonated token; 0: default */
	bool has_program;   /* credential_source.executable */
	bool has_certificate;
	bool is_client; /* an OAuth client, such as that of a web page */
	/* For GOOGLE_IMPERSONATED: the credential that impersonates; not itself
	 * of that kind. */
	struct google_credential *source;
};

/* Reads the JSON of a file; `path` names it in errors (ERROR_AUTH), which
 * mention keys, never values. Release also after failure. */
bool google_credential_read(struct google_credential *c, struct str json,
			    const char *path, struct error *err) MUST_CHECK;

/* Reads the file and wipes its bytes. */
bool google_credential_load(struct google_credential *c, const char *path,
			    struct error *err) MUST_CHECK;

/* Frees and wipes the credential. */
void google_credential_release(struct google_credential *c);

/* Returns "service_account" and so on. */
const char *google_kind_name(enum google_kind kind);

/* Returns the domain its tokens are for; borrowed. */
const char *google_credential_universe(const struct google_credential *c);

/* Returns whether a secret may be sent to this URL: https, this machine, or the
 * fixed addresses of cloud metadata servers, which only speak http. */
bool google_url_is_safe(const char *url);
bool google_url_is_metadata(const char *url);

/* JSON Web Tokens signed by service accounts (RFC 7519, RFC 7523). */

/* RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, 3.3), with which a service account
 * authenticates. rs256.c is the only file that includes libcrypto, which the
 * program can be built without. */

/* Appends the signature of data, as bytes. The key is PEM, PKCS #8 or #1,
 * without a password; it never appears in messages. Fails with ERROR_AUTH if
 * the key is not an RSA key, or if the program was built without libcrypto; if
 * the library is not installed any more, like library_load(). */
bool rs256_sign(const char *pem, struct str data, struct buf *signature,
		struct error *err) MUST_CHECK;

/* Maximum size of a token: names and scopes of some hundred bytes, and a
 * signature of 256 (RSA of 2048 bits) to 2048 bytes. */
#define JWT_BYTES (16 * KIB)

/* The longest lifetime that Google accepts. */
#define JWT_LIFETIME_S 3600

struct jwt_claims {
	const char *key_id;   /* kid of the header, or NULL */
	const char *issuer;   /* iss */
	const char *subject;  /* sub, or NULL */
	const char *scope;    /* blank-separated, or NULL */
	const char *audience; /* aud, or NULL */
	int64_t issued_s;     /* iat; exp is JWT_LIFETIME_S later */
};

/* Appends base64url without padding (RFC 7515, 2). */
void base64url_add(struct buf *out, struct str bytes);

/* Appends header.claims.signature, signed with the key. */
bool jwt_sign(const struct jwt_claims *claims, const char *pem, struct buf *out,
	      struct error *err) MUST_CHECK;

/* The narrowest scopes of the APIs of traces and profiles. */
#define GOOGLE_SCOPES                                                          \
	"https://www.googleapis.com/auth/trace.readonly "                      \
	"https://www.googleapis.com/auth/monitoring"

/* The scope of a token that is only exchanged for another one. */
#define GOOGLE_SCOPE_ALL "https://www.googleapis.com/auth/cloud-platform"

#define GOOGLE_METADATA_URL "http://169.254.169.254"

enum google_step {
	GOOGLE_STEP_END = 0,
	GOOGLE_STEP_FILE,     /* read another identity's token from its file */
	GOOGLE_STEP_URL,      /* fetch it from a server */
	GOOGLE_STEP_INSTANCE, /* fetch a token from the metadata server */
	GOOGLE_STEP_SIGN,     /* sign a JWT that is itself a token */
	GOOGLE_STEP_ASSERT,   /* exchange a JWT for a token */
	GOOGLE_STEP_REFRESH,  /* exchange a refresh token for a token */
	GOOGLE_STEP_EXCHANGE, /* exchange another identity's token */
	GOOGLE_STEP_ACT,      /* impersonate the source's account */
	GOOGLE_STEP_ACT_LAST, /* impersonate the credential's account */
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
	/* The request to send next. */
	struct http_request request;
	struct endpoint endpoint;
	char *origin;
	const char *headers[LIMIT_GOOGLE_HEADERS];
};

/* Both are borrowed until the release. */
void google_flow_init(struct google_flow *f,
		      const struct google_credential *credential,
		      const char *metadata_url);

/* Frees and wipes the flow. */
void google_flow_release(struct google_flow *f);

/* Advances the flow. Returns true with *is_done if f->token is ready, valid
 * until f->expires_ns. Else returns true with the request to send in
 * f->request; pass its answer to google_flow_take(). now_ns is this machine's
 * clock. */
bool google_flow_next(struct google_flow *f, int64_t now_ns, bool *is_done,
		      struct error *err) MUST_CHECK;

/* Processes the answer and wipes the response's body. Errors say what to do. */
bool google_flow_take(struct google_flow *f, struct http_response *response,
		      int64_t now_ns, struct error *err) MUST_CHECK;

/* Returns the step that the current request belongs to. */
enum google_step google_flow_step(const struct google_flow *f);

#endif
