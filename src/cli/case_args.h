/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line inside a case file. Credentials and where files lie stay
 * out when it is recorded; what a case of foreign origin asks for is filtered
 * again before it is repeated, so that opening a case never writes a file.
 */
#ifndef CLI_CASE_ARGS_H
#define CLI_CASE_ARGS_H

#include "base/arena.h"
#include "base/error.h"
#include "cli/options.h"
#include "source/har.h"

/* Arguments worth repeating, in order: everything but credentials,
 * certificates, proxies, case files and outputs to files. */
bool case_args_filter(size_t argc, const char *const *argv,
		      struct arena *arena, const char ***kept,
		      size_t *kept_count, struct error *err) MUST_CHECK;

/* Stores clock and filtered arguments of this run. */
bool case_args_record(struct har *har, int64_t now_ns, const struct options *o,
		      struct error *err) MUST_CHECK;

#endif
