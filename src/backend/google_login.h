/* SPDX-License-Identifier: Apache-2.0
 *
 * Getting in at Google Cloud the way its own tools do: finds the credentials
 * of this user or machine and buys a token with them, in memory only. Its
 * requests are no part of a case file, of the cache or of a dry run. Knows no
 * options.
 */
#ifndef BACKEND_GOOGLE_LOGIN_H
#define BACKEND_GOOGLE_LOGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/http.h"

struct google_login;

/* How its requests are sent; all of a login together have the time of a run. */
struct google_login_want {
	int64_t connect_timeout_ns;
	int64_t timeout_ns;
	unsigned retries;
	bool is_verbose; /* says, too, whose credentials were taken */
	void (*say)(const char *format, ...) PRINTF_LIKE(1, 2); /* a line */
};

/* Looks where credentials usually are, reads them, and asks nobody. What is
 * wrong with them is told when a token is needed. NULL: out of memory. */
struct google_login *google_login_new(struct error *err);

/* Wipes all it holds. */
void google_login_free(struct google_login *l);

/* Room that holds the token once there is one; one for all sides. */
const char *google_login_token(const struct google_login *l);

/* The project that pays for the requests, where the user or the credentials
 * say one: else, for a user's login, which has none of its own, that of the
 * side. NULL: the credentials' own. l may be NULL. */
const char *google_quota_project(const struct google_login *l,
				 const char *side_project);

/* A token that holds for another minute at least. Goes through proxy and
 * certificates of the side, for which it is wanted. Where there are no
 * credentials at all, a side on this machine may do without. */
bool google_login_ensure(struct google_login *l, const struct endpoint *side,
			 const struct google_login_want *want,
			 struct error *err) MUST_CHECK;

/* A new one in any case. */
bool google_login_again(struct google_login *l, const struct endpoint *side,
			const struct google_login_want *want,
			struct error *err) MUST_CHECK;

#endif
