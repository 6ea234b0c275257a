/* SPDX-License-Identifier: Apache-2.0
 *
 * The sides of a context, traces, profiles, metrics: addresses and credentials
 * of the options.
 */
#ifndef CLI_CONTEXT_SIDES_H
#define CLI_CONTEXT_SIDES_H

#include "cli/context.h"

/* Fills both; ctx->replay is set where it is one. */
bool context_sides_init(struct context *ctx, struct error *err) MUST_CHECK;

#endif
