/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's side: from the arguments of the program to the page of a command.
 * The only layer that prints.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

struct completion_script; /* completion.h */

/* The whole program; returns the exit status. Values of secret options are
 * overwritten in argv. scripts: what `completion` prints. */
int cli_run(int argc, char **argv, const struct completion_script *scripts);

#endif
