/* SPDX-License-Identifier: Apache-2.0
 *
 * profile --peek, --tree and --list: callers and callees, and source lines,
 * instead of the table of functions.
 */
#ifndef CLI_PROFILE_DETAILS_H
#define CLI_PROFILE_DETAILS_H

#include "cli/run.h"

/* True when one of these is asked for. */
bool profile_details_wanted(const struct options *o);

/* Two of them, or a format that they do not have: ERROR_USAGE. */
bool profile_details_check(const struct options *o,
			   struct error *err) MUST_CHECK;

/* Shows them for the run's profile, filters already applied. */
bool profile_details_show(struct run *r, struct error *err) MUST_CHECK;

#endif
