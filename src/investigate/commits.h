/* SPDX-License-Identifier: Apache-2.0
 *
 * Who last changed the function that is blamed, by the sources at hand.
 */
#ifndef INVESTIGATE_COMMITS_H
#define INVESTIGATE_COMMITS_H

#include "backend/input.h"
#include "base/error.h"
#include "model/result.h"

/* Puts the last commits that touched the lines of result_blamed() into the
 * result, or why there are none. Nothing without folders to look in. git is to be
 * ready (backend/git_log.h). False only without memory. */
bool commits_find(const struct source_places *places, struct result *r,
		  struct error *err) MUST_CHECK;

#endif
