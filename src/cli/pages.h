/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands, a page each: options to a question, its answer to the outputs.
 * Each returns the exit status.
 */
#ifndef CLI_PAGES_H
#define CLI_PAGES_H

#include <stddef.h>

#include "base/error.h"
#include "cli/context.h"
#include "cli/run.h"
#include "investigate/service_metrics.h"
#include "investigate/slo.h"
#include "investigate/trace_search.h"
#include "report/documents.h"

/* The services and metrics of a dashboard or an alert: from options, and from
 * what the server of metrics has, to a document. */

struct document_choice {
	struct document document;
	struct metric_source sources[METRIC_MEANINGS];
	struct time_range window;
	bool is_told; /* the platform or the names of metrics: ask no server */
};

/* Services, threshold, window and metrics as far as options tell them.
 * ERROR_USAGE. What it points to lives in the context's arena or in c. */
bool document_choose(struct document_choice *c, struct context *ctx,
		     struct error *err) MUST_CHECK;

/* The same of one service that is named elsewhere. */
bool document_choose_service(struct document_choice *c, struct context *ctx,
			     const char *const *service,
			     struct error *err) MUST_CHECK;

/* Which metrics there are, where the options do not tell. That none is of the
 * services is ERROR_NOT_FOUND. */
bool document_find_metrics(struct document_choice *c, struct context *ctx,
			   struct error *err) MUST_CHECK;

/* Which of the services send profiles; that it is not known is a note. */
bool document_find_profiles(struct document_choice *c, struct context *ctx,
			    struct error *err) MUST_CHECK;

struct options;
struct run; /* run.h */

int cmd_slow(const struct options *o);
int cmd_diff(const struct options *o);
int cmd_check(const struct options *o);
int cmd_cost(const struct options *o);
int cmd_show(const struct options *o);
int cmd_search(const struct options *o);
int cmd_profile(const struct options *o);
int cmd_leak(const struct options *o);
int cmd_dash(const struct options *o);
int cmd_alert(const struct options *o);
int cmd_slo(const struct options *o);
int cmd_services(const struct options *o);
int cmd_when(const struct options *o);
int cmd_export(const struct options *o);
int cmd_convert(const struct options *o);
int cmd_types(const struct options *o);
int cmd_doctor(const struct options *o);
int cmd_mcp(const struct options *o);
int cmd_config(const struct options *o);
int cmd_completion(const struct options *o);

/* The work of show and profile between run_begin() and run_end(), also for
 * convert. */
bool show_trace(struct run *r, struct error *err) MUST_CHECK;
bool show_profile(struct run *r, struct error *err) MUST_CHECK;

/* Action i of the command config; NULL past the last. */
const char *config_action_name(size_t i);

/* `tracefind slow` without a trace, diff without an operation: finds the slow
 * traces, by the server of traces or by exemplars of metrics, and takes one that
 * is typical of them. */

/* Searches, notes which trace was taken and how many are like it, and gives
 * the run options that name the trace; what was searched for is gone from them:
 * times, service and name. They live in the run's arena. */
bool search_slow_trace(struct run *r, struct error *err) MUST_CHECK;

/* The name of the span of --service that took long in the trace that
 * search_slow_trace() would take, of traces in the range; notes which and how to
 * choose another. In ctx->arena. */
bool search_slow_operation(struct context *ctx, struct time_range range,
			   struct str *name, struct error *err) MUST_CHECK;

/* Which two sides the options of `diff` mean: windows of a service, selectors,
 * spans, slow requests and fast ones, files. Compares nothing. */

/* The sides of a diff, and what they point to. */
struct diff {
	struct run *run;
	struct options changed; /* the run's options from then on */
	struct chosen_want want;
	const char *baseline_path; /* a file, whatever --baseline says */
	uint64_t span_ids[2];
};

/* From options to a search for traces. */

/* Without time options: an hour, as people ask for recent traces. */
#define SEARCH_WINDOW_NS NS_PER_HOUR

/* Fills query, wanted and the rest from --service, --name, --errors,
 * --min-duration, --above, --query, --all, -n and the time options.
 * ERROR_USAGE also where there is no server to search. */
bool search_question(struct trace_search *s, const struct context *ctx,
		     struct error *err) MUST_CHECK;

/* The objective that options name, and its requests counted. */

/* --objective of this service with --name, --threshold, --window and the time
 * where it ends. ERROR_USAGE. */
bool slo_question_read(struct slo *s, struct context *ctx, const char *service,
		       struct error *err) MUST_CHECK;

/* By metrics; else by traces, of which no document can be made and which are no
 * way out where it was said where metrics are. */
bool slo_question_count(struct slo *s, struct context *ctx, bool is_document,
			struct error *err) MUST_CHECK;

/* ERROR_NOT_FOUND where there was none. */
bool slo_question_has_requests(const struct slo *s,
			       struct error *err) MUST_CHECK;

/* The user's side: from the arguments of the program to the page of a command.
 * The only layer that prints. */

struct completion_script; /* commands.h */

/* The whole program; returns the exit status. Values of secret options are
 * overwritten in argv. scripts: what `completion` prints. */
int cli_run(int argc, char **argv, const struct completion_script *scripts);

/* A command of the same program in a process of its own: its words come after
 * the options of the first one, which have set the servers; the answer is JSON
 * on standard output, and nothing is written elsewhere. */
int cli_run_again(const struct options *first, int argc,
		  const char *const *argv);

/* Help texts, made from the tables of commands and options. */

/* Lines of an ordinary terminal, into which the help of a command fits. */
#define HELP_LINES 24

/* Writes the help of one command, or of the whole program for NULL. is_all: not
 * only what fits on a screen, or for NULL the options that most commands share.
 */
void help_write(const struct command *command, bool is_all, struct out *out);

/* Writes what a run without arguments prints: usage and the commands. */
void help_write_short(struct out *out);

#endif
