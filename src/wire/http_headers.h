/* SPDX-License-Identifier: Apache-2.0
 *
 * The header lines of a request, credentials among them, as libcurl's list.
 * For http.c.
 */
#ifndef WIRE_HTTP_HEADERS_H
#define WIRE_HTTP_HEADERS_H

#include "wire/curl_calls.h"
#include "wire/http_message.h"

/* Appends to *list, which the caller frees, also after failure. False: no
 * memory. */
bool http_headers_make(const struct http_request *request,
		       struct curl_slist **list) MUST_CHECK;

/* Wipes the lines first. NULL is none. */
void http_headers_free(struct curl_slist *list);

#endif
