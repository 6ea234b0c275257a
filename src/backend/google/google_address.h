/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of Google Cloud: a project instead of a host. The host is the
 * API's own unless another is named: a private endpoint, a proxy, a test.
 */
#ifndef BACKEND_GOOGLE_ADDRESS_H
#define BACKEND_GOOGLE_ADDRESS_H

#include <stdbool.h>

#include "backend/source.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#define CLOUD_TRACE_URL "https://cloudtrace.googleapis.com"
#define CLOUD_PROFILER_URL "https://cloudprofiler.googleapis.com"

struct google_address {
	struct str base; /* "https://host/prefix"; empty: the API's own */
	struct str project;
};

/* "gcp://", "gcp+https://", "gcp+http://", in any case. */
bool google_address_is(const char *text);

/* "gcp://PROJECT" or "gcp+https://HOST[/PREFIX]/projects/PROJECT"; the parts
 * point into text. ERROR_USAGE without repeating what may be a secret. */
bool google_address_parse(const char *text, struct google_address *address,
			  struct error *err) MUST_CHECK;

/* Where profiles are asked for: profiles_url, or the project whose traces are
 * asked for when that is NULL. NULL when neither names a place. */
const char *google_profiles_url(const char *traces_url,
				const char *profiles_url);

/* An id (6 to 30 lower-case letters, digits and hyphens, a letter first, no
 * hyphen last), one of an organisation ("example.com:project") or a project's
 * number. All of it can stand in a path as it is. */
bool google_project_check(struct str project, struct error *err) MUST_CHECK;

/* Sets url and project of the endpoint for a text that source_parse_url() has
 * found to be such an address; kind tells which API. Strings live in the
 * arena. */
bool google_endpoint_set(struct endpoint *endpoint, enum source_kind kind,
			 const char *text, struct arena *arena,
			 struct error *err) MUST_CHECK;

#endif
