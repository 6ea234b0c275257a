/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors of Google Cloud in words with the next step. The body of an answer has
 * a message for people, a status, and a machine-readable reason in its details
 * (google.rpc.ErrorInfo).
 */
#ifndef BACKEND_GOOGLE_ERROR_H
#define BACKEND_GOOGLE_ERROR_H

#include <stdbool.h>

#include "backend/source.h"
#include "base/error.h"
#include "base/str.h"

/* The names and hints that errors of an API mention. */
struct google_api {
	const char *name;    /* "Cloud Trace" */
	const char *service; /* "cloudtrace.googleapis.com" */
	const char *role;    /* with permission to read */
	const char *what;    /* "traces" */
	const char *scope;   /* the narrowest one with read access */
	const char *quota;   /* what is limited, and what to do */
};

extern const struct google_api google_trace_api;
extern const struct google_api google_profiler_api;

enum google_trouble {
	GOOGLE_NONE = 0, /* the answer is not an error of Google's */
	GOOGLE_OTHER,    /* any other error: its message is shown */
	GOOGLE_LOGIN,    /* no credentials, or invalid ones */
	GOOGLE_EXPIRED,  /* an access token that expired after its hour */
	GOOGLE_SCOPE,    /* a token with a narrower scope */
	GOOGLE_RIGHTS,   /* a role is missing, or the project does not exist */
	GOOGLE_DISABLED, /* the API is off in the project */
	GOOGLE_NO_QUOTA_PROJECT, /* a user's token without a quota project */
	GOOGLE_QUOTA_PROJECT,    /* the quota project refuses */
	GOOGLE_BILLING,
	GOOGLE_QUOTA,
	GOOGLE_PERIMETER,  /* VPC Service Controls */
	GOOGLE_NO_PROJECT, /* suspended, deleted, or never existed */
	GOOGLE_NOT_FOUND,
	GOOGLE_PAGE_TOKEN,
	GOOGLE_BUSY, /* can be retried later */
};

/* The error of an answer. Texts are truncated, and without control
 * characters. */
struct google_refusal {
	enum google_trouble trouble;
	int status;          /* of HTTP */
	char code[40];       /* "PERMISSION_DENIED" */
	char reason[64];     /* "SERVICE_DISABLED", or "" */
	char message[200];   /* for people */
	char consumer[64];   /* "my-project" or a number: safe in a shell */
	char permission[64]; /* "cloudtrace.traces.get", or "" */
	char metric[80];     /* of the quota, or "" */
	char limit[80];
	char limit_value[24];
};

void google_refusal_read(const struct http_response *response,
			 struct google_refusal *refusal);

/* Sets err for any unsuccessful answer. Subject as in answer_fail(), which
 * handles errors that are not Google's. Returns ANSWER_ERROR. */
enum answer google_fail(const struct google_api *api, const char *subject,
			const struct endpoint *e,
			const struct http_response *response,
			struct error *err);

/* Addresses of Google Cloud: projects, see table.h. */

/* Returns whether text starts with "gcp://", "gcp+https://" or "gcp+http://",
 * in any case. */
bool google_address_is(const char *text);

/* Parses "gcp://PROJECT" or "gcp+https://HOST[/PREFIX]/projects/PROJECT"; the
 * parts point into text. ERROR_USAGE without repeating what may be a secret. */
bool google_address_parse(const char *text, struct project_address *address,
			  struct error *err) MUST_CHECK;

/* Checks that project is an id (6 to 30 lower-case letters, digits and hyphens,
 * a letter first, no hyphen last), one of an organisation
 * ("example.com:project") or a project number. All of these can be part of a
 * path unescaped. */
bool google_project_check(struct str project, struct error *err) MUST_CHECK;

#endif
