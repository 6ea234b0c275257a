/* SPDX-License-Identifier: Apache-2.0
 *
 * What -o says: a format, a file, or both. Knows no other options.
 */
#ifndef CLI_OUTPUT_OPTION_H
#define CLI_OUTPUT_OPTION_H

#include <stdbool.h>

#include "base/error.h"

struct output_option {
	const char *format;
	const char *path; /* NULL: standard output */
};

struct command; /* commands.h */

/* FORMAT, FORMAT=FILE, or a file whose ending names the format. An unknown one
 * is answered with those that the command gives (NULL: with all). */
bool output_option_read(const char *value, const struct command *command,
			struct output_option *out,
			struct error *err) MUST_CHECK;

/* Whether this value of --output names a file. */
bool output_is_file(const char *value);

#endif
