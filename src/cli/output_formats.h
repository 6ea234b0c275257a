/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of -o: their names and endings, what each command offers. Knows no
 * options.
 */
#ifndef CLI_OUTPUT_FORMATS_H
#define CLI_OUTPUT_FORMATS_H

#include "base/buf.h"
#include "cli/commands.h"

/* Format i of all there are; NULL past the last. */
const char *output_format_name(size_t i);

/* The name as it stands there, else NULL. */
const char *output_format_find(struct str name);

/* The format that a file's ending stands for, whatever its case; NULL: none. */
const char *output_format_of_file(struct str path);

/* ".txt, .json": the endings that there are. */
void output_list_suffixes(struct buf *text);

/* Whether -o of the command offers this format. */
bool output_gives(const struct command *command, const char *format);

/* "table, json or csv": what -o of the command offers. */
void output_list_formats(const struct command *command, struct buf *text);

/* Whether it is a format of results that needs this of enum render_needs. */
bool output_format_needs(const char *format, unsigned needs);

#endif
