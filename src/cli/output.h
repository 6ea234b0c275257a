/* SPDX-License-Identifier: Apache-2.0
 *
 * Results to standard output and files: whether the formats
 * fit where they go, width and colour of the terminal, whole files or none.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/buf.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "render/render.h"

/* Which outputs a run was asked for, and what they need. Writes nothing. */

/* Returns the outputs of -o, "table" on standard output by default. */
const struct output_option *output_wanted(const struct options *o,
					  size_t *count);

/* How many of them are of these formats ("google grafana"); and whether all
 * are. */
size_t output_count_of(const struct options *o, const char *formats);
bool output_is_only(const struct options *o, const char *formats);

/* Returns whether a format that -o asked for needs this of enum render_needs.
 */
bool output_needs(const struct options *o, unsigned needs);

/* Returns whether one of the formats shows ranked functions, or what ranking
 * tells. */
bool output_shows_ranks(const struct options *o);

/* How many functions a page among those formats lists; 0: there is none. */
size_t output_functions(const struct options *o);

struct run; /* run.h */

/* Loads the library that the explorer needs: before the sandbox, in which it
 * might not be found. ERROR_INTERNAL. */
bool output_prepare(const struct options *o, struct error *err) MUST_CHECK;

/* Before any work: formats known and within what the command can give, at
 * most one on standard output, no binary format on a terminal.
 * ERROR_USAGE. */
bool output_check(const struct options *o, const char *command,
		  struct error *err) MUST_CHECK;

/* Renders all that -o asked for ("table" on standard output by default) of the
 * run's result, trace and, where it has some, evidence. A format whose data is
 * missing (no profile, no baseline) is left out, its file not made, and the
 * error says so at the end: ERROR_NOT_FOUND, unless another could not be
 * written. */
bool output_render(const struct run *r, struct error *err) MUST_CHECK;

/* As output_check(), of what this row offers; called is its name. */
bool output_check_as(const struct options *o, const struct command *command,
		     const char *called, struct error *err) MUST_CHECK;

/* As output_check(), for a form of a command, "search --tags", that gives
 * table and json only. */
bool output_check_answer(const struct options *o, const char *called,
			 struct error *err) MUST_CHECK;

/* Returns whether all that -o asked for is a table that is read as it is
 * written: on standard output, with no pager, which would take its parts for
 * texts. */
bool output_is_table_alone(const struct options *o);

/* Writes all that -o asked for; the first failure is told. */
bool output_answer(const struct options *o, const struct answer_writer *writer,
		   const void *answer, struct error *err) MUST_CHECK;

#endif
