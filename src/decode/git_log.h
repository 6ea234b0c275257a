/* SPDX-License-Identifier: Apache-2.0
 *
 * Output of git log -L in the format requested by backend/git_log.c: commits
 * that changed some lines of a file, the newest first, each with the resulting
 * lines.
 */
#ifndef DECODE_GIT_LOG_H
#define DECODE_GIT_LOG_H

#include "base/str.h"
#include "model/result.h"

/* Fills commits, whose texts are parts of `text`, and *count, at most
 * COMMITS_MOST. lines: as in the work tree. Returns why there are none. Commits
 * at the boundary of a shallow clone are left out: without their parents it is
 * unknown who changed the lines. */
enum commits_gap git_log_decode(struct str text, struct str lines,
				struct commit commits[COMMITS_MOST],
				size_t *count);

#endif
