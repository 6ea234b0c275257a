/* SPDX-License-Identifier: Apache-2.0
 *
 * Interprets command lines that do not follow our syntax: a trace without a
 * command, a trace id on standard input, options and commands of other
 * programs.
 */
#ifndef CLI_GUESS_H
#define CLI_GUESS_H

#include <stdbool.h>

#include "base/error.h"

struct command;

/* Returns the command for a word that is not a command: slow for a trace (an
 * id, a URL, a file), profile for a profile file; else NULL. */
const struct command *guess_command(const char *word);

/* Returns whether the name is that of a file with a recorded run. */
bool guess_is_case(const char *word);

/* Size of a line with a URL. */
#define STDIN_ID_BYTES 4096u

/* Extracts the server's base URL from the URL of a trace in its UI or API;
 * false if it is not known, as for Grafana. */
bool guess_server(const char *url, char out[STDIN_ID_BYTES]);

/* Sets the error for an unknown command, with a suggestion. Returns false. */
bool guess_fail_command(const char *word, struct error *err);

/* Returns the equivalent of another program's option or command, to continue a
 * sentence; NULL if unknown. */
const char *habit_find(const char *word);

/* Returns whether standard input has data, waiting up to 2 s for a pipe; false
 * for a terminal or /dev/null. */
bool stdin_is_piped(void);

/* Reads the first line of piped input, if it comes soon; returns whether it
 * names a trace. */
bool stdin_read_id(char out[STDIN_ID_BYTES]);

#endif
