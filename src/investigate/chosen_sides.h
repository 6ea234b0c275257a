/* SPDX-License-Identifier: Apache-2.0
 *
 * The sides of a chosen comparison that a server is asked for (chosen.c has
 * those that files are).
 */
#ifndef INVESTIGATE_CHOSEN_SIDES_H
#define INVESTIGATE_CHOSEN_SIDES_H

#include "investigate/chosen.h"

/* Everything at once, and once more where the service proves to have other
 * names or types than was guessed. */
bool chosen_fetch_live(struct chosen *c, struct error *err) MUST_CHECK;

#endif
