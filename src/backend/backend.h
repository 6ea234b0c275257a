/* SPDX-License-Identifier: Apache-2.0
 *
 * What rooms share when they build requests, and what the servers of profiles
 * supply to source.c. Not for code outside backend/.
 */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "backend/source.h"

/* Begins a path: below the project where the endpoint has one. */
void project_path_init(struct buf *path, const struct endpoint *endpoint,
		       size_t max_bytes);

/* Is there a Pyroscope at this address? Asks for the services of the last
 * hour; a Pyroscope names them or fails in words of its own. */
bool pyroscope_probe_request(const struct endpoint *endpoint, int64_t now_ns,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
bool pyroscope_probe_matches(const struct http_response *response);

/* Hands path (and body) over to the request; checks both buffers, releases
 * them when something failed. */
bool request_fill(struct http_request *request, const struct endpoint *endpoint,
		  const char *method, struct buf *path, struct buf *body,
		  struct error *err) MUST_CHECK;

#endif
