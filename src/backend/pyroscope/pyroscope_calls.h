/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share: profiles (protobuf) and names (JSON) are
 * asked of the same service.
 */
#ifndef BACKEND_PYROSCOPE_CALLS_H
#define BACKEND_PYROSCOPE_CALLS_H

#include "backend/checkup.h"
#include "backend/profile_backend.h"

/* A request: a selector as long as an option may be, each byte of it escaped,
 * and the ids of a cohort. */
#define PYROSCOPE_BODY_BYTES (4 * LIMIT_OPTION_VALUE_BYTES)

/* A call of the query service. Takes the body over. */
bool pyroscope_post(const struct endpoint *endpoint, const char *method,
		    const char *content_type, struct buf *body,
		    struct http_request *request, struct error *err) MUST_CHECK;

/* Is there a Pyroscope at this address? Asks for the services of the last
 * hour; a Pyroscope names them or fails in words of its own. */
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
/* Reads the statistics of the querying tenant. False, without a reason, for
 * servers that do not know the question. */
bool pyroscope_stats_read(const struct http_response *response,
			  struct profile_stats *stats);

/* Values of a label among the profiles a selector matches; the answer is
 * read by pyroscope_services_answer(). */
bool pyroscope_label_request(const struct endpoint *e, const char *label,
			     const char *selector, struct time_range range,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;

/* The longest range it answers at once, as it writes it ("1d"), from a refusal
 * of a longer one. False when the answer is no such refusal. */
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
