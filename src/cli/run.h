/* SPDX-License-Identifier: Apache-2.0
 *
 * What all commands share: begin, render, end, and the exit status.
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "analyze/code_kind.h"
#include "analyze/profile_analysis.h"
#include "analyze/view.h"
#include "backend/input.h"
#include "base/buf.h"
#include "base/error.h"
#include "cli/context.h"
#include "cli/options.h"
#include "decode/profile_type.h"
#include "investigate/chosen.h"
#include "investigate/comparison.h"
#include "investigate/question.h"
#include "investigate/suspect.h"
#include "model/result.h"
#include "model/trace.h"
#include "report/answers.h"

/* The options that choose parts of a profile and how fine it is shown:
 * --focus --ignore --hide --show --show-from --tag-focus --tag-ignore
 * --granularity. */

struct profile_filters {
	struct view view;
	struct label_filter *labels;
};

/* Compiles the patterns; ERROR_USAGE says what is wrong where. Profiles
 * decoded in this context from now on have the frames that are needed, and
 * only samples with the labels wanted. Release also after failure. */
bool profile_filters_init(struct profile_filters *f, struct context *ctx,
			  struct error *err) MUST_CHECK;

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
	const struct profile *own_samples; /* of own_span alone, or NULL */
	uint32_t own_span;
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

/* Finds who last changed the function that is blamed, with --source-path. */
bool run_find_commits(struct run *r, struct error *err) MUST_CHECK;

/* Fetches what the user chose and filters it; r->shown is set. */
bool run_choose(struct run *r, struct chosen *c, struct error *err) MUST_CHECK;

/* Asks it, reads the trace that the arguments name, and finds the span to
 * blame. */
bool run_find_suspect(struct run *r, struct suspect *s,
		      struct error *err) MUST_CHECK;

/* The files that paths mean, some of which may be folders; notes what in these
 * is left out. */
bool run_expand_paths(struct run *r, const char *const *paths, size_t count,
		      struct path_list *out, struct error *err) MUST_CHECK;

/* Adds notes and requests and renders what -o asked for. */
bool run_render(struct run *r, struct error *err) MUST_CHECK;

/* Writes the case file, prints the error if any, frees everything. `done`
 * says whether the command succeeded. Returns the exit status. */
int run_end(struct run *r, bool done, struct error *err);

/* From options to the question that an investigation answers. */

/* All but the suspect, the window, the baseline, the view and the rules, which
 * take more than options. What it points to stays the options'. */
void question_from_options(struct question *q, const struct options *o);

/* --sort: which measure ranks the functions, and orders that are no measure
 * ("before", "function"): those are of what is shown, so the rows are ranked
 * as ever, all of them kept, and put in order when the verdict is made. */

/* The order that is no measure, where --sort asks for one. */
enum rows_order row_order_shown(const struct options *o);

/* Returns whether the ranking may put first what explains most: no measure was
 * asked for. */
bool row_order_is_free(const struct options *o);

/* The measure that --sort asks for. */
enum rank_by row_order_measure(const struct options *o, enum rank_by fallback);

/* Rows that ranking has to keep; 0: all. */
size_t row_order_limit(const struct options *o);

/* The trace that a command is about, from a server or a file. */

/* Fetches or reads the trace that the arguments name, several if they are files
 * of it; no spans is ERROR_NOT_FOUND. *source names where it came from. */
bool fetch_trace(struct context *ctx, struct trace *trace, struct str *source,
		 struct error *err) MUST_CHECK;

/* The "next" lines: commands that can be pasted, with the trace, the servers
 * and the choices of this run. */

/* Adds "tracefind COMMAND ...TAIL" to the result; tail may be "". Nothing is
 * added when the trace came through standard input, which is gone. */
void suggest_next(struct run *r, const char *command, const char *tail);

/* Adds the step to take at once, before them, and with servers how to see that
 * it helped. */
void suggest_step(struct run *r);

/* Appends the run's own command without what concerns its output; nothing when
 * it read standard input. */
void suggest_repeat(const struct run *r, struct buf *out);

/* Those of the run's options that lead a further command to the same servers,
 * and with has_window to the same time; credentials are not among them. Nothing
 * of a run with --replay. In ctx->arena; NULL ptr: they are too long. */
struct str suggest_servers(struct context *ctx, bool has_window);

#endif
