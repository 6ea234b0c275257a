/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of this folder: profiles (protobuf) and names (JSON) come
 * from the same service.
 */
#ifndef BACKEND_PYROSCOPE_CALLS_H
#define BACKEND_PYROSCOPE_CALLS_H

#include "backend/checkup.h"
#include "backend/profile_backend.h"

/* Maximum size of a request: a selector as long as an option may be, each byte
 * of it escaped, and the ids of a cohort. */
#define PYROSCOPE_BODY_BYTES (4 * LIMIT_OPTION_VALUE_BYTES)

/* Builds a call of the query service. Takes over the body. */
bool pyroscope_post(const struct endpoint *endpoint, const char *method,
		    const char *content_type, struct buf *body,
		    struct http_request *request, struct error *err) MUST_CHECK;

/* Probes for a Pyroscope at this address by a request for the services of the
 * last hour; a Pyroscope lists them or fails with an error of its own. */
bool pyroscope_probe_request(const struct endpoint *endpoint, int64_t now_ns,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
bool pyroscope_probe_matches(const struct http_response *response);

/* ---- for its checkup ---- */

/* Build information, for status_version_read(). */
bool pyroscope_version_request(const struct endpoint *e,
			       struct http_request *request,
			       struct error *err) MUST_CHECK;

bool pyroscope_stats_request(const struct endpoint *e,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
/* Reads the statistics of the querying tenant. Returns false, without err, for
 * servers that lack the route. */
bool pyroscope_stats_read(const struct http_response *response,
			  struct profile_stats *stats);

/* Requests values of a label in the profiles that a selector matches; the
 * answer is read by pyroscope_services_answer(). */
bool pyroscope_label_request(const struct endpoint *e, const char *label,
			     const char *selector, struct time_range range,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;

/* Reads the longest range of a query, as the server writes it ("1d"), from its
 * refusal of a longer one. Returns false if the answer is not such a
 * refusal. */
bool pyroscope_length_limit_read(const struct http_response *response,
				 char out[STATUS_VERSION_BYTES]);

/* ---- for struct profile_backend ---- */

bool pyroscope_services_request(const struct side *side,
				struct time_range range,
				struct http_request *request,
				struct error *err) MUST_CHECK;
bool pyroscope_services_answer(const struct backends *b,
			       const struct http_response *response,
			       struct name_list *names,
			       struct error *err) MUST_CHECK;

#endif
