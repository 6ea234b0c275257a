/* SPDX-License-Identifier: Apache-2.0
 *
 * What other traces said, for --why: since when it is slow, which requests
 * are slow like it, and what became of each baseline that was thought of.
 */
#ifndef CLI_SLOWNESS_TELL_H
#define CLI_SLOWNESS_TELL_H

#include "cli/slowness.h"

/* Appends to reasons, in the order of the reasoning. After slowness_fill(). */
void slowness_tell(const struct slowness *slowness, const struct situation *s,
		   const struct baseline_want *want, struct notes *reasons);

#endif
