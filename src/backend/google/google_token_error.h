/* SPDX-License-Identifier: Apache-2.0
 *
 * The words for a token that Google Cloud did not give.
 */
#ifndef BACKEND_GOOGLE_TOKEN_ERROR_H
#define BACKEND_GOOGLE_TOKEN_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/google/google_token.h"
#include "base/error.h"

/* Sets err for a response that is no success to the request of the flow: what
 * was refused, in the server's words and ours, and what to do. Returns
 * false. */
bool google_token_fail(const struct google_flow *f,
		       const struct http_response *response, int64_t now_ns,
		       struct error *err);

#endif
