/* SPDX-License-Identifier: Apache-2.0
 *
 * What git log -L prints, in the form that backend/git_log.c asks for: the
 * commits that changed some lines of a file, the newest first, each with the
 * lines that it left.
 */
#ifndef DECODE_GIT_LOG_H
#define DECODE_GIT_LOG_H

#include "base/str.h"
#include "model/result.h"

/* Reads into commits, whose texts are pieces of `text`, and *count, at most
 * COMMITS_MOST. lines: as they stand in the work tree. Returns why there are
 * none. A commit whose parents are not there, in a shallow clone, is none: who
 * changed its lines is not known. */
enum commits_gap git_log_decode(struct str text, struct str lines,
				struct commit commits[COMMITS_MOST],
				size_t *count);

#endif
