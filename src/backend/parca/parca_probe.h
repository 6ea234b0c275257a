/* SPDX-License-Identifier: Apache-2.0
 *
 * A plain URL for profiles is taken for a Pyroscope. When that has no such
 * routes, it may be a Parca.
 */
#ifndef BACKEND_PARCA_PROBE_H
#define BACKEND_PARCA_PROBE_H

#include "backend/jobs.h"

/* Before a job asks: learns what there is to know of a server that is said to
 * be a Parca. False when it is none. */
bool parca_prepare(struct backends *b, struct job *job,
		   struct error *err) MUST_CHECK;

/* True when the answer came from a Parca that was taken for a Pyroscope: the
 * job is to be asked again from its first attempt. Asks the server, once. */
bool parca_is_found(struct backends *b, struct job *job,
		    const struct http_response *response);

/* Whether a Parca that was taken for a Pyroscope may have answered so. */
bool parca_is_likely(const struct http_response *response);

/* Makes the profile server a Parca with what its answers to PARCA_TYPES and
 * PARCA_LABELS, in this order, tell; false when they are no Parca's. */
bool parca_adopt(struct backends *b, const struct http_response *responses,
		 struct error *err) MUST_CHECK;

#endif
