/* SPDX-License-Identifier: Apache-2.0
 *
 * Files and lines for functions that were ranked from a profile without them:
 * samples of spans come by name only, the same functions of the whole service
 * come with places.
 */
#ifndef ANALYZE_PLACES_H
#define ANALYZE_PLACES_H

#include "model/profile.h"
#include "model/result.h"

/* Fills file and, with_lines, the hottest line of rows that have none. Names
 * must be equal. Files are borrowed from the result's arena. */
bool rows_add_places(struct result *result, const struct profile *p,
		     bool with_lines, struct error *err) MUST_CHECK;

#endif
