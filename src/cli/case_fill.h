/* SPDX-License-Identifier: Apache-2.0
 *
 * A command over a case (--replay) that says nothing of what it wants takes
 * what the case holds: its trace, its searches, its profiles.
 */
#ifndef CLI_CASE_FILL_H
#define CLI_CASE_FILL_H

#include "cli/options.h"

struct command;
struct har;

/* Fills what the command needs and the options leave open. Texts are in the
 * arena. ERROR_NOT_FOUND, with what there is, when the case holds nothing of
 * the kind. path: of the case. */
bool case_fill(struct options *o, const struct command *command,
	       struct har *har, const char *path, struct arena *arena,
	       struct error *err) MUST_CHECK;

#endif
