/* SPDX-License-Identifier: Apache-2.0
 *
 * The git history of lines of a file. A run that reads answers of servers may
 * not start programs, so a child process is forked before that and waits; it
 * runs git once, for a few seconds at most. Work trees are untrusted: no
 * program named in their configuration is run.
 */
#ifndef BACKEND_GIT_LOG_H
#define BACKEND_GIT_LOG_H

#include <stdint.h>

#include "base/buf.h"
#include "model/result.h"

/* Forks the child. Call before there are threads, and before the process drops
 * its privileges. Failure, for example because there is no git, is harmless:
 * git_log_read() returns it. */
void git_log_prepare(void);

/* Appends the output of git log for lines first to last of the file, for
 * decode/git_log.h. Once a run. Returns the reason if there is nothing. A limit
 * of time or bytes leaves the newest commits. */
enum commits_gap git_log_read(const char *path, uint32_t first, uint32_t last,
			      struct buf *out);

#endif
