/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands, one file each: from options to a question, and from its answer to
 * outputs. Each returns the exit status.
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

/* Builds the document of a dashboard or an alert: services and metrics from
 * options and from what the metrics server has. */

struct document_choice {
	struct document document;
	struct metric_source sources[METRIC_MEANINGS];
	struct time_range window;
	/* Options determine platform or metrics: make no requests. */
	bool is_told;
};

/* Sets services, threshold, window and metrics as far as options determine
 * them. ERROR_USAGE. Referenced data is in the context's arena or in c. */
bool document_choose(struct document_choice *c, struct context *ctx,
		     struct error *err) MUST_CHECK;

/* Same for one service, given separately. */
bool document_choose_service(struct document_choice *c, struct context *ctx,
			     const char *const *service,
			     struct error *err) MUST_CHECK;

/* Queries which metrics exist, unless options determine them. ERROR_NOT_FOUND
 * if there are none for the services. */
bool document_find_metrics(struct document_choice *c, struct context *ctx,
			   struct error *err) MUST_CHECK;

/* Queries which of the services send profiles; a failure becomes a note. */
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

/* Returns the i-th action of the command config, NULL past the last. */
const char *config_action_name(size_t i);

/* `tracefind slow` without a trace, and diff without an operation: searches
 * slow traces, in the trace server or by exemplars of metrics, and picks a
 * typical one. */

/* Searches, adds a note on the trace chosen and how many are similar, and
 * replaces the run's options by ones that name the trace, without the search
 * conditions: times, service and name. They are in the run's arena. */
bool search_slow_trace(struct run *r, struct error *err) MUST_CHECK;

/* Returns the name of the span of --service that took long in the trace that
 * search_slow_trace() would choose within the range; adds a note on it and how
 * to choose another. In ctx->arena. */
bool search_slow_operation(struct context *ctx, struct time_range range,
			   struct str *name, struct error *err) MUST_CHECK;

/* Determines the two sides of `diff` from options: windows of a service,
 * selectors, spans, slow and fast requests, files. Does not compare. */

/* The sides of a diff, and data they refer to. */
struct diff {
	struct run *run;
	struct options changed; /* replaces the run's options */
	struct chosen_want want;
	/* A file, takes precedence over --baseline. */
	const char *baseline_path;
	uint64_t span_ids[2];
};

/* The objective given by options, and its request counts. */

/* Reads --objective for this service with --name, --threshold, --window and the
 * end time. ERROR_USAGE. */
bool slo_question_read(struct slo *s, struct context *ctx, const char *service,
		       struct error *err) MUST_CHECK;

/* Counts requests by metrics; else by traces, unless a document is wanted,
 * which needs metrics, or metrics were specified explicitly. */
bool slo_question_count(struct slo *s, struct context *ctx, bool is_document,
			struct error *err) MUST_CHECK;

/* Returns false with ERROR_NOT_FOUND if there were none. */
bool slo_question_has_requests(const struct slo *s,
			       struct error *err) MUST_CHECK;

/* The user interface: from the program's arguments to a command. The only layer
 * that prints. */

struct completion_script; /* commands.h */

/* The whole program; returns the exit status. Values of secret options are
 * overwritten in argv. scripts: those that `completion` prints. */
int cli_run(int argc, char **argv, const struct completion_script *scripts);

/* Runs a command in a child process of the same program: its arguments come
 * after the options of the first command, which select the servers; the answer
 * is JSON on standard output, and no files are written. */
int cli_run_again(const struct options *first, int argc,
		  const char *const *argv);

/* Help texts, generated from the tables of commands and options. */

/* Lines of a standard terminal, which the short help of a command must fit
 * into. */
#define HELP_LINES 24

/* Writes the help of a command, or of the program for NULL. is_all: complete
 * help instead of a screenful; for NULL, with the options that most commands
 * share. */
void help_write(const struct command *command, bool is_all, struct out *out);

/* Writes what a run without arguments prints: usage and commands. */
void help_write_short(struct out *out);

#endif
