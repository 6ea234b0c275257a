/* SPDX-License-Identifier: Apache-2.0
 *
 * Which two sides the options of `check` mean: files, folders, a snapshot,
 * windows of a service. Compares nothing.
 */
#ifndef CLI_CHECK_SIDES_H
#define CLI_CHECK_SIDES_H

#include "cli/run.h"
#include "investigate/check.h"

struct check_sides {
	struct check_want want;
	struct snapshot snapshot; /* of --against */
};

void check_sides_init(struct check_sides *s);
void check_sides_release(struct check_sides *s);

/* Fills s->want, and the baseline of the run's question. Reads a snapshot. */
bool check_sides_read(struct check_sides *s, struct run *r,
		      struct error *err) MUST_CHECK;

#endif
