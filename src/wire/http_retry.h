/* SPDX-License-Identifier: Apache-2.0
 *
 * When a request is worth another try, and how long to wait before. Pure:
 * clock and randomness are given.
 */
#ifndef WIRE_HTTP_RETRY_H
#define WIRE_HTTP_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define RETRY_NEVER ((int64_t)-1)

/* What a failed try left behind. */
struct retry_facts {
	int status;             /* 0: no answer */
	bool is_broken;         /* the connection broke; not refused, not TLS */
	bool is_google;         /* 500 there is worth another try */
	unsigned tries;         /* made so far, at least 1 */
	unsigned retries;       /* allowed beyond the first */
	struct str retry_after; /* header, may be empty */
	struct str date;        /* the server's own clock, may be empty */
	int64_t now_ns;         /* used when date is missing */
	int64_t left_ms;        /* of the run's time */
	uint32_t random;
};

/* Milliseconds until the next try, or RETRY_NEVER: nothing to hope for, tries
 * used up, or a wait that is too long or does not fit into the run. */
int64_t retry_delay_ms(const struct retry_facts *f);

/* "Sun, 06 Nov 1994 08:49:37 GMT". */
bool parse_http_date(struct str text, int64_t *out_ns);

#endif
