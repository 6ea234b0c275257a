/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads names of services, operations and tags out of JSON objects, as several
 * servers of traces list them. For their rooms.
 */
#ifndef BACKEND_TRACE_NAMES_H
#define BACKEND_TRACE_NAMES_H

#include "backend/source.h"

/* A names_answer() of trace_backend.h: another attempt may serve where there
 * is one. */
enum answer trace_names_read(const char *subject, bool has_next,
			     const struct endpoint *e,
			     const struct http_response *response,
			     struct arena *arena, struct name_list *names,
			     struct error *err);

#endif
