/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs in to Google Cloud like its own tools: finds the credentials of this
 * user or machine and exchanges them for a token, kept in memory only. Its
 * requests are not part of a case file, of the cache or of a dry run.
 */
#ifndef BACKEND_GOOGLE_LOGIN_H
#define BACKEND_GOOGLE_LOGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/http.h"

struct google_login;

/* How requests of the login are sent; together they share the time limit of a
 * run. */
struct google_login_want {
	int64_t connect_timeout_ns;
	int64_t timeout_ns;
	unsigned retries;
	bool is_verbose; /* also prints whose credentials are used */
	void (*say)(const char *format, ...) PRINTF_LIKE(1, 2); /* prints a
								 * line */
};

/* Looks for credentials in the default places and reads them; sends nothing.
 * Problems are reported when a token is needed. NULL: out of memory. */
struct google_login *google_login_new(struct error *err);

/* Frees and wipes the login. */
void google_login_free(struct google_login *l);

/* Returns the buffer that will hold the token, shared by all sides. */
const char *google_login_token(const struct google_login *l);

/* Returns the project that is charged for the requests: the one that the user
 * or the credentials name, else, for a user's login, which has no project, that
 * of the side. NULL: the default of the credentials. l may be NULL. */
const char *google_quota_project(const struct google_login *l,
				 const char *side_project);

/* Ensures a token that is valid for at least another minute. Uses proxy and
 * certificates of the side that needs it. Without any credentials, a side on
 * this machine may go without a token. */
bool google_login_ensure(struct google_login *l, const struct endpoint *side,
			 const struct google_login_want *want,
			 struct error *err) MUST_CHECK;

/* Fetches a new token in any case. */
bool google_login_again(struct google_login *l, const struct endpoint *side,
			const struct google_login_want *want,
			struct error *err) MUST_CHECK;

#endif
