/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of Google Cloud: projects, see table.h. Knows no API.
 */
#ifndef BACKEND_GOOGLE_ADDRESS_H
#define BACKEND_GOOGLE_ADDRESS_H

#include <stdbool.h>

#include "backend/table.h"
#include "base/error.h"
#include "base/str.h"

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
