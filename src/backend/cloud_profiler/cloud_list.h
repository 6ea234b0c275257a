/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Profiler, by the one call of its API that reads: ListProfiles
 * (google/devtools/cloudprofiler/v2, ExportService). It gives all profiles of
 * a project by pages, in no stated order, and selects none. What is asked of
 * other profile servers is therefore answered from its list.
 */
#ifndef BACKEND_CLOUD_LIST_H
#define BACKEND_CLOUD_LIST_H

#include "backend/source.h"

/* What a page is to hold; both are partial responses. */
enum cloud_fields {
	CLOUD_FIELDS_LIST,  /* all but the profiles' bytes */
	CLOUD_FIELDS_BYTES, /* names and bytes */
};

/* The page of this name; an empty one is the first. */
bool cloud_profiles_request(const struct endpoint *endpoint, struct str token,
			    enum cloud_fields fields,
			    struct http_request *request,
			    struct error *err) MUST_CHECK;

/* ANSWER_TRY_NEXT: the server refuses the page (400), perhaps because its name
 * came with other fields: err says why. */
enum answer cloud_profiles_answer(const struct endpoint *endpoint,
				  const struct http_response *response,
				  struct error *err);

#endif
