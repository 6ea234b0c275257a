/* SPDX-License-Identifier: Apache-2.0
 *
 * What rooms share when they build requests. Not for code outside backend/.
 */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "backend/source.h"

/* Begins a path: below the project where the endpoint has one. */
void project_path_init(struct buf *path, const struct endpoint *endpoint,
		       size_t max_bytes);

/* Hands path (and body) over to the request; checks both buffers, releases
 * them when something failed. */
bool request_fill(struct http_request *request, const struct endpoint *endpoint,
		  const char *method, struct buf *path, struct buf *body,
		  struct error *err) MUST_CHECK;

#endif
