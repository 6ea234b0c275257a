/* SPDX-License-Identifier: Apache-2.0
 *
 * Which profiles and lists of them a case file holds, told by what was asked
 * for. Knows no options.
 */
#ifndef BACKEND_HELD_PROFILES_H
#define BACKEND_HELD_PROFILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct har; /* wire/har.h */

/* Borrowed from the case. */
struct held_profile {
	struct str type, selector;
	uint64_t from_ms, to_ms; /* both belong to it */
};

/* The one of the latest window: a baseline lies before it. type: a word or a
 * full id; NULL: any. False: there is none. */
bool held_profile_latest(const struct har *har, const char *type,
			 struct held_profile *latest);

/* The earliest of the same that ended before. */
bool held_profile_before(const struct har *har, const struct held_profile *of,
			 struct held_profile *before);

/* The window of the first list of what sends profiles; both milliseconds
 * belong to it. */
bool held_list_window(const struct har *har, uint64_t *from_ms,
		      uint64_t *to_ms);

#endif
