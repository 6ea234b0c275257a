/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's side: from the arguments of the program to the page of a command.
 * The only layer that prints.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

struct completion_script; /* commands.h */

/* The whole program; returns the exit status. Values of secret options are
 * overwritten in argv. scripts: what `completion` prints. */
int cli_run(int argc, char **argv, const struct completion_script *scripts);

struct options;

/* A command of the same program in a process of its own: its words come after
 * the options of the first one, which have set the servers; the answer is JSON
 * on standard output, and nothing is written elsewhere. */
int cli_run_again(const struct options *first, int argc,
		  const char *const *argv);

#endif
