/* SPDX-License-Identifier: Apache-2.0
 *
 * The last commits to the blamed function, from a local work tree.
 */
#ifndef INVESTIGATE_COMMITS_H
#define INVESTIGATE_COMMITS_H

#include "backend/input.h"
#include "base/error.h"
#include "model/result.h"

/* Adds the last commits that touched the lines of result_blamed() to the
 * result, or the reason if there are none. Does nothing without folders to
 * search. git must be prepared (backend/git_log.h). Returns false only without
 * memory. */
bool commits_find(const struct source_places *places, struct result *r,
		  struct error *err) MUST_CHECK;

#endif
