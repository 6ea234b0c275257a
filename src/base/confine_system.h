/* SPDX-License-Identifier: Apache-2.0
 *
 * What stays open to a confined process for its own working: libraries that it
 * loads late and what these read, devices, and the places that its outputs are
 * written to. Knows no option.
 */
#ifndef BASE_CONFINE_SYSTEM_H
#define BASE_CONFINE_SYSTEM_H

#include "base/confine.h"

/* Reading what belongs to the system. */
void confine_allow_system(struct confine *c);

/* Writing to its devices. */
void confine_allow_devices(struct confine *c);

/* A file is replaced by a new one beside it; a link stays where it is, and what
 * it leads to is replaced (base/out.h). NULL: none. */
void confine_allow_output(struct confine *c, const char *path);

#endif
