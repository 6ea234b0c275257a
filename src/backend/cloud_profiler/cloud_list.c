/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_profiler/cloud_list.h"

#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/google/google_error.h"
#include "base/limits.h"
#include "wire/url.h"

#define SUBJECT "Cloud Profiler"

/* The server's own most. */
#define PAGE_SIZE 1000

/* Names of pages are percent-encoded, which makes three bytes of one. */
#define PATH_BYTES (4 * LIMIT_PAGE_TOKEN_BYTES)

static const char *const fields_of[] = {
	[CLOUD_FIELDS_LIST] = "nextPageToken,skippedProfiles,profiles(name,"
			      "profileType,deployment(target,labels),duration,"
			      "labels,startTime)",
	[CLOUD_FIELDS_BYTES] = "nextPageToken,profiles(name,profileBytes)",
};

bool cloud_profiles_request(const struct endpoint *endpoint, struct str token,
			    enum cloud_fields fields,
			    struct http_request *request, struct error *err)
{
	struct buf path;

	buf_init(&path, PATH_BYTES);
	buf_addf(&path, "/v2/projects/%s/profiles?pageSize=%d&fields=",
		 endpoint->project, PAGE_SIZE);
	url_encode(&path, str_from(fields_of[fields]));
	if (token.len) {
		buf_add_text(&path, "&pageToken=");
		url_encode(&path, token);
	}
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

enum answer cloud_profiles_answer(const struct endpoint *endpoint,
				  const struct http_response *response,
				  struct error *err)
{
	if (response->status == 200 && body_first(response) == '{')
		return ANSWER_OK;
	if (response->status == 200 && !body_is_html(response)) {
		error_set(err, ERROR_FORMAT,
			  SUBJECT ": answers 200, but with no JSON object");
		return ANSWER_ERROR;
	}
	google_fail(&google_profiler_api, SUBJECT, endpoint, response, err);
	return response->status == 400 ? ANSWER_TRY_NEXT : ANSWER_ERROR;
}
