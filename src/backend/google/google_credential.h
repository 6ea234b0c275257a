/* SPDX-License-Identifier: Apache-2.0
 *
 * Credentials of Google Cloud as its own tools keep them: a JSON file of one
 * of several types (google.aip.dev/auth/4110 to 4117), or the metadata server
 * of a machine there. Reading them only; google_token.h makes tokens of them.
 */
#ifndef BACKEND_GOOGLE_CREDENTIAL_H
#define BACKEND_GOOGLE_CREDENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

/* Google's own domain; others are clouds of partners. */
#define GOOGLE_UNIVERSE "googleapis.com"

enum google_kind {
	GOOGLE_METADATA = 0,
	GOOGLE_SERVICE_ACCOUNT,
	GOOGLE_USER,
	GOOGLE_WORKFORCE, /* a user's login through another identity provider */
	GOOGLE_EXTERNAL,  /* workload identity federation */
	GOOGLE_IMPERSONATED,
};

/* Texts of a credential. Those of credential_source and its format stand there
 * under names of their own (google_credential.c). */
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
	char *fields[CREDENTIAL_FIELDS]; /* NULL: not there, or empty */
	char *delegates[LIMIT_GOOGLE_DELEGATES];
	size_t delegate_count;
	char *headers[LIMIT_GOOGLE_HEADERS]; /* of CREDENTIAL_SUBJECT_URL */
	size_t header_count;
	int64_t lifetime_s; /* of an impersonated token; 0: as usual */
	bool has_program;   /* credential_source.executable */
	bool has_certificate;
	bool is_client; /* an OAuth client, such as a web page has */
	/* Of GOOGLE_IMPERSONATED: on whose behalf; never one itself. */
	struct google_credential *source;
};

/* The JSON of a file; `path` names it in errors (ERROR_AUTH), which name keys,
 * never what stands there. Release also after failure. */
bool google_credential_read(struct google_credential *c, struct str json,
			    const char *path, struct error *err) MUST_CHECK;

/* The same from the file, whose bytes are wiped. */
bool google_credential_load(struct google_credential *c, const char *path,
			    struct error *err) MUST_CHECK;

/* Wipes what it holds. */
void google_credential_release(struct google_credential *c);

/* "service_account" and so on. */
const char *google_kind_name(enum google_kind kind);

/* The domain its tokens are for; borrowed. */
const char *google_credential_universe(const struct google_credential *c);

/* Whether a secret may be sent there: https, this machine, or the fixed
 * addresses at which clouds tell a machine about itself, by nature over
 * http. */
bool google_url_is_safe(const char *url);
bool google_url_is_metadata(const char *url);

#endif
