/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two halves of the Pyroscope source share: profiles (protobuf) and
 * names (JSON) are asked of the same service. Its public face is source.h.
 */
#ifndef BACKEND_PYROSCOPE_H
#define BACKEND_PYROSCOPE_H

#include "backend/source.h"
#include "base/json.h"
#include "base/jsonw.h"

/* A request: a selector as long as an option may be, each byte of it escaped,
 * and the ids of a cohort. */
#define PYROSCOPE_BODY_BYTES (4 * LIMIT_OPTION_VALUE_BYTES)

/* [from, to) in nanoseconds as both inclusive milliseconds: neighbouring
 * windows share no profile. */
void pyroscope_range_ms(struct time_range range, int64_t *start_ms,
			int64_t *end_ms);

/* A call of the query service. Takes the body over. */
bool pyroscope_post(const struct endpoint *endpoint, const char *method,
		    const char *content_type, struct buf *body,
		    struct http_request *request, struct error *err) MUST_CHECK;

/* The call of the web page of old, for proxies that let only that pass: names
 * only, all samples of a service. */
bool pyroscope_render_request(const struct endpoint *endpoint,
			      const struct profile_query *query,
			      int64_t start_ms, int64_t end_ms,
			      struct http_request *request,
			      struct error *err) MUST_CHECK;
/* Of an answer of status 200. */
enum answer pyroscope_render_answer(const struct http_response *response,
				    struct error *err);

/* A call with a JSON body: what `add` puts in, then the times. */
bool pyroscope_ask(const struct endpoint *endpoint, const char *method,
		   struct time_range range,
		   void (*add)(struct jsonw *w, const void *what),
		   const void *what, struct http_request *request,
		   struct error *err) MUST_CHECK;

/* The JSON object of an answer: calls read for the value of the field. False
 * for every other answer, in words. */
bool pyroscope_read(const struct endpoint *endpoint,
		    const struct http_response *response, struct str field,
		    void (*read)(struct json_reader *r, void *into), void *into,
		    struct error *err) MUST_CHECK;

#endif
