/* SPDX-License-Identifier: Apache-2.0
 *
 * What a line means that does not say it in our words: a trace without a
 * command, a trace id on standard input, options and commands of other programs.
 */
#ifndef CLI_GUESS_H
#define CLI_GUESS_H

#include <stdbool.h>

#include "base/error.h"

struct command;

/* The command that a word stands for which is none: slow, where it names a trace
 * (an id, a URL, a file), profile, where it is a file with one; else NULL. */
const struct command *guess_command(const char *word);

/* Returns whether it is a file with a recorded run, by its name. */
bool guess_is_case(const char *word);

/* Room for a line with a URL. */
#define STDIN_ID_BYTES 4096u

/* The address of the server whose page or answer about a trace has this URL;
 * false where it does not tell one, as a Grafana's. */
bool guess_server(const char *url, char out[STDIN_ID_BYTES]);

/* Says that this is no command, and which one may be meant; false. */
bool guess_fail_command(const char *word, struct error *err);

/* Returns what stands for an option or a command of other programs here, with
 * which a sentence may go on; NULL: nothing is known of it. */
const char *habit_find(const char *word);

/* Returns whether something comes from there, of a pipe within 2 s; nothing
 * does of a terminal or /dev/null. */
bool stdin_is_piped(void);

/* Reads the first line of what is piped in, unless none comes soon; whether it
 * names a trace. */
bool stdin_read_id(char out[STDIN_ID_BYTES]);

#endif
