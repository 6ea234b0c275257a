/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run gives up before the first byte of an answer is read, when all it
 * will need is known: to read the user's files and folders that were not named,
 * to write anywhere but where its outputs go, to start programs.
 */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include "cli/context.h"

/* Where the kernel lacks something, or the run needs it, there is less of that;
 * -v tells what is on. Never a failure. */
void sandbox_enter(const struct context *ctx);

#endif
