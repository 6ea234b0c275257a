/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking in one answer: header lines and packed bytes as they come, counted
 * and unpacked within limits. Knows no network library.
 */
#ifndef WIRE_HTTP_RECEIVE_H
#define WIRE_HTTP_RECEIVE_H

#include <stdbool.h>

#include "base/gz.h"
#include "wire/http_message.h"

/* As much of an answer is asked for at once: by the library's 16 KiB an
 * ordinary `slow` makes half as many system calls again. */
#define RECEIVE_BYTES (64L * 1024)

struct receive {
	struct http_response *response; /* borrowed */
	const struct http_sieve *sieve; /* or NULL */
	struct buf piece;               /* on its way to the sieve */
	struct gz_stream *gz;           /* of an error page, or of "deflate" */
	struct buf packed;              /* gzip, unpacked when it is complete */
	bool is_packed;
	bool is_cut; /* receive_finish() failed for want of the end */
	size_t header_bytes;
	unsigned fold_count; /* lines that go on with the one before */
	bool is_head_whole;  /* down to its blank line */
	/* How its end is told: neither is so when it is the connection's. */
	bool has_length;
	bool is_chunked;
	uint64_t length_bytes;
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

/* One header line with its line end; status lines start anew, lines behind the
 * body are passed over. False when it makes no sense: an unreadable status,
 * lengths that are none or differ, a part where all was asked for. */
bool receive_header(struct receive *r, struct str line,
		    struct error *err) MUST_CHECK;

/* Bytes of the body as they were sent. False: err is set, or is_enough. */
bool receive_body(struct receive *r, struct str bytes,
		  struct error *err) MUST_CHECK;

/* After the last byte: unpacks what is not yet. False when the head or packed
 * content ended in the middle, when content is damaged or more than the limits
 * allow, and when nothing tells that it is whole. */
bool receive_finish(struct receive *r, struct error *err) MUST_CHECK;

#endif
