/* SPDX-License-Identifier: Apache-2.0
 *
 * tracefind completion: the scripts for shells, which are made when the program
 * is built, and what those ask for: names that the cache holds.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stddef.h>

struct completion_script {
	const char *shell; /* NULL: the last */
	const char *text;
	size_t len;
};

/* Made by completions/embed.py, a part of the program only. */
extern const struct completion_script completion_scripts[];

#endif
