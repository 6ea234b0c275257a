/* SPDX-License-Identifier: Apache-2.0
 *
 * What slow requests have in common, in words.
 */
#ifndef REPORT_CONTRAST_TEXT_H
#define REPORT_CONTRAST_TEXT_H

#include "investigate/symptom.h"

/* "96 % of the slow requests have cache.hit=false, 4 % of the fast ones". */
void contrast_tell(const struct symptom *s, const struct contrast *c,
		   struct buf *out);

/* "usual for requests with export=true: they take 812 ms (p50 of 20), before
 * 805 ms (of 11)". */
void contrast_tell_usual(const struct symptom *s, const struct contrast *c,
			 struct buf *out);

/* Rows of the result; none when none are known. */
bool contrasts_report_write(const struct symptom *s, struct result *result,
			    struct error *err) MUST_CHECK;

/* "for its size", "with tenant=acme": requests like this one. */
void contrast_tell_like(const struct symptom *s, const struct contrast *c,
			struct buf *out);

#endif
