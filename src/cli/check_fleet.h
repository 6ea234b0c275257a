/* SPDX-License-Identifier: Apache-2.0
 *
 * `check --all`: the gate over the fleet.
 */
#ifndef CLI_CHECK_FLEET_H
#define CLI_CHECK_FLEET_H

#include "cli/options.h"

/* Returns the exit status. */
int check_fleet(const struct options *o);

#endif
