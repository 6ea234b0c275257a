/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking in one answer: header lines and packed bytes as they come, counted
 * and unpacked within limits. Knows no network library.
 */
#ifndef SOURCE_HTTP_RECEIVE_H
#define SOURCE_HTTP_RECEIVE_H

#include <stdbool.h>

#include "base/gz.h"
#include "source/http.h"

struct receive {
	struct http_response *response; /* borrowed */
	const struct http_sieve *sieve; /* or NULL */
	struct buf piece;               /* on its way to the sieve */
	struct gz_stream *gz;           /* of an error page, or of "deflate" */
	struct buf packed;              /* gzip, unpacked when it is complete */
	bool is_packed;
	bool is_cut; /* receive_finish() failed for want of the end */
	size_t header_bytes;
	bool is_body_begun;
	/* An error page filled its (small) limit; the rest is not wanted. */
	bool is_enough;
	char content_encoding[32];
	char retry_after[64];
};

/* Empties the response, for a first or another try. sieve: of the request. */
void receive_init(struct receive *r, struct http_response *response,
		  const struct http_sieve *sieve);
void receive_release(struct receive *r);

/* One header line with its line end; status lines start anew. */
bool receive_header(struct receive *r, struct str line,
		    struct error *err) MUST_CHECK;

/* Bytes of the body as they were sent. False: err is set, or is_enough. */
bool receive_body(struct receive *r, struct str bytes,
		  struct error *err) MUST_CHECK;

/* After the last byte: unpacks what is not yet. False when packed content is
 * damaged, ended in the middle or is more than the limits allow. */
bool receive_finish(struct receive *r, struct error *err) MUST_CHECK;

#endif
