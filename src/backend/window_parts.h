/* SPDX-License-Identifier: Apache-2.0
 *
 * A window that a server does not take whole, asked for part by part.
 */
#ifndef BACKEND_WINDOW_PARTS_H
#define BACKEND_WINDOW_PARTS_H

#include "base/error.h"
#include "base/timefmt.h"

/* Pyroscope's default: what is older is left out without a word. */
#define SERVER_LOOKBACK_NS (7 * NS_PER_DAY)

struct window_parts {
	struct time_range whole;
	struct time_range part; /* the one to ask for */
	int64_t longest_ns;     /* that the server takes; 0: not known */
	int64_t edge_ns;        /* a part ends here */
};

/* Begins with the whole window, or with what of it lies before now less
 * SERVER_LOOKBACK_NS: an answer to that tells whether the server holds it
 * back. longest_ns: 0, or what the server is known to take. */
bool window_parts_start(struct window_parts *p, struct time_range whole,
			int64_t now_ns, int64_t longest_ns,
			struct error *err) MUST_CHECK;

/* The server takes no more than longest_ns at a time: shortens the part.
 * ERROR_LIMIT when that is no shorter, or makes over LIMIT_WINDOW_PARTS. */
bool window_parts_shorten(struct window_parts *p, int64_t longest_ns,
			  struct error *err) MUST_CHECK;

/* Nothing is split. */
bool window_parts_is_whole(const struct window_parts *p);

/* The part after; false behind the last. */
bool window_parts_next(struct window_parts *p);

#endif
