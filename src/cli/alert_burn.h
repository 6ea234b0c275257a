/* SPDX-License-Identifier: Apache-2.0
 *
 * `alert --objective`: an alert on the error budget of one service.
 */
#ifndef CLI_ALERT_BURN_H
#define CLI_ALERT_BURN_H

#include "cli/document_choice.h"

/* ERROR_USAGE for options that do not go with it. */
bool alert_burn_check(const struct options *o, struct error *err) MUST_CHECK;

/* Writes the document, or with --now evaluates its pairs of windows once. */
bool alert_burn_run(struct document_choice *c, struct context *ctx, bool *fires,
		    struct error *err) MUST_CHECK;

#endif
