/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two halves of the Pyroscope source share: profiles (protobuf) and
 * names (JSON) are asked of the same service. Its public face is source.h.
 */
#ifndef SOURCE_PYROSCOPE_H
#define SOURCE_PYROSCOPE_H

#include "source/source.h"

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

#endif
