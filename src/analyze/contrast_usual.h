/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether requests that bear what slow ones have in common were as slow before,
 * and as many: a big export takes its time. Private to contrast*.c.
 */
#ifndef ANALYZE_CONTRAST_USUAL_H
#define ANALYZE_CONTRAST_USUAL_H

#include "analyze/contrasts.h"

/* Longer by less than this is as before; by less than the second, when it may
 * be chance. */
#define USUAL_RATIO 1.2
#define USUAL_CHANCE_RATIO 1.5
#define USUAL_P 0.01

/* Of what the slowest of those before took, for its size, the request in
 * question may take so much and is one of them. */
#define USUAL_REACH 1.2

/* More of them than before: so many times, and beyond chance. */
#define USUAL_SHARE 2.0

/* Sets since and is_usual of a contrast, by the baseline and, where they were
 * answered, by the windows of days ago; and the numbers behind it. When those
 * that do not bear it are slower than before, nothing is usual. own: the value
 * of the request in question. Where a request was served and by which code is
 * never usual: others are served elsewhere, as quick as ever. */
bool contrast_usual_find(const struct contrast_want *want, struct contrast *c,
			 struct str own, struct error *err) MUST_CHECK;

#endif
