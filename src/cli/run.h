/* SPDX-License-Identifier: Apache-2.0
 *
 * What all commands share: begin, render, end, and the exit status.
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "analyze/code_rules.h"
#include "analyze/profile_analysis.h"
#include "cli/context.h"
#include "cli/profile_filters.h"
#include "investigate/chosen.h"
#include "investigate/comparison.h"
#include "investigate/suspect.h"
#include "model/trace.h"

/* One command's models and answer. */
struct run {
	struct context ctx;
	struct trace trace;
	struct result result;
	struct profile_filters filters;
	struct code_rules rules; /* of --rules; in the context's arena */
	/* What the answer is of, for the outputs that draw it; NULL: no
	 * profile. */
	const struct comparison *shown;
	struct question question;
	struct investigation investigation; /* of the question */
};

/* Sets up everything for a command; release with run_end(). */
bool run_begin(struct run *r, const struct options *o, const char *command,
	       struct error *err) MUST_CHECK;

/* For context.file_order: stacks are only added up where neither a filter nor
 * an output looks at them one by one. That cannot be added to another file;
 * several may be in any order where all outputs are pprof files, which ask for
 * none. After profile_filters_init(). */
enum stack_order run_file_order(const struct run *r, bool has_several_files);

/* Makes the options the run's question; after profile_filters_init(), where
 * filters count. */
void run_ask(struct run *r);

/* Fetches what the user chose and filters it; r->shown is set. */
bool run_choose(struct run *r, struct chosen *c, struct error *err) MUST_CHECK;

/* Asks it, reads the trace that the arguments name, and finds the span to
 * blame. */
bool run_find_suspect(struct run *r, struct suspect *s,
		      struct error *err) MUST_CHECK;

/* Adds notes and requests and renders what -o asked for. */
bool run_render(struct run *r, struct error *err) MUST_CHECK;

/* Writes the case file, prints the error if any, frees everything. `done`
 * says whether the command succeeded. Returns the exit status. */
int run_end(struct run *r, bool done, struct error *err);

#endif
