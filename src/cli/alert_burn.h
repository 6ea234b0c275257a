/* SPDX-License-Identifier: Apache-2.0
 *
 * `alert --objective`: an alert on the error budget of one service.
 */
#ifndef CLI_ALERT_BURN_H
#define CLI_ALERT_BURN_H

#include "cli/document_choice.h"

/* What --now exits with: it fires, as a check of a pipeline fails; or nothing
 * fires of what was measured, which is not all that was asked for. */
#define ALERT_EXIT_FIRES 10
#define ALERT_EXIT_UNKNOWN 5

/* ERROR_USAGE for options that do not go with it. */
bool alert_burn_check(const struct options *o, struct error *err) MUST_CHECK;

/* Writes the document, or with --now evaluates its pairs of windows once;
 * *outcome: 0 or one of the above. */
bool alert_burn_run(struct document_choice *c, struct context *ctx,
		    int *outcome, struct error *err) MUST_CHECK;

#endif
