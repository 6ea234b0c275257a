/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes results to standard output and files: checks that formats suit their
 * targets, determines width and color of the terminal, and writes files
 * completely or not at all.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/buf.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "render/render.h"

/* The outputs requested for a run, and what they need. Writes nothing. */

/* Returns the outputs of -o, by default "table" on standard output. */
const struct output_option *output_wanted(const struct options *o,
					  size_t *count);

/* Return how many of them have these formats ("google grafana"), and whether
 * all have. */
size_t output_count_of(const struct options *o, const char *formats);
bool output_is_only(const struct options *o, const char *formats);

/* Returns whether a requested format has this bit of enum render_needs. */
bool output_needs(const struct options *o, unsigned needs);

/* Returns whether a format shows ranked functions, or results of ranking. */
bool output_shows_ranks(const struct options *o);

/* Returns how many functions a requested HTML report lists; 0: none
 * requested. */
size_t output_functions(const struct options *o);

struct run; /* run.h */

/* Loads the library for the explorer, which might not be accessible in the
 * sandbox later. ERROR_INTERNAL. */
bool output_prepare(const struct options *o, struct error *err) MUST_CHECK;

/* Checks before any work that the command supports the formats, that at most
 * one goes to standard output, and that no binary format goes to a terminal.
 * ERROR_USAGE. */
bool output_check(const struct options *o, const char *command,
		  struct error *err) MUST_CHECK;

/* Renders all requested outputs from the run's result, trace and, if any,
 * profiles. A format whose data is missing (no profile, no baseline) is
 * skipped, its file is not created, and the error reports it at the end:
 * ERROR_NOT_FOUND, unless another output could not be written. */
bool output_render(const struct run *r, struct error *err) MUST_CHECK;

/* As output_check(), for the formats of this row; `called` is its name in
 * messages. */
bool output_check_as(const struct options *o, const struct command *command,
		     const char *called, struct error *err) MUST_CHECK;

/* As output_check(), for a form of a command, such as "search --tags", that
 * only supports table and json. */
bool output_check_answer(const struct options *o, const char *called,
			 struct error *err) MUST_CHECK;

/* Returns whether the only output is a table on standard output without a
 * pager, so that it can be written in parts. */
bool output_is_table_alone(const struct options *o);

/* Writes all requested outputs; the first failure is reported. */
bool output_answer(const struct options *o, const struct answer_writer *writer,
		   const void *answer, struct error *err) MUST_CHECK;

#endif
