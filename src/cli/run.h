/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by all commands: start, rendering, end, and exit status.
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

/* Options that filter a profile and set its granularity: --focus --ignore
 * --hide --show --show-from --tag-focus --tag-ignore --granularity. */

struct profile_filters {
	struct view view;
	struct label_filter *labels;
};

/* Compiles the patterns; ERROR_USAGE points out mistakes. Profiles decoded in
 * this context from then on have the required detail, and only samples with
 * matching labels. Release even after a failure. */
bool profile_filters_init(struct profile_filters *f, struct context *ctx,
			  struct error *err) MUST_CHECK;

/* Models and answer of a command. */
struct run {
	struct context ctx;
	struct trace trace;
	struct result result;
	struct profile_filters filters;
	struct code_rules rules; /* from --rules; in the context's arena */
	/* The comparison behind the answer, for outputs that draw it; NULL: no
	 * profile. */
	const struct comparison *shown;
	const struct profile *own_samples; /* of own_span only, or NULL */
	uint32_t own_span;
	struct question question;
	struct investigation investigation; /* for the question */
};

/* Sets up everything for a command; release with run_end(). */
bool run_begin(struct run *r, const struct options *o, const char *command,
	       struct error *err) MUST_CHECK;

/* Returns context.file_order: stacks may stay packed if neither a filter nor an
 * output needs them individually. Packed stacks cannot be added to another
 * file; several files may stay unsorted if all outputs are pprof, which needs
 * no order. Call after profile_filters_init(). */
enum stack_order run_file_order(const struct run *r, bool has_several_files);

/* Sets the run's question from options; after profile_filters_init() if filters
 * apply. */
void run_ask(struct run *r);

/* Finds the last commits on the blamed function, with --source-path. */
bool run_find_commits(struct run *r, struct error *err) MUST_CHECK;

/* Fetches and filters the profiles the user selected; sets r->shown. */
bool run_choose(struct run *r, struct chosen *c, struct error *err) MUST_CHECK;

/* Sets the question, reads the trace given by the arguments, and finds the span
 * to blame. */
bool run_find_suspect(struct run *r, struct suspect *s,
		      struct error *err) MUST_CHECK;

/* Expands paths that may be folders to files; adds a note on what was skipped
 * in these. */
bool run_expand_paths(struct run *r, const char *const *paths, size_t count,
		      struct path_list *out, struct error *err) MUST_CHECK;

/* Adds notes and requests to the result and renders all requested outputs. */
bool run_render(struct run *r, struct error *err) MUST_CHECK;

/* Writes the case file, prints the error if any, frees everything. `done` is
 * whether the command succeeded. Returns the exit status. */
int run_end(struct run *r, bool done, struct error *err);

/* From options to the question of an investigation. */

/* Sets everything but the suspect, the window, the baseline, the view and the
 * rules, which need more than options. References borrow from the options. */
void question_from_options(struct question *q, const struct options *o);

/* --sort: the measure that ranks functions, or an order that is not a measure
 * ("before", "function"). The latter only applies to display: rows are ranked
 * as by default, all are kept, and they are sorted after the verdict. */

/* Returns the order that is not a measure, if --sort asks for one. */
enum rows_order row_order_shown(const struct options *o);

/* Returns whether the ranking may put first what explains most, since no
 * measure was requested. */
bool row_order_is_free(const struct options *o);

/* Returns the measure of --sort. */
enum rank_by row_order_measure(const struct options *o, enum rank_by fallback);

/* Returns how many rows ranking must keep; 0: all. */
size_t row_order_limit(const struct options *o);

/* The trace that a command is about, from a server or files. */

/* Fetches or reads the trace given by the arguments, which may be several
 * files; no spans is ERROR_NOT_FOUND. *source describes its origin. */
bool fetch_trace(struct context *ctx, struct trace *trace, struct str *source,
		 struct error *err) MUST_CHECK;

/* "next" lines: follow-up commands with the trace, servers and choices of this
 * run, for pasting. */

/* Adds "tracefind COMMAND ...TAIL" to the result; tail may be "". Nothing is
 * added if the trace came from standard input, which cannot be read again. */
void suggest_next(struct run *r, const char *command, const char *tail);

/* Adds the immediate action, before them, and with servers how to verify its
 * effect. */
void suggest_step(struct run *r);

/* Appends the run's own command without output options; nothing if it read
 * standard input. */
void suggest_repeat(const struct run *r, struct buf *out);

/* Returns the run's options that direct another command to the same servers,
 * and with has_window to the same time; without credentials. Empty with
 * --replay. In ctx->arena; NULL ptr: too long. */
struct str suggest_servers(struct context *ctx, bool has_window);

#endif
