/* SPDX-License-Identifier: Apache-2.0
 *
 * The history of lines of a file in a git work tree. A run that reads answers
 * of servers may start no programs, so a child is made ready before that and
 * waits; it runs git once, for at most some seconds. Work trees are of
 * strangers: nothing that their configuration names is run.
 */
#ifndef BACKEND_GIT_LOG_H
#define BACKEND_GIT_LOG_H

#include <stdint.h>

#include "base/buf.h"
#include "model/result.h"

/* Before there are threads, and before the process gives up its rights.
 * Harmless when it fails, or without git: git_log_read() then returns that. */
void git_log_prepare(void);

/* Appends what git says of the lines first to last of the file, for
 * decode/git_log.h. Once a run. Returns why there is nothing. A limit of time or
 * bytes leaves the newest commits. */
enum commits_gap git_log_read(const char *path, uint32_t first, uint32_t last,
			      struct buf *out);

#endif
