/* SPDX-License-Identifier: Apache-2.0
 *
 * Why Google Cloud refuses, in words with the next step. What it says is in
 * the body: a message for people, a status, and a reason for machines among
 * the details (google.rpc.ErrorInfo).
 */
#ifndef BACKEND_GOOGLE_ERROR_H
#define BACKEND_GOOGLE_ERROR_H

#include <stdbool.h>

#include "backend/source.h"
#include "base/error.h"
#include "base/str.h"

/* One API: what its errors have to name. */
struct google_api {
	const char *name;    /* "Cloud Trace" */
	const char *service; /* "cloudtrace.googleapis.com" */
	const char *role;    /* with the right to read */
	const char *what;    /* "traces" */
	const char *scope;   /* the least one that reads */
	const char *quota;   /* what is limited, and what to do */
};

extern const struct google_api google_trace_api;
extern const struct google_api google_profiler_api;

enum google_trouble {
	GOOGLE_NONE = 0, /* no error of Google's in the answer */
	GOOGLE_OTHER,    /* one without words here: its message tells */
	GOOGLE_LOGIN,    /* no credentials, or none that can be read */
	GOOGLE_EXPIRED,  /* an access token past its hour */
	GOOGLE_SCOPE,    /* a token made for less */
	GOOGLE_RIGHTS,   /* a role is missing, or there is no such project */
	GOOGLE_DISABLED, /* the API is off in the project */
	GOOGLE_NO_QUOTA_PROJECT, /* a user's token, counted to nobody */
	GOOGLE_QUOTA_PROJECT,    /* the project it is counted to refuses */
	GOOGLE_BILLING,
	GOOGLE_QUOTA,
	GOOGLE_PERIMETER,  /* VPC Service Controls */
	GOOGLE_NO_PROJECT, /* suspended, deleted, or never there */
	GOOGLE_NOT_FOUND,
	GOOGLE_PAGE_TOKEN,
	GOOGLE_BUSY, /* worth another try later */
};

/* The error of an answer. Texts are cut, and without controls. */
struct google_refusal {
	enum google_trouble trouble;
	int status;          /* of HTTP */
	char code[40];       /* "PERMISSION_DENIED" */
	char reason[64];     /* "SERVICE_DISABLED", or "" */
	char message[200];   /* for people */
	char consumer[64];   /* "my-project" or a number: fit for a shell */
	char permission[64]; /* "cloudtrace.traces.get", or "" */
	char metric[80];     /* of the quota, or "" */
	char limit[80];
	char limit_value[24];
};

void google_refusal_read(const struct http_response *response,
			 struct google_refusal *refusal);

/* Sets err for any answer that is not success. Subject as in answer_fail(),
 * which tells what is none of Google's errors. Returns ANSWER_ERROR. */
enum answer google_fail(const struct google_api *api, const char *subject,
			const struct endpoint *e,
			const struct http_response *response,
			struct error *err);

/* Addresses of Google Cloud: projects, see table.h. Knows no API. */

/* "gcp://", "gcp+https://", "gcp+http://", in any case. */
bool google_address_is(const char *text);

/* "gcp://PROJECT" or "gcp+https://HOST[/PREFIX]/projects/PROJECT"; the parts
 * point into text. ERROR_USAGE without repeating what may be a secret. */
bool google_address_parse(const char *text, struct project_address *address,
			  struct error *err) MUST_CHECK;

/* An id (6 to 30 lower-case letters, digits and hyphens, a letter first, no
 * hyphen last), one of an organisation ("example.com:project") or a project's
 * number. All of it can stand in a path as it is. */
bool google_project_check(struct str project, struct error *err) MUST_CHECK;

#endif
