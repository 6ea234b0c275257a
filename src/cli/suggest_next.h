/* SPDX-License-Identifier: Apache-2.0
 *
 * The "next" lines: commands that can be pasted, with the trace, the servers
 * and the choices of this run.
 */
#ifndef CLI_SUGGEST_NEXT_H
#define CLI_SUGGEST_NEXT_H

#include "cli/run.h"

/* Adds "tracefind COMMAND ...TAIL" to the result; tail may be "". Nothing is
 * added when the trace came through standard input, which is gone. */
void suggest_next(struct run *r, const char *command, const char *tail);

/* Appends the run's own command without what concerns its output; nothing when
 * it read standard input. */
void suggest_repeat(const struct run *r, struct buf *out);

/* Those of the run's options that lead a further command to the same servers,
 * and with has_window to the same time; credentials are not among them. Nothing
 * of a run with --replay. In ctx->arena; NULL ptr: they are too long. */
struct str suggest_servers(struct context *ctx, bool has_window);

#endif
