/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/receiver.h"

#include "backend/source.h"
#include "base/gz.h"

bool receiver_post(const struct endpoint *endpoint, const char *route,
		   const char *content_type, struct str bytes,
		   struct http_request *request, struct error *err)
{
	struct buf path, body;

	buf_init(&path, LIMIT_URL_BYTES);
	buf_add_text(&path, route);
	buf_init(&body, LIMIT_BODY_PLAIN_BYTES);
	if (!gz_deflate_fast(bytes, &body, err)) {
		buf_release(&path);
		buf_release(&body);
		return false;
	}
	if (!request_fill(request, endpoint, "POST", &path, &body, err))
		return false;
	request->content_type = content_type;
	request->accept = content_type;
	request->is_export = true;
	return true;
}

enum receipt receiver_fail(const char *subject, const struct endpoint *endpoint,
			   const struct http_response *response,
			   struct error *err)
{
	int status = response->status;
	struct reason reason;

	/* Other statuses are not about the data of this request being invalid,
	 * too old, or too large. */
	if (status != 400 && status != 413 && status != 422) {
		answer_fail(subject, endpoint, response, err);
		return RECEIPT_NONE;
	}
	reason_read(response, &reason);
	error_set(err, ERROR_FORMAT, "%s: %s (%d)", subject,
		  reason.text[0]  ? reason.text
		  : status == 413 ? "too large"
				  : "refused",
		  status);
	return RECEIPT_REFUSED;
}
