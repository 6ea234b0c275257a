/* SPDX-License-Identifier: Apache-2.0
 *
 * --dry-run: shows requests instead of sending them.
 */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "base/error.h"
#include "wire/http.h"

/* Writes the lines of a batch to standard output; comment is one of ours above
 * them, or NULL. */
bool dry_run_write(const char *comment, const struct http_request *requests,
		   size_t n, struct error *err) MUST_CHECK;

/* The end of a dry run: ERROR_STOPPED, with what could not be told. Always
 * false. */
bool dry_run_stop(struct error *err);

#endif
